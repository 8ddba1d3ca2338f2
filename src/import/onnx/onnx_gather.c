/* SPDX-License-Identifier: Apache-2.0 */
/* Gathering and scattering. TensorFlow's ops take no negative indices: they are made positive. */
#include <inttypes.h>

#include "import/onnx/onnx_emit.h"

static bool gather(oribi_onnx_node *n)
{
    oribi_value_id x = n->inputs[0];
    int32_t rank = oribi_emit_rank(n, x);
    int32_t axis = oribi_emit_axis(n, oribi_onnx_int(n, "axis", 0), rank);
    oribi_value_id indices = oribi_emit_positive_indices(n, n->inputs[1], x, axis);
    return oribi_emit_bind(n, 0, oribi_emit3(n, "GatherV2", x, indices, oribi_emit_int(n, axis)));
}

/* The last axis of the indices walks the first axes of x. */
static oribi_value_id positive_tuples(oribi_onnx_node *n, oribi_value_id indices, oribi_value_id x)
{
    int32_t rank = oribi_emit_rank(n, indices);
    int64_t depth = oribi_emit_dim(n, indices, rank - 1);
    if (!n->failed && rank > 0 && depth < 0) {
        oribi_onnx_want_shapes(n, "the last dimension of the indices must be known");
        return -1;
    }
    if (n->failed || rank < 1 || depth > oribi_emit_rank(n, x)) {
        oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                        "indices with a last dimension of %" PRId64 " are not supported", depth);
        return -1;
    }
    oribi_value_id sizes = oribi_emit_range_of(n, oribi_emit_shape_of(n, x, TF_INT64), 0, depth);
    oribi_value_id is_negative =
        oribi_emit2(n, "Less", indices, oribi_emit_scalar_like(n, indices, 0));
    return oribi_emit3(n, "SelectV2", is_negative, oribi_emit2(n, "AddV2", indices, sizes),
                       indices);
}

static bool gather_nd(oribi_onnx_node *n)
{
    oribi_value_id x = n->inputs[0];
    if (oribi_onnx_int(n, "batch_dims", 0) != 0) {
        return oribi_onnx_translate_custom(n);
    }
    return oribi_emit_bind(n, 0,
                           oribi_emit2(n, "GatherNd", x, positive_tuples(n, n->inputs[1], x)));
}

static bool scatter_nd(oribi_onnx_node *n)
{
    const char *op = oribi_onnx_string_is(n, "reduction", "none", "none")  ? "TensorScatterUpdate"
                     : oribi_onnx_string_is(n, "reduction", "none", "add") ? "TensorScatterAdd"
                     : oribi_onnx_string_is(n, "reduction", "none", "max") ? "TensorScatterMax"
                     : oribi_onnx_string_is(n, "reduction", "none", "min") ? "TensorScatterMin"
                                                                           : NULL;
    if (op == NULL) {
        return oribi_onnx_translate_custom(n);
    }
    oribi_value_id x = n->inputs[0];
    return oribi_emit_bind(
        n, 0, oribi_emit3(n, op, x, positive_tuples(n, n->inputs[1], x), n->inputs[2]));
}

/* values is [off, on]; indices may be negative or of a type that TensorFlow does not take. */
static bool one_hot(oribi_onnx_node *n)
{
    oribi_value_id indices = n->inputs[0], depth = n->inputs[1], values = n->inputs[2];
    int64_t axis = oribi_onnx_int(n, "axis", -1);
    int32_t rank = oribi_emit_rank(n, indices);
    axis = axis == -1 || axis == rank ? -1 : oribi_emit_axis(n, axis, rank + 1);
    indices = oribi_emit_cast(n, indices, TF_INT64);
    double known = 0;
    if (oribi_emit_known_scalar(n, depth, &known) && !(known <= (double)INT32_MAX)) {
        return oribi_onnx_fail(n, TF_UNIMPLEMENTED, "the depth is %.0f; at most %d is supported",
                               known, INT32_MAX);
    }
    depth = oribi_emit_reshape(n, depth, NULL, 0);
    /* The op takes 32 bits: a depth beyond them must not come back as a small one. */
    oribi_value_id wide = oribi_emit2(n, "Minimum", oribi_emit_cast(n, depth, TF_INT64),
                                      oribi_emit_scalar(n, TF_INT64, (double)INT32_MAX));
    oribi_value_id is_negative = oribi_emit2(n, "Less", indices, oribi_emit_scalar(n, TF_INT64, 0));
    indices =
        oribi_emit3(n, "SelectV2", is_negative, oribi_emit2(n, "AddV2", indices, wide), indices);
    oribi_value_id off = oribi_emit_element(n, values, 0), on = oribi_emit_element(n, values, 1);
    return oribi_emit_bind(n, 0,
                           oribi_emit(n, "OneHot",
                                      INPUTS(indices, oribi_emit_cast(n, wide, TF_INT32), on, off),
                                      ATTRS(ATTR_INT("axis", axis))));
}

/* Indices of what is not zero, one column each. */
static bool non_zero(oribi_onnx_node *n)
{
    static const oribi_dims swap = {2, {1, 0}};
    oribi_value_id y = oribi_emit1(n, "Where", n->inputs[0]);
    return oribi_emit_bind(n, 0, oribi_emit_transpose(n, y, &swap));
}

/* clang-format off */
const oribi_onnx_row oribi_onnx_gather_rows[] = {
    {"Gather", 1, 28, gather, 2, 2, "GatherV2"},
    {"GatherND", 11, 28, gather_nd, 2, 2, "GatherNd; ONNX>GatherND"},
    {"NonZero", 9, 28, non_zero, 1, 1, "Where, Transpose"},
    {"OneHot", 9, 28, one_hot, 3, 3, "OneHot"},
    {"ScatterND", 11, 28, scatter_nd, 3, 3, "TensorScatterUpdate, TensorScatterAdd, TensorScatterMax, TensorScatterMin; ONNX>ScatterND"},
    {NULL, 0, 0, NULL, 0, 0, NULL}};
/* clang-format on */
