/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes made, merged and changed: the first part of shape_inference.h. Dimensions alone:
 * shape_dim.c.
 */
#include <inttypes.h>

#include "base/alloc.h"
#include "base/text.h"
#include "op/shape_internal.h"

void TF_ShapeInferenceContextUnknownShape(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *result)
{
    if (result != NULL) {
        result->shape = oribi_shape_unknown(ctx);
    }
}

void TF_ShapeInferenceContextUnknownShapeOfRank(TF_ShapeInferenceContext *ctx, int64_t rank,
                                                TF_ShapeHandle *result, TF_Status *status)
{
    if (oribi_shape_begin(ctx, result, status) && rank >= 0) {
        (void)oribi_shape_new(ctx, rank, &result->shape, status);
    }
}

void TF_ShapeInferenceContextMakeShape(TF_ShapeInferenceContext *ctx,
                                       TF_DimensionHandle *const *dims, int64_t rank,
                                       TF_ShapeHandle *result, TF_Status *status)
{
    oribi_shape shape;
    if (!oribi_shape_begin(ctx, result, status) || !oribi_shape_new(ctx, rank, &shape, status)) {
        return;
    }
    for (int64_t i = 0; i < rank; i++) {
        if (dims[i] == NULL) {
            oribi_fail_memory(status);
            return;
        }
        shape.dims[i] = dims[i]->value;
    }
    result->shape = shape;
}

void TF_ShapeInferenceContextMakeShapeFromDims(TF_ShapeInferenceContext *ctx, const int64_t *dims,
                                               int64_t rank, TF_ShapeHandle *result,
                                               TF_Status *status)
{
    oribi_shape shape;
    if (!oribi_shape_begin(ctx, result, status) || !oribi_shape_new(ctx, rank, &shape, status)) {
        return;
    }
    for (int64_t i = 0; i < rank; i++) {
        if (dims[i] < -1) {
            oribi_fail(status, TF_INVALID_ARGUMENT, "Dimension %" PRId64 " cannot be %" PRId64, i,
                       dims[i]);
            return;
        }
        shape.dims[i] = dims[i] < 0 ? shape.dims[i] : dims[i];
    }
    result->shape = shape;
}

static void fail_merge(const oribi_shape *a, const oribi_shape *b, int32_t i, TF_Status *status)
{
    oribi_text text = {0};
    oribi_shape_print(a, &text);
    oribi_text_append(&text, " and ");
    oribi_shape_print(b, &text);
    oribi_fail(status, TF_INVALID_ARGUMENT,
               "Dimension %" PRId32 " in both shapes must be equal, but are %" PRId64
               " and %" PRId64 ". Shapes are %s.",
               i, a->dims[i], b->dims[i], oribi_text_string(&text));
    oribi_text_destroy(&text);
}

/* First n dimensions of both together into out->dims. */
static bool merge_dims(const oribi_shape *a, const oribi_shape *b, int32_t n, oribi_shape *out,
                       TF_Status *status)
{
    for (int32_t i = 0; i < n; i++) {
        if (!oribi_dims_merge(a->dims[i], b->dims[i], &out->dims[i])) {
            fail_merge(a, b, i, status);
            return false;
        }
    }
    return true;
}

void TF_ShapeInferenceContextMerge(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *first,
                                   TF_ShapeHandle *second, TF_ShapeHandle *result,
                                   TF_Status *status)
{
    oribi_shape a = oribi_shape_of(first), b = oribi_shape_of(second), merged;
    if (!oribi_shape_begin(ctx, result, status)) {
        return;
    }
    if (a.rank < 0 || b.rank < 0) {
        result->shape = a.rank < 0 && b.rank >= 0 ? b : a;
        return;
    }
    if (a.rank != b.rank) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "Shapes must be equal rank, but are %" PRId32 " and %" PRId32, a.rank, b.rank);
        return;
    }
    if (oribi_shape_new(ctx, a.rank, &merged, status) &&
        merge_dims(&a, &b, a.rank, &merged, status)) {
        result->shape = merged;
    }
}

void TF_ShapeInferenceContextMergePrefix(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape,
                                         TF_ShapeHandle *prefix, TF_ShapeHandle *result_shape,
                                         TF_ShapeHandle *result_prefix, TF_Status *status)
{
    oribi_shape whole = oribi_shape_of(shape), front = oribi_shape_of(prefix), merged;
    if (!oribi_shape_begin(ctx, result_shape, status) ||
        !oribi_shape_begin(ctx, result_prefix, status)) {
        return;
    }
    if (whole.rank >= 0 && front.rank > whole.rank) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "Shape must be at least rank %" PRId32 " but is rank %" PRId32, front.rank,
                   whole.rank);
        return;
    }
    if (whole.rank >= 0 && front.rank >= 0) {
        if (!oribi_shape_new(ctx, whole.rank, &merged, status) ||
            !merge_dims(&whole, &front, front.rank, &merged, status)) {
            return;
        }
        for (int32_t i = front.rank; i < whole.rank; i++) {
            merged.dims[i] = whole.dims[i];
        }
        whole = merged;
        front.dims = merged.dims;
    }
    result_shape->shape = whole;
    result_prefix->shape = front;
}

void TF_ShapeInferenceContextReplaceDim(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape,
                                        int64_t i, TF_DimensionHandle *dim, TF_ShapeHandle *result,
                                        TF_Status *status)
{
    oribi_shape from = oribi_shape_of(shape), changed;
    if (!oribi_shape_begin(ctx, result, status) || from.rank < 0) {
        return;
    }
    int64_t at = i < 0 ? i + from.rank : i;
    if (at < 0 || at >= from.rank) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "Out of range dim_index %" PRId64 " for shape with %" PRId32 " dimensions", i,
                   from.rank);
        return;
    }
    if (oribi_shape_copy(&ctx->scratch, from.dims, from.rank, &changed)) {
        changed.dims[at] = oribi_dim_of(dim);
        result->shape = changed;
    } else {
        oribi_fail_memory(status);
    }
}

int TF_ShapeInferenceContextFullyDefined(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape)
{
    (void)ctx;
    oribi_shape whole = oribi_shape_of(shape);
    return oribi_shape_is_full(&whole);
}

void TF_ShapeInferenceContextNumElements(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape,
                                         TF_DimensionHandle *result)
{
    const oribi_shape whole = oribi_shape_of(shape);
    size_t count;
    if (result == NULL) {
        return;
    }
    result->value = oribi_new_unknown(ctx);
    for (int32_t i = 0; i < whole.rank; i++) {
        if (whole.dims[i] == 0) { /* whatever the others are */
            result->value = 0;
            return;
        }
    }
    if (oribi_shape_is_full(&whole) && oribi_size_of_dims(whole.dims, whole.rank, 1, &count) &&
        count <= INT64_MAX) {
        result->value = (int64_t)count;
    }
}
