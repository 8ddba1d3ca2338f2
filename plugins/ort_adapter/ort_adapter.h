/* SPDX-License-Identifier: Apache-2.0 */
/* Shared in this room: an adapter that makes ops of the contract from a library of custom ops for
 * ONNX Runtime. The way of a library: ort_register.c hands it our table (ort_table.c) and collects
 * what it registers; ort_define.c makes one op definition of all that bears one name;
 * ort_kernel.c creates and computes, with what the library asks then (ort_info.c, ort_context.c,
 * ort_value.c, ort_string.c). Depends on the contract alone: include/ and the C library.
 */
#ifndef ORIBI_PLUGINS_ORT_ADAPTER_ORT_ADAPTER_H_
#define ORIBI_PLUGINS_ORT_ADAPTER_ORT_ADAPTER_H_

#include "micro/dims.h"
#include "ort_catch.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/kernels_extension.h"
#include "tensorflow/c/op_traits.h"
#include "tensorflow/c/ops.h"
#include "tensorflow/c/shape_inference.h"
#include "tensorflow/c/tf_tstring.h"

/* The functions of the table: oribi_ort_CreateStatus and so on, named after their slots. */
#define ORT_HAVE(result, name, arguments) result oribi_ort_##name arguments;
#define ORT_STATUS(name)
#define ORT_RELEASE(name)
#define ORT_NOTHING(name)
#include "ort_slots.inc"
#undef ORT_HAVE
#undef ORT_STATUS
#undef ORT_RELEASE
#undef ORT_NOTHING

/* --- ort_table.c --- */

/* The newest version above ours that was asked for since the last call, or 0. */
uint32_t oribi_ort_refused_version(void);

/* --- ort_status.c --- */

ort_status *oribi_ort_fail_memory(void);
/* A status of the contract as one of theirs; NULL when it is fine. */
ort_status *oribi_ort_from_status(const TF_Status *status);
/* Theirs as one of the contract, with "WHAT: " in front; frees it. */
void oribi_ort_to_status(ort_status *theirs, const char *what, TF_Status *status);
/* The protocol of texts that are asked for twice: out NULL asks for the bytes, NUL included. */
ort_status *oribi_ort_give_text(const char *text, size_t length, char *out, size_t *bytes);

/* --- ort_type.c --- */

TF_DataType oribi_ort_type_to_tf(int32_t type); /* 0: none */
int32_t oribi_ort_type_from_tf(TF_DataType type);
const char *oribi_ort_type_name(int32_t type); /* in specs of ops */

struct ort_tensor_info {
    int32_t type;
    bool is_known; /* has it a rank? */
    size_t rank;   /* of both arrays */
    int64_t *dims; /* -1: unknown */
};
ort_status *oribi_ort_tensor_info_make(int32_t type, const int64_t *dims, size_t rank,
                                       ort_tensor_info **out);

struct ort_type_info {
    ort_tensor_info *tensor;
};

/* --- ort_value.c --- */

struct ort_value {
    TF_Tensor *tensor;      /* NULL: the data below is somebody's */
    void *data;             /* of fixed-size elements or TF_TString */
    ort_allocator *deleter; /* frees data with the value; NULL: it stays */
    const ort_memory_info *where;
    int32_t type;
    oribi_dims shape;
    size_t count, bytes;
};
/* Fills *value from a tensor, which the value then owns. False: more dimensions than we hold. */
bool oribi_ort_value_take(ort_value *value, TF_Tensor *tensor);
void oribi_ort_value_clear(ort_value *value);
/* A value on the heap that owns the tensor; frees it on failure. */
ort_status *oribi_ort_value_new(TF_Tensor *tensor, ort_value **out);

/* --- ort_memory.c --- */

extern ort_allocator oribi_ort_allocator; /* of host memory: malloc */
extern const ort_memory_info oribi_ort_host;

/* --- ort_attr.c --- */

typedef struct ort_text {
    char *data; /* NUL-terminated */
    size_t length;
} ort_text;

struct ort_op_attr {
    char *name;
    int32_t kind; /* ORT_ATTR_* */
    size_t count; /* of the array that its kind uses */
    int64_t *ints;
    float *floats;
    ort_text *texts; /* strings; a tensor: one, the TensorProto */
};
typedef struct ort_attrs {
    ort_op_attr *items;
    size_t count;
} ort_attrs;
/* Reads AttributeProto messages. On failure *out is empty. */
ort_status *oribi_ort_attrs_read(char *const *messages, const size_t *bytes, size_t count,
                                 ort_attrs *out);
/* read_attrs: the attributes that the importer has put into the node's, asked of either context. */
#define ORIBI_ORT_READ_ATTRS(Context)                                                              \
    static ort_status *read_attrs(Context *ctx, ort_attrs *out, TF_Status *status)                 \
    {                                                                                              \
        int32_t count = 0;                                                                         \
        int32_t bytes = 0;                                                                         \
        Context##_GetAttrSize(ctx, "onnx_attributes", &count, &bytes, status);                     \
        if (TF_GetCode(status) != TF_OK) {                                                         \
            return oribi_ort_from_status(status);                                                  \
        }                                                                                          \
        const size_t n = count > 0 ? (size_t)count : 0;                                            \
        char **messages = calloc(n + 1, sizeof *messages);                                         \
        size_t *lengths = calloc(n + 1, sizeof *lengths);                                          \
        char *storage = malloc((size_t)bytes + 1);                                                 \
        ort_status *failed = NULL;                                                                 \
        if (!messages || !lengths || !storage) {                                                   \
            failed = oribi_ort_fail_memory();                                                      \
        } else {                                                                                   \
            Context##_GetAttrStringList(ctx, "onnx_attributes", messages, lengths, count, storage, \
                                        (size_t)bytes, status);                                    \
            failed = oribi_ort_from_status(status);                                                \
            failed = failed ? failed : oribi_ort_attrs_read(messages, lengths, n, out);            \
        }                                                                                          \
        free(storage);                                                                             \
        free(lengths);                                                                             \
        free(messages);                                                                            \
        return failed;                                                                             \
    }
void oribi_ort_attrs_clear(ort_attrs *attrs);
const ort_op_attr *oribi_ort_attrs_find(const ort_attrs *attrs, const char *name);
/* Reads a TensorProto into a new tensor. */
ort_status *oribi_ort_tensor_read(const char *bytes, size_t length, TF_Tensor **out);

/* --- ort_wire.c: protobuf --- */

typedef struct ort_wire {
    const unsigned char *at, *end;
} ort_wire;
typedef struct ort_wire_field {
    uint32_t number, kind; /* kind: 0 varint, 1 eight bytes, 2 a length, 5 four bytes */
    uint64_t value;        /* of kinds 0, 1, 5 */
    ort_wire body;         /* of kind 2 */
} ort_wire_field;
/* The next field: 1; 0 at the end; -1: damaged. */
int oribi_ort_wire_next(ort_wire *wire, ort_wire_field *out);
/* One more varint of a packed field; the same results. */
int oribi_ort_wire_varint(ort_wire *wire, uint64_t *out);

/* --- ort_register.c --- */

typedef struct ort_group { /* what is registered under one name, for the same versions of its domain
                              lives as long as the process, for the host has its address */
    struct ort_group *next;
    const char *domain, *name; /* ONNX's */
    char *op;                  /* ours: Com>Acme>Name */
    int since, until;          /* versions of the domain, both included; until 0: no end */
    const ort_custom_op **members;
    size_t n_members;
} ort_group;

/* What the importer would call an op of the operator's name, newly allocated; a number above 0 is
 * put behind it. NULL: no memory. */
char *oribi_ort_name_op(const char *domain, const char *name, unsigned number);

/* --- ort_define.c --- */

/* Registers the group's op and its kernel. A group that no definition can say is left out, with a
 * line in the log. */
void oribi_ort_define(const ort_group *group, TF_Status *status);
int32_t oribi_ort_input_kind(const ort_custom_op *op, size_t i);
int32_t oribi_ort_output_kind(const ort_custom_op *op, size_t i);

/* --- ort_info.c --- */

typedef struct ort_port { /* one input or output of the node, absent ones before present included */
    int flat;             /* -1: absent */
    ort_tensor_info *info;
} ort_port;

struct ort_kernel_info {
    int n_references;
    const ort_group *group;
    const ort_custom_op *op;
    TF_OpKernelConstruction *ctx; /* NULL once create has returned */
    char *node_name;
    ort_port *inputs, *outputs;
    size_t n_inputs, n_outputs;
    ort_attrs attrs;
    ort_value **constants; /* one each input, made when asked for; or NULL */
};
ort_status *oribi_ort_info_make(TF_OpKernelConstruction *ctx, const ort_group *group,
                                ort_kernel_info **out);

/* --- ort_kernel.c, ort_context.c --- */

typedef struct ort_kernel {
    const ort_custom_op *op;
    ort_kernel_info *info;
    void *theirs;
} ort_kernel;

typedef struct ort_scratch ort_scratch; /* memory of one call */

struct ort_kernel_context {
    TF_OpKernelContext *tf;
    const ort_kernel *kernel;
    ort_value *inputs, *outputs; /* one each port, empty until it is asked for */
    ort_scratch *scratch;
    bool is_locked;
};
/* On failure there is nothing to close but what close may be given. */
ort_status *oribi_ort_context_open(ort_kernel_context *context, const ort_kernel *kernel,
                                   TF_OpKernelContext *tf);
void oribi_ort_context_close(ort_kernel_context *context);

/* TF_KernelFunctions; data is the group. */
void *oribi_ort_kernel_create(void *data, TF_OpKernelConstruction *ctx);
void oribi_ort_kernel_compute(void *data, void *kernel, TF_OpKernelContext *ctx);
void oribi_ort_kernel_destroy(void *data, void *kernel);

/* --- ort_infer.c --- */

void oribi_ort_infer(void *group, TF_ShapeInferenceContext *ctx, TF_Status *status);

#endif
