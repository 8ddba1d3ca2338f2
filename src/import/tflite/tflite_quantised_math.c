/* SPDX-License-Identifier: Apache-2.0 */
/* Quantised int8 operators, continued: what needs constants or scales of its own. See
 * tflite_quantised.c.
 */
#include "import/tflite/tflite.h"

/* Inputs: the result's sizes, weights OHWI, the input, and maybe a bias. */
bool oribi_tflite_q_transpose_conv(oribi_tflite_node *n)
{
    oribi_tflite_quant in = {0}, out = {0};
    oribi_tflite_weights w = {0};
    ORIBI_TRY(oribi_tflite_same_output(n, 2) &&
              oribi_tflite_quant_of(n, n->inputs[2], "the input", &in) &&
              oribi_tflite_quant_of(n, n->outputs[0], "the output", &out) &&
              oribi_tflite_read_weights(n, 3, 4, 0, &w));
    int64_t strides[2] = {oribi_tflite_int(n, 2, 0), oribi_tflite_int(n, 1, 0)};
    const char *activation = oribi_tflite_activation_name(n, oribi_tflite_byte(n, 3, 0));
    const char *padding = oribi_tflite_byte(n, 0, 0) == 0 ? "SAME" : "VALID";
    oribi_value_id y = oribi_tflite_emit(
        n, "Oribi>QTransposeConv",
        INPUTS(oribi_tflite_input(n, 0), w.filter, w.bias, oribi_tflite_input(n, 2)),
        ATTRS(ORIBI_TFLITE_QUANT_ATTRS(in, out), ATTR_TEXT("activation", activation),
              ATTR_FLOATS("filter_scales", w.scales, w.n_scales), ATTR_INTS("strides", strides, 2),
              ATTR_TEXT("padding", padding)));
    return oribi_tflite_bind(n, 0, y);
}

bool oribi_tflite_q_batch_matmul(oribi_tflite_node *n)
{
    oribi_tflite_quant a = {0}, b = {0}, out = {0};
    if (n->inputs[1]->dtype != n->inputs[0]->dtype) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                 "operands of different types are not supported");
    }
    ORIBI_TRY(oribi_tflite_same_output(n, 0) &&
              oribi_tflite_quant_of(n, n->inputs[0], "the first operand", &a) &&
              oribi_tflite_quant_of(n, n->inputs[1], "the second operand", &b) &&
              oribi_tflite_quant_of(n, n->outputs[0], "the output", &out));
    oribi_value_id y = oribi_tflite_emit(
        n, "Oribi>QBatchMatMul", INPUTS(oribi_tflite_input(n, 0), oribi_tflite_input(n, 1)),
        ATTRS(ATTR_FLOAT("a_scale", a.scale), ATTR_INT("a_zero", a.zero),
              ATTR_FLOAT("b_scale", b.scale), ATTR_INT("b_zero", b.zero),
              ATTR_FLOAT("output_scale", out.scale), ATTR_INT("output_zero", out.zero),
              ATTR_BOOL("adj_x", oribi_tflite_byte(n, 0, 0) != 0),
              ATTR_BOOL("adj_y", oribi_tflite_byte(n, 1, 0) != 0)));
    return oribi_tflite_bind(n, 0, y);
}

bool oribi_tflite_q_prelu(oribi_tflite_node *n)
{
    oribi_tflite_quant in = {0}, slope = {0}, out = {0};
    if (n->inputs[1]->dtype != n->inputs[0]->dtype) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                 "an input and slopes of different types are not supported");
    }
    ORIBI_TRY(oribi_tflite_same_output(n, 0) &&
              oribi_tflite_quant_of(n, n->inputs[0], "the input", &in) &&
              oribi_tflite_quant_of(n, n->inputs[1], "the slopes", &slope) &&
              oribi_tflite_quant_of(n, n->outputs[0], "the output", &out));
    oribi_value_id y = oribi_tflite_emit(
        n, "Oribi>QPRelu", INPUTS(oribi_tflite_input(n, 0), oribi_tflite_input(n, 1)),
        ATTRS(ORIBI_TFLITE_QUANT_ATTRS(in, out), ATTR_FLOAT("slope_scale", slope.scale),
              ATTR_INT("slope_zero", slope.zero)));
    return oribi_tflite_bind(n, 0, y);
}

bool oribi_tflite_q_resize_bilinear(oribi_tflite_node *n)
{
    if (!oribi_tflite_same_quant(n, n->inputs[0], n->outputs[0])) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                 "the input and output with different scales are not supported");
    }
    oribi_value_id y = oribi_tflite_emit(
        n, "Oribi>QResizeBilinear", INPUTS(oribi_tflite_input(n, 0), oribi_tflite_input(n, 1)),
        ATTRS(ATTR_BOOL("align_corners", oribi_tflite_byte(n, 2, 0) != 0),
              ATTR_BOOL("half_pixel_centers", oribi_tflite_byte(n, 3, 0) != 0)));
    return oribi_tflite_bind(n, 0, y);
}

bool oribi_tflite_requantize(oribi_tflite_node *n)
{
    oribi_tflite_quant in = {0}, out = {0};
    ORIBI_TRY(oribi_tflite_quant_of(n, n->inputs[0], "the input", &in) &&
              oribi_tflite_quant_of(n, n->outputs[0], "the output", &out));
    oribi_value_id y = oribi_tflite_emit(
        n, "Oribi>QRequantize", INPUTS(oribi_tflite_input(n, 0)),
        ATTRS(ORIBI_TFLITE_QUANT_ATTRS(in, out), ATTR_TYPE("Tout", n->outputs[0]->dtype)));
    return oribi_tflite_bind(n, 0, y);
}
