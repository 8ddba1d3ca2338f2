/* SPDX-License-Identifier: Apache-2.0 */
/* The two objects of the compiler: a compilation, which its caller holds, and a program, which a
 * model becomes. Order of reading: ../common/compile_options.h, ../compile.c (the flow),
 * ../lower/lower.h, compile_memory.c, ../schedule/compile_steps.h, ../emit/emit_parts.h.
 */
#ifndef ORIBI_COMPILE_PLAN_PROGRAM_H_
#define ORIBI_COMPILE_PLAN_PROGRAM_H_

#include "compile/common/compile_options.h"
#include "compile/common/files.h"
#include "compile/lower/instances.h"
#include "compile/lower/lower.h"
#include "compile/lower/rings/rings.h"
#include "oribi/oribi.h"
#include "plan/plan.h"
#include "target/target.h"

enum {
    ORIBI_WORKSPACE_ALIGNMENT = 16, /* of pools, and of inputs and outputs in them */
    ORIBI_SCRATCH_ALIGNMENT = 4,
    ORIBI_CACHE_LINE = 32, /* of devices with cache hooks that say nothing of it */
    ORIBI_POOLS = 8,
    ORIBI_COMPILE_MODELS = 64
};

/* Where the bytes of a value are while the model runs. */
enum oribi_location_kind {
    ORIBI_IN_NOTHING, /* not needed: a constant that a call has packed, a removed value */
    ORIBI_IN_INPUT,   /* the caller's, member `index` of the inputs */
    ORIBI_IN_OUTPUT,
    ORIBI_IN_WORKSPACE, /* at `offset` of pool `index` */
    ORIBI_IN_FLASH,     /* constant `index` of the model */
    ORIBI_IN_STATE      /* member `index` of the state, as the last run left it */
};

typedef struct oribi_location {
    int32_t storage, index; /* oribi_location_kind */
    int64_t offset, bytes;
    int32_t buffer; /* of oribi_program.buffers, or -1 */
} oribi_location;

/* One member of the devices struct, in the spellings that C needs. */
typedef struct oribi_device_names {
    const char *member; /* "npu1" */
    const char *macro;  /* "NPU1" */
    const char *kind;   /* "ethos_u": tvm_device_ethos_u_t */
    const char *upper;  /* "ETHOS_U": TVM_DEVICE_ETHOS_U_HEADER */
    const char *camel;  /* "EthosU": TVMDeviceEthosUOpen */
    const char *header; /* "tvm/device/ethos_u/zephyr.h"; NULL: the application says */
} oribi_device_names;

typedef struct oribi_devices {
    oribi_partition partition;
    oribi_device_names names[ORIBI_DEVICES_MAX];
    int32_t host; /* the member that no operator runs on, or -1 */
    /* These follow the present order of the calls: ../schedule/device_spans.c. */
    oribi_arena arena;
    struct oribi_schedule *schedule;
    int32_t overfull; /* call without which a device's memory may do; -1: they do, or none can go */
    struct oribi_step *moves; /* copies into, out of and between devices, by call */
    int32_t n_moves;
    /* By call, in the device's memory: offsets of inputs, outputs, scratch; NULL: in the host's. */
    int64_t **places;
    bool *is_inside;                         /* by value: it never leaves a device's memory */
    int32_t *slot, *first_tensor;            /* by call: where in the cursor its descriptor lies */
    int32_t most_calls, most_tensors;        /* of the cursor */
    int32_t *done;                           /* by call: the first call before which it has ended */
    int64_t memory_bytes[ORIBI_DEVICES_MAX]; /* of the device's own memory */
    /* These follow their final order: ../schedule/compile_steps.c. */
    struct oribi_step *steps, *unwinding;
    int32_t n_steps, n_unwinding;
    /* Pools that a device sees, a bit for each, and those that the CPU does not see. All and none,
     * unless --pool says otherwise. */
    uint32_t pools[ORIBI_DEVICES_MAX], hidden_pools;
    uint32_t
        named_by_pools; /* a bit for each device: it sees its pools, and nothing of the caller's */
    /* By call: of its inputs, where the CPU copies them first because the device does not see where
     * they are; bytes 0: it does. NULL: none. compile_memory.c. */
    oribi_location **staged;
} oribi_devices;

typedef struct oribi_workspace_pool { /* memory that the caller gives to a run */
    const char *name, *macro;         /* "workspace", "WORKSPACE" */
    const char *option_name;          /* as --pool has it */
    uint64_t max_bytes;               /* 0: no limit */
    int64_t bytes;                    /* what the plan needs */
    uint32_t devices;                 /* that see it, a bit for each; 0: those that no pool names */
    bool is_hidden;                   /* the CPU does not see it */
} oribi_workspace_pool;

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
 * it copied there (docs/reference/compile.md). */
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

/* A loop, from the call that gives what is carried its first values to the one that ends an
 * iteration: the body is between them. */
typedef struct oribi_loop {
    int32_t begin, next; /* calls */
} oribi_loop;

/* What one model has become: its calls, where their values lie, when the hooks of its devices are
 * called. compile.c makes it step by step; from the emission of its files on it is const.
 */
typedef struct oribi_program {
    oribi_arena arena;
    const oribi_compile_options *options; /* of the compilation */
    bool has_siblings;                    /* other models of the same call */
    bool is_partitioned;     /* devices have taken what they take: ../report/compile_describe.c */
    bool ports_in_workspace; /* --io pool */
    const oribi_kept_off *kept_off; /* n_kept_off: regions without which devices do; compile.c */
    int32_t n_kept_off;
    oribi_devices devices;
    oribi_graph *graph;
    const char *name, *macro; /* "digits", "DIGITS" */
    const char *source_name;  /* file name without folder; hostile */
    char sha256[65];
    const char *kernels; /* model whose name the symbols of micro/ carry */
    oribi_port *inputs, *outputs;
    oribi_state *states;
    oribi_call *calls;
    oribi_loop *loops; /* inner ones before those around them */
    oribi_instances instances;
    oribi_location *locations; /* by value */
    oribi_location *scratch;   /* by call */
    oribi_copy *copies;
    int32_t *commits;        /* states in the order in which they are written */
    oribi_placed *constants; /* that kernels read as tensors: ORIBI_IN_FLASH */
    oribi_weights_array *arrays;
    int32_t first_constant; /* of `constants` among the arrays */
    int32_t n_inputs, n_outputs, n_states, n_calls, n_copies, n_constants, n_arrays, n_loops;
    oribi_workspace_pool pools[ORIBI_POOLS]; /* in order of preference */
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
} oribi_program;

/* A compilation, which is what a caller holds: what was asked for, what each model has become, and
 * the files of all.
 */
struct oribi_compile {
    oribi_arena arena;
    oribi_compile_options options;
    oribi_program **programs; /* by model */
    int32_t n_programs;
    oribi_files files;
};

#endif
