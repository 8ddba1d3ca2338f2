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
    const TF_DataType type = n->inputs[0]->dtype;
    if (n->inputs[1]->dtype != (type == TF_INT16 ? TF_INT8 : type)) {
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

bool oribi_tflite_q_log_softmax(oribi_tflite_node *n)
{
    oribi_tflite_quant in = {0}, out = {0};
    ORIBI_TRY(oribi_tflite_same_output(n, 0) &&
              oribi_tflite_quant_of(n, n->inputs[0], "the input", &in) &&
              oribi_tflite_quant_of(n, n->outputs[0], "the output", &out));
    oribi_value_id y = oribi_tflite_emit(n, "Oribi>QLogSoftmax", INPUTS(oribi_tflite_input(n, 0)),
                                         ATTRS(ORIBI_TFLITE_QUANT_ATTRS(in, out)));
    return oribi_tflite_bind(n, 0, y);
}

oribi_value_id oribi_tflite_q_cumsum(oribi_tflite_node *n, oribi_value_id x, oribi_value_id axis,
                                     bool exclusive, bool reverse)
{
    oribi_tflite_quant in = {0}, out = {0};
    if (!oribi_tflite_same_output(n, 0) ||
        !oribi_tflite_quant_of(n, n->inputs[0], "the input", &in) ||
        !oribi_tflite_quant_of(n, n->outputs[0], "the output", &out)) {
        return -1;
    }
    if (n->inputs[0]->dtype != TF_INT8) {
        oribi_tflite_fail(n, TF_UNIMPLEMENTED, "not supported for this type");
        return -1;
    }
    return oribi_tflite_emit(n, "Oribi>QCumsum", INPUTS(x, axis),
                             ATTRS(ORIBI_TFLITE_QUANT_ATTRS(in, out),
                                   ATTR_BOOL("exclusive", exclusive),
                                   ATTR_BOOL("reverse", reverse)));
}

/* The last of the running sums over the operands, all of one quantisation. */
bool oribi_tflite_q_add_n(oribi_tflite_node *n, const oribi_value_id *values)
{
    for (int32_t i = 1; i < n->n_inputs; i++) {
        if (n->inputs[i]->dtype != n->inputs[0]->dtype ||
            !oribi_tflite_same_quant(n, n->inputs[0], n->inputs[i])) {
            return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                     "operands of different types or scales are not supported");
        }
    }
    oribi_value_id y = oribi_tflite_emit(n, "Pack", values, n->n_inputs,
                                         ATTRS(ATTR_INT("N", n->n_inputs), ATTR_INT("axis", 0)));
    y = oribi_tflite_q_cumsum(n, y, oribi_tflite_scalar(n, 0), false, false);
    y = oribi_tflite_emit(
        n, "GatherV2",
        INPUTS(y, oribi_tflite_scalar(n, n->n_inputs - 1), oribi_tflite_scalar(n, 0)), NO_ATTRS);
    return oribi_tflite_bind(n, 0, y);
}
