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
    oribi_shape *inputs;                /* n_inputs, this call's own */
    TF_Tensor *const *constants;        /* or NULL */
    const oribi_shape *constant_shapes; /* or NULL */
    oribi_shape *outputs;
    oribi_handle_data *input_handles;  /* n_inputs, this call's own */
    oribi_handle_data *output_handles; /* n_outputs */
    oribi_arena scratch; /* shapes behind handles; outputs are copied out at the end */
    int32_t n_unknown;   /* identities given so far */
};

/* In one call every unknown rank and dimension has a negative number of its own from -2 downwards,
 * so that two handles can be known to mean the same one. -1 is unset. What leaves the call is -1.
 */

/* A handle holds a view; the dimensions live in the context's scratch. Unset is rank -1. */
struct TF_ShapeHandle {
    oribi_shape shape;
};

struct TF_DimensionHandle {
    int64_t value;
};

static inline int32_t oribi_new_unknown(TF_ShapeInferenceContext *ctx)
{
    ctx->n_unknown += ctx->n_unknown < INT32_MAX - 2;
    return -1 - ctx->n_unknown;
}

static inline oribi_shape oribi_shape_unset(void)
{
    return (oribi_shape){-1, NULL};
}

static inline oribi_shape oribi_shape_unknown(TF_ShapeInferenceContext *ctx)
{
    return (oribi_shape){oribi_new_unknown(ctx), NULL};
}

/* NULL (no memory for a handle) reads as unset. */
static inline oribi_shape oribi_shape_of(const TF_ShapeHandle *handle)
{
    return handle != NULL ? handle->shape : oribi_shape_unset();
}

static inline int64_t oribi_dim_of(const TF_DimensionHandle *handle)
{
    return handle != NULL ? handle->value : -1;
}

/* Result handle unknown and status OK, or RESOURCE_EXHAUSTED when the handle is NULL. */
bool oribi_shape_begin(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *result, TF_Status *status);
bool oribi_dim_begin(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *result, TF_Status *status);
/* rank dimensions in the scratch, all unknown. */
bool oribi_shape_new(TF_ShapeInferenceContext *ctx, int64_t rank, oribi_shape *out,
                     TF_Status *status);
bool oribi_dims_merge(int64_t a, int64_t b, int64_t *out); /* false: they contradict */
/* oribi_shape_copy with numbers for what is unknown, and without them. Out may be from. */
bool oribi_shape_take_in(TF_ShapeInferenceContext *ctx, const oribi_shape *from, oribi_shape *out);
bool oribi_shape_take_out(oribi_arena *arena, const oribi_shape *from, oribi_shape *out);
/* Into the arena; out may be from. False: no memory. */
bool oribi_handle_data_copy(oribi_arena *arena, const oribi_handle_data *from,
                            oribi_handle_data *out);

#endif
