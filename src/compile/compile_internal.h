/* SPDX-License-Identifier: Apache-2.0 */
/* One compilation: options, the calls, where everything lies, the files that came out. Order of
 * reading: options.h, compile.c (the flow), lower.h, memory.c, emit_*.c, files.c.
 *
 * The object that a caller holds has the options, the models and the files of all; each of its
 * models is an object of the same type with a copy of the options.
 */
#ifndef ORIBI_COMPILE_COMPILE_INTERNAL_H_
#define ORIBI_COMPILE_COMPILE_INTERNAL_H_

#include "compile/lower.h"
#include "compile/options.h"
#include "oribi/oribi.h"
#include "pass/plan.h"

enum {
    ORIBI_WORKSPACE_ALIGNMENT = 16, /* of pools, and of inputs and outputs in them */
    ORIBI_SCRATCH_ALIGNMENT = 4,
    ORIBI_CACHE_LINE = 32, /* the largest of the targets': what a device touches is rounded to it */
    ORIBI_POOLS = 8,
    ORIBI_COMPILE_MODELS = 64
};

/* Where the bytes of a value are while the model runs. */
enum oribi_storage {
    ORIBI_IN_NOTHING, /* not needed: a constant that a call has packed, a removed value */
    ORIBI_IN_INPUT,   /* the caller's, member `index` of the inputs */
    ORIBI_IN_OUTPUT,
    ORIBI_IN_WORKSPACE, /* at `offset` of pool `index` */
    ORIBI_IN_FLASH      /* constant `index` of the model */
};

typedef struct oribi_location {
    int32_t storage, index;
    int64_t offset, bytes;
    int32_t buffer; /* of oribi_compile.buffers, or -1 */
} oribi_location;

typedef struct oribi_pool {   /* memory that the caller gives to a run */
    const char *name, *macro; /* "workspace", "WORKSPACE" */
    uint64_t max_bytes;       /* 0: no limit */
    int64_t bytes;            /* what the plan needs */
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
    bool is_quantised;
    float scale;
    int32_t zero;
    int64_t offset; /* in the workspace, when it lives there */
} oribi_port;

typedef struct oribi_copy { /* an output that is not computed where it is wanted */
    oribi_value_id from;
    int32_t output;
} oribi_copy;

typedef struct oribi_file {
    const char *name; /* below the folder, "micro/conv2d_s8.c" */
    const char *data;
    size_t bytes;
} oribi_file;

struct oribi_compile {
    oribi_arena arena;
    oribi_compile_options options;
    oribi_compile **models; /* of the caller's object; what follows them is a model's */
    int32_t n_models;
    bool ports_in_workspace; /* --io pool */
    oribi_graph *graph;
    const char *name, *macro; /* "digits", "DIGITS" */
    const char *source_name;  /* file name without folder; hostile */
    char sha256[65];
    oribi_port *inputs, *outputs;
    oribi_call *calls;
    oribi_location *locations; /* by value */
    oribi_location *scratch;   /* by call */
    oribi_copy *copies;
    oribi_placed *constants; /* that kernels read as tensors: ORIBI_IN_FLASH */
    int32_t n_inputs, n_outputs, n_calls, n_copies, n_constants;
    oribi_pool pools[ORIBI_POOLS]; /* in order of preference */
    int32_t n_pools;
    bool pools_are_limited; /* one of them at least */
    oribi_plan_bounds bounds;
    oribi_plan_buffer *buffers; /* as planned */
    oribi_plan_alias *aliases;  /* that kernels allow between buffers; each of the call */
    int32_t *alias_calls;
    int32_t n_buffers, n_aliases;
    oribi_share *shares; /* by value */
    int64_t workspace_bytes, constants_bytes, io_bytes;
    int64_t floor_bytes; /* live sum without aliasing, views apart */
    oribi_file *files;
    int32_t n_files, files_capacity;
};

/* pools.c: the pools that the options ask for; one, "workspace", without. */
bool oribi_compile_pools(oribi_compile *compile, TF_Status *status);
bool oribi_compile_is_pool(const char *text, const char **out_wanted);
/* choose.c: makes the calls and their order such that they need little memory, and plans. */
bool oribi_compile_choose(oribi_compile *compile, oribi_lowering *lowering, TF_Status *status);
/* order.c: an order of the calls with a lower peak than the present one, if it finds one. */
bool oribi_compile_order(const oribi_compile *compile, int32_t *out_order, bool *out_is_other,
                         TF_Status *status);
/* budget.c: RESOURCE_EXHAUSTED with what is largest. */
bool oribi_compile_check_budget(const oribi_compile *compile, TF_Status *status);
/* memory.c: places values and scratch; sets locations, copies, bounds and workspace_bytes. effort
 * is the planner's. */
bool oribi_compile_plan(oribi_compile *compile, int64_t effort, TF_Status *status);

/* constants.c: places the constants that calls and copies read; sets their locations. */
bool oribi_compile_place_constants(oribi_compile *compile, TF_Status *status);

/* ports.c: names, sizes and quantisation of inputs and outputs. */
bool oribi_compile_ports(oribi_compile *compile, TF_Status *status);
/* Makes a C identifier of a model's string; NULL: no memory. */
char *oribi_compile_identifier(oribi_arena *arena, const char *text);
char *oribi_compile_upper(oribi_arena *arena, const char *text);

/* emit_*.c: files of one model. */
bool oribi_emit_header(oribi_compile *compile, TF_Status *status);
bool oribi_emit_operators(oribi_compile *compile, TF_Status *status);
bool oribi_emit_weights(oribi_compile *compile, TF_Status *status);
bool oribi_emit_report(oribi_compile *compile, TF_Status *status);
/* Files that all models share. */
bool oribi_emit_kernels(oribi_compile *all, TF_Status *status);
bool oribi_emit_build(oribi_compile *all, TF_Status *status);
bool oribi_emit_metadata(oribi_compile *all, TF_Status *status);
/* files.c: takes the files of the models, adds what they share. */
bool oribi_compile_finish(oribi_compile *all, TF_Status *status);
int32_t oribi_emit_operator_count(const oribi_compile *compile);
/* What each emitted file begins with. */
void oribi_emit_banner(const oribi_compile *compile, oribi_writer *writer, const char *what);
/* Adds a file and destroys the text. name is copied. */
bool oribi_compile_add_file(oribi_compile *compile, const char *name, oribi_text *text,
                            TF_Status *status);
/* The place of a value as an expression of the operators' file. */
void oribi_emit_place(const oribi_compile *compile, oribi_text *text, oribi_value_id value);
/* "int8 [1,8,8,1]" */
void oribi_emit_type(const oribi_compile *compile, oribi_text *text, oribi_value_id value);
int32_t oribi_element_kind_of(TF_DataType type); /* -1: none */
/* Lower case hexadecimal and NUL: 65 bytes. */
void oribi_sha256_hex(const void *data, size_t bytes, char out_hex[65]);
/* Bytes that a call places in flash: its arrays and its arguments (4 bytes a member). */
int64_t oribi_call_flash(const oribi_call *call);

#endif
