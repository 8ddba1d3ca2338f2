/* SPDX-License-Identifier: Apache-2.0 */
/* Layers of uint8, and of int16 with weights of int8: CONV_2D, DEPTHWISE_CONV_2D and
 * FULLY_CONNECTED all become Oribi>QWideConv2D, the latter two with their weights seen in another
 * order or shape; TRANSPOSE_CONV becomes Oribi>QWideTransposeConv. FULLY_CONNECTED of the variant
 * litert, of int8 too, becomes Oribi>QRealFullyConnected.
 */
#include <math.h>

#include "import/tflite/tflite.h"

typedef struct layer {
    int32_t at_x, at_bias;          /* inputs of the operator; the filter is input 1 */
    oribi_value_id x, filter, bias; /* the filter OHWI */
    int32_t axis;                   /* of the channels in the file's filter */
    bool has_float_scales;
    int64_t filter_zero;
    float *scales;
    int32_t n_scales;
    int64_t strides[2], dilations[2];
    int64_t padding, activation;
} layer;

bool oribi_tflite_is_wide(const oribi_tflite_node *n)
{
    const TF_DataType type = oribi_tflite_dtype_in(n, 0);
    return (type == TF_INT16 || type == TF_UINT8) && n->inputs[0]->scales.count > 0;
}

/* One scale and zero point, of int8, uint8 or int16. */
static bool read_quant(oribi_tflite_node *n, const oribi_tflite_tensor *tensor, const char *what,
                       oribi_tflite_quant *out)
{
    if (tensor->scales.count != 1 || tensor->zeros.count > 1) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                 "%s must have one scale and one zero point", what);
    }
    out->scale = oribi_flat_float_at(&tensor->scales, 0);
    out->zero = tensor->zeros.count == 0 ? 0 : oribi_flat_int64_at(&tensor->zeros, 0);
    const int64_t low = tensor->dtype == TF_INT8 ? INT8_MIN : 0;
    const int64_t high = tensor->dtype == TF_UINT8  ? UINT8_MAX
                         : tensor->dtype == TF_INT8 ? INT8_MAX
                                                    : 0;
    if (!isfinite(out->scale) || !(out->scale > 0.0f) || out->zero < low || out->zero > high) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                 "%s has scale %g and zero point %lld; a positive scale and a zero "
                                 "point from %d to %d are possible",
                                 what, (double)out->scale, (long long)out->zero, (int)low,
                                 (int)high);
    }
    return true;
}

static bool check_types(oribi_tflite_node *n, const layer *l)
{
    const TF_DataType in = oribi_tflite_dtype_in(n, l->at_x), filter = n->inputs[1]->dtype;
    const TF_DataType bias = oribi_tflite_dtype_in(n, l->at_bias);
    const bool fits = n->outputs[0]->dtype == in &&
                      filter == (in == TF_UINT8 ? TF_UINT8 : TF_INT8) &&
                      (bias == 0 || bias == TF_INT32 || (bias == TF_INT64 && in == TF_INT16));
    return fits || oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                     "the types must be uint8 throughout, or int16 with weights of "
                                     "int8 and biases of int32 or int64");
}

static bool read_scales(oribi_tflite_node *n, int64_t channels, layer *out)
{
    const oribi_tflite_tensor *filter = n->inputs[1];
    const int32_t count = (int32_t)filter->scales.count;
    if (count < 1 ||
        (count != 1 && (count != channels || filter->quantised_dimension != out->axis)) ||
        (filter->dtype == TF_UINT8 && (count != 1 || filter->zeros.count > 1))) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                 "the filter has %d scales for %lld channels", (int)count,
                                 (long long)channels);
    }
    if (!oribi_tflite_spend(n->tflite, (uint64_t)count + filter->zeros.count, n->status)) {
        n->failed = true;
        return false;
    }
    for (uint32_t i = 0; i < filter->zeros.count; i++) {
        out->filter_zero = oribi_flat_int64_at(&filter->zeros, i);
        if (out->filter_zero < 0 || out->filter_zero > (filter->dtype == TF_UINT8 ? 255 : 0)) {
            return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                     "a filter with zero point %lld is not supported",
                                     (long long)out->filter_zero);
        }
    }
    out->n_scales = count;
    return oribi_tflite_read_scales(n, &out->scales);
}

/* Without a bias int16 is summed in 64 bits, as with one of 64. */
static oribi_value_id zero_bias(oribi_tflite_node *n, const layer *l, int64_t channels)
{
    const bool is_wide = oribi_tflite_dtype_in(n, l->at_x) == TF_INT16;
    return oribi_tflite_zeros(n, is_wide ? TF_INT64 : TF_INT32, channels);
}

/* Biases of int32 under an input of int16: no reference confirms other results than these. */
static bool check_narrow(oribi_tflite_node *n, const layer *l, bool is_possible)
{
    const bool is_narrow = oribi_tflite_dtype_in(n, l->at_x) == TF_INT16 &&
                           oribi_tflite_dtype_in(n, l->at_bias) == TF_INT32;
    return !is_narrow || (is_possible && !oribi_tflite_rounds_as_tflite(n)) ||
           oribi_tflite_fail(
               n, TF_UNIMPLEMENTED,
               "biases of int32 are not supported with an int16 input%s; use biases of int64",
               is_possible ? " but in the variant tflm" : "");
}

/* Weights as the file has them: a filter of this rank. */
static bool read_weights(oribi_tflite_node *n, int32_t rank, int32_t axis, layer *out)
{
    ORIBI_TRY(check_types(n, out) && check_narrow(n, out, axis == 0 && out->at_x == 0));
    out->axis = axis;
    out->x = oribi_tflite_input(n, out->at_x);
    out->filter = oribi_tflite_input(n, 1);
    out->bias = oribi_tflite_input(n, out->at_bias);
    ORIBI_TRY(oribi_tflite_check_filter(n, out->filter, out->bias, rank));
    const int64_t channels = oribi_tflite_dim(n, out->filter, axis);
    out->has_float_scales = oribi_tflite_dtype_in(n, out->at_x) == TF_UINT8;
    out->dilations[0] = out->dilations[1] = 1;
    ORIBI_TRY(read_scales(n, channels, out));
    out->bias = out->bias >= 0 ? out->bias : zero_bias(n, out, channels);
    return !n->failed;
}

static oribi_value_id emit_layer(oribi_tflite_node *n, const layer *l)
{
    oribi_tflite_quant in = {0}, out = {0};
    if (!read_quant(n, n->inputs[0], "the input", &in) ||
        !read_quant(n, n->outputs[0], "the output", &out)) {
        return -1;
    }
    const char *activation = oribi_tflite_activation_name(n, l->activation);
    return oribi_tflite_emit(
        n, "Oribi>QWideConv2D", INPUTS(l->x, l->filter, l->bias),
        ATTRS(ORIBI_TFLITE_QUANT_ATTRS(in, out), ATTR_TEXT("activation", activation),
              ATTR_FLOATS("filter_scales", l->scales, l->n_scales),
              ATTR_INT("filter_zero", l->filter_zero),
              ATTR_BOOL("has_float_scales", l->has_float_scales),
              ATTR_INTS("strides", l->strides, 2), ATTR_INTS("dilations", l->dilations, 2),
              ATTR_TEXT("padding", l->padding == 0 ? "SAME" : "VALID")));
}

bool oribi_tflite_wide_conv(oribi_tflite_node *n)
{
    layer l = {.at_bias = 2};
    ORIBI_TRY(read_weights(n, 4, 0, &l));
    l.padding = oribi_tflite_byte(n, 0, 0);
    l.strides[0] = oribi_tflite_int(n, 2, 0);
    l.strides[1] = oribi_tflite_int(n, 1, 0);
    l.activation = oribi_tflite_byte(n, 3, 0);
    l.dilations[0] = oribi_tflite_int(n, 5, 1);
    l.dilations[1] = oribi_tflite_int(n, 4, 1);
    return oribi_tflite_bind(n, 0, emit_layer(n, &l));
}

bool oribi_tflite_wide_depthwise(oribi_tflite_node *n)
{
    static const oribi_dims order = {4, {3, 1, 2, 0}};
    layer l = {.at_bias = 2};
    ORIBI_TRY(read_weights(n, 4, 3, &l));
    if (oribi_tflite_dim(n, l.filter, 0) != 1) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "the filter's first dimension must be 1");
    }
    l.filter = oribi_tflite_transpose(n, l.filter, &order);
    l.padding = oribi_tflite_byte(n, 0, 0);
    l.strides[0] = oribi_tflite_int(n, 2, 0);
    l.strides[1] = oribi_tflite_int(n, 1, 0);
    l.activation = oribi_tflite_byte(n, 4, 0);
    l.dilations[0] = oribi_tflite_int(n, 6, 1);
    l.dilations[1] = oribi_tflite_int(n, 5, 1);
    return oribi_tflite_bind(n, 0, emit_layer(n, &l));
}

bool oribi_tflite_wide_fully_connected(oribi_tflite_node *n)
{
    oribi_dims dims = {2, {-1, 0}};
    layer l = {.at_bias = 2};
    ORIBI_TRY(read_weights(n, 2, 0, &l));
    if (oribi_tflite_byte(n, 1, 0) != 0) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                 "weights in a shuffled format are not supported");
    }
    const int64_t outputs = oribi_tflite_dim(n, l.filter, 0),
                  depth = oribi_tflite_dim(n, l.filter, 1);
    if (oribi_tflite_byte(n, 2, 0) != 0) {
        ORIBI_TRY(oribi_tflite_dims(n, l.x, &dims));
        if (dims.n < 1 || dims.at[dims.n - 1] != depth) {
            return oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                     "keep_num_dims needs an input whose last dimension fits the "
                                     "weights; it has rank %d and does not end in %lld values",
                                     (int)dims.n, (long long)depth);
        }
    }
    dims.at[dims.n - 1] = outputs;
    l.x = oribi_tflite_reshape(n, l.x, &(oribi_dims){4, {-1, 1, 1, depth}});
    l.filter = oribi_tflite_reshape(n, l.filter, &(oribi_dims){4, {outputs, 1, 1, depth}});
    l.has_float_scales = l.n_scales == 1;
    l.padding = 1;
    l.strides[0] = l.strides[1] = 1;
    l.activation = oribi_tflite_byte(n, 0, 0);
    const oribi_value_id y = emit_layer(n, &l);
    return oribi_tflite_bind(n, 0, y < 0 ? -1 : oribi_tflite_reshape(n, y, &dims));
}

bool oribi_tflite_real_fully_connected(oribi_tflite_node *n)
{
    oribi_tflite_quant in = {0}, out = {0};
    layer l = {.at_bias = 2};
    ORIBI_TRY(read_weights(n, 2, 0, &l) && read_quant(n, n->inputs[0], "the input", &in) &&
              read_quant(n, n->outputs[0], "the output", &out));
    if (oribi_tflite_byte(n, 1, 0) != 0) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                 "weights in a shuffled format are not supported");
    }
    const char *activation = oribi_tflite_activation_name(n, oribi_tflite_byte(n, 0, 0));
    const oribi_value_id y = oribi_tflite_emit(
        n, "Oribi>QRealFullyConnected", INPUTS(l.x, l.filter, l.bias),
        ATTRS(ORIBI_TFLITE_QUANT_ATTRS(in, out), ATTR_TEXT("activation", activation),
              ATTR_FLOATS("filter_scales", l.scales, l.n_scales),
              ATTR_INT("filter_zero", l.filter_zero),
              ATTR_BOOL("keep_num_dims", oribi_tflite_byte(n, 2, 0) != 0)));
    return oribi_tflite_bind(n, 0, y);
}

/* Inputs: the result's sizes, weights OHWI, the input, and maybe a bias. */
bool oribi_tflite_wide_transpose_conv(oribi_tflite_node *n)
{
    oribi_tflite_quant in = {0}, out = {0};
    layer l = {.at_x = 2, .at_bias = 3};
    ORIBI_TRY(read_weights(n, 4, 0, &l) && read_quant(n, n->inputs[2], "the input", &in) &&
              read_quant(n, n->outputs[0], "the output", &out));
    l.strides[0] = oribi_tflite_int(n, 2, 0);
    l.strides[1] = oribi_tflite_int(n, 1, 0);
    const char *activation = oribi_tflite_activation_name(n, oribi_tflite_byte(n, 3, 0));
    const char *padding = oribi_tflite_byte(n, 0, 0) == 0 ? "SAME" : "VALID";
    const oribi_value_id y = oribi_tflite_emit(
        n, "Oribi>QWideTransposeConv", INPUTS(oribi_tflite_input(n, 0), l.filter, l.bias, l.x),
        ATTRS(ORIBI_TFLITE_QUANT_ATTRS(in, out), ATTR_TEXT("activation", activation),
              ATTR_FLOATS("filter_scales", l.scales, l.n_scales),
              ATTR_INT("filter_zero", l.filter_zero), ATTR_INTS("strides", l.strides, 2),
              ATTR_TEXT("padding", padding)));
    return oribi_tflite_bind(n, 0, y);
}
