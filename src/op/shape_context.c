/* SPDX-License-Identifier: Apache-2.0 */
/* The shape functions' view of a node as ops.h has it: inputs, outputs, ranks, dimensions, parts.
 * Beyond TensorFlow's set: shape_make.c, shape_dim.c, shape_attr.c, shape_value.c.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "op/shape_internal.h"

bool oribi_shape_begin(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *result, TF_Status *status)
{
    ORIBI_TRY(result != NULL || oribi_fail_memory(status));
    result->shape = oribi_shape_unknown(ctx);
    TF_SetStatus(status, TF_OK, "");
    return true;
}

bool oribi_dim_begin(TF_ShapeInferenceContext *ctx, TF_DimensionHandle *result, TF_Status *status)
{
    ORIBI_TRY(result != NULL || oribi_fail_memory(status));
    result->value = oribi_new_unknown(ctx);
    TF_SetStatus(status, TF_OK, "");
    return true;
}

bool oribi_shape_new(TF_ShapeInferenceContext *ctx, int64_t rank, oribi_shape *out,
                     TF_Status *status)
{
    if (rank < 0 || rank > INT32_MAX) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "Rank cannot be %" PRId64, rank);
    }
    int64_t *dims = oribi_claim_array(&ctx->scratch, (size_t)rank + 1, sizeof *dims, status);
    ORIBI_TRY(dims != NULL);
    for (int64_t i = 0; i < rank; i++) {
        dims[i] = oribi_new_unknown(ctx);
    }
    *out = (oribi_shape){(int32_t)rank, dims};
    return true;
}

bool oribi_shape_take_in(TF_ShapeInferenceContext *ctx, const oribi_shape *from, oribi_shape *out)
{
    oribi_shape shape;
    if (from->rank < 0) {
        *out = oribi_shape_unknown(ctx);
        return true;
    }
    ORIBI_TRY(oribi_shape_copy(&ctx->scratch, from->dims, from->rank, &shape));
    for (int32_t i = 0; i < shape.rank; i++) {
        shape.dims[i] = shape.dims[i] < 0 ? oribi_new_unknown(ctx) : shape.dims[i];
    }
    *out = shape;
    return true;
}

bool oribi_shape_take_out(oribi_arena *arena, const oribi_shape *from, oribi_shape *out)
{
    ORIBI_TRY(oribi_shape_copy(arena, from->dims, from->rank, out));
    for (int32_t i = 0; i < out->rank; i++) {
        out->dims[i] = out->dims[i] < 0 ? -1 : out->dims[i];
    }
    return true;
}

TF_ShapeHandle *TF_NewShapeHandle(void)
{
    TF_ShapeHandle *handle = oribi_alloc(sizeof *handle);
    if (handle != NULL) {
        handle->shape = oribi_shape_unset();
    }
    return handle;
}

void TF_DeleteShapeHandle(TF_ShapeHandle *handle)
{
    oribi_free(handle);
}

TF_DimensionHandle *TF_NewDimensionHandle(void)
{
    TF_DimensionHandle *handle = oribi_alloc(sizeof *handle);
    if (handle != NULL) {
        handle->value = -1;
    }
    return handle;
}

void TF_DeleteDimensionHandle(TF_DimensionHandle *handle)
{
    oribi_free(handle);
}

int64_t TF_ShapeInferenceContextNumInputs(TF_ShapeInferenceContext *ctx)
{
    return ctx->signature->n_inputs;
}

void TF_ShapeInferenceContextGetInput(TF_ShapeInferenceContext *ctx, int i, TF_ShapeHandle *handle,
                                      TF_Status *status)
{
    if (!oribi_shape_begin(ctx, handle, status)) {
        return;
    }
    if (i < 0 || i >= ctx->signature->n_inputs) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "input index out of range: %d of %" PRId32, i,
                   ctx->signature->n_inputs);
        return;
    }
    handle->shape = ctx->inputs[i];
}

void TF_ShapeInferenceContextSetOutput(TF_ShapeInferenceContext *ctx, int i, TF_ShapeHandle *handle,
                                       TF_Status *status)
{
    if (handle == NULL) {
        oribi_fail_memory(status);
        return;
    }
    if (i < 0 || i >= ctx->signature->n_outputs) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "output index out of range: %d of %" PRId32, i,
                   ctx->signature->n_outputs);
        return;
    }
    ctx->outputs[i] = handle->shape;
    TF_SetStatus(status, TF_OK, "");
}

TF_ShapeHandle *TF_ShapeInferenceContextScalar(TF_ShapeInferenceContext *ctx)
{
    (void)ctx;
    TF_ShapeHandle *handle = TF_NewShapeHandle();
    if (handle != NULL) {
        handle->shape = (oribi_shape){0, NULL};
    }
    return handle;
}

TF_ShapeHandle *TF_ShapeInferenceContextVectorFromSize(TF_ShapeInferenceContext *ctx, size_t size)
{
    TF_ShapeHandle *handle = TF_NewShapeHandle();
    int64_t dim = size > INT64_MAX ? -1 : (int64_t)size;
    if (handle != NULL && !oribi_shape_copy(&ctx->scratch, &dim, 1, &handle->shape)) {
        TF_DeleteShapeHandle(handle);
        return NULL;
    }
    return handle;
}

int64_t TF_ShapeInferenceContextRank(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *handle)
{
    (void)ctx;
    const int32_t rank = oribi_shape_of(handle).rank;
    return rank < 0 ? -1 : rank;
}

int TF_ShapeInferenceContextRankKnown(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *handle)
{
    (void)ctx;
    return oribi_shape_of(handle).rank >= 0;
}

void TF_ShapeInferenceContextWithRank(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *handle,
                                      int64_t rank, TF_ShapeHandle *result, TF_Status *status)
{
    oribi_shape shape = oribi_shape_of(handle); /* read first: result may be the same handle */
    if (!oribi_shape_begin(ctx, result, status)) {
        return;
    }
    if (rank > INT32_MAX) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "Rank cannot exceed INT32_MAX");
        return;
    }
    if (shape.rank < 0) {
        (void)oribi_shape_new(ctx, rank, &result->shape, status);
    } else if (shape.rank != rank) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "Shape must be rank %" PRId64 " but is rank %" PRId32, rank, shape.rank);
    } else {
        result->shape = shape;
    }
}

/* sign 1: at least, -1: at most. */
static void with_rank_bound(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *handle, int64_t rank,
                            int sign, TF_ShapeHandle *result, TF_Status *status)
{
    oribi_shape shape = oribi_shape_of(handle);
    if (!oribi_shape_begin(ctx, result, status)) {
        return;
    }
    if (rank > INT32_MAX) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "Rank cannot exceed INT32_MAX");
    } else if (shape.rank >= 0 && (sign > 0 ? shape.rank < rank : shape.rank > rank)) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "Shape must be at %s rank %" PRId64 " but is rank %" PRId32,
                   sign > 0 ? "least" : "most", rank, shape.rank);
    } else {
        result->shape = shape;
    }
}

void TF_ShapeInferenceContextWithRankAtLeast(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *handle,
                                             int64_t rank, TF_ShapeHandle *result,
                                             TF_Status *status)
{
    with_rank_bound(ctx, handle, rank, 1, result, status);
}

void TF_ShapeInferenceContextWithRankAtMost(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *handle,
                                            int64_t rank, TF_ShapeHandle *result, TF_Status *status)
{
    with_rank_bound(ctx, handle, rank, -1, result, status);
}

void TF_ShapeInferenceContextDim(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape_handle,
                                 int64_t i, TF_DimensionHandle *result)
{
    oribi_shape shape = oribi_shape_of(shape_handle);
    if (result == NULL) {
        return;
    }
    result->value = oribi_new_unknown(ctx);
    if (shape.rank >= 0 && i >= -shape.rank && i < shape.rank) {
        result->value = shape.dims[i < 0 ? i + shape.rank : i];
    }
}

void TF_ShapeInferenceContextSubshape(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape_handle,
                                      int64_t start, int64_t end, TF_ShapeHandle *result,
                                      TF_Status *status)
{
    TF_ShapeInferenceContextStridedSubshape(ctx, shape_handle, start, end, 1, result, status);
}

void TF_ShapeInferenceContextSetUnknownShape(TF_ShapeInferenceContext *ctx, TF_Status *status)
{
    for (int32_t i = 0; i < ctx->signature->n_outputs; i++) {
        ctx->outputs[i] = oribi_shape_unknown(ctx);
    }
    TF_SetStatus(status, TF_OK, "");
}

int TF_DimensionHandleValueKnown(TF_DimensionHandle *dim_handle)
{
    return oribi_dim_of(dim_handle) >= 0;
}

int64_t TF_DimensionHandleValue(TF_DimensionHandle *dim_handle)
{
    const int64_t value = oribi_dim_of(dim_handle);
    return value < 0 ? -1 : value;
}

void TF_ShapeInferenceContextConcatenateShapes(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *first,
                                               TF_ShapeHandle *second, TF_ShapeHandle *result,
                                               TF_Status *status)
{
    oribi_shape a = oribi_shape_of(first), b = oribi_shape_of(second), joined;
    if (!oribi_shape_begin(ctx, result, status) || a.rank < 0 || b.rank < 0 ||
        !oribi_shape_new(ctx, (int64_t)a.rank + b.rank, &joined, status)) {
        return;
    }
    for (int32_t i = 0; i < joined.rank; i++) {
        joined.dims[i] = i < a.rank ? a.dims[i] : b.dims[i - a.rank];
    }
    result->shape = joined;
}
