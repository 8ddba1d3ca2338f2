/* SPDX-License-Identifier: Apache-2.0 */
/* Quantised int8 operators as ops Oribi>Q...: the file's layouts of weights are kept, the scales
 * and zero points of the tensors become attributes. The definitions are in
 * plugins/ops_core/quantized_ops.c; the arithmetic is in micro/.
 */
#include <math.h>

#include "import/tflite/tflite.h"

#define QUANT_ATTRS ORIBI_TFLITE_QUANT_ATTRS

bool oribi_tflite_same_output(oribi_tflite_node *n, int32_t i)
{
    return n->outputs[0]->dtype == oribi_tflite_dtype_in(n, i) ||
           oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                             "an input and a result of different types are not supported");
}

static bool read_quant(oribi_tflite_node *n, oribi_tflite_quant *in, oribi_tflite_quant *out)
{
    return oribi_tflite_same_output(n, 0) &&
           oribi_tflite_quant_of(n, n->inputs[0], "the input", in) &&
           oribi_tflite_quant_of(n, n->outputs[0], "the output", out);
}

/* --- Weights ---------------------------------------------------------------------------------- */

typedef oribi_tflite_weights weights;

bool oribi_tflite_read_scales(oribi_tflite_node *n, float **out)
{
    const oribi_tflite_tensor *filter = n->inputs[1];
    const uint32_t count = (uint32_t)filter->scales.count;
    float *scales = oribi_arena_array(&n->tflite->scratch, count, sizeof *scales);
    ORIBI_TRY(scales != NULL || oribi_tflite_no_memory(n));
    for (uint32_t i = 0; i < count; i++) {
        scales[i] = oribi_flat_float_at(&filter->scales, i);
        if (!isfinite(scales[i]) || !(scales[i] > 0.0f)) {
            return oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "scale %u of the filter is %g",
                                     (unsigned)i, (double)scales[i]);
        }
    }
    *out = scales;
    return true;
}

/* One scale, or one for each channel; int8 filters are symmetric. */
static bool read_scales(oribi_tflite_node *n, int32_t axis, int64_t channels, weights *out)
{
    const oribi_tflite_tensor *filter = n->inputs[1];
    int32_t count = (int32_t)filter->scales.count;
    if (count != 1 && (count != channels || filter->quantised_dimension != axis)) {
        return oribi_tflite_fail(
            n, TF_INVALID_ARGUMENT,
            "the filter has %d scales along dimension %d for %d channels along "
            "dimension %d",
            (int)count, (int)filter->quantised_dimension, (int)channels, (int)axis);
    }
    if (!oribi_tflite_spend(n->tflite, (uint64_t)count + filter->zeros.count, n->status)) {
        n->failed = true;
        return false;
    }
    for (uint32_t i = 0; i < filter->zeros.count; i++) {
        if (oribi_flat_int64_at(&filter->zeros, i) != 0) {
            return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                     "an int8 filter with a zero point is not supported");
        }
    }
    out->n_scales = count;
    return oribi_tflite_read_scales(n, &out->scales);
}

bool oribi_tflite_check_filter(oribi_tflite_node *n, oribi_value_id filter, oribi_value_id bias,
                               int32_t rank)
{
    if (n->failed) {
        return false;
    }
    if (n->graph->values[filter]->constant == NULL ||
        (bias >= 0 && n->graph->values[bias]->constant == NULL)) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED, "the filter and the bias must be constant");
    }
    return oribi_tflite_rank(n, filter) == rank ||
           oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "the filter must have %d dimensions",
                             (int)rank);
}

bool oribi_tflite_read_weights(oribi_tflite_node *n, int32_t bias, int32_t rank, int32_t axis,
                               weights *out)
{
    if (n->inputs[1]->dtype != TF_INT8) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                 "a filter of type %s is not supported with an int8 input",
                                 oribi_tflite_type_name(n->inputs[1]->type) == NULL
                                     ? "?"
                                     : oribi_tflite_type_name(n->inputs[1]->type));
    }
    out->filter = oribi_tflite_input(n, 1);
    out->bias = oribi_tflite_input(n, bias);
    ORIBI_TRY(oribi_tflite_check_filter(n, out->filter, out->bias, rank));
    int64_t channels = oribi_tflite_dim(n, out->filter, axis);
    ORIBI_TRY(read_scales(n, axis, channels, out));
    out->bias = out->bias >= 0 ? out->bias : oribi_tflite_zeros(n, TF_INT32, channels);
    return !n->failed;
}

/* --- Convolutions ----------------------------------------------------------------------------- */

/* The depth multiplier follows from the shapes; the option is redundant and often wrong. */
static bool find_multiplier(oribi_tflite_node *n, oribi_value_id x, oribi_value_id filter,
                            int64_t *out)
{
    int64_t depth = oribi_tflite_dim(n, x, 3), channels = oribi_tflite_dim(n, filter, 3);
    if (depth < 0) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED, "the number of input channels is unknown");
    }
    if (depth == 0 || channels < depth || channels % depth != 0) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                 "the filter has %lld channels, but the input has %lld",
                                 (long long)channels, (long long)depth);
    }
    *out = channels / depth;
    return true;
}

/* `behind`: the first option behind the strides and the multiplier. */
static bool bind_depthwise(oribi_tflite_node *n, const weights *w, int32_t behind)
{
    oribi_tflite_quant in = {0}, out = {0};
    int64_t multiplier = 1;
    const oribi_value_id x = oribi_tflite_input(n, 0);
    ORIBI_TRY(read_quant(n, &in, &out) && find_multiplier(n, x, w->filter, &multiplier));
    int64_t strides[2] = {oribi_tflite_int(n, 2, 0), oribi_tflite_int(n, 1, 0)};
    int64_t dilations[2] = {oribi_tflite_int(n, behind + 2, 1), oribi_tflite_int(n, behind + 1, 1)};
    const char *activation = oribi_tflite_activation_name(n, oribi_tflite_byte(n, behind, 0));
    const char *padding = oribi_tflite_byte(n, 0, 0) == 0 ? "SAME" : "VALID";
    oribi_value_id y = oribi_tflite_emit(
        n, "Oribi>QDepthwiseConv2D", INPUTS(x, w->filter, w->bias),
        ATTRS(QUANT_ATTRS(in, out), ATTR_TEXT("activation", activation),
              ATTR_FLOATS("filter_scales", w->scales, w->n_scales),
              ATTR_INTS("strides", strides, 2), ATTR_INTS("dilations", dilations, 2),
              ATTR_TEXT("padding", padding), ATTR_INT("depth_multiplier", multiplier)));
    return oribi_tflite_bind(n, 0, y);
}

bool oribi_tflite_q_depthwise(oribi_tflite_node *n)
{
    weights w = {0};
    return oribi_tflite_read_weights(n, 2, 4, 3, &w) && bind_depthwise(n, &w, 4);
}

bool oribi_tflite_q_conv(oribi_tflite_node *n)
{
    oribi_tflite_quant in = {0}, out = {0};
    weights w = {0};
    ORIBI_TRY(oribi_tflite_read_weights(n, 2, 4, 0, &w));
    const int64_t channels = oribi_tflite_dim(n, oribi_tflite_input(n, 0), 3);
    if (oribi_tflite_dim(n, w.filter, 3) == 1 && channels > 1) { /* as Keras writes ConvNeXt's */
        w.filter = oribi_tflite_transpose(n, w.filter, &(const oribi_dims){4, {3, 1, 2, 0}});
        return !n->failed && bind_depthwise(n, &w, 3);
    }
    ORIBI_TRY(read_quant(n, &in, &out));
    int64_t strides[2] = {oribi_tflite_int(n, 2, 0), oribi_tflite_int(n, 1, 0)};
    int64_t dilations[2] = {oribi_tflite_int(n, 5, 1), oribi_tflite_int(n, 4, 1)};
    const char *activation = oribi_tflite_activation_name(n, oribi_tflite_byte(n, 3, 0));
    const char *padding = oribi_tflite_byte(n, 0, 0) == 0 ? "SAME" : "VALID";
    oribi_value_id y = oribi_tflite_emit(
        n, "Oribi>QConv2D", INPUTS(oribi_tflite_input(n, 0), w.filter, w.bias),
        ATTRS(QUANT_ATTRS(in, out), ATTR_TEXT("activation", activation),
              ATTR_FLOATS("filter_scales", w.scales, w.n_scales), ATTR_INTS("strides", strides, 2),
              ATTR_INTS("dilations", dilations, 2), ATTR_TEXT("padding", padding)));
    return oribi_tflite_bind(n, 0, y);
}

bool oribi_tflite_q_fully_connected(oribi_tflite_node *n)
{
    oribi_tflite_quant in = {0}, out = {0};
    weights w = {0};
    ORIBI_TRY(read_quant(n, &in, &out) && oribi_tflite_read_weights(n, 2, 2, 0, &w));
    const char *activation = oribi_tflite_activation_name(n, oribi_tflite_byte(n, 0, 0));
    if (oribi_tflite_byte(n, 1, 0) != 0) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                 "weights in a shuffled format are not supported");
    }
    oribi_value_id y = oribi_tflite_emit(
        n, "Oribi>QFullyConnected", INPUTS(oribi_tflite_input(n, 0), w.filter, w.bias),
        ATTRS(QUANT_ATTRS(in, out), ATTR_TEXT("activation", activation),
              ATTR_FLOATS("filter_scales", w.scales, w.n_scales),
              ATTR_BOOL("keep_num_dims", oribi_tflite_byte(n, 2, 0) != 0)));
    return oribi_tflite_bind(n, 0, y);
}

/* --- Others ----------------------------------------------------------------------------------- */

/* has_sums: sums have an attribute more than products. */
static bool emit_binary(oribi_tflite_node *n, const char *op, int64_t activation, bool has_sums)
{
    oribi_tflite_quant a = {0}, b = {0}, out = {0};
    const char *name = oribi_tflite_activation_name(n, activation);
    if (n->inputs[1]->dtype != n->inputs[0]->dtype) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                 "operands of different types are not supported");
    }
    ORIBI_TRY(oribi_tflite_same_output(n, 0) &&
              oribi_tflite_quant_of(n, n->inputs[0], "the first operand", &a) &&
              oribi_tflite_quant_of(n, n->inputs[1], "the second operand", &b) &&
              oribi_tflite_quant_of(n, n->outputs[0], "the output", &out));
    const oribi_emit_attr attrs[] = {
        ATTR_FLOAT("a_scale", a.scale),
        ATTR_INT("a_zero", a.zero),
        ATTR_FLOAT("b_scale", b.scale),
        ATTR_INT("b_zero", b.zero),
        ATTR_FLOAT("output_scale", out.scale),
        ATTR_INT("output_zero", out.zero),
        ATTR_TEXT("activation", name),
        ATTR_BOOL("pot_scale_int16", has_sums && oribi_tflite_byte(n, 1, 1) != 0)};
    const int32_t count = (int32_t)(sizeof attrs / sizeof attrs[0]) - (has_sums ? 0 : 1);
    oribi_value_id y = oribi_tflite_emit(
        n, op, INPUTS(oribi_tflite_input(n, 0), oribi_tflite_input(n, 1)), attrs, count);
    return oribi_tflite_bind(n, 0, y);
}

bool oribi_tflite_q_sum(oribi_tflite_node *n, const char *op, int64_t activation)
{
    return emit_binary(n, op, activation, true);
}

bool oribi_tflite_q_product(oribi_tflite_node *n, const char *op, int64_t activation)
{
    return emit_binary(n, op, activation, false);
}

bool oribi_tflite_q_pool(oribi_tflite_node *n, const char *op)
{
    oribi_tflite_quant in = {0}, out = {0};
    ORIBI_TRY(read_quant(n, &in, &out));
    if (!oribi_tflite_same_quant(n, n->inputs[0], n->outputs[0])) {
        return oribi_tflite_fail(
            n, TF_UNIMPLEMENTED,
            "a pool whose input and output have different scales is not supported");
    }
    int64_t strides[2] = {oribi_tflite_int(n, 2, 0), oribi_tflite_int(n, 1, 0)};
    int64_t size[2] = {oribi_tflite_int(n, 4, 0), oribi_tflite_int(n, 3, 0)};
    const char *activation = oribi_tflite_activation_name(n, oribi_tflite_byte(n, 5, 0));
    const char *padding = oribi_tflite_byte(n, 0, 0) == 0 ? "SAME" : "VALID";
    oribi_value_id y =
        oribi_tflite_emit(n, op, INPUTS(oribi_tflite_input(n, 0)),
                          ATTRS(QUANT_ATTRS(in, out), ATTR_TEXT("activation", activation),
                                ATTR_INTS("ksize", size, 2), ATTR_INTS("strides", strides, 2),
                                ATTR_TEXT("padding", padding)));
    return oribi_tflite_bind(n, 0, y);
}

bool oribi_tflite_q_softmax(oribi_tflite_node *n)
{
    oribi_tflite_quant in = {0}, out = {0};
    const bool is_wide = oribi_tflite_is_bytes(n) && n->outputs[0]->dtype == TF_INT16;
    if (is_wide) {
        ORIBI_TRY(oribi_tflite_quant_of(n, n->inputs[0], "the input", &in) &&
                  oribi_tflite_quant_of(n, n->outputs[0], "the output", &out));
    } else {
        ORIBI_TRY(read_quant(n, &in, &out));
    }
    oribi_value_id y = oribi_tflite_emit(
        n, is_wide ? "Oribi>QWideSoftmax" : "Oribi>QSoftmax", INPUTS(oribi_tflite_input(n, 0)),
        ATTRS(QUANT_ATTRS(in, out), ATTR_FLOAT("beta", oribi_tflite_finite(n, 0, 0.0f, "beta"))));
    return oribi_tflite_bind(n, 0, y);
}

bool oribi_tflite_q_reduce(oribi_tflite_node *n, const char *op)
{
    oribi_tflite_quant in = {0}, out = {0};
    ORIBI_TRY(read_quant(n, &in, &out));
    oribi_value_id y = oribi_tflite_emit(
        n, op, INPUTS(oribi_tflite_input(n, 0), oribi_tflite_input(n, 1)),
        ATTRS(QUANT_ATTRS(in, out), ATTR_BOOL("keep_dims", oribi_tflite_byte(n, 0, 0) != 0)));
    return oribi_tflite_bind(n, 0, y);
}

bool oribi_tflite_q_unary(oribi_tflite_node *n, const char *function, float alpha)
{
    oribi_tflite_quant in = {0}, out = {0};
    if (n->outputs[0]->dtype != n->inputs[0]->dtype) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                 "an input and a result of different types are not supported");
    }
    ORIBI_TRY(oribi_tflite_quant_of(n, n->inputs[0], "the input", &in) &&
              oribi_tflite_quant_of(n, n->outputs[0], "the output", &out));
    oribi_value_id y = oribi_tflite_emit(
        n, "Oribi>QUnary", INPUTS(oribi_tflite_input(n, 0)),
        ATTRS(QUANT_ATTRS(in, out), ATTR_TEXT("function", function), ATTR_FLOAT("alpha", alpha)));
    return oribi_tflite_bind(n, 0, y);
}
