/* SPDX-License-Identifier: Apache-2.0 */
/* One compilation: options, the calls, where everything lies, the files that came out. Order of
 * reading: options.h, compile.c (the flow), lower.h, memory.c, emit_*.c, files.c.
 *
 * The object that a caller holds has the options, the models and the files of all; each of its
 * models is an object of the same type with a copy of the options.
 */
#ifndef ORIBI_COMPILE_COMPILE_INTERNAL_H_
#define ORIBI_COMPILE_COMPILE_INTERNAL_H_

#include "compile/devices.h"
#include "compile/instances.h"
#include "compile/lower.h"
#include "compile/options.h"
#include "oribi/oribi.h"
#include "pass/plan.h"

enum {
    ORIBI_WORKSPACE_ALIGNMENT = 16, /* of pools, and of inputs and outputs in them */
    ORIBI_SCRATCH_ALIGNMENT = 4,
    ORIBI_CACHE_LINE = 32, /* of devices with cache hooks that say nothing of it */
    ORIBI_POOLS = 8,
    ORIBI_COMPILE_MODELS = 64
};

/* Where the bytes of a value are while the model runs. */
enum oribi_storage {
    ORIBI_IN_NOTHING, /* not needed: a constant that a call has packed, a removed value */
    ORIBI_IN_INPUT,   /* the caller's, member `index` of the inputs */
    ORIBI_IN_OUTPUT,
    ORIBI_IN_WORKSPACE, /* at `offset` of pool `index` */
    ORIBI_IN_FLASH,     /* constant `index` of the model */
    ORIBI_IN_STATE      /* member `index` of the state, as the last run left it */
};

typedef struct oribi_location {
    int32_t storage, index;
    int64_t offset, bytes;
    int32_t buffer; /* of oribi_compile.buffers, or -1 */
} oribi_location;

typedef struct oribi_pool {   /* memory that the caller gives to a run */
    const char *name, *macro; /* "workspace", "WORKSPACE" */
    const char *option_name;  /* as --pool has it */
    uint64_t max_bytes;       /* 0: no limit */
    int64_t bytes;            /* what the plan needs */
    uint32_t devices;         /* that see it, a bit for each; 0: those that no pool names */
    bool is_hidden;           /* the CPU does not see it */
} oribi_pool;

/* Why a value shares the bytes of another. */
enum oribi_share_kind {
    ORIBI_SHARE_NONE,
    ORIBI_SHARE_VIEW,    /* the same bytes under another shape */
    ORIBI_SHARE_PART,    /* of a concatenation's result or of what was split */
    ORIBI_SHARE_IN_PLACE /* its operator writes over it */
};
typedef struct oribi_share {
    int32_t why, with, call; /* with: a value */
} oribi_share;

/* A model input or output as emitted code sees it. */
typedef struct oribi_port {
    const char *name, *macro; /* "input_1", "INPUT_1" */
    const char *model_name;   /* hostile */
    oribi_value_id value;
    int32_t kind; /* oribi_element_kind */
    int64_t count, bytes;
    oribi_quantisation units; /* the model's; told in C where one scale is for all */
    int64_t offset;           /* in the workspace, when it lives there */
} oribi_port;

/* What a run leaves to the next one. In the graph it is an input and an output that the caller does
 * not see; a run writes `next` anywhere but over the state, and only when all operators have run is
 * it copied there (docs/compile.md). */
typedef struct oribi_state {
    const char *name, *model_name; /* as of a port */
    const char *output_name;       /* of --state, as the model has it; NULL: the model's own */
    oribi_value_id read, next;     /* of equal type and size */
    int32_t kind;
    int64_t count, bytes;
    const void *initial; /* bytes; NULL: `fill` */
    int32_t fill;        /* every element after a reset: the zero point of integers */
} oribi_state;

/* A constant of the model as it is stored. */
typedef struct oribi_weights_array {
    const oribi_placed *placed;
    const char *symbol;   /* "conv2d_0_filter" of tvmgen_<model>_conv2d_0_filter */
    const char *section;  /* of --place, or NULL */
    int64_t offset;       /* in the image of --weights bin, its head included */
    int64_t padded_bytes; /* to ORIBI_WEIGHTS_ALIGNMENT */
} oribi_weights_array;

typedef struct oribi_copy { /* an output that is not computed where it is wanted */
    oribi_value_id from;
    int32_t output;
} oribi_copy;

typedef struct oribi_file {
    const char *name; /* below the folder, "micro/conv2d_s8.c" */
    char *data;
    size_t bytes;
} oribi_file;

struct oribi_compile {
    oribi_arena arena;
    oribi_compile_options options;
    oribi_compile **models; /* of the caller's object; what follows them is a model's */
    int32_t n_models;
    bool has_siblings;       /* other models of the same call */
    bool is_partitioned;     /* devices have taken what they take: describe.c */
    bool ports_in_workspace; /* --io pool */
    oribi_devices devices;
    oribi_graph *graph;
    const char *name, *macro; /* "digits", "DIGITS" */
    const char *source_name;  /* file name without folder; hostile */
    char sha256[65];
    const char *kernels; /* model whose name the symbols of micro/ carry */
    oribi_port *inputs, *outputs;
    oribi_state *states;
    oribi_call *calls;
    oribi_instances instances;
    oribi_location *locations; /* by value */
    oribi_location *scratch;   /* by call */
    oribi_copy *copies;
    int32_t *commits;        /* states in the order in which they are written */
    oribi_placed *constants; /* that kernels read as tensors: ORIBI_IN_FLASH */
    oribi_weights_array *arrays;
    int32_t first_constant; /* of `constants` among the arrays */
    int32_t n_inputs, n_outputs, n_states, n_calls, n_copies, n_constants, n_arrays;
    oribi_pool pools[ORIBI_POOLS]; /* in order of preference */
    int32_t n_pools;
    bool pools_are_limited; /* one of them at least */
    oribi_plan_bounds bounds;
    oribi_plan_buffer *buffers; /* as planned */
    oribi_plan_alias *aliases;  /* that kernels allow between buffers; each of the call */
    int32_t *alias_calls;
    int32_t n_buffers, n_aliases;
    oribi_share *shares; /* by value */
    int64_t workspace_bytes, constants_bytes, io_bytes, state_bytes;
    int64_t image_bytes; /* of --weights bin */
    int64_t floor_bytes; /* live sum without aliasing, views apart */
    oribi_file *files;
    int32_t n_files, files_capacity;
};

/* pools.c: the pools that the options ask for; one, "workspace", without. */
bool oribi_compile_pools(oribi_compile *compile, TF_Status *status);
bool oribi_compile_is_pool(const char *text, const char **out_wanted);
uint32_t oribi_compile_all_pools(const oribi_compile *compile); /* a bit for each */
uint32_t oribi_compile_cpu_pools(const oribi_compile *compile); /* those that the CPU sees */
/* The alignment that each pool needs: of what lies in it. */
int32_t oribi_compile_pool_alignment(const oribi_compile *compile);
/* choose.c: makes the calls and their order such that they need little memory, and plans. */
bool oribi_compile_choose(oribi_compile *compile, oribi_lowering *lowering, TF_Status *status);
/* order.c: an order of the calls with a lower peak than the present one, if it finds one. */
bool oribi_compile_order(const oribi_compile *compile, int32_t *out_order, bool *out_is_other,
                         TF_Status *status);
/* budget.c: RESOURCE_EXHAUSTED with what is largest. */
bool oribi_compile_check_budget(const oribi_compile *compile, TF_Status *status);
bool oribi_compile_check_budgets(const oribi_compile *all, TF_Status *status); /* of all models */
/* memory.c: places values and scratch; sets locations, copies, bounds and workspace_bytes. effort
 * is the planner's. */
bool oribi_compile_plan(oribi_compile *compile, int64_t effort, TF_Status *status);

/* constants.c: places the constants that calls and copies read; sets their locations. */
bool oribi_compile_place_constants(oribi_compile *compile, TF_Status *status);

/* ports.c: names, sizes and quantisation of inputs, outputs and state. */
bool oribi_compile_ports(oribi_compile *compile, TF_Status *status);
/* Once everything is placed: has each output a place of its own kind? */
bool oribi_compile_check_outputs(const oribi_compile *compile, TF_Status *status);
/* state.c: takes what is state out of the inputs and outputs of a compilation that has just made
 * them; afterwards, once everything is placed, puts states into an order in which they can be
 * overwritten one after the other. */
bool oribi_compile_take_states(oribi_compile *compile, TF_Status *status);
bool oribi_compile_order_states(oribi_compile *compile, TF_Status *status);
/* Makes a C identifier of a model's string; NULL: no memory. */
char *oribi_compile_identifier(oribi_arena *arena, const char *text);
/* The same for a member of a struct, which no macro or type of a header may be called; is_in_scope:
 * nor a variable of the emitted functions. What is gets a '_' at its end. NULL: no memory. */
char *oribi_compile_member(oribi_arena *arena, const char *text, bool is_in_scope);
char *oribi_compile_upper(oribi_arena *arena, const char *text);

/* weights.c: lists all constants; sets arrays and image_bytes. */
bool oribi_compile_list_arrays(oribi_compile *compile, TF_Status *status);
enum { ORIBI_WEIGHTS_ALIGNMENT = 4, ORIBI_WEIGHTS_HEAD = 32 };
/* Padded to its alignment before it and to ORIBI_WEIGHTS_ALIGNMENT behind it; little-endian. */
void oribi_weights_append(oribi_text *text, const oribi_placed *placed);
int32_t oribi_weights_alignment(const oribi_placed *placed);
int32_t oribi_weights_most_alignment(const oribi_compile *compile); /* of the image */
/* The image: a head of 32 bytes ("ORIBIW01", the bytes that follow it as 64 bits, the first half of
 * their SHA-256), then the arrays; little-endian. */
bool oribi_weights_image(const oribi_compile *compile, oribi_text *text);
uint32_t oribi_crc32(uint32_t crc, const void *data, size_t bytes); /* 0 at first */

/* evaluate.c: fills values, by id and NULL before, with the tensors of one run on made-up inputs.
 * The caller deletes them, also on failure; of a constant it is a handle of its own. */
bool oribi_compile_evaluate(oribi_compile *compile, TF_Tensor **values, TF_Status *status);
/* The bytes of a state before the first run. */
void oribi_compile_first_state(const oribi_state *state, void *bytes);

/* emit_*.c: files of one model. */
bool oribi_emit_header(oribi_compile *compile, TF_Status *status);
bool oribi_emit_operators(oribi_compile *compile, TF_Status *status);
void oribi_emit_helpers(const oribi_compile *compile, oribi_writer *writer); /* into the header */
void oribi_emit_entries(const oribi_compile *compile, oribi_writer *writer); /* of it */
bool oribi_emit_weights(oribi_compile *compile, TF_Status *status);
bool oribi_emit_self_test(oribi_compile *compile, TF_Status *status); /* none: none is asked for */
bool oribi_emit_report(oribi_compile *compile, TF_Status *status);
/* Files that all models share. */
bool oribi_emit_kernels(oribi_compile *all, TF_Status *status);
bool oribi_emit_shared(oribi_compile *all, TF_Status *status);
bool oribi_emit_build(oribi_compile *all, TF_Status *status);
bool oribi_emit_metadata(oribi_compile *all, TF_Status *status);
int64_t oribi_compile_time(void); /* SOURCE_DATE_EPOCH, else 0 (1970) */
/* files.c: takes the files of the models, adds what they share. */
bool oribi_compile_finish(oribi_compile *all, TF_Status *status);
int32_t oribi_emit_operator_count(const oribi_compile *compile);
/* What each emitted file begins with. */
void oribi_emit_banner(const oribi_compile *compile, oribi_writer *writer, const char *what);
/* Adds a file and takes over the text, also when it fails. name must live as long. */
bool oribi_compile_add_file(oribi_compile *compile, const char *name, oribi_text *text,
                            TF_Status *status);
void oribi_compile_drop_files(oribi_compile *compile);
/* The place of a value as an expression over inputs, outputs, workspace, weights and state. */
void oribi_emit_place(const oribi_compile *compile, oribi_text *text, oribi_value_id value);
/* The place of a constant. */
void oribi_emit_array(const oribi_compile *compile, oribi_text *text, int32_t array);
/* "(const int32_t *)(const void *)" where a pointer to bytes needs it. */
const char *oribi_emit_pointer_cast(int32_t kind, bool is_const);
/* "(int8_t *)&workspace[128]" */
void oribi_emit_pool_place(const oribi_compile *compile, oribi_text *text, int32_t kind,
                           const oribi_location *location);
/* "inputs, outputs, workspace_pools, state": the lines of parameters of an entry, and an argument
 * list of the same. */
void oribi_emit_parameters(const oribi_compile *compile, oribi_writer *writer, const char *end);
const char *oribi_emit_forwarded(const oribi_compile *compile);
/* Of an entry, behind its name: the parameters, and the check of them whose result is `code`. */
void oribi_emit_open_entry(const oribi_compile *compile, oribi_writer *writer);
void oribi_emit_step(const oribi_compile *compile, oribi_writer *writer);
/* Lines that name the pools that `body` uses; what it does not use is marked so. */
void oribi_emit_pools(const oribi_compile *compile, oribi_writer *writer, const char *body);
/* "int8 [1,8,8,1]" */
void oribi_emit_type(const oribi_compile *compile, oribi_text *text, oribi_value_id value);
int32_t oribi_element_kind_of(TF_DataType type); /* -1: none */
/* Lower case hexadecimal and NUL: 65 bytes. */
void oribi_sha256_hex(const void *data, size_t bytes, char out_hex[65]);
/* Bytes that a call places in flash: its arrays and its arguments (4 bytes a member). */
int64_t oribi_call_flash(const oribi_call *call);

#endif
