/* SPDX-License-Identifier: Apache-2.0 */
/* Gathering and scattering. TensorFlow's ops take no negative indices: for Gather they are made
 * positive. */
#include "import/onnx/onnx_emit.h"

static bool gather(oribi_onnx_node *n)
{
    oribi_value_id x = n->inputs[0];
    int32_t rank = oribi_emit_rank(n, x);
    int32_t axis = oribi_emit_axis(n, oribi_onnx_int(n, "axis", 0), rank);
    oribi_value_id indices = oribi_emit_positive_indices(n, n->inputs[1], x, axis);
    return oribi_emit_bind(n, 0, oribi_emit3(n, "GatherV2", x, indices, oribi_emit_int(n, axis)));
}

static bool gather_nd(oribi_onnx_node *n)
{
    int64_t batch = oribi_onnx_int(n, "batch_dims", 0);
    return oribi_emit_bind(n, 0,
                           oribi_emit(n, "ONNX>GatherND", INPUTS(n->inputs[0], n->inputs[1]),
                                      ATTRS(ATTR_INT("batch_dims", batch))));
}

static bool gather_elements(oribi_onnx_node *n)
{
    int64_t axis = oribi_onnx_int(n, "axis", 0);
    return oribi_emit_bind(n, 0,
                           oribi_emit(n, "ONNX>GatherElements", INPUTS(n->inputs[0], n->inputs[1]),
                                      ATTRS(ATTR_INT("axis", axis))));
}

/* NULL and a failure: another text than the operator knows. */
static const char *reduction(oribi_onnx_node *n)
{
    static const char *const known[] = {"none", "add", "mul", "max", "min"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (oribi_onnx_string_is(n, "reduction", "none", known[i])) {
            return known[i];
        }
    }
    (void)oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "reduction is not none, add, mul, max or min");
    return "none";
}

static bool scatter_nd(oribi_onnx_node *n)
{
    const oribi_value_id inputs[] = {n->inputs[0], n->inputs[1], n->inputs[2]};
    return oribi_emit_bind(
        n, 0,
        oribi_emit(n, "ONNX>ScatterND", inputs, 3, ATTRS(ATTR_TEXT("reduction", reduction(n)))));
}

static bool scatter_elements(oribi_onnx_node *n)
{
    const oribi_value_id inputs[] = {n->inputs[0], n->inputs[1], n->inputs[2]};
    int64_t axis = oribi_onnx_int(n, "axis", 0);
    return oribi_emit_bind(
        n, 0,
        oribi_emit(n, "ONNX>ScatterElements", inputs, 3,
                   ATTRS(ATTR_INT("axis", axis), ATTR_TEXT("reduction", reduction(n)))));
}

/* Indices and depth may be of any type of numbers; int32 is what compiled code takes. */
static bool one_hot(oribi_onnx_node *n)
{
    oribi_value_id indices = n->inputs[0];
    const TF_DataType dtype = oribi_emit_dtype(n, indices);
    const bool is_narrow = dtype == TF_INT32 || dtype == TF_INT16 || dtype == TF_UINT16 ||
                           dtype == TF_INT8 || dtype == TF_UINT8;
    const oribi_value_id depth =
        oribi_emit_cast(n, oribi_emit_reshape(n, n->inputs[1], NULL, 0), TF_INT64);
    indices = oribi_emit_cast(n, indices, is_narrow ? TF_INT32 : TF_INT64);
    return oribi_emit_bind(n, 0,
                           oribi_emit(n, "ONNX>OneHot", INPUTS(indices, depth, n->inputs[2]),
                                      ATTRS(ATTR_INT("axis", oribi_onnx_int(n, "axis", -1)))));
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
    {"GatherElements", 11, 28, gather_elements, 2, 2, "ONNX>GatherElements"},
    {"GatherND", 11, 28, gather_nd, 2, 2, "ONNX>GatherND"},
    {"NonZero", 9, 28, non_zero, 1, 1, "Where, Transpose"},
    {"OneHot", 9, 28, one_hot, 3, 3, "ONNX>OneHot, Cast"},
    {"Scatter", 9, 28, scatter_elements, 3, 3, "ONNX>ScatterElements"},
    {"ScatterElements", 11, 28, scatter_elements, 3, 3, "ONNX>ScatterElements"},
    {"ScatterND", 11, 28, scatter_nd, 3, 3, "ONNX>ScatterND"},
    {NULL, 0, 0, NULL, 0, 0, NULL}};
/* clang-format on */
