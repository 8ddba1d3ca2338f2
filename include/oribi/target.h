/* SPDX-License-Identifier: Apache-2.0 */
/* Targets: what an accelerator can take over of a model when it is compiled to C. A plugin
 * registers its targets from its TF_InitKernel; `oribi compile --plugin p.so --target-device NAME`
 * and `oribi run --device NAME=driver.so` use them. The driver at run time is another matter:
 * tvm/runtime/device.h. How both come together: docs/reference/device-hooks.md.
 *
 * A target is described by patterns. A pattern is a chain of operators, each reading the result of
 * the one before; where the graph has such a chain, and nobody else reads what lies inside, it is a
 * region. The target says whether it takes the region, what that costs, and what its operator is.
 * A target that has a compiler of its own is offered whole subgraphs: compile_region.
 *
 * Context  all functions of a target are called on one thread at a time, while a model is compiled.
 *          A region, and what is read of it, is borrowed until the function returns.
 * Since    1.1.
 */
#ifndef ORIBI_TARGET_H_
#define ORIBI_TARGET_H_

#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/c_api_macros.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/tf_datatype.h"
#include "tensorflow/c/tf_status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Regions ---------------------------------------------------------------------------------- */

/* Functions with a status do nothing where it holds a failure already, and give 0 or NULL: read all
 * that is wanted, then look once. oribi_target_refuse alone forgets what failed before it. */
typedef struct oribi_region oribi_region;

/* A tensor of a region, all sizes known. */
typedef struct oribi_region_tensor {
    size_t struct_size; /* set by the caller */
    const char *name;
    TF_DataType dtype;
    int32_t rank;
    const int64_t *dims;  /* rank of them */
    const void *constant; /* dense elements, when they are known now; else NULL */
    size_t bytes;
} oribi_region_tensor;

/* Operators, in their order; names as "Oribi>QConv2D", "Conv2D". NULL for a bad index. */
TF_CAPI_EXPORT extern int32_t oribi_region_num_nodes(const oribi_region *region);
TF_CAPI_EXPORT extern const char *oribi_region_op(const oribi_region *region, int32_t node);
TF_CAPI_EXPORT extern const char *oribi_region_node_name(const oribi_region *region, int32_t node);
/* Inputs and outputs of one operator, constants among them; of ORIBI_REGION_CALL (since 1.4), in
 * place of a node, the tensors that a call of the device has, in their order, scratch apart: what
 * the region reads from outside, without constants, and what is read of it there. Tensors of one
 * name are one tensor. */
TF_CAPI_EXPORT extern int32_t oribi_region_num_inputs(const oribi_region *region, int32_t node);
TF_CAPI_EXPORT extern int32_t oribi_region_num_outputs(const oribi_region *region, int32_t node);
TF_CAPI_EXPORT extern void oribi_region_input(const oribi_region *region, int32_t node,
                                              int32_t input, oribi_region_tensor *out,
                                              TF_Status *status);
TF_CAPI_EXPORT extern void oribi_region_output(const oribi_region *region, int32_t node,
                                               int32_t output, oribi_region_tensor *out,
                                               TF_Status *status);
/* Attributes of one operator. NOT_FOUND, INVALID_ARGUMENT when it is of another type. Lists: values
 * may be NULL to ask for the count alone; at most `max` are written. */
TF_CAPI_EXPORT extern int64_t oribi_region_attr_int(const oribi_region *region, int32_t node,
                                                    const char *name, TF_Status *status);
TF_CAPI_EXPORT extern float oribi_region_attr_float(const oribi_region *region, int32_t node,
                                                    const char *name, TF_Status *status);
TF_CAPI_EXPORT extern const char *oribi_region_attr_string(const oribi_region *region, int32_t node,
                                                           const char *name, TF_Status *status);
TF_CAPI_EXPORT extern int32_t oribi_region_attr_ints(const oribi_region *region, int32_t node,
                                                     const char *name, int64_t *values, int32_t max,
                                                     TF_Status *status);
TF_CAPI_EXPORT extern int32_t oribi_region_attr_floats(const oribi_region *region, int32_t node,
                                                       const char *name, float *values, int32_t max,
                                                       TF_Status *status);

#if ORIBI_HAS_CONTRACT(1, 4)
#define ORIBI_REGION_CALL (-1)
#endif /* 1.4 */

#if ORIBI_HAS_CONTRACT(1, 3)
TF_CAPI_EXPORT extern int32_t oribi_region_attr_bool(const oribi_region *region, int32_t node,
                                                     const char *name, TF_Status *status);
TF_CAPI_EXPORT extern TF_DataType oribi_region_attr_type(const oribi_region *region, int32_t node,
                                                         const char *name, TF_Status *status);
#endif /* 1.3 */

/* --- What a target makes of a region ------------------------------------------------------------
 */

typedef struct oribi_target_code oribi_target_code;

/* The number of the operator for Invoke, and the bytes it finds in `params` (copied, placed in
 * flash, aligned to a power of two). */
TF_CAPI_EXPORT extern void oribi_target_set_op(oribi_target_code *code, int32_t op);
TF_CAPI_EXPORT extern void oribi_target_set_params(oribi_target_code *code, const void *data,
                                                   size_t bytes, size_t alignment,
                                                   TF_Status *status);
#if ORIBI_HAS_CONTRACT(1, 2)
/* One more piece for `params`, behind what is there, at a multiple of its alignment (a power of two
 * up to 4096) wherever the params end up: weights, a command stream. Returns its offset from
 * call->params, SIZE_MAX on failure. Later calls of set_params and add_constant of one operator add
 * to each other in their order; set_params comes first. */
TF_CAPI_EXPORT extern size_t oribi_target_add_constant(oribi_target_code *code, const void *data,
                                                       size_t bytes, size_t alignment,
                                                       TF_Status *status);
#endif /* 1.2 */
/* Memory that the call needs while it runs, planned with everything else; it is the last tensor of
 * the call. */
TF_CAPI_EXPORT extern void oribi_target_set_scratch(oribi_target_code *code, size_t bytes);
#if ORIBI_HAS_CONTRACT(1, 4)
/* Scratch that operators of a model have in common, in which some of their inputs and outputs lie:
 * what a compiler of the device's vendor has planned before. */
typedef struct oribi_target_scratch {
    size_t struct_size;
    int32_t memory; /* operators that give the same number have the same bytes */
    int32_t order;  /* theirs run in the order of this number */
    size_t bytes;
    /* By input, in the order of the region's outer inputs, then by output: its offset in the
     * scratch; -1: it lies anywhere. An output may lie over inputs of the same operator. */
    const int64_t *places;
    int32_t n_places;
    int32_t n_until;
    /* By output: no operator of this or a higher order touches its bytes before it is read last. */
    const int64_t *until;
} oribi_target_scratch;
/* The same as oribi_target_set_scratch of such a memory; all is copied. Of a target that works in
 * the host's memory. Errors: INVALID_ARGUMENT: a place outside the scratch or off the target's
 * memory_alignment, counts that are not the region's. */
TF_CAPI_EXPORT extern void oribi_target_share_scratch(oribi_target_code *code,
                                                      const oribi_target_scratch *scratch,
                                                      TF_Status *status);
/* Of compile_region: the estimated time of the operator on the device; without it 0. */
TF_CAPI_EXPORT extern void oribi_target_set_cost_us(oribi_target_code *code, int64_t us);
/* Of compile_region: the target does not take the region. `node` names an operator without which it
 * may be another matter; ORIBI_REGION_CALL: none, the region is too much as a whole, say. `why` is
 * copied. */
TF_CAPI_EXPORT extern void oribi_target_refuse(oribi_target_code *code, int32_t node,
                                               const char *why, TF_Status *status);
#endif /* 1.4 */
/* The body of a C function in place of Invoke: `int32_t NAME(const struct tvm_device_call *call,
 * void *resource_handle)`. It is copied; it may call what `declarations` declare, which stand above
 * it at file scope, and returns 0 or a code that ends the run. resource_handle is the member of the
 * devices struct, NULL for a target without device_api. Of an asynchronous device the body starts
 * the work, and Wait is called later. C99 that compiles with the warnings of emitted code.
 * Errors: INVALID_ARGUMENT for a NULL body. */
TF_CAPI_EXPORT extern void oribi_target_set_body(oribi_target_code *code, const char *declarations,
                                                 const char *body, TF_Status *status);

#if ORIBI_HAS_CONTRACT(1, 3)
/* --- Ops of one kernel -------------------------------------------------------------------------
 * An op whose kernel is one C99 text. `oribi compile` emits the text, and the host computes with
 * the same text, compiled into the plugin: the library makes the CPU kernel of it, so the plugin
 * registers none. What both need to know of a node (arguments, constants, scratch, state) is said
 * once, by `prepare`. A whole plugin is one file: examples/custom_op/centre.c, `oribi plugin new
 * NAME --micro`. Page: docs/guide/one-kernel.md.
 *
 * The kernel reads its arguments, inputs and scratch, and writes its outputs:
 *     void acme_centre(const struct acme_centre_args *args, const float *x, float *y)
 * with `void *scratch` last where prepare asks for scratch. It is freestanding C99: no library but
 * what micro/memory.h declares, no allocation, no static data, nothing that fails; the rest of the
 * public headers of micro/ may be used (fixed_point.h, float_rules.h, ...). Float kernels include
 * micro/float_rules.h, and give the same bits on every target.
 */

/* --- Arguments as data: where the members of an args struct lie and what they are --------------
 */

enum oribi_args_kind {
    ORIBI_ARGS_IS_NUMBER,
    ORIBI_ARGS_IS_LIST, /* `count` numbers in the struct itself */
    ORIBI_ARGS_IS_ARRAY /* a pointer to elements that are placed in flash; NULL: there are none */
};

typedef struct oribi_args_member {
    uint16_t offset; /* bytes from the start of the struct */
    uint16_t count;
    uint8_t dtype;   /* TF_DataType of the numbers or elements; 0: bytes of whatever type */
    uint8_t kind;    /* oribi_args_kind */
    int16_t counter; /* of a list: the member that says how many of it count; -1: all */
} oribi_args_member;

typedef struct oribi_args {
    size_t struct_size; /* of this description */
    const char *name;   /* "conv2d_s8" of struct oribi_micro_conv2d_s8_args: prefix, name, _args */
    const char *header; /* "conv2d_s8": the file that declares it, without its .h */
    const char *names;  /* of the members in their order, as initialisers have them ("in_h",
                         * "shape.rank"), each with a NUL behind it */
    const oribi_args_member *members; /* in the order of their offsets */
    size_t n_members;
    size_t bytes; /* of the args struct */
} oribi_args;

/* --- Rows of a description: the compiler says types, offsets and counts ---------------------- */

#define ORIBI_ARGS__TYPE(x)                                                                        \
    _Generic((x), int8_t                                                                           \
             : TF_INT8, uint8_t                                                                    \
             : TF_UINT8, int16_t                                                                   \
             : TF_INT16, uint16_t                                                                  \
             : TF_UINT16, int32_t                                                                  \
             : TF_INT32, float                                                                     \
             : TF_FLOAT)
#define ORIBI_ARGS__POINTED(x)                                                                     \
    _Generic((x),                                                                                  \
             const int8_t * : TF_INT8,                                                             \
             const uint8_t * : TF_UINT8,                                                           \
             const int16_t * : TF_INT16,                                                           \
             const int32_t * : TF_INT32,                                                           \
             const float * : TF_FLOAT,                                                             \
             const void * : 0)
#define ORIBI_ARGS__OF(type, member) (((const type *)0)->member)

#define ORIBI_ARGS_NUMBER(type, member)                                                            \
    {                                                                                              \
        offsetof(type, member), 1, ORIBI_ARGS__TYPE(ORIBI_ARGS__OF(type, member)),                 \
            ORIBI_ARGS_IS_NUMBER, -1                                                               \
    }
#define ORIBI_ARGS_LIST(type, member, counter)                                                     \
    {                                                                                              \
        offsetof(type, member),                                                                    \
            sizeof ORIBI_ARGS__OF(type, member) / sizeof ORIBI_ARGS__OF(type, member)[0],          \
            ORIBI_ARGS__TYPE(ORIBI_ARGS__OF(type, member)[0]), ORIBI_ARGS_IS_LIST, counter         \
    }
#define ORIBI_ARGS_ARRAY(type, member)                                                             \
    {                                                                                              \
        offsetof(type, member), 1, ORIBI_ARGS__POINTED(ORIBI_ARGS__OF(type, member)),              \
            ORIBI_ARGS_IS_ARRAY, -1                                                                \
    }
/* From an array of rows, `members`; `stem` is the header's name. */
#define ORIBI_ARGS(type, members, stem, names)                                                     \
    {                                                                                              \
        sizeof(oribi_args), #members, stem, names, members, sizeof members / sizeof members[0],    \
            sizeof(type)                                                                           \
    }

/* The description of a plugin's kernel, from a list of the members of its struct, in their order:
 *     #define CENTRE_ARGS(X, type) X(type, NUMBER, height) X(type, NUMBERS, strides) X(type, ARRAY,
 * table) ORIBI_ARGS_TABLE(centre_args, struct acme_centre_args, "centre", CENTRE_ARGS); NUMBER: one
 * number, NUMBERS: an array of them in the struct, ARRAY: a pointer to constant elements. Types are
 * those of ORIBI_ARGS__TYPE. */
#define ORIBI_ARGS_NUMBERS(type, member)     ORIBI_ARGS_LIST(type, member, -1)
#define ORIBI_ARGS__ROW(type, kind, member)  ORIBI_ARGS_##kind(type, member),
#define ORIBI_ARGS__WORD(type, kind, member) #member "\0"
#define ORIBI_ARGS_TABLE(table, type, name, LIST)                                                  \
    static const oribi_args_member table##_members[] = {LIST(ORIBI_ARGS__ROW, type)};              \
    static const oribi_args table = {sizeof(oribi_args),                                           \
                                     name,                                                         \
                                     name,                                                         \
                                     LIST(ORIBI_ARGS__WORD, type),                                 \
                                     table##_members,                                              \
                                     sizeof table##_members / sizeof table##_members[0],           \
                                     sizeof(type)}

/* --- Text -------------------------------------------------------------------------------------
 * The text lies in the plugin's source, between marks that say which file it becomes:
 *
 *     / * emit: acme_centre.h * /          (without the blanks, at the start of a line)
 *     struct acme_centre_args { ... };
 *     void acme_centre(const struct acme_centre_args *args, const float *x, float *y);
 *     / * emit: acme_centre.c * /
 *     void acme_centre(...) { ... }
 *     / * emit: end * /
 *
 * An emitted .h gets an include guard, a .c an #include of the .h of its name; both begin with the
 * licence of the op, unless the text has an SPDX line of its own, which is left as it is. */

/* Puts the text of the file that this stands in into the plugin, as `symbol`. */
#define ORIBI_TARGET_SOURCE(symbol)                                                                \
    __asm__(".pushsection .rodata\n.globl " #symbol "\n.hidden " #symbol "\n" #symbol              \
            ":\n.incbin \"" __FILE__ "\"\n.byte 0\n.popsection\n");                                \
    extern const char symbol[] __attribute__((visibility("hidden")))

/* --- The op ----------------------------------------------------------------------------------- */

/* The descriptor is for nodes whose type attribute `attr` is `type`. */
typedef struct oribi_target_type {
    const char *attr;
    TF_DataType type;
} oribi_target_type;

typedef struct oribi_target_kernel {
    size_t struct_size;
    const char *op;                 /* as TF_RegisterOpDefinition has it: "Com>Acme>Centre" */
    const oribi_target_type *types; /* all must hold; one op may have several descriptors */
    int32_t n_types;
    /* Functions and structs of the texts begin with it; in emitted C each model has a prefix of
     * its own before it, so that two models link together. Small letters, digits and '_', '_' at
     * the end; not "oribi_". */
    const char *prefix;
    const char *name;           /* "centre": function acme_centre, struct acme_centre_args, header
                                 * acme_centre.h */
    const char *const *sources; /* n_sources texts with marks, as ORIBI_TARGET_SOURCE makes them */
    int32_t n_sources;
    const char *licence;    /* of the texts, an SPDX expression: "Apache-2.0" */
    const oribi_args *args; /* of the args struct */
    /* The last n_states inputs of the op are what the last run left, its last n_states outputs are
     * what the next run reads; a model that does not connect them has them as state: of the run
     * object on the host, of the state struct in emitted C. It changes when a run has succeeded. */
    int32_t n_states;
    /* Says what the kernel needs for the one operator of the region, by the functions below; an
     * error refuses the node. All sizes are known, but of state inputs that are not connected.
     * It is called when a model is compiled, when a session is made, and when sizes change.
     * Context: any thread, several at once. */
    void (*prepare)(void *user, const oribi_region *region, oribi_target_code *code,
                    TF_Status *status);
    /* Calls the kernel on the host: the inputs and outputs that it takes, in their order; scratch
     * is NULL where none was asked for. NULL: the plugin registers a CPU kernel of its own.
     * Context: a thread of the session, several at once with the same arguments. */
    void (*run)(const void *args, const void *const *inputs, void *const *outputs, void *scratch);
    void *user; /* of prepare */
} oribi_target_kernel;

/* Registers it; all that it points to stays as it is for ever. From TF_InitKernel, after the op's
 * definition.
 * Errors: INVALID_ARGUMENT for what is missing or out of range; ALREADY_EXISTS: a descriptor of the
 * same op and types; those of TF_RegisterKernelBuilder. */
TF_CAPI_EXPORT extern void oribi_target_register_kernel(const oribi_target_kernel *kernel,
                                                        TF_Status *status);

/* --- What prepare says: besides oribi_target_set_scratch ----------------------------------------
 * Each does nothing when the status holds a failure, so that prepare reads straight down. */

/* The arguments, which are copied; without it they are zeros. Pointers in them count for nothing:
 * oribi_target_set_array. Errors: INVALID_ARGUMENT unless `bytes` is the struct's. */
TF_CAPI_EXPORT extern void oribi_target_set_arguments(oribi_target_code *code,
                                                      const void *arguments, size_t bytes,
                                                      TF_Status *status);
/* The pointer `member` of the arguments leads to these `count` elements, which are copied; emitted
 * code has them in flash. Without it the pointer is NULL. Errors: INVALID_ARGUMENT: no such
 * pointer, no elements, the second call for it. */
TF_CAPI_EXPORT extern void oribi_target_set_array(oribi_target_code *code, const char *member,
                                                  const void *elements, size_t count,
                                                  TF_Status *status);
/* The kernel takes these inputs of the operator, in this order; without it all. What it does not
 * take was put into arrays. Errors: INVALID_ARGUMENT: no such input. */
TF_CAPI_EXPORT extern void oribi_target_set_inputs(oribi_target_code *code, const int32_t *inputs,
                                                   int32_t n_inputs, TF_Status *status);
/* Output 0 may lie over input `input` of those that the kernel takes, at the same address: element
 * i of the input is not read once element i of the output is written. Without effect where their
 * sizes differ. Two inputs at most. Errors: INVALID_ARGUMENT: no such input, a third one. */
TF_CAPI_EXPORT extern void oribi_target_set_in_place(oribi_target_code *code, int32_t input,
                                                     TF_Status *status);
/* Multiplications and additions of a run, for reports and estimates. */
TF_CAPI_EXPORT extern void oribi_target_set_macs(oribi_target_code *code, int64_t macs);
/* State `index`, counted from 0, has these dims and, before the first run, these elements (NULL:
 * zeros); both are copied. Due for each state. Errors: INVALID_ARGUMENT: no such state, dims below
 * 1. */
TF_CAPI_EXPORT extern void oribi_target_set_state(oribi_target_code *code, int32_t index,
                                                  const int64_t *dims, int32_t rank,
                                                  const void *initial, TF_Status *status);
/* A real factor as multiplier * 2^(shift - 31), which oribi_micro_scale of micro/fixed_point.h
 * applies. Errors: INVALID_ARGUMENT: negative, not finite, 2^31 or more. */
TF_CAPI_EXPORT extern void oribi_target_multiplier(double factor, int32_t *out_multiplier,
                                                   int32_t *out_shift, TF_Status *status);
#endif /* 1.3 */

/* --- Targets ---------------------------------------------------------------------------------- */

typedef struct oribi_target_pattern {
    size_t struct_size;
    const char *name; /* for reports: "conv2d+add" */
    const char *const *ops;
    int32_t n_ops;
    /* Is the region taken? 0: no, with the reason in why. NULL: always. */
    int32_t (*supports)(void *user, const oribi_region *region, char *why, size_t why_bytes);
    /* Estimated time on the device. NULL: 0, which is less than any other. */
    int64_t (*cost_us)(void *user, const oribi_region *region);
    /* Makes the operator. */
    void (*write)(void *user, const oribi_region *region, oribi_target_code *code,
                  TF_Status *status);
    void *user;
} oribi_target_pattern;

typedef struct oribi_target {
    size_t struct_size;
    const char *name;         /* kind of the device: "npu" */
    int32_t device_type;      /* as DLPack numbers them; 12 is an extension device */
    int32_t device_api;       /* 1: the hooks are called; 0: operators are plain calls of bodies
                               * (oribi_target_set_body), and the devices struct has no member */
    int32_t is_asynchronous;  /* Start and Wait instead of Invoke */
    int32_t has_cache_hooks;  /* CacheClean before, CacheInvalidate after each call */
    int32_t has_address;      /* Address gives the place where the device sees host memory */
    int32_t has_copy_peer;    /* CopyPeer between two of its kind */
    int64_t activate_us;      /* from Activate until it can work */
    int64_t memory_bytes;     /* of its own; 0: it works in the host's memory */
    int64_t memory_alignment; /* of tensors that it sees, a power of two; 0: 4 */
    const oribi_target_pattern *patterns;
    int32_t n_patterns;
    int32_t cache_line; /* bytes, a power of two: tensors in the host's memory begin at a line and
                         * have it alone; 0: 32 with has_cache_hooks, else lines do not matter */
#if ORIBI_HAS_CONTRACT(1, 4)
    int32_t has_load; /* Load before Invoke or Start: the device keeps the params */
    /* Of tvm/runtime/device.h, for which its driver is written: TVM_DEVICE_CONTRACT, when it has
     * TVM_DEVICE_DRIVER in a source. Generated code refuses another driver. 0: it states none. */
    int32_t driver_contract;
    /* A compiler of the device's vendor; patterns, of which there may be none, are asked for what
     * it leaves. NULL, or:
     * compile_region is offered subgraphs, connected, of any operators that `takes` has let through
     * (NULL: all), with any number of inputs and outputs: such that no operator beside one can be
     * added to it without a way that leaves the region and comes back to it. It makes one operator
     * of the region, as `write` of a pattern does (its commands and resident constants are params),
     * or calls oribi_target_refuse, and is then offered less: the same without the operator that it
     * named, or the region's halves. It sees 500 regions of a model at most. A status that is not
     * OK ends the compilation. Operators with a state, in branches and loops are not offered. */
    void (*compile_region)(void *compiler, const oribi_region *region, oribi_target_code *code,
                           TF_Status *status);
    /* May the only operator of the region be a part of others? 0: no, with the reason in why. */
    int32_t (*takes)(void *compiler, const oribi_region *region, char *why, size_t why_bytes);
    void *compiler;
#endif
} oribi_target;

/* Registers a target; all that it points to stays as it is for ever.
 * Errors: ALREADY_EXISTS for the name; INVALID_ARGUMENT for what is missing or out of range. */
TF_CAPI_EXPORT extern void oribi_target_register(const oribi_target *target, TF_Status *status);

/* Defines a TF_InitKernel that registers one target and nothing else:
 * TVM_REGISTER_TARGET_KIND(npu_target) */
#define TVM_REGISTER_TARGET_KIND(target)                                                           \
    void TF_InitKernel(void)                                                                       \
    {                                                                                              \
        TF_Status *status = TF_NewStatus();                                                        \
        oribi_target_register(&(target), status);                                                  \
        TF_DeleteStatus(status);                                                                   \
    }                                                                                              \
    void TF_InitKernel(void)

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_TARGET_H_ */
