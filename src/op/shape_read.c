/* SPDX-License-Identifier: Apache-2.0 */
/* What came to shape functions with contract 1.3: outputs read back, strided parts, which handles
 * mean the same, attributes as messages. Values as shapes and indices: shape_value.c.
 */
#include <inttypes.h>

#include "op/op_proto.h"
#include "op/shape_internal.h"

enum { GRAPH_DEF_VERSION = 1766 }; /* TF_GRAPH_DEF_VERSION of TensorFlow 2.16.1 */

void TF_ShapeInferenceContextGetOutput(TF_ShapeInferenceContext *ctx, int i, TF_ShapeHandle *handle,
                                       TF_Status *status)
{
    if (!oribi_shape_begin(ctx, handle, status)) {
        return;
    }
    handle->shape = oribi_shape_unset();
    if (i < 0 || i >= ctx->signature->n_outputs) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "output index out of range: %d of %" PRId32, i,
                   ctx->signature->n_outputs);
        return;
    }
    handle->shape = ctx->outputs[i];
}

/* Start or end as an index of 0..rank; -1: it lies before the first dimension. */
static int64_t clip_index(int64_t i, int64_t rank)
{
    if (i >= rank) {
        return rank;
    }
    return i >= 0 ? i : i < -rank ? -1 : i + rank;
}

static int64_t count_steps(int64_t from, int64_t to, int64_t stride)
{
    const uint64_t distance = (uint64_t)(stride > 0 ? to - from : from - to);
    const uint64_t step = stride > 0 ? (uint64_t)stride : 0 - (uint64_t)stride;
    return (int64_t)(distance / step + (distance % step != 0));
}

static void take_part(TF_ShapeInferenceContext *ctx, const oribi_shape *whole, int64_t from,
                      int64_t to, int64_t stride, oribi_shape *out, TF_Status *status)
{
    oribi_shape part;
    const int64_t count = count_steps(from, to, stride);
    if (!oribi_shape_new(ctx, count, &part, status)) {
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        part.dims[i] = whole->dims[from + i * stride];
    }
    *out = part;
}

void TF_ShapeInferenceContextStridedSubshape(TF_ShapeInferenceContext *ctx,
                                             TF_ShapeHandle *shape_handle, int64_t start,
                                             int64_t end, int64_t stride, TF_ShapeHandle *result,
                                             TF_Status *status)
{
    const oribi_shape whole = oribi_shape_of(shape_handle);
    const int64_t rank = whole.rank;
    if (!oribi_shape_begin(ctx, result, status)) {
        return;
    }
    if (stride == 0) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "Subshape stride must not be 0");
        return;
    }
    if (start == 0 && stride == 1 && (end == INT64_MAX || (rank >= 0 && end >= rank))) {
        result->shape = whole.rank == -1 ? result->shape : whole;
        return;
    }
    if (rank < 0) {
        return; /* a part of unknown rank is of unknown rank */
    }
    int64_t from = clip_index(start, rank), to = clip_index(end, rank);
    from -= stride < 0 && from == rank;
    if (from < 0 || to < 0 || (stride > 0 ? from > to : from < to)) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "Subshape must have computed start %s end, both within the shape: start %" PRId64
                   " and end %" PRId64 " over shape with rank %" PRId64 " and stride %" PRId64,
                   stride > 0 ? "<=" : ">=", start, end, rank, stride);
        return;
    }
    take_part(ctx, &whole, from, to, stride, &result->shape, status);
}

bool TF_ShapeHandleIsSame(TF_ShapeHandle *first, TF_ShapeHandle *second)
{
    const oribi_shape a = oribi_shape_of(first), b = oribi_shape_of(second);
    return oribi_shape_equal(&a, &b);
}

bool TF_DimensionHandleIsSame(TF_DimensionHandle *first, TF_DimensionHandle *second)
{
    return oribi_dim_of(first) == oribi_dim_of(second);
}

int TF_ShapeInferenceContextGraphDefVersion(TF_ShapeInferenceContext *ctx)
{
    (void)ctx;
    return GRAPH_DEF_VERSION;
}

void TF_ShapeInferenceContext_GetAttrProto(TF_ShapeInferenceContext *ctx, const char *attr_name,
                                           TF_Buffer *value, TF_Status *status)
{
    oribi_text text = {0};
    TF_SetStatus(status, TF_OK, "");
    const oribi_attr *attr = oribi_attrs_find(ctx->attrs, attr_name);
    if (attr == NULL) {
        oribi_fail(status, TF_NOT_FOUND, "No attr named '%s' in node '%s'", attr_name, ctx->node);
        return;
    }
    oribi_proto_attr_value(&text, attr);
    (void)oribi_proto_fill(&text, value, status);
    oribi_text_destroy(&text);
}
