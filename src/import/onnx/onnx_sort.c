/* SPDX-License-Identifier: Apache-2.0 */
/* Order along an axis: largest, smallest, top k, running sums. */
#include <inttypes.h>
#include <string.h>

#include "import/onnx/onnx_emit.h"

static bool arg_extreme(oribi_onnx_node *n)
{
    oribi_value_id x = n->inputs[0];
    int32_t rank = oribi_emit_rank(n, x);
    int32_t axis = oribi_emit_axis(n, oribi_onnx_int(n, "axis", 0), rank);
    bool keep = oribi_onnx_flag(n, "keepdims", true);
    bool last = oribi_onnx_flag(n, "select_last_index", false);
    if (last) {
        x = oribi_emit2(n, "ReverseV2", x, oribi_emit_vector(n, (int64_t[]){axis}, 1));
    }
    oribi_value_id y = oribi_emit2(n, n->row->into, x, oribi_emit_int(n, axis));
    if (last) {
        int64_t dim = oribi_emit_dim(n, n->inputs[0], axis);
        oribi_value_id size =
            dim >= 0 ? oribi_emit_scalar(n, TF_INT64, (double)dim)
                     : oribi_emit_element(n, oribi_emit_shape_of(n, x, TF_INT64), axis);
        size = oribi_emit2(n, "Sub", size, oribi_emit_scalar(n, TF_INT64, 1));
        y = oribi_emit2(n, "Sub", size, y);
    }
    y = keep ? oribi_emit2(n, "ExpandDims", y, oribi_emit_int(n, axis)) : y;
    return oribi_emit_bind(n, 0, y);
}

/* Turns the order round without overflow: -x for floats, -1 - x (all bits flipped) for integers. */
static oribi_value_id reversed(oribi_onnx_node *n, oribi_value_id x)
{
    return oribi_emit1(n, oribi_emit_is_float(n, x) ? "Neg" : "Invert", x);
}

static bool top_k(oribi_onnx_node *n)
{
    oribi_value_id x = n->inputs[0];
    int32_t rank = oribi_emit_rank(n, x);
    int32_t axis = oribi_emit_axis(n, oribi_onnx_int(n, "axis", -1), rank);
    bool largest = oribi_onnx_flag(n, "largest", true);
    int64_t k = n->opset < 10 ? oribi_onnx_int(n, "k", -1) : 0;
    if (n->failed || k < 0 || k > INT32_MAX) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "k is %" PRId64, k);
    }
    oribi_value_id count =
        n->opset < 10 ? oribi_emit_int(n, k)
                      : oribi_emit_cast(n, oribi_emit_reshape(n, n->inputs[1], NULL, 0), TF_INT32);
    const oribi_dims perm = oribi_emit_exchange(rank, axis, rank - 1);
    x = oribi_emit_transpose(n, x, &perm);
    x = largest ? x : reversed(n, x);
    const oribi_node *node = oribi_emit_node(n, "TopKV2", INPUTS(x, count), NO_ATTRS, 2);
    oribi_value_id values = node == NULL ? -1 : node->outputs[0];
    oribi_value_id indices = oribi_emit_cast(n, node == NULL ? -1 : node->outputs[1], TF_INT64);
    values = largest ? values : reversed(n, values);
    return oribi_emit_bind(n, 0, oribi_emit_transpose(n, values, &perm)) &&
           (!oribi_emit_wants(n, 1) ||
            oribi_emit_bind(n, 1, oribi_emit_transpose(n, indices, &perm)));
}

/* Cumsum or Cumprod. */
static bool cumulative(oribi_onnx_node *n)
{
    oribi_value_id axis = oribi_emit_reshape(n, n->inputs[1], NULL, 0);
    bool exclusive = oribi_onnx_flag(n, "exclusive", false);
    bool reverse = oribi_onnx_flag(n, "reverse", false);
    return oribi_emit_bind(
        n, 0,
        oribi_emit(n, n->row->into, INPUTS(n->inputs[0], axis),
                   ATTRS(ATTR_BOOL("exclusive", exclusive), ATTR_BOOL("reverse", reverse))));
}

/* clang-format off */
const oribi_onnx_row oribi_onnx_sort_rows[] = {
    {"ArgMax", 1, 28, arg_extreme, 1, 1, "ArgMax"},
    {"ArgMin", 1, 28, arg_extreme, 1, 1, "ArgMin"},
    {"CumProd", 26, 28, cumulative, 2, 2, "Cumprod"},
    {"CumSum", 11, 28, cumulative, 2, 2, "Cumsum"},
    {"TopK", 1, 9, top_k, 1, 1, "TopKV2, Cast"},
    {"TopK", 10, 28, top_k, 2, 2, "TopKV2, Cast"},
    {NULL, 0, 0, NULL, 0, 0, NULL}};
/* clang-format on */
