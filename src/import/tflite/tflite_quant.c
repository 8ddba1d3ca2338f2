/* SPDX-License-Identifier: Apache-2.0 */
/* Between element types: QUANTIZE, DEQUANTIZE, CAST. */
#include "import/tflite/tflite.h"

static bool cast_to_output(oribi_tflite_node *n)
{
    TF_DataType dtype = n->outputs[0]->dtype;
    oribi_value_id x = oribi_tflite_input(n, 0);
    if (dtype == 0) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                 "a result of this element type is not supported");
    }
    if (oribi_tflite_dtype_in(n, 0) == TF_COMPLEX64 && dtype != TF_COMPLEX64) { /* its real part */
        x = oribi_tflite_emit(n, "Real", INPUTS(x), NO_ATTRS);
    }
    oribi_value_id y = oribi_tflite_emit(n, "Cast", INPUTS(x), ATTRS(ATTR_TYPE("DstT", dtype)));
    return oribi_tflite_bind(n, 0, y);
}

static bool quantize(oribi_tflite_node *n)
{
    oribi_tflite_quant out = {0};
    const TF_DataType from_type = oribi_tflite_dtype_in(n, 0), to_type = n->outputs[0]->dtype;
    const bool from_integers = from_type == TF_INT8 || from_type == TF_UINT8 ||
                               from_type == TF_INT16 || from_type == TF_INT32;
    if (from_integers &&
        (to_type == TF_INT8 || to_type == TF_UINT8 || to_type == TF_INT16 || to_type == TF_INT32)) {
        return oribi_tflite_requantize(n);
    }
    if (from_type != TF_FLOAT ||
        (to_type != TF_INT8 && to_type != TF_UINT8 && to_type != TF_INT16)) {
        const char *from = oribi_tflite_type_name(n->inputs[0]->type);
        const char *to = oribi_tflite_type_name(n->outputs[0]->type);
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED, "conversion from %s to %s is not supported",
                                 from == NULL ? "?" : from, to == NULL ? "?" : to);
    }
    ORIBI_TRY(oribi_tflite_quant_of(n, n->outputs[0], "the output", &out));
    oribi_value_id y =
        oribi_tflite_emit(n, "Oribi>QQuantize", INPUTS(oribi_tflite_input(n, 0)),
                          ATTRS(ATTR_TYPE("T", to_type), ATTR_FLOAT("output_scale", out.scale),
                                ATTR_INT("output_zero", out.zero)));
    return oribi_tflite_bind(n, 0, y);
}

static bool dequantize(oribi_tflite_node *n)
{
    oribi_tflite_quant in = {0};
    if (oribi_tflite_dtype_in(n, 0) == TF_HALF) { /* float16 weights: folded before the first run */
        return cast_to_output(n);
    }
    const TF_DataType from_type = oribi_tflite_dtype_in(n, 0);
    if ((from_type != TF_INT8 && from_type != TF_UINT8 && from_type != TF_INT16) ||
        n->inputs[0]->scales.count == 0) {
        const char *from = oribi_tflite_type_name(n->inputs[0]->type);
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED, "from %s", from == NULL ? "?" : from);
    }
    if (n->inputs[0]->scales.count != 1) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                 "a tensor with one scale per channel is not supported");
    }
    ORIBI_TRY(oribi_tflite_quant_of(n, n->inputs[0], "the input", &in));
    oribi_value_id y = oribi_tflite_emit(
        n, "Oribi>QDequantize", INPUTS(oribi_tflite_input(n, 0)),
        ATTRS(ATTR_FLOAT("input_scale", in.scale), ATTR_INT("input_zero", in.zero)));
    return oribi_tflite_bind(n, 0, y);
}

const oribi_tflite_row oribi_tflite_quant_rows[] = {
    /* operator, options, inputs at least and at most, outputs */
    {114, 0, 1, 1, 1, quantize, NULL},
    {6, 0, 1, 1, 1, dequantize, NULL},
    {53, 0, 1, 1, 1, cast_to_output, NULL},
    {0, 0, 0, 0, 0, NULL, NULL},
};
