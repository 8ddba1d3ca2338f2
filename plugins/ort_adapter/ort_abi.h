/* SPDX-License-Identifier: Apache-2.0 */
/* What crosses the border between a custom-op library and ONNX Runtime: the layouts of its C
 * interface, under names of ours. Objects that only the runtime looks into are opaque. Not here:
 * what is in them (ort_adapter.h).
 * Source   the public header onnxruntime_c_api.h, versions 1 to 29: order, types and numbers.
 */
#ifndef ORIBI_PLUGINS_ORT_ADAPTER_ORT_ABI_H_
#define ORIBI_PLUGINS_ORT_ADAPTER_ORT_ABI_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ORT_ABI_VERSION = 29 }; /* the newest table that ort_slots.inc describes */

enum { /* error codes */
       ORT_OK = 0,
       ORT_FAIL = 1,
       ORT_INVALID_ARGUMENT = 2,
       ORT_RUNTIME_EXCEPTION = 6,
       ORT_NOT_IMPLEMENTED = 9,
       ORT_NOT_FOUND = 14
};

enum { /* element types: numbers of ONNX */
       ORT_TYPE_UNDEFINED,
       ORT_TYPE_FLOAT,
       ORT_TYPE_UINT8,
       ORT_TYPE_INT8,
       ORT_TYPE_UINT16,
       ORT_TYPE_INT16,
       ORT_TYPE_INT32,
       ORT_TYPE_INT64,
       ORT_TYPE_STRING,
       ORT_TYPE_BOOL,
       ORT_TYPE_FLOAT16,
       ORT_TYPE_DOUBLE,
       ORT_TYPE_UINT32,
       ORT_TYPE_UINT64,
       ORT_TYPE_COMPLEX64,
       ORT_TYPE_COMPLEX128,
       ORT_TYPE_BFLOAT16,
       ORT_TYPE_FLOAT8E4M3FN,
       ORT_TYPE_FLOAT8E4M3FNUZ,
       ORT_TYPE_FLOAT8E5M2,
       ORT_TYPE_FLOAT8E5M2FNUZ,
       ORT_N_TYPES
};

enum { ORT_VALUE_TENSOR = 1 };                     /* kinds of values */
enum { ORT_REQUIRED, ORT_OPTIONAL, ORT_VARIADIC }; /* kinds of parameters */
enum { ORT_LOG_VERBOSE, ORT_LOG_INFO, ORT_LOG_WARNING, ORT_LOG_ERROR, ORT_LOG_FATAL };
enum { ORT_ALLOCATOR_DEVICE = 0, ORT_MEMORY_DEFAULT = 0 };
enum { /* kinds of attributes */
       ORT_ATTR_UNDEFINED,
       ORT_ATTR_INT,
       ORT_ATTR_INTS,
       ORT_ATTR_FLOAT,
       ORT_ATTR_FLOATS,
       ORT_ATTR_STRING,
       ORT_ATTR_STRINGS,
       ORT_ATTR_GRAPH,
       ORT_ATTR_TENSOR
};

typedef struct ort_status ort_status; /* NULL: all is well */
typedef struct ort_domain ort_domain;
typedef struct ort_session_options ort_session_options;
typedef struct ort_value ort_value;
typedef struct ort_tensor_info ort_tensor_info;
typedef struct ort_type_info ort_type_info;
typedef struct ort_memory_info ort_memory_info;
typedef struct ort_kernel_info ort_kernel_info;
typedef struct ort_kernel_context ort_kernel_context;
typedef struct ort_shape_context ort_shape_context;
typedef struct ort_op_attr ort_op_attr;
typedef struct ort_op ort_op;
typedef struct ort_logger ort_logger;
typedef struct ort_custom_op ort_custom_op;
typedef struct ort_api ort_api;

typedef struct ort_allocator {
    uint32_t version;
    void *(*alloc)(struct ort_allocator *self, size_t bytes);
    void (*free)(struct ort_allocator *self, void *memory);
    const ort_memory_info *(*info)(const struct ort_allocator *self);
    void *(*reserve)(struct ort_allocator *self, size_t bytes);                   /* 1.18 */
    ort_status *(*stats)(const struct ort_allocator *self, void **out);           /* 1.23 */
    void *(*alloc_on_stream)(struct ort_allocator *self, size_t bytes, void *on); /* 1.23 */
    ort_status *(*shrink)(struct ort_allocator *self);                            /* 1.25 */
} ort_allocator;

/* What a library gives of one op. Members below a line exist from that version on. */
struct ort_custom_op {
    uint32_t version;
    void *(*create)(const ort_custom_op *op, const ort_api *api, const ort_kernel_info *info);
    const char *(*name)(const ort_custom_op *op);
    const char *(*provider)(const ort_custom_op *op); /* NULL: the CPU */
    int32_t (*input_type)(const ort_custom_op *op, size_t i);
    size_t (*n_inputs)(const ort_custom_op *op);
    int32_t (*output_type)(const ort_custom_op *op, size_t i);
    size_t (*n_outputs)(const ort_custom_op *op);
    void (*compute)(void *kernel, ort_kernel_context *context);
    void (*destroy)(void *kernel);
    /* 8 */
    int32_t (*input_kind)(const ort_custom_op *op, size_t i);
    int32_t (*output_kind)(const ort_custom_op *op, size_t i);
    /* 13 */
    int32_t (*input_memory)(const ort_custom_op *op, size_t i);
    /* 14 */
    int (*least_inputs)(const ort_custom_op *op); /* of the variadic one */
    int (*are_inputs_alike)(const ort_custom_op *op);
    int (*least_outputs)(const ort_custom_op *op);
    int (*are_outputs_alike)(const ort_custom_op *op);
    /* 16 */
    ort_status *(*create_v2)(const ort_custom_op *op, const ort_api *api,
                             const ort_kernel_info *info, void **out);
    ort_status *(*compute_v2)(void *kernel, ort_kernel_context *context);
    /* 17 */
    ort_status *(*infer_shapes)(const ort_custom_op *op, ort_shape_context *context);
    int (*first_opset)(const ort_custom_op *op);
    int (*last_opset)(const ort_custom_op *op);
    /* 18: which output may take over which input; hints that are not used here */
    size_t (*may_overwrite)(int **inputs, int **outputs);
    void (*free_may_overwrite)(int *inputs, int *outputs);
    size_t (*aliases)(int **inputs, int **outputs);
    void (*free_aliases)(int *inputs, int *outputs);
};

/* The table itself. */
struct ort_api {
#define ORT_HAVE(result, name, arguments) result(*name) arguments;
#define ORT_STATUS(name)                  ort_status *(*name)(void);
#define ORT_RELEASE(name)                 void (*name)(void *object);
#define ORT_NOTHING(name)                 int64_t (*name)(void);
#include "ort_slots.inc"
#undef ORT_HAVE
#undef ORT_STATUS
#undef ORT_RELEASE
#undef ORT_NOTHING
};

typedef struct ort_api_base {
    const ort_api *(*get_api)(uint32_t version); /* NULL: newer than ORT_ABI_VERSION */
    const char *(*get_version_string)(void);
} ort_api_base;

/* The entry point of a library: `RegisterCustomOps`. */
typedef ort_status *(*ort_register_custom_ops)(ort_session_options *options,
                                               const ort_api_base *base);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
