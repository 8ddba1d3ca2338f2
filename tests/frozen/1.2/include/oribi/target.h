/* SPDX-License-Identifier: Apache-2.0 */
/* Targets: what an accelerator can take over of a model when it is compiled to C. A plugin
 * registers its targets from its TF_InitKernel; `oribi compile --plugin p.so --target-device NAME`
 * and `oribi run --device NAME=driver.so` use them. The driver at run time is another matter:
 * tvm/runtime/device.h. How both come together: docs/device-hooks.md.
 *
 * A target is described by patterns. A pattern is a chain of operators, each reading the result of
 * the one before; where the graph has such a chain, and nobody else reads what lies inside, it is a
 * region. The target says whether it takes the region, what that costs, and what its operator is.
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
/* Inputs and outputs of one operator, constants among them. */
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
/* The body of a C function in place of Invoke: `int32_t NAME(const struct tvm_device_call *call,
 * void *resource_handle)`. It is copied; it may call what `declarations` declare, which stand above
 * it at file scope, and returns 0 or a code that ends the run. resource_handle is the member of the
 * devices struct, NULL for a target without device_api. Of an asynchronous device the body starts
 * the work, and Wait is called later. C99 that compiles with the warnings of emitted code.
 * Errors: INVALID_ARGUMENT for a NULL body. */
TF_CAPI_EXPORT extern void oribi_target_set_body(oribi_target_code *code, const char *declarations,
                                                 const char *body, TF_Status *status);

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
    const char *name;         /* kind of the device: "woofles" */
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
} oribi_target;

/* Registers a target; all that it points to stays as it is for ever.
 * Errors: ALREADY_EXISTS for the name; INVALID_ARGUMENT for what is missing or out of range. */
TF_CAPI_EXPORT extern void oribi_target_register(const oribi_target *target, TF_Status *status);

/* Defines a TF_InitKernel that registers one target and nothing else:
 * TVM_REGISTER_TARGET_KIND(woofles_target) */
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
