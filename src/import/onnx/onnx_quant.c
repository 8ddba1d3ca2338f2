/* SPDX-License-Identifier: Apache-2.0 */
/* Linear quantisation: of 8 bits, and of int32 back to float, an op each, which src/pass/qdq.c
 * joins with what lies between; the rest as the formulas of the specification in float.
 */
#include <inttypes.h>
#include <math.h>

#include "import/onnx/onnx_emit.h"
#include "tensor/status.h"

/* Halves are positive and finite where their bits, as a number, are above 0 and below infinity's.
 */
static bool is_positive(const TF_Tensor *tensor, int64_t i)
{
    const void *data = TF_TensorData(tensor);
    switch ((int)TF_TensorType(tensor)) {
    case TF_FLOAT:
        return isfinite(((const float *)data)[i]) && ((const float *)data)[i] > 0;
    case TF_DOUBLE:
        return isfinite(((const double *)data)[i]) && ((const double *)data)[i] > 0;
    case TF_HALF:
        return ((const uint16_t *)data)[i] > 0 && ((const uint16_t *)data)[i] < 0x7c00;
    case TF_BFLOAT16:
        return ((const uint16_t *)data)[i] > 0 && ((const uint16_t *)data)[i] < 0x7f80;
    default:
        return true; /* the op says that it takes no such type */
    }
}

bool oribi_onnx_check_scale(oribi_onnx_node *n, oribi_value_id scale)
{
    if (n->failed || !oribi_emit_is_constant(n, scale) ||
        oribi_emit_every(n, scale, 's', is_positive)) {
        return !n->failed;
    }
    return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                           "the scale '%s' has an element that is zero, negative, infinite or not "
                           "a number; scales must be positive",
                           n->graph->values[scale]->name);
}

/* Each element of a scale or zero point `block` times along the axis, as often as x is long there.
 */
static oribi_value_id spread(oribi_onnx_node *n, oribi_value_id parameter, int64_t block)
{
    const int32_t rank = oribi_emit_rank(n, n->inputs[0]);
    const int32_t axis = oribi_emit_axis(n, oribi_onnx_int(n, "axis", 1), rank);
    if (n->failed || block < 0 || oribi_emit_rank(n, parameter) != rank) {
        oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                        "block_size is negative, or a scale or zero point of blocks has another "
                        "number of dimensions than the input");
        return -1;
    }
    const oribi_value_id shape = oribi_emit_shape_of(n, n->inputs[0], TF_INT64);
    return oribi_emit_repeated(n, parameter, axis, oribi_emit_element(n, shape, axis), block);
}

/* A scale or zero point that has one element per slice of an axis, or block, ready to broadcast. */
static oribi_value_id along(oribi_onnx_node *n, oribi_value_id parameter, int32_t rank)
{
    const int64_t block = oribi_onnx_int(n, "block_size", 0);
    if (block != 0) {
        return spread(n, parameter, block);
    }
    if (n->failed || oribi_emit_rank(n, parameter) != 1 || oribi_emit_dim(n, parameter, 0) == 1) {
        if (!n->failed && oribi_emit_rank(n, parameter) == 1) {
            return oribi_emit_reshape(n, parameter, NULL, 0);
        }
        return parameter;
    }
    int32_t axis = oribi_emit_axis(n, oribi_onnx_int(n, "axis", 1), rank);
    return n->failed ? -1 : oribi_emit_along_axis(n, parameter, axis, rank);
}

static bool is_blocked(oribi_onnx_node *n)
{
    return oribi_onnx_int(n, "block_size", 0) != 0;
}

/* Scales of blocks that are multiplied by may be any numbers: quantisers give such a sign to make
 * use of the one code more that negative numbers have. */
static bool check_form(oribi_onnx_node *n, bool divides)
{
    ORIBI_TRY((!divides && is_blocked(n)) || oribi_onnx_check_scale(n, n->inputs[1]));
    return (!n->failed && (is_blocked(n) || oribi_emit_rank(n, n->inputs[1]) <= 1)) ||
           oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                           "the scale has more than one dimension, and block_size is not given");
}

/* --- Ops ------------------------------------------------------------------------------------- */

static bool is_byte(oribi_onnx_node *n, oribi_value_id x)
{
    const TF_DataType dtype = oribi_emit_dtype(n, x);
    return dtype == TF_INT8 || dtype == TF_UINT8;
}

static bool is_scale(oribi_onnx_node *n, oribi_value_id scale)
{
    return oribi_emit_dtype(n, scale) == TF_FLOAT && oribi_emit_rank(n, scale) <= 1;
}

static oribi_value_id as_op(oribi_onnx_node *n, const char *op, oribi_value_id x,
                            oribi_value_id scale, oribi_value_id zero, int64_t axis)
{
    if (oribi_emit_rank(n, scale) == 1 && oribi_emit_dim(n, scale, 0) != 1 && !n->failed) {
        axis = oribi_emit_axis(n, axis, oribi_emit_rank(n, x));
    }
    return oribi_emit(n, op, INPUTS(x, scale, zero), ATTRS(ATTR_INT("axis", axis)));
}

/* Zeros for the scales of a quantisation that names no zero point: one, read for all. */
static oribi_value_id no_zero_point(oribi_onnx_node *n, oribi_value_id scale, TF_DataType dtype)
{
    const oribi_value_id zero = oribi_emit_scalar(n, dtype, 0);
    if (n->failed || oribi_emit_rank(n, scale) == 0) {
        return zero;
    }
    const int64_t count = oribi_emit_dim(n, scale, 0), stride = 0;
    if (count < 0) {
        oribi_onnx_want_shapes(n, "the number of scales is unknown");
        return -1;
    }
    const oribi_constant *constant = n->graph->values[zero]->constant;
    oribi_constant_view view = constant->view;
    view.rank = 1;
    view.dims = &count;
    view.strides = &stride;
    if (constant->source != NULL) {
        oribi_source_retain(constant->source);
    }
    const oribi_value_id zeros =
        oribi_graph_add_constant(n->graph, "zero_point", &view, constant->source, n->status);
    n->failed = zeros < 0;
    return zeros;
}

oribi_value_id oribi_onnx_dequantized(oribi_onnx_node *n, oribi_value_id x, oribi_value_id scale,
                                      oribi_value_id zero, int64_t axis)
{
    if (!oribi_onnx_check_scale(n, scale)) {
        return -1;
    }
    const TF_DataType dtype = oribi_emit_dtype(n, x);
    const bool fits = (is_byte(n, x) || dtype == TF_INT32) && is_scale(n, scale) &&
                      (zero < 0 || (oribi_emit_dtype(n, zero) == dtype &&
                                    oribi_emit_rank(n, zero) == oribi_emit_rank(n, scale)));
    if (!fits) {
        return -1;
    }
    zero = zero < 0 ? no_zero_point(n, scale, dtype) : zero;
    return as_op(n, "ONNX>DequantizeLinear", x, scale, zero, axis);
}

oribi_value_id oribi_onnx_quantized(oribi_onnx_node *n, oribi_value_id x, oribi_value_id scale,
                                    oribi_value_id zero, int64_t axis)
{
    if (!oribi_onnx_check_scale(n, scale) || oribi_emit_dtype(n, x) != TF_FLOAT ||
        !is_scale(n, scale) || !is_byte(n, zero) ||
        oribi_emit_rank(n, zero) != oribi_emit_rank(n, scale)) {
        return -1;
    }
    return as_op(n, "ONNX>QuantizeLinear", x, scale, zero, axis);
}

/* --- Formulas -------------------------------------------------------------------------------- */

static oribi_value_id dequantized(oribi_onnx_node *n, TF_DataType dtype)
{
    oribi_value_id x = n->inputs[0], zero = oribi_emit_input(n, 2);
    const int32_t rank = oribi_emit_rank(n, x);
    oribi_value_id y = oribi_emit_cast(n, x, TF_FLOAT);
    if (zero >= 0) {
        y = oribi_emit2(n, "Sub", y, along(n, oribi_emit_cast(n, zero, TF_FLOAT), rank));
    }
    y = oribi_emit2(n, "Mul", y, along(n, oribi_emit_cast(n, n->inputs[1], TF_FLOAT), rank));
    return oribi_emit_cast(n, y, dtype);
}

bool oribi_onnx_dequantize_linear(oribi_onnx_node *n)
{
    ORIBI_TRY(check_form(n, false));
    TF_DataType dtype = oribi_emit_dtype(n, n->inputs[1]);
    if (oribi_onnx_int(n, "output_dtype", 0) != 0) {
        dtype = oribi_onnx_dtype(oribi_onnx_int(n, "output_dtype", 0));
    }
    oribi_value_id y =
        dtype != TF_FLOAT || is_blocked(n)
            ? -1
            : oribi_onnx_dequantized(n, n->inputs[0], n->inputs[1], oribi_emit_input(n, 2),
                                     oribi_onnx_int(n, "axis", 1));
    if (y < 0 && !n->failed) {
        y = dequantized(n, dtype);
    }
    return oribi_emit_bind(n, 0, y);
}

static bool range_of(oribi_onnx_node *n, TF_DataType dtype, double *low, double *high)
{
    switch ((int)dtype) {
    case TF_UINT8:
        *low = 0, *high = 255;
        return true;
    case TF_INT8:
        *low = -128, *high = 127;
        return true;
    case TF_UINT16:
        *low = 0, *high = 65535;
        return true;
    case TF_INT16:
        *low = -32768, *high = 32767;
        return true;
    case TF_UINT4:
        *low = 0, *high = 15;
        return true;
    case TF_INT4:
        *low = -8, *high = 7;
        return true;
    case TF_UINT2:
        *low = 0, *high = 3;
        return true;
    case TF_INT2:
        *low = -2, *high = 1;
        return true;
    default:
        return oribi_onnx_fail(n, TF_UNIMPLEMENTED, "quantisation to %s is not supported",
                               oribi_dtype_name(dtype));
    }
}

/* saturate(round(x / scale) + zero), where the cast rounds to small floats */
static oribi_value_id quantized(oribi_onnx_node *n, oribi_value_id x, oribi_value_id scale,
                                oribi_value_id zero, TF_DataType dtype)
{
    double low = 0, high = 0;
    if (!n->failed && oribi_onnx_is_small_float(dtype)) {
        x = oribi_emit2(n, "RealDiv", x, scale);
        x = zero < 0 ? x : oribi_emit2(n, "AddV2", x, oribi_emit_cast(n, zero, TF_FLOAT));
        return oribi_onnx_saturated(n, x, dtype);
    }
    if (n->failed || !range_of(n, dtype, &low, &high)) {
        return -1;
    }
    oribi_value_id y = oribi_emit1(n, "Round", oribi_emit2(n, "RealDiv", x, scale));
    if (zero >= 0) {
        y = oribi_emit2(n, "AddV2", y, oribi_emit_cast(n, zero, TF_FLOAT));
    }
    y = oribi_emit3(n, "ClipByValue", y, oribi_emit_scalar(n, TF_FLOAT, low),
                    oribi_emit_scalar(n, TF_FLOAT, high));
    return oribi_emit_cast(n, y, dtype);
}

bool oribi_onnx_quantize_linear(oribi_onnx_node *n)
{
    oribi_value_id x = n->inputs[0], zero = oribi_emit_input(n, 2);
    const int64_t axis = oribi_onnx_int(n, "axis", 1);
    int32_t rank = oribi_emit_rank(n, x);
    ORIBI_TRY(check_form(n, true));
    int64_t asked = oribi_onnx_int(n, "output_dtype", 0);
    TF_DataType dtype = asked != 0  ? oribi_onnx_dtype(asked)
                        : zero >= 0 ? oribi_emit_dtype(n, zero)
                                    : TF_UINT8;
    const bool is_wanted = zero < 0 || oribi_emit_dtype(n, zero) == dtype;
    if (is_wanted && !is_blocked(n) && (dtype == TF_INT8 || dtype == TF_UINT8) &&
        is_scale(n, n->inputs[1])) {
        const oribi_value_id point = zero < 0 ? no_zero_point(n, n->inputs[1], dtype) : zero;
        const oribi_value_id y = oribi_onnx_quantized(n, x, n->inputs[1], point, axis);
        if (y >= 0 || n->failed) {
            return oribi_emit_bind(n, 0, y);
        }
    }
    x = oribi_emit_cast(n, x, TF_FLOAT);
    oribi_value_id scale = along(n, oribi_emit_cast(n, n->inputs[1], TF_FLOAT), rank);
    zero = zero < 0 ? -1 : along(n, zero, rank);
    return oribi_emit_bind(n, 0, quantized(n, x, scale, zero, dtype));
}

/* The range is widened to hold zero, and mapped to uint8. */
static bool dynamic_quantize(oribi_onnx_node *n)
{
    const oribi_node *node =
        oribi_emit_node(n, "ONNX>DynamicQuantizeLinear", INPUTS(n->inputs[0]), NO_ATTRS, 3);
    for (int32_t i = 0; i < 3; i++) {
        if (node == NULL || (oribi_emit_wants(n, i) && !oribi_emit_bind(n, i, node->outputs[i]))) {
            return false;
        }
    }
    return true;
}

/* clang-format off */
const oribi_onnx_row oribi_onnx_quant_rows[] = {
    {"DequantizeLinear", 10, 28, oribi_onnx_dequantize_linear, 2, 3, "ONNX>DequantizeLinear, or Cast, Sub, Mul"},
    {"DynamicQuantizeLinear", 11, 28, dynamic_quantize, 1, 1, "ONNX>DynamicQuantizeLinear"},
    {"QuantizeLinear", 10, 28, oribi_onnx_quantize_linear, 2, 3, "ONNX>QuantizeLinear, or RealDiv, Round, AddV2, ClipByValue, Cast"},
    {NULL, 0, 0, NULL, 0, 0, NULL}};
/* clang-format on */
