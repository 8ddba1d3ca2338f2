/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel's run context is made of: slots (values of a run), the step, tensor handles.
 *
 * The session (or runner.c) owns one context for each run and moves it from step to step. The
 * functions here serve what was planned, without a lock or an allocation; anything else goes to the
 * host's slow functions. Not here: plans and memory (src/session). Read next: context.c, handles.c.
 *
 * Threads  one thread runs the context and owns its counters and spare handles; handles that any
 *          other thread makes or drops (a pool worker, a thread of an asynchronous kernel) are
 *          counted with an atomic.
 */
#ifndef ORIBI_KERNEL_CONTEXT_H_
#define ORIBI_KERNEL_CONTEXT_H_

#include <stdatomic.h>

#include "base/thread.h"
#include "device/device.h"
#include "kernel/cancel.h"
#include "kernel/kernel.h"
#include "kernel/signal.h"
#include "tensor/owner.h"

typedef enum oribi_storage {
    ORIBI_STORAGE_NONE,     /* no bytes yet */
    ORIBI_STORAGE_ARENA,    /* planned bytes of the run */
    ORIBI_STORAGE_HEAP,     /* slot->buffer, one reference held by the slot */
    ORIBI_STORAGE_OUTPUT,   /* planned bytes of a graph output's buffer */
    ORIBI_STORAGE_CONSTANT, /* lives as long as the session */
    ORIBI_STORAGE_CALLER    /* an input that the application bound */
} oribi_storage;

/* How the plan expects the producing kernel to ask for an output. */
typedef enum oribi_request {
    ORIBI_REQUEST_UNKNOWN,  /* nothing planned */
    ORIBI_REQUEST_ALLOCATE, /* TF_AllocateOutput, or a forward that allocates */
    ORIBI_REQUEST_FORWARD,  /* in place of input forward_from */
    ORIBI_REQUEST_VIEW      /* TF_SetOutput with the bytes that are planned here */
} oribi_request;

/* One value of a run: where its bytes are and what they are. */
typedef struct oribi_slot {
    void *data;
    size_t bytes; /* of the present dims */
    const int64_t *dims;
    int32_t rank;
    TF_DataType dtype;
    uint32_t stamp;       /* equals the context's stamp once it was set in this run */
    int32_t open;         /* handles beside its own that the running thread holds */
    int32_t forward_from; /* flat input for ORIBI_REQUEST_FORWARD, else -1 */
    uint8_t storage;      /* oribi_storage */
    uint8_t device;       /* whose memory: 0 the host's, else an index of ctx->streams */
    uint8_t request;      /* oribi_request */
    bool is_output;       /* a graph output */
    bool is_settled;      /* a forward that allocates tells the plan nothing new */
    bool is_spilled;      /* differs from the plan; the host restores it */
    bool has_own;         /* a handle was made that comes back to `spare` */
    size_t capacity;      /* bytes planned at data */
    int64_t row_stride;   /* elements from row to row, 0: dense */
    oribi_buffer *buffer;
    int64_t *dims_heap; /* for a rank above 8, kept */
    TF_Tensor *spare;   /* its own handle while nobody has it: what most requests are served with */
    int64_t dims_store[ORIBI_INLINE_RANK];
} oribi_slot;

/* Handles on the slot that the running thread made and that are out. */
static inline int32_t oribi_slot_count_open(const oribi_slot *slot)
{
    return slot->open + (slot->has_own && slot->spare == NULL);
}

/* One step as the context sees it. */
typedef struct oribi_step_io {
    void (*compute)(void *state, TF_OpKernelContext *ctx); /* of the kernel; NULL: asynchronous */
    /* compute, where a session has nothing else to do in this step; else NULL */
    void (*direct)(void *state, TF_OpKernelContext *ctx);
    void *state;
    oribi_kernel *kernel;
    const int32_t *inputs, *outputs; /* slots; -1: an absent input */
    int32_t n_inputs, n_outputs;
    int32_t first_temp, n_temps; /* slots planned for TF_AllocateTemp, in order of request */
    int32_t device;              /* 0: the host, else an index of ctx->streams */
} oribi_step_io;

/* Slow functions of whoever owns the context. Indices are in range; called on any thread. */
typedef struct oribi_context_host {
    /* Gives output `index` storage for dims; `candidates` are inputs that it may take over (and
     * out_forwarded tells which one it did), none for a plain allocation. */
    bool (*allocate_output)(TF_OpKernelContext *ctx, int index, const int64_t *dims, int rank,
                            const int *candidates, int n_candidates, int *out_forwarded,
                            TF_Status *status);
    bool (*set_output)(TF_OpKernelContext *ctx, int index, const TF_Tensor *tensor,
                       TF_Status *status);
    /* In the memory of the step's device, or, with on_host, of the host. */
    TF_Tensor *(*allocate_temp)(TF_OpKernelContext *ctx, TF_DataType dtype, const int64_t *dims,
                                int rank, bool on_host, TF_Status *status);
    void (*release)(TF_OpKernelContext *ctx); /* the last handle of a detached context went */
    /* Does nobody else need the bytes of this input any more? NULL: never said. */
    bool (*may_overwrite)(const TF_OpKernelContext *ctx, int input);
    /* A buffer in host memory that may outlive the run; NULL: there is no limit to count in. */
    oribi_buffer *(*allocate_lasting)(TF_OpKernelContext *ctx, size_t bytes, TF_Status *status);
} oribi_context_host;

/* Blocks of pool loops that ran while a trace was on. */
typedef struct oribi_block_event {
    uint64_t start_ns, end_ns;
    int32_t lane;
} oribi_block_event;
typedef struct oribi_block_trace {
    oribi_block_event *events;
    int32_t capacity;
    atomic_int count;
} oribi_block_trace;

/* What a context waits for after its kernel returned, in one word: how much, and two marks. */
enum {
    ORIBI_PENDING_COUNT = (1 << 28) - 1, /* a done to come, deferred operations */
    ORIBI_PENDING_HOOK = 1 << 29,        /* a hook is noted, or was called: cancel.h */
    ORIBI_PENDING_LATE = 1 << 30         /* nobody waits any more: the last one releases */
};

struct TF_OpKernelContext {
    oribi_tensor_owner owner; /* first: a handle finds its thread and its count there */
    /* owner.thread while planned places need no check, else NULL: see oribi_context_set_slow */
    _Atomic(const void *) planned_thread;
    oribi_slot *slots;
    const oribi_step_io *step;
    uint32_t stamp;
    int32_t n_temps;          /* that the step's kernel asked for on the running thread */
    int32_t n_set;            /* outputs of the step that were set as planned: at least so many */
    atomic_int is_noted;      /* after the step the host has to look at more than its outputs */
    TF_Tensor *spare_handles; /* beside those of the slots, chained through data */
    bool is_never_late;       /* whoever owns it cannot leave it to a late kernel */
    bool is_slow;             /* a handle outlived its step: planned places must be checked */
    atomic_int *stop;         /* of the signal */
    _Atomic int64_t remote;   /* as owner.open of all other threads, biased while attached */
    const oribi_context_host *host;
    struct oribi_pool *pool;
    oribi_stream *const *streams; /* of the run, by device; [0] is NULL. NULL: the host alone */
    struct oribi_resources *resources; /* of the session; NULL: those of the process */
    TF_Status *failure;
    oribi_mutex lock;     /* failure, and slow functions of the host */
    oribi_signal *signal; /* one reference */
    atomic_int pending;   /* ORIBI_PENDING_... */
    int32_t ticket;       /* of its done, plus 1; 0: none yet */
    oribi_cancel_hook hook;
    uint64_t deadline_ns; /* 0: none */
    uint64_t done_ns;     /* when the last of what was pending ended */
    oribi_block_trace *trace;
    int64_t step_id;
    int64_t images; /* of the batch that shape functions know, where a step sees a part; else 0 */
    int32_t graph_version;
    const atomic_int
        *called_off; /* not 0: whoever asked for the run gave it up; NULL: nobody can */
    struct oribi_retired *retired; /* what outputs had before they were set anew */
};

/* Returns the stream of the device that the step runs on; NULL on the CPU. */
static inline oribi_stream *oribi_context_stream(const TF_OpKernelContext *ctx)
{
    return ctx->streams != NULL ? ctx->streams[ctx->step->device] : NULL;
}

static inline bool oribi_context_is_running_thread(const TF_OpKernelContext *ctx)
{
    return oribi_tensor_owner_runs_here(&ctx->owner);
}

/* Something that the plan did not foresee: the step is not over with its kernel. Any thread. */
static inline void oribi_context_note(TF_OpKernelContext *ctx)
{
    atomic_store_explicit(&ctx->is_noted, 1, memory_order_relaxed);
}

/* By the running thread, or before and after it runs. */
static inline void oribi_context_set_slow(TF_OpKernelContext *ctx, bool is_slow)
{
    const void *thread = atomic_load_explicit(&ctx->owner.thread, memory_order_relaxed);
    ctx->is_slow = is_slow;
    atomic_store_explicit(&ctx->planned_thread, is_slow ? NULL : thread, memory_order_relaxed);
}

/* {0} first. Allocates the status and the lock. Shares the signal; NULL: it gets its own. */
bool oribi_context_init(TF_OpKernelContext *ctx, const oribi_context_host *host,
                        oribi_signal *signal, TF_Status *status);
/* Keeps the storage of a slot that is about to get another, while handles on it are open: the
 * other may be a part of it. False: no memory. */
bool oribi_context_retire(TF_OpKernelContext *ctx, const oribi_slot *slot);
/* Lets go of that storage; no handle is open. */
void oribi_context_drop_retired(TF_OpKernelContext *ctx);
/* Frees what init made; no handle is open. Any thread. */
void oribi_context_destroy(TF_OpKernelContext *ctx);

/* The calling thread runs the context until oribi_context_leave. */
void oribi_context_enter(TF_OpKernelContext *ctx);
/* Outputs may be set anew, as in another run. */
void oribi_context_next_stamp(TF_OpKernelContext *ctx);
/* Entered, but no thread is the one that runs it: all handles are counted in `remote`. */
void oribi_context_share(TF_OpKernelContext *ctx);
/* True: no handle is open and the context may run again. False: it is detached, host->release will
 * be called (perhaps already was) and the caller must not touch it any more. */
bool oribi_context_leave(TF_OpKernelContext *ctx);

/* An asynchronous step, in three: a ticket once, which allocates; the start; the wait, on the
 * thread that runs. *limit_ns is 0 for the first of several waits of one run. False: the work
 * stopped, and something is pending still. */
bool oribi_context_take_ticket(TF_OpKernelContext *ctx, TF_Status *status);
void oribi_context_drop_ticket(TF_OpKernelContext *ctx);
void oribi_context_start(TF_OpKernelContext *ctx, const oribi_step_io *step);
bool oribi_context_wait(TF_OpKernelContext *ctx, uint64_t *limit_ns);
/* Gives up waiting for what is pending: the context counts as one with an open handle from here on,
 * until the last of it ends. False: nothing is pending. */
bool oribi_context_abandon(TF_OpKernelContext *ctx);
/* Returns 0, or why to stop; sets nothing. */
int oribi_context_why_stop(const TF_OpKernelContext *ctx);
/* Computes one step and waits for asynchronous ones. False: the kernel failed, status says why. */
bool oribi_context_compute_slow(TF_OpKernelContext *ctx, const oribi_step_io *step,
                                TF_Status *status);
bool oribi_context_settle(TF_OpKernelContext *ctx, TF_Status *status);
static inline void oribi_context_set_step(TF_OpKernelContext *ctx, const oribi_step_io *step)
{
    ctx->step = step;
    ctx->n_temps = 0;
    ctx->n_set = 0;
}
static inline bool oribi_context_compute(TF_OpKernelContext *ctx, const oribi_step_io *step,
                                         TF_Status *status)
{
    oribi_context_set_step(ctx, step);
    if (step->compute == NULL) {
        return oribi_context_compute_slow(ctx, step, status);
    }
    step->compute(step->state, ctx);
    return (atomic_load_explicit(&ctx->pending, memory_order_acquire) == 0 &&
            atomic_load_explicit(ctx->stop, memory_order_acquire) == 0) ||
           oribi_context_settle(ctx, status);
}
/* Are handles open, after a step that should have deleted them all? The slow half sorts out what
 * other threads dropped; n_slots bounds ctx->slots. */
bool oribi_context_collect(TF_OpKernelContext *ctx, int32_t n_slots);
#define ORIBI_CONTEXT_BIAS ((int64_t)1 << 30) /* an immediate operand on every processor */
static inline bool oribi_context_has_open(TF_OpKernelContext *ctx, int32_t n_slots)
{
    const int64_t remote = atomic_load_explicit(&ctx->remote, memory_order_acquire);
    return (ctx->owner.open != 0 || remote != ORIBI_CONTEXT_BIAS) &&
           oribi_context_collect(ctx, n_slots);
}
/* 0: the kernel of the step did all of its work on the spot, set its outputs as planned and deleted
 * its handles; nobody stops the run. One number, so that a step asks once. */
static inline int64_t oribi_context_unrest(TF_OpKernelContext *ctx, const oribi_step_io *step)
{
    const int pending = atomic_load_explicit(&ctx->pending, memory_order_acquire);
    const int stop = atomic_load_explicit(ctx->stop, memory_order_acquire);
    const int noted = atomic_load_explicit(&ctx->is_noted, memory_order_relaxed);
    const int64_t remote = atomic_load_explicit(&ctx->remote, memory_order_acquire);
    return (int64_t)(uint32_t)(pending | stop | noted | (ctx->n_set ^ step->n_outputs)) |
           ctx->owner.open | (remote ^ ORIBI_CONTEXT_BIAS);
}

/* New handle on a slot, for the calling thread; NULL: no memory, status set. */
TF_Tensor *oribi_context_handle(TF_OpKernelContext *ctx, oribi_slot *slot, TF_Status *status);
/* The slot of this context behind a handle, or NULL. */
oribi_slot *oribi_context_slot_of(const TF_OpKernelContext *ctx, const TF_Tensor *tensor);
/* One handle less that was counted in `remote`. */
void oribi_context_count_down(TF_OpKernelContext *ctx);
/* Cancelled, failed, or past its deadline? Reads the clock when there is a deadline. */
bool oribi_context_should_stop(TF_OpKernelContext *ctx);
/* Frees what n slots keep beside their bytes; no handle is open. NULL ok. */
void oribi_slots_clear(oribi_slot *slots, int32_t n);
/* Copies dims into the slot; false: no memory for a rank above 8, dims unchanged. */
bool oribi_slot_set_dims(oribi_slot *slot, const int64_t *dims, int rank);
/* Non-NULL address for tensors without elements. */
void *oribi_context_empty_data(void);

#endif
