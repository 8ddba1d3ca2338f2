/* SPDX-License-Identifier: Apache-2.0 */
/* The structures of this room: options, session, plan, record, frame, run.
 *
 * A session is a flat array of steps over a flat array of values; it does not change once made. A
 * plan says, for one set of input shapes, where each value lives. A record says what kernels asked
 * for; a plan is built from it. A frame holds the memory and the slots of one run. Order of
 * reading: session.c, plan_build.c, frame.c, frame_host.c, run_steps.c.
 */
#ifndef ORIBI_SESSION_SESSION_INTERNAL_H_
#define ORIBI_SESSION_SESSION_INTERNAL_H_

#include "device/device.h"
#include "device/pool.h"
#include "import/open.h"
#include "kernel/context.h"
#include "kernel/resource.h"
#include "pass/pass.h"
#include "plan/plan.h"
#include "session/record.h"
#include "session/session.h"
#include "tensor/patience.h"

enum {
    ORIBI_MAX_PLANS = 16,
    ORIBI_MAX_SPECIALS = 8,
    ORIBI_OUTPUT_SPARES = 3,
    ORIBI_MAX_DEVICES = 32
};

/* --- Options --------------------------------------------------------------------------------- */

typedef struct oribi_node_place { /* --place-node */
    const char *node, *device;
    struct oribi_node_place *next;
} oribi_node_place;

typedef struct oribi_input_bound { /* --bound */
    const char *input;
    int dim;
    int64_t most;
    struct oribi_input_bound *next;
} oribi_input_bound;

struct oribi_options {
    oribi_arena arena;
    int threads;
    uint64_t max_bytes, deadline_ns;
    atomic_int stop;
    bool follow_links, reads_files;
    enum oribi_tflite_variant tflite_variant;
    const char *signature; /* in the arena, or NULL */
    uint32_t disabled_passes;
    const char *kernels;                     /* label that goes first; NULL: none */
    const struct oribi_instruction_set *isa; /* of built-in kernels; NULL: all */
    const oribi_input_shape *shapes;         /* the newest first */
    oribi_input_bound *bounds;
    bool has_thread_pool;
    oribi_thread_pool thread_pool;
    const char *device; /* "FAKE:0", or NULL: the CPU */
    oribi_node_place *places;
    bool is_strict;     /* a node without a kernel for its device is an error */
    bool keeps_islands; /* copies are not weighed */
    uint64_t device_max_bytes;
    bool has_unified_memory;
    const char *check; /* "plugins", "all", "off"; NULL: as ORIBI_CHECK says */
    const char *record_file, *record_node;
};

uint64_t oribi_options_max_bytes(const oribi_options *options);        /* NULL: the default */
uint64_t oribi_options_device_max_bytes(const oribi_options *options); /* the same */
/* Without shapes and time limit. NULL: no memory. */
oribi_options *oribi_options_copy(const oribi_options *options, TF_Status *status);
/* Begins the thread's patience for what is made with the options (NULL: endless). */
void oribi_options_begin(const oribi_options *options, const char *what, oribi_patience *patience);
/* A copy in the arena, in the same order; false: no memory. */
bool oribi_input_shapes_copy(oribi_arena *arena, const oribi_input_shape *shapes,
                             const oribi_input_shape **out);
/* Makes a pool with its own threads, or on the application's. */
oribi_pool *oribi_options_make_pool(const oribi_options *options, TF_Status *status);

/* --- Memory that counts against the limit ---------------------------------------------------- */

/* Outlives the session: buffers that the application holds point to it. */
typedef struct oribi_meter {
    _Atomic int64_t references;
    _Atomic uint64_t used;
    uint64_t max_bytes;
    void (*release_buffer)(oribi_buffer *buffer);
} oribi_meter;

oribi_meter *oribi_meter_create(uint64_t max_bytes, TF_Status *status);
void oribi_meter_retain(oribi_meter *meter);
void oribi_meter_release(oribi_meter *meter); /* NULL ok */
/* RESOURCE_EXHAUSTED, nothing counted, when the limit would be passed; what is for the message. */
bool oribi_meter_charge(oribi_meter *meter, uint64_t bytes, const char *what, TF_Status *status);
void oribi_meter_discharge(oribi_meter *meter, uint64_t bytes);
/* Counted buffer, which gives its bytes back when the last reference goes. */
oribi_buffer *oribi_meter_buffer(oribi_meter *meter, size_t bytes, const char *what,
                                 TF_Status *status);
/* In host memory that copies of the device like best, where its plugin has some to give. */
oribi_buffer *oribi_meter_device_buffer(oribi_meter *meter, oribi_device *device, size_t bytes,
                                        const char *what, TF_Status *status);
/* Counts the texts in the buffer, which lie outside it, until it goes. */
bool oribi_meter_hold_texts(oribi_meter *meter, oribi_buffer *buffer, TF_Status *status);
bool oribi_meter_owns(const oribi_meter *meter, const oribi_buffer *buffer);

/* --- Session --------------------------------------------------------------------------------- */

typedef struct oribi_session_value {
    const char *name;
    TF_DataType dtype;
    oribi_shape shape; /* as far as it is known without a run */
    int32_t producer;  /* step, or -1 */
    int32_t first_use; /* step from which its memory must be free: the producer, or one before */
    int32_t last_use;  /* step; the producer when nobody reads it */
    int32_t n_uses;    /* node inputs and graph outputs */
    int32_t device;    /* whose memory it lies in: index of session->devices, 0: the host's */
    int32_t crosses;   /* host memory that is copied to or from this device; 0: none */
    bool is_input, is_output;
    TF_Tensor *constant; /* dense, when a kernel or the caller still reads it */
    bool is_constant;
} oribi_session_value;

typedef enum oribi_transfer_kind {
    ORIBI_TO_DEVICE,
    ORIBI_TO_HOST,
    ORIBI_ON_DEVICE, /* between devices, without the host */
    ORIBI_WAIT,      /* of the host, for a mark */
    ORIBI_WAIT_ALL
} oribi_transfer_kind;

typedef struct oribi_transfer { /* what a step does that is no node's: transfer.c */
    uint8_t kind;
    bool is_awaited;  /* a wait refers to the mark */
    bool is_beside;   /* on a stream of its own, see overlap.c */
    int32_t from, to; /* devices; a wait: from */
    int32_t mark;
} oribi_transfer;

typedef struct oribi_session_device {
    oribi_device *device;          /* one reference; NULL for [0], the host */
    oribi_device_account *account; /* one reference; the same */
    uint64_t constant_bytes;       /* of it, as long as the session lives */
    const char *name;              /* "CPU", "FAKE:0" */
    const char *lane_names[4]; /* of a trace: kernels, copies among them, copies to the device and
                                * to the host beside them */
    int32_t n_marks;
    bool has_beside[2]; /* ORIBI_TO_DEVICE, ORIBI_TO_HOST */
} oribi_session_device;

/* A graph of a node of control flow: its session belongs to the step. */
typedef struct oribi_session_body {
    struct oribi_session *session; /* shares pool, meter, resources and life of the one around it */
    const oribi_body *body;
    int32_t index;     /* of a frame's children */
    const char *fault; /* why there is no session of a branch: said when the branch is taken */
} oribi_session_body;

typedef struct oribi_session_step {
    oribi_kernel kernel;
    oribi_node_view view;
    const oribi_node *node;
    int32_t *inputs, *outputs; /* values */
    int32_t device;            /* index of session->devices */
    oribi_transfer *transfer;  /* NULL: a node of the graph */
    int32_t flight;            /* of an asynchronous kernel: which one; else -1 */
    int32_t until;             /* the last step at which its kernel may be at work */
    bool *released;            /* n_inputs: constants that the kernel promised not to read */
    uint64_t packed_inputs;    /* that a packed file had for the kernel; bit i: input i */
    struct oribi_session *session;
    const char *detail; /* "op, kernel of provider" */
    oribi_session_body *bodies;
    int32_t n_bodies;
    void *graph_arg; /* of the graph's view callbacks */
    void (*graph_release)(void *arg, int32_t input);
    void (*graph_read)(void *arg, int32_t input, const void *from, size_t bytes);
    bool (*graph_constant)(void *arg, int32_t input, oribi_constant_view *out_view);
    TF_Tensor *(*graph_dense)(void *arg, int32_t input, TF_Status *status);
} oribi_session_step;

struct oribi_session {
    _Atomic int64_t references;
    struct oribi_session *root; /* whose references count: itself, or that of the model */
    int32_t n_children;         /* bodies of all steps */
    oribi_graph *graph;
    oribi_arena arena;
    oribi_pool *pool;
    oribi_resources *resources; /* shared by the session's runs, by no other session */
    oribi_meter *meter;
    struct oribi_packs *packs; /* one reference, shared by the sessions of a model */
    oribi_pass_report report;
    struct oribi_check *check;        /* NULL: kernels are called as they are */
    const char *device, *device_type; /* "FAKE:0" and "FAKE", where most nodes go; NULL: the CPU */
    oribi_session_device *devices;    /* n_devices, at least the host */
    const char **moved;               /* by node of the graph: why it is on the CPU, or NULL; NULL:
                                       * nothing was weighed */
    int32_t n_devices;
    oribi_session_step *steps;
    oribi_session_value *values;
    int32_t *inputs, *outputs; /* values */
    int32_t n_steps, n_values, n_inputs, n_outputs;
    int32_t n_states;    /* of both: the last ones, which callers do not see */
    oribi_shape *bounds; /* of the inputs, -1 where there is none; NULL: none at all */
    /* Asynchronous kernels: their steps; which of them the host waits for before each step, and at
     * the end: flight/flight_order.c. */
    int32_t *flights, *landings, *first_landing;
    int32_t n_flights;
    _Atomic int64_t next_run_id;
    oribi_mutex lock; /* plans */
    struct oribi_plan *plans[ORIBI_MAX_PLANS];
    int32_t n_plans;
    uint64_t plan_clock;
    struct oribi_specials *specials; /* of a model that is translated for each set of input shapes;
                                      * NULL: once was enough */
    uint64_t graph_bytes;            /* charged for the graph */
};

/* special.c: sessions for one set of input shapes each, of a model whose translation wants them.
 * They share the pool, the resources and the limit of the session that the application made, which
 * has ports alone then and is never walked. */
typedef struct oribi_specials oribi_specials;
oribi_specials *oribi_specials_create(const oribi_model_file *file, const oribi_import_options *how,
                                      const oribi_options *options, TF_Status *status);
void oribi_specials_destroy(oribi_specials *specials); /* NULL ok */
/* Where the inputs of a session may have other shapes than it is made for. */
const oribi_shape *oribi_session_input_limit(const oribi_session *session, int32_t input);
/* Is the session made for these shapes of the inputs? */
bool oribi_special_serves(const oribi_session *special, const oribi_shape *input_shapes);
/* The session for the shapes, kept or new; one reference. The one not asked for longest goes. */
oribi_session *oribi_special_find(oribi_session *session, const oribi_shape *input_shapes,
                                  TF_Status *status);
/* Session over a graph, which it takes over, also when it fails; home NULL, or what it shares;
 * packs NULL, or those of the model. */
oribi_session *oribi_session_make(oribi_graph *graph, const oribi_options *options,
                                  oribi_session *home, struct oribi_packs *packs,
                                  TF_Status *status);

/* session_place.c: names devices in the graph before the passes; opens those that nodes then go to.
 */
bool oribi_place_request(oribi_session *session, const oribi_options *options, TF_Status *status);
bool oribi_place_nodes(oribi_session *session, const oribi_options *options, int32_t *out_devices,
                       TF_Status *status);
/* Memory of a node's input or output, as its kernel wants it: the node's device, or 0. */
int32_t oribi_place_of_input(const oribi_node *node, int32_t input, int32_t device);
int32_t oribi_place_of_output(const oribi_node *node, int32_t output, int32_t device);
/* May values go from one device to the other without the host? */
bool oribi_place_is_direct(const oribi_session *session, int32_t from, int32_t to);
/* weigh.c: nodes that are not worth their copies go to the CPU. */
bool oribi_place_weigh(oribi_session *session, int32_t *devices, TF_Status *status);
/* steps.c: flat steps and values, copies and waits among them; devices by place in graph->order. */
bool oribi_steps_make(oribi_session *session, const int32_t *devices, TF_Status *status);
/* ahead.c: the order of the steps, by place in graph->order: what devices do goes first. */
bool oribi_steps_order(const oribi_session *session, const int32_t *devices, int32_t *out_order,
                       TF_Status *status);
/* flight/flight_order.c: may the node compute beside the host's steps? */
bool oribi_flight_is_node(const oribi_node *node);
/* Do nodes have to compute one after the other, since both may touch one resource? */
bool oribi_flight_has_resource(const oribi_node *node);
/* Where each asynchronous step is waited for, once kernels are known; extends lives of values. */
bool oribi_flights_order(oribi_session *session, TF_Status *status);
/* overlap.c: which copies go beside the kernels, and what that does to lives of values. */
void oribi_steps_overlap(oribi_session *session);
/* describe_device.c */
struct oribi_json;
struct oribi_plan;
void oribi_describe_copies(struct oribi_json *json, const oribi_session *session,
                           const struct oribi_plan *plan);
void oribi_describe_devices(struct oribi_json *json, const oribi_session *session,
                            const struct oribi_plan *plan);
/* transfer.c */
const oribi_kernel_def *oribi_transfer_kernel(oribi_transfer_kind kind);
/* session_constants.c */
/* Kernels pack weights, and what one element of a file stands for is written out then: may it be as
 * much as that? Nothing is charged; weights that a file has are as large as it. */
bool oribi_constants_check_repeated(oribi_session *session, TF_Status *status);
/* Dense bytes for the constants that something still reads, where it reads them. */
bool oribi_constants_keep(oribi_session *session, TF_Status *status);

/* session_options.c: what options and environment say about checks and records. */
bool oribi_session_check_begin(oribi_session *session, const oribi_options *options,
                               TF_Status *status);
/* Once all kernels are made: is there the node whose call is to be recorded? */
bool oribi_session_check_found(const oribi_session *session, TF_Status *status);

void oribi_session_retain(oribi_session *session);
void oribi_session_release(oribi_session *session);

/* --- Plan ------------------------------------------------------------------------------------ */

typedef struct oribi_place { /* of a value or a temporary */
    uint8_t storage;         /* ARENA, OUTPUT, CONSTANT, CALLER or NONE */
    uint8_t request;         /* oribi_request */
    bool is_settled;
    int32_t forward_from;
    int32_t output; /* which graph output's buffer, for OUTPUT */
    size_t offset, capacity, bytes;
    int32_t rank; /* -1: no dims planned */
    int64_t dims[ORIBI_INLINE_RANK];
    int64_t row_stride;
    int32_t device, unit; /* of the plan's, for ARENA; -1: the host's arena */
} oribi_place;

typedef struct oribi_plan_unit { /* one allocation of a device, for each frame */
    int32_t device, step;        /* the first step that uses it, for messages */
    bool is_host;                /* host memory that copies of the device like best */
    size_t bytes;
} oribi_plan_unit;

typedef struct oribi_plan {
    _Atomic int64_t references;
    _Atomic bool is_superseded;
    uint64_t last_used;
    oribi_arena arena;
    oribi_record *record;
    oribi_shape *input_shapes; /* of the session's inputs */
    oribi_place *places;       /* n_values, then n_temps */
    oribi_step_io *steps;
    bool *is_placed; /* step: a concatenation whose inputs are written in place, or control flow */
    int32_t n_values, n_temps, n_steps, n_placed;
    size_t arena_bytes;
    oribi_plan_unit *units;
    int32_t n_units;
    size_t *output_bytes;       /* by output: bytes to have ready; SIZE_MAX: nothing lives there */
    int32_t *output_items;      /* places that live in graph outputs' buffers, by output */
    int32_t *first_output_item; /* by output, and the end */
    oribi_plan_bounds bounds;
} oribi_plan;

void oribi_plan_retain(oribi_plan *plan);
void oribi_plan_release(oribi_plan *plan);
/* Plan for input shapes from a record, which it takes over, also when it fails. */
oribi_plan *oribi_plan_build(const oribi_session *session, const oribi_shape *input_shapes,
                             oribi_record *record, TF_Status *status);
/* Record of guesses from the shape functions. is_whole: all values are there at once, as one who
 * watches them wants it. */
oribi_record *oribi_plan_guess(const oribi_session *session, const oribi_shape *input_shapes,
                               bool is_whole, TF_Status *status);
/* Counted plan for the shapes, from the cache or new. */
oribi_plan *oribi_plan_find(oribi_session *session, const oribi_shape *input_shapes, bool is_whole,
                            TF_Status *status);
/* Plans again with what a run learnt; takes news over. Failure leaves the old plan. */
void oribi_plan_improve(oribi_session *session, oribi_plan *plan, oribi_record *news);
/* Was it made for these shapes, or for the bounds that they are within? */
bool oribi_plan_fits(const oribi_plan *plan, const oribi_shape *input_shapes, bool is_whole,
                     const oribi_session *session);
/* bound.c: the bounds that options say; the dims of an input as a plan has them. */
bool oribi_bounds_make(oribi_session *session, const oribi_options *options, TF_Status *status);
int64_t oribi_bound_of(const oribi_session *session, int32_t input, int32_t dim); /* -1: none */
bool oribi_bounds_check(const oribi_session *session, int32_t input, const oribi_shape *shape,
                        TF_Status *status);
/* Bytes for what grows from run to run and no shape function foretells, once a run wanted so many:
 * it is planned anew once, and not for each length. The same where there are no bounds. */
size_t oribi_bounds_room(const oribi_session *session, const struct oribi_run *run, size_t bytes);
/* The same shapes, as large as they may become, in the arena; NULL: no memory. */
const oribi_shape *oribi_bounds_apply(const oribi_session *session, const oribi_shape *shapes,
                                      oribi_arena *arena);

/* --- Frame ----------------------------------------------------------------------------------- */

/* An output that was set to bytes which the kernel may yet write: it has them until the step ends,
 * and then a copy in its own place. */
typedef struct oribi_late_copy {
    void *to; /* NULL: none */
    int32_t from;
} oribi_late_copy;

typedef struct oribi_pin { /* bytes of the arena that a kept handle still reads */
    const char *from, *to;
} oribi_pin;

typedef struct oribi_seen_temp { /* a temporary of the present step that was not planned */
    oribi_buffer *buffer;        /* one reference */
    int32_t ordinal;
    bool is_elsewhere; /* host memory, asked for on a device: never planned */
} oribi_seen_temp;

typedef struct oribi_seen { /* such ones, until the end of the step shows whether they escaped */
    oribi_seen_temp *temps;
    int32_t n, capacity;
} oribi_seen;

typedef struct oribi_home { /* of a slot that moves on from turn to turn */
    void *data;
    oribi_buffer *buffer;
    size_t capacity;
    uint8_t storage;
    int64_t dims[ORIBI_INLINE_RANK]; /* of the whole, once all turns are over: handles that kernels
                                      * kept still read those of their turn in the slot */
} oribi_home;

typedef struct oribi_frame {
    TF_OpKernelContext ctx; /* first: the host gets a context and finds the frame */
    oribi_session *session; /* one reference */
    oribi_plan *plan;       /* one reference */
    void *arena;
    size_t arena_bytes;
    oribi_buffer *arena_buffer;   /* of sessions with control flow, whose bodies may keep it */
    struct oribi_child *children; /* n_children of the session, made when first used */
    oribi_buffer **units;         /* by the plan's units */
    int32_t n_units;
    int32_t n_slots, slots_capacity;
    int32_t *spilled; /* n_values entries of room: values that differ from the plan */
    int32_t n_spilled;
    oribi_record *news; /* NULL: every request was known */
    oribi_pin *pins;
    int32_t n_pins, pins_capacity;
    oribi_seen seen;
    oribi_late_copy *late; /* by output of the present step */
    _Atomic bool has_late;
    int32_t step;                        /* index of the present step */
    const struct oribi_batch_loop *loop; /* of the present step, while it takes turns; or NULL */
    oribi_home *homes;                   /* of the borders of all such loops */
    int32_t homes_capacity;
    struct oribi_run *run;        /* NULL once detached */
    struct oribi_flight *flights; /* n_flights of the session */
    int32_t n_kept;               /* flights that landed with handles open */
    _Atomic int32_t holds;        /* contexts that the detached frame waits for */
    uint64_t limit_ns;            /* of waits, once the run stops; 0: it did not */
    bool was_late;                /* a kernel is at work when the run is over */
    oribi_stream **streams;       /* of the run, for a kernel that is late on a device */
} oribi_frame;

oribi_frame *oribi_frame_create(oribi_session *session, struct oribi_run *run, TF_Status *status);
void oribi_frame_destroy(oribi_frame *frame); /* no handle open; NULL ok */
/* Lays the plan over the slots; no handle is open. Keeps a reference. */
bool oribi_frame_bind(oribi_frame *frame, oribi_plan *plan, TF_Status *status);
/* A kernel and the shape function of its op must not contradict each other: what reads the value
 * was made for the shape that was inferred. The kernel's failure names both, also where the kernel
 * does not look at the status. Asked only where the plan does not serve a request at once. */
bool oribi_check_inferred(TF_OpKernelContext *ctx, int index, const int64_t *dims, int rank,
                          TF_Status *status);
/* The same of a tensor that a kernel sets, whose bytes must hold its shape; *out_bytes: of that. */
bool oribi_check_set(TF_OpKernelContext *ctx, int index, const TF_Tensor *tensor, size_t *out_bytes,
                     TF_Status *status);
/* Points the slots that live in a graph output's buffer to it; NULL: its kernel asks where it is.
 */
void oribi_frame_set_output(oribi_frame *frame, int32_t output, oribi_buffer *buffer);
bool oribi_frame_set_input(oribi_frame *frame, int32_t input, const TF_Tensor *tensor);
/* After a run: slots that differ from the plan are as planned again. */
void oribi_frame_restore(oribi_frame *frame);
/* Leaves the memory of values to a kernel of a body that is late and reads it. */
void oribi_frame_part(oribi_frame *frame);
/* Keeps what open handles point to, before the frame is left to them; then leaves it. */
void oribi_frame_hold(oribi_frame *frame);
void oribi_frame_leave(oribi_frame *frame);
/* One context less that holds a detached frame. */
void oribi_frame_drop(oribi_frame *frame);
/* Gives the value a heap buffer until the end of the run; the reference is taken over. */
void oribi_frame_spill(oribi_frame *frame, int32_t value, oribi_buffer *buffer, size_t bytes);
/* Lets go of these, and of what oribi_frame_alias did: the slot is the plan's, but for its address.
 */
void oribi_frame_unspill(oribi_frame *frame, int32_t value);
/* Points the value to fixed bytes of another slot (a constant, a bound input). */
void oribi_frame_alias(oribi_frame *frame, int32_t value, const oribi_slot *from, void *data,
                       size_t bytes);
/* In the memory of a device, by index of session->devices. */
oribi_buffer *oribi_frame_buffer(oribi_frame *frame, int32_t device, size_t bytes,
                                 TF_Status *status);
/* Device of this frame that the buffer lies on; 0: host memory. */
int32_t oribi_frame_device_of(const oribi_frame *frame, const oribi_buffer *buffer);
/* frame_device.c: bytes from anywhere to anywhere, for requests beyond the plan. May wait. */
bool oribi_frame_bind_units(oribi_frame *frame, const oribi_plan *plan, TF_Status *status);
void oribi_frame_free_units(oribi_frame *frame);
bool oribi_frame_move(oribi_frame *frame, oribi_slot *to, const oribi_buffer *from_buffer,
                      int32_t from_device, const void *from, size_t bytes, TF_Status *status);
/* First byte after those that a slot of these bytes touches, rows apart included. */
const char *oribi_slot_end(const oribi_slot *slot);
bool oribi_frame_overlaps_pin(const oribi_frame *frame, const void *data, size_t bytes);
/* Notes a wish; only a new one allocates. */
bool oribi_frame_note(oribi_frame *frame, int32_t value, const oribi_wish *wish, TF_Status *status);
/* Retains the buffer, under the lock of the context. */
bool oribi_seen_add(TF_OpKernelContext *ctx, oribi_seen *seen, const oribi_seen_temp *temp,
                    TF_Status *status);
void oribi_seen_clear(oribi_seen *seen);
/* Parts of it, for steps that end out of order: see frame_step.c. */
bool oribi_frame_settle_seen(oribi_frame *frame, TF_Status *status);
bool oribi_frame_pin(oribi_frame *frame, const oribi_slot *slot, TF_Status *status);
void oribi_frame_drop_dead(oribi_frame *frame, int32_t value, int32_t step);
/* After a step: temporaries that were seen, handles that are still open, values that died. */
bool oribi_frame_finish_step(oribi_frame *frame, TF_Status *status);
/* Control flow, or a placed concatenation: nothing to do when all inputs were written in place,
 * else computes it. */
bool oribi_frame_special_step(oribi_frame *frame, const oribi_step_io *step, TF_Status *status);
extern const oribi_context_host oribi_frame_host;

/* --- Run ------------------------------------------------------------------------------------- */

typedef struct oribi_good_output { /* of the last good run */
    oribi_buffer *buffer;
    void *data;
    size_t bytes;
    int32_t rank;
    int64_t dims[ORIBI_INLINE_RANK];
    int64_t *dims_heap;
} oribi_good_output;

/* The caller's memory for an output, where an input lies in it as well. */
typedef struct oribi_shared_memory {
    int32_t input;   /* which the output's kernel may write over in this run, or -1 */
    int32_t refused; /* which it did not: the run has memory for the output; or -1 */
} oribi_shared_memory;

struct oribi_run {
    oribi_session *home;    /* one reference: what the application made it of */
    oribi_session *session; /* one reference: the same, or that for the shapes of the inputs */
    oribi_frame *frame;     /* NULL before the first run and after it was detached */
    TF_Tensor **inputs;     /* n_inputs, own handles; the last n_states are the state */
    TF_Tensor **next;       /* n_states: what a run has made of it; NULL between runs */
    oribi_shape *input_shapes;
    oribi_buffer *(*spares)[ORIBI_OUTPUT_SPARES]; /* by output */
    oribi_good_output *good;
    oribi_buffer **copies; /* by output, while outputs are kept: copies of bound inputs */
    TF_Tensor **own;       /* by output: the caller's, own handles; NULL: the run's own memory */
    oribi_shared_memory *shared; /* by output */
    const int32_t *passes;       /* of a body, by output: the input that it is, or -1; else NULL */
    bool *shares;                /* by input: an output may keep its bytes, too */
    bool has_good;
    oribi_mutex lock;     /* which signal it has */
    oribi_signal *signal; /* one reference; another one once a kernel was late */
    uint64_t time_limit_ns;
    void (*trace)(void *arg, const oribi_trace_event *event);
    void *trace_arg;
    oribi_block_trace blocks;
    oribi_stream **streams;                  /* by device of the session; NULL without devices */
    oribi_stream *(*beside)[2];              /* the same, for copies beside; each may be NULL */
    uint64_t n_waits;                        /* of the last execution */
    struct oribi_device_trace *device_trace; /* of a run that is traced; NULL: no device did work */
    void (*watch)(void *arg, const oribi_value_event *event);
    void *watch_arg;
};

bool oribi_run_steps(struct oribi_run *run, TF_Status *status);
/* Some of them, one after the other. */
bool oribi_run_range(struct oribi_run *run, int32_t first, int32_t end, TF_Status *status);
/* One execution inside another run's step. */
bool oribi_run_execute_inside(struct oribi_run *run, const TF_OpKernelContext *around,
                              TF_Status *status);
/* Binds an input and takes the tensor over, also when it fails. */
bool oribi_run_bind(struct oribi_run *run, int32_t index, TF_Tensor *tensor, TF_Status *status);
/* Lets go of inputs and outputs, which belong to the run around it. */
void oribi_run_unbind(struct oribi_run *run);
/* One of them, traced where the run is; a failure names the node. */
bool oribi_run_step(struct oribi_run *run, int32_t s, TF_Status *status);
/* Puts in front of a message which node and kernel it is about. */
void oribi_run_name_step(const oribi_session *session, int32_t s, TF_Status *status);
/* flight/run_flights.c: the walk of sessions that have asynchronous kernels. */
bool oribi_run_flights(struct oribi_run *run, TF_Status *status);
bool oribi_run_prepare_outputs(struct oribi_run *run, TF_Status *status);
bool oribi_run_keep_outputs(struct oribi_run *run, TF_Status *status);
void oribi_run_trace_step(struct oribi_run *run, const oribi_session_step *step, uint64_t start_ns);
/* An asynchronous kernel's time, on a lane of its own. */
void oribi_run_trace_flight(struct oribi_run *run, int32_t s, uint64_t start_ns, uint64_t end_ns);
/* run_device.c: streams for all devices of the session, made when they are first needed and after a
 * failure; then idle. */
bool oribi_run_open_streams(struct oribi_run *run, TF_Status *status);
void oribi_run_reset_streams(struct oribi_run *run); /* after a failure: waits, and lets them go */
void oribi_run_drain_streams(struct oribi_run *run);
/* Whose stream the step's work goes to, and which; NULL: the host does it, or only waits. */
oribi_stream *oribi_run_stream_of(const struct oribi_run *run, const oribi_session_step *step,
                                  int32_t *out_device);
/* run_state.c: the state before the first run, and after one that succeeded (all of it or none). */
bool oribi_run_reset_states(struct oribi_run *run, TF_Status *status);
bool oribi_run_commit_states(struct oribi_run *run, TF_Status *status);
/* A handle of output `index`, states included, of the last good run. */
TF_Tensor *oribi_run_share_output(struct oribi_run *run, int32_t index, TF_Status *status);
/* trace_device.c: what devices do, told after the run; `ok`: all of it was waited for. */
typedef struct oribi_device_trace oribi_device_trace;
bool oribi_run_timer_start(struct oribi_run *run, int32_t s, uint64_t now_ns, TF_Status *status);
bool oribi_run_timer_stop(struct oribi_run *run, TF_Status *status);
void oribi_run_trace_devices(struct oribi_run *run, bool ok);
/* watch.c: hands out the step's outputs. */
bool oribi_run_watch_step(struct oribi_run *run, const oribi_session_step *step, TF_Status *status);
void oribi_run_trace_alloc(struct oribi_run *run, const char *name, size_t bytes);

/* A model or session more or less (-1), for oribi_shutdown. */
void oribi__in_use(int change);

#endif
