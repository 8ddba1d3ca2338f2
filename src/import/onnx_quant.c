/* SPDX-License-Identifier: Apache-2.0 */
/* Linear quantisation, as the formulas of the specification in float. */
#include <inttypes.h>

#include "import/onnx_emit.h"

/* A scale or zero point that has one element per slice of an axis, ready to broadcast. */
static oribi_value_id along(oribi_onnx_node *n, oribi_value_id parameter, int32_t rank)
{
    if (n->failed || oribi_emit_rank(n, parameter) != 1 || oribi_emit_dim(n, parameter, 0) == 1) {
        if (!n->failed && oribi_emit_rank(n, parameter) == 1) {
            return oribi_emit_reshape(n, parameter, NULL, 0);
        }
        return parameter;
    }
    int32_t axis = oribi_emit_axis(n, oribi_onnx_int(n, "axis", 1), rank);
    return n->failed ? -1 : oribi_emit_along_axis(n, parameter, axis, rank);
}

static bool check_form(oribi_onnx_node *n)
{
    return (!n->failed && oribi_onnx_int(n, "block_size", 0) == 0 &&
            oribi_emit_rank(n, n->inputs[1]) <= 1) ||
           oribi_onnx_fail(n, TF_UNIMPLEMENTED, "blocked quantisation");
}

static bool dequantize(oribi_onnx_node *n)
{
    oribi_value_id x = n->inputs[0], zero = oribi_emit_input(n, 2);
    int32_t rank = oribi_emit_rank(n, x);
    ORIBI_TRY(check_form(n));
    TF_DataType dtype = oribi_emit_dtype(n, n->inputs[1]);
    if (oribi_onnx_int(n, "output_dtype", 0) != 0) {
        dtype = oribi_onnx_dtype(oribi_onnx_int(n, "output_dtype", 0));
    }
    oribi_value_id y = oribi_emit_cast(n, x, TF_FLOAT);
    if (zero >= 0) {
        y = oribi_emit2(n, "Sub", y, along(n, oribi_emit_cast(n, zero, TF_FLOAT), rank));
    }
    y = oribi_emit2(n, "Mul", y, along(n, oribi_emit_cast(n, n->inputs[1], TF_FLOAT), rank));
    return oribi_emit_bind(n, 0, oribi_emit_cast(n, y, dtype));
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
    default:
        return oribi_onnx_fail(n, TF_UNIMPLEMENTED, "quantisation to %s", oribi_dtype_name(dtype));
    }
}

/* saturate(round(x / scale) + zero) */
static oribi_value_id quantized(oribi_onnx_node *n, oribi_value_id x, oribi_value_id scale,
                                oribi_value_id zero, TF_DataType dtype)
{
    double low = 0, high = 0;
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

static bool quantize(oribi_onnx_node *n)
{
    oribi_value_id x = n->inputs[0], zero = oribi_emit_input(n, 2);
    int32_t rank = oribi_emit_rank(n, x);
    ORIBI_TRY(check_form(n));
    int64_t asked = oribi_onnx_int(n, "output_dtype", 0);
    TF_DataType dtype = asked != 0  ? oribi_onnx_dtype(asked)
                        : zero >= 0 ? oribi_emit_dtype(n, zero)
                                    : TF_UINT8;
    x = oribi_emit_cast(n, x, TF_FLOAT);
    oribi_value_id scale = along(n, oribi_emit_cast(n, n->inputs[1], TF_FLOAT), rank);
    zero = zero < 0 ? -1 : along(n, zero, rank);
    return oribi_emit_bind(n, 0, quantized(n, x, scale, zero, dtype));
}

/* The range is widened to hold zero, and mapped to uint8. */
static bool dynamic_quantize(oribi_onnx_node *n)
{
    int64_t axes[ORIBI_ONNX_MAX_RANK];
    oribi_value_id x = n->inputs[0], zero = oribi_emit_scalar(n, TF_FLOAT, 0);
    int32_t rank = oribi_emit_rank(n, x);
    for (int32_t i = 0; i < rank; i++) {
        axes[i] = i;
    }
    oribi_value_id all = oribi_emit_vector(n, axes, rank);
    oribi_value_id top = oribi_emit2(n, "Maximum", oribi_emit2(n, "Max", x, all), zero);
    oribi_value_id bottom = oribi_emit2(n, "Minimum", oribi_emit2(n, "Min", x, all), zero);
    oribi_value_id scale = oribi_emit2(n, "RealDiv", oribi_emit2(n, "Sub", top, bottom),
                                       oribi_emit_scalar(n, TF_FLOAT, 255));
    oribi_value_id point = oribi_emit1(n, "Neg", oribi_emit2(n, "RealDiv", bottom, scale));
    point = oribi_emit3(n, "ClipByValue", point, zero, oribi_emit_scalar(n, TF_FLOAT, 255));
    point = oribi_emit_cast(n, oribi_emit1(n, "Round", point), TF_UINT8);
    return oribi_emit_bind(n, 0, quantized(n, x, scale, point, TF_UINT8)) &&
           oribi_emit_bind(n, 1, scale) && oribi_emit_bind(n, 2, point);
}

/* clang-format off */
const oribi_onnx_row oribi_onnx_quant_rows[] = {
    {"DequantizeLinear", 10, 28, dequantize, 2, 3, "Cast, Sub, Mul"},
    {"DynamicQuantizeLinear", 11, 28, dynamic_quantize, 1, 1, "Max, Min, RealDiv, Round, ClipByValue, Cast"},
    {"QuantizeLinear", 10, 28, quantize, 2, 3, "RealDiv, Round, AddV2, ClipByValue, Cast"},
    {NULL, 0, 0, NULL, 0, 0, NULL}};
/* clang-format on */
