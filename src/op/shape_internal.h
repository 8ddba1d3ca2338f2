/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: what stands behind the context and the handles of shape inference. */
#ifndef ORIBI_OP_SHAPE_INTERNAL_H_
#define ORIBI_OP_SHAPE_INTERNAL_H_

#include "op/op.h"
#include "tensorflow/c/shape_inference.h"

struct TF_ShapeInferenceContext { /* one call of a shape function */
    const oribi_op_def *op;
    const char *node;
    const oribi_attrs *attrs;
    const oribi_signature *signature;
    const oribi_shape *inputs;
    TF_Tensor *const *constants;        /* or NULL */
    const oribi_shape *constant_shapes; /* or NULL */
    oribi_shape *outputs;
    oribi_handle_data *input_handles;  /* n_inputs, this call's own */
    oribi_handle_data *output_handles; /* n_outputs */
    oribi_arena scratch; /* shapes behind handles; outputs are copied out at the end */
};

/* A handle holds a view; the dimensions live in the context's scratch. Unset is rank -1. */
struct TF_ShapeHandle {
    oribi_shape shape;
};

struct TF_DimensionHandle { /* -1: unknown or unset */
    int64_t value;
};

static inline oribi_shape oribi_shape_unknown(void)
{
    return (oribi_shape){-1, NULL};
}

/* NULL (no memory for a handle) reads as unset. */
static inline oribi_shape oribi_shape_of(const TF_ShapeHandle *handle)
{
    return handle != NULL ? handle->shape : oribi_shape_unknown();
}

static inline int64_t oribi_dim_of(const TF_DimensionHandle *handle)
{
    return handle != NULL ? handle->value : -1;
}

/* Result handle unset and status OK, or RESOURCE_EXHAUSTED when the handle is NULL. */
bool oribi_shape_begin(TF_ShapeHandle *result, TF_Status *status);
bool oribi_dim_begin(TF_DimensionHandle *result, TF_Status *status);
/* rank dimensions in the scratch, all unknown. */
bool oribi_shape_new(TF_ShapeInferenceContext *ctx, int64_t rank, oribi_shape *out,
                     TF_Status *status);
bool oribi_dims_merge(int64_t a, int64_t b, int64_t *out); /* false: they contradict */
/* Into the arena; out may be from. False: no memory. */
bool oribi_handle_data_copy(oribi_arena *arena, const oribi_handle_data *from,
                            oribi_handle_data *out);

#endif
