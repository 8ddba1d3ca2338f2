/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that choose by position or by truth values, and matrices seen from a diagonal. */
#include "import/onnx/onnx_emit.h"

/* The slices whose condition holds; without an axis, the elements. */
static bool compress(oribi_onnx_node *n)
{
    oribi_value_id x = n->inputs[0], condition = n->inputs[1];
    int32_t axis = 0;
    if (oribi_onnx_has_attr(n, "axis")) {
        axis = oribi_emit_axis(n, oribi_onnx_int(n, "axis", 0), oribi_emit_rank(n, x));
    } else {
        x = oribi_emit_reshape(n, x, (int64_t[]){-1}, 1);
    }
    const int64_t dim = oribi_emit_dim(n, x, axis);
    if (dim >= 0 && oribi_emit_dim(n, condition, 0) > dim) { /* what lies beyond is not looked at */
        condition = oribi_emit_range_of(n, condition, 0, dim);
    }
    oribi_value_id chosen = oribi_emit1(n, "Where", condition);
    chosen = oribi_emit_reshape(n, chosen, (int64_t[]){-1}, 1);
    return oribi_emit_bind(n, 0, oribi_emit3(n, "GatherV2", x, chosen, oribi_emit_int(n, axis)));
}

static bool eye_like(oribi_onnx_node *n)
{
    const oribi_value_id x = n->inputs[0];
    TF_DataType dtype = oribi_emit_dtype(n, x);
    if (oribi_onnx_has_attr(n, "dtype")) {
        dtype = oribi_onnx_dtype(oribi_onnx_int(n, "dtype", 0));
    }
    if (!n->failed && dtype == 0) {
        return oribi_onnx_fail(n, TF_UNIMPLEMENTED, "this element type is not supported");
    }
    int64_t k = oribi_onnx_int(n, "k", 0);
    return oribi_emit_bind(n, 0,
                           oribi_emit(n, "ONNX>EyeLike", INPUTS(x),
                                      ATTRS(ATTR_INT("k", k), ATTR_TYPE("dtype", dtype))));
}

static bool reverse_sequence(oribi_onnx_node *n)
{
    int64_t time = oribi_onnx_int(n, "time_axis", 0), batch = oribi_onnx_int(n, "batch_axis", 1);
    return oribi_emit_bind(
        n, 0,
        oribi_emit(n, "ReverseSequence", INPUTS(n->inputs[0], n->inputs[1]),
                   ATTRS(ATTR_INT("seq_dim", time), ATTR_INT("batch_dim", batch))));
}

/* Without places the update goes to the beginning of each batch. */
static bool tensor_scatter(oribi_onnx_node *n)
{
    oribi_value_id places = oribi_emit_input(n, 2);
    int64_t axis = oribi_onnx_int(n, "axis", -2);
    const char *mode =
        oribi_onnx_string_is(n, "mode", "linear", "circular") ? "circular" : "linear";
    if (places < 0) {
        oribi_value_id batch =
            oribi_emit_range_of(n, oribi_emit_shape_of(n, n->inputs[0], TF_INT64), 0, 1);
        places = oribi_emit2(n, "Fill", batch, oribi_emit_scalar(n, TF_INT64, 0));
    }
    return oribi_emit_bind(n, 0,
                           oribi_emit(n, "ONNX>TensorScatter",
                                      INPUTS(n->inputs[0], n->inputs[1], places),
                                      ATTRS(ATTR_INT("axis", axis), ATTR_TEXT("mode", mode))));
}

static bool trilu(oribi_onnx_node *n)
{
    oribi_value_id k = oribi_emit_input(n, 1);
    bool upper = oribi_onnx_flag(n, "upper", true);
    k = k < 0 ? oribi_emit_scalar(n, TF_INT64, 0) : oribi_emit_reshape(n, k, NULL, 0);
    return oribi_emit_bind(
        n, 0,
        oribi_emit(n, "ONNX>Trilu", INPUTS(n->inputs[0], k), ATTRS(ATTR_BOOL("upper", upper))));
}

static bool unique(oribi_onnx_node *n)
{
    bool sorted = oribi_onnx_flag(n, "sorted", true), flat = !oribi_onnx_has_attr(n, "axis");
    int64_t axis = oribi_onnx_int(n, "axis", 0);
    const oribi_node *node = oribi_emit_node(
        n, "ONNX>Unique", INPUTS(n->inputs[0]),
        ATTRS(ATTR_BOOL("sorted", sorted), ATTR_BOOL("flat", flat), ATTR_INT("axis", axis)), 4);
    bool good = node != NULL;
    for (int32_t i = 0; good && i < 4; i++) {
        good = !oribi_emit_wants(n, i) || oribi_emit_bind(n, i, node->outputs[i]);
    }
    return good;
}

/* clang-format off */
const oribi_onnx_row oribi_onnx_index_rows[] = {
    {"Compress", 9, 28, compress, 2, 2, "Where, GatherV2"},
    {"EyeLike", 9, 28, eye_like, 1, 1, "ONNX>EyeLike"},
    {"ReverseSequence", 10, 28, reverse_sequence, 2, 2, "ReverseSequence"},
    {"TensorScatter", 24, 28, tensor_scatter, 2, 3, "ONNX>TensorScatter"},
    {"Trilu", 14, 28, trilu, 1, 2, "ONNX>Trilu"},
    {"Unique", 11, 28, unique, 1, 1, "ONNX>Unique"},
    {NULL, 0, 0, NULL, 0, 0, NULL}};
/* clang-format on */
