/* SPDX-License-Identifier: Apache-2.0 */
/* Operators of float inputs and weights of int8, which the converter makes unless it is told
 * otherwise ("dynamic range"). TFLite quantises the input of each batch by its range while the
 * model runs and multiplies integers: Oribi>RowsToBytes, Oribi>HybridConv2D. Where weights are
 * computed or sizes are not known, and of other operators, the same numbers come from float kernels
 * over the input that went through bytes (Oribi>ThroughBytes) and the weights times their scales.
 */
#include <float.h>

#include "import/tflite/tflite.h"

#include "micro/geometry/geometry_window.h"

bool oribi_tflite_is_hybrid(const oribi_tflite_node *n, int32_t x, int32_t filter)
{
    return oribi_tflite_dtype_in(n, x) == TF_FLOAT && oribi_tflite_is_quantised(n, filter) &&
           oribi_tflite_dtype_in(n, filter) == TF_INT8;
}

/* The scales, `least` of them or more: a single one is repeated. NULL: failed. */
static float *read_scales(oribi_tflite_node *n, const oribi_tflite_tensor *tensor, uint32_t least)
{
    const uint32_t count = tensor->scales.count, wanted = count > least ? count : least;
    const oribi_dims dims = oribi_tflite_dims_of(tensor);
    const int64_t axis = tensor->quantised_dimension;
    if (count != 1 && (axis < 0 || axis >= dims.n || dims.at[axis] != (int64_t)count)) {
        oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "the weights have %u scales along dimension %lld",
                          (unsigned)count, (long long)axis);
        return NULL;
    }
    float *scales = oribi_arena_array(&n->tflite->scratch, (size_t)wanted, sizeof *scales);
    if (scales == NULL || !oribi_tflite_spend(n->tflite, wanted + tensor->zeros.count, n->status)) {
        n->failed = true;
        if (scales == NULL) {
            oribi_fail_memory(n->status);
        }
        return NULL;
    }
    for (uint32_t i = 0; i < wanted; i++) {
        scales[i] = oribi_flat_float_at(&tensor->scales, i < count ? i : 0);
    }
    for (uint32_t i = 0; i < tensor->zeros.count; i++) {
        if (oribi_flat_int64_at(&tensor->zeros, i) != 0) {
            oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                              "weights of int8 with a zero point are not supported");
            return NULL;
        }
    }
    return scales;
}

/* The scales in the shape of the weights, all 1 but the dimension that has one for each place. */
static oribi_value_id scales_of(oribi_tflite_node *n, const oribi_tflite_tensor *tensor)
{
    const uint32_t count = tensor->scales.count;
    const float *scales = read_scales(n, tensor, 1);
    if (scales == NULL) {
        return -1;
    }
    oribi_dims dims = oribi_tflite_dims_of(tensor);
    for (int32_t i = 0; i < dims.n; i++) {
        dims.at[i] = count > 1 && i == tensor->quantised_dimension ? dims.at[i] : 1;
    }
    const oribi_value_id id = oribi_graph_add_constant_copy(n->graph, "scales", TF_FLOAT, dims.at,
                                                            dims.n, scales, n->status);
    n->failed = id < 0;
    return id;
}

oribi_value_id oribi_tflite_weights_in(oribi_tflite_node *n, int32_t i)
{
    const oribi_value_id weights = oribi_tflite_input(n, i);
    if (weights < 0 || oribi_tflite_dtype_in(n, i) == TF_FLOAT) {
        return weights;
    }
    return oribi_tflite_scaled(n, weights, scales_of(n, n->inputs[i]));
}

oribi_value_id oribi_tflite_scaled(oribi_tflite_node *n, oribi_value_id weights,
                                   oribi_value_id scales)
{
    const oribi_value_id wide =
        oribi_tflite_emit(n, "Cast", INPUTS(weights), ATTRS(ATTR_TYPE("DstT", TF_FLOAT)));
    return oribi_tflite_emit(n, "Mul", INPUTS(wide, scales), NO_ATTRS);
}

oribi_value_id oribi_tflite_through_bytes(oribi_tflite_node *n, oribi_value_id x, int64_t lead,
                                          bool asymmetric)
{
    return oribi_tflite_emit(n, "Oribi>ThroughBytes", INPUTS(x),
                             ATTRS(ATTR_INT("lead", lead), ATTR_BOOL("asymmetric", asymmetric)));
}

/* --- In integers ------------------------------------------------------------------------------ */

/* The weights, constant and [out, h, w, in] or [out, in], as HWIO; nothing is copied. */
static oribi_value_id filter_of(oribi_tflite_node *n, oribi_value_id weights)
{
    static const oribi_dims ohwi_to_hwio = {4, {1, 2, 3, 0}}, turned = {2, {1, 0}};
    const bool is_matrix = n->graph->values[weights]->shape.rank == 2;
    const oribi_value_id filter =
        oribi_tflite_transpose(n, weights, is_matrix ? &turned : &ohwi_to_hwio);
    if (!is_matrix || filter < 0) {
        return filter;
    }
    const oribi_constant *constant = n->graph->values[filter]->constant;
    oribi_constant_view view = constant->view;
    const int64_t dims[4] = {1, 1, view.dims[0], view.dims[1]};
    const int64_t strides[4] = {0, 0, view.strides[0], view.strides[1]};
    view.rank = 4;
    view.dims = dims;
    view.strides = strides;
    if (constant->source != NULL) {
        oribi_source_retain(constant->source);
    }
    const oribi_value_id id =
        oribi_graph_add_constant(n->graph, "filter", &view, constant->source, n->status);
    n->failed = n->failed || id < 0;
    return id;
}

static void bounds_of(int64_t activation, float out[2])
{
    out[0] = activation == ORIBI_TFLITE_ACT_RELU || activation == ORIBI_TFLITE_ACT_RELU6 ? 0.0f
             : activation == ORIBI_TFLITE_ACT_RELU_N1_TO_1                               ? -1.0f
                                                                                         : -FLT_MAX;
    out[1] = activation == ORIBI_TFLITE_ACT_RELU6          ? 6.0f
             : activation == ORIBI_TFLITE_ACT_RELU_N1_TO_1 ? 1.0f
                                                           : FLT_MAX;
}

/* Windows along both axes; false: sizes are unknown or do not fit, which the float op says. */
static bool pads_of(const oribi_tflite_hybrid *h, const int64_t in[4], const int64_t filter[4],
                    int64_t pads[4])
{
    for (int i = 0; i < 2; i++) {
        oribi_geometry_window w = {.in = in[1 + i],
                                   .taps = filter[i],
                                   .stride = h->strides[i],
                                   .dilation = h->dilations[i],
                                   .padding =
                                       h->is_same ? ORIBI_GEOMETRY_SAME : ORIBI_GEOMETRY_VALID};
        if (in[1 + i] < 1 || oribi_geometry_slide(&w) != ORIBI_GEOMETRY_FITS) {
            return false;
        }
        pads[i] = w.before;
        pads[2 + i] = w.after;
    }
    return true;
}

/* Several layers may read a tensor: what it becomes is shared. NULL: failed. */
static const oribi_node *bytes_of(oribi_tflite_node *n, const oribi_tflite_hybrid *h)
{
    oribi_tflite_bytes *made = &n->inputs[0]->bytes;
    const int64_t lead = h->rows_of > 0 ? -1 : 1;
    if (made->node == NULL || made->of != h->x || made->lead != lead ||
        made->is_asymmetric != h->is_asymmetric) {
        const oribi_node *node = oribi_tflite_emit_node(
            n, "Oribi>RowsToBytes", INPUTS(h->x),
            ATTRS(ATTR_INT("lead", lead), ATTR_BOOL("asymmetric", h->is_asymmetric)), 3);
        *made = (oribi_tflite_bytes){node, h->x, lead, h->is_asymmetric};
    }
    return made->node;
}

/* Does the bias, if there is one, have a float for each channel? */
static bool fits_bias(oribi_tflite_node *n, oribi_value_id bias, int64_t channels)
{
    return bias < 0 ||
           (oribi_tflite_dtype_in(n, 2) == TF_FLOAT && oribi_tflite_rank(n, bias) == 1 &&
            oribi_tflite_dim(n, bias, 0) == channels);
}

/* The filter of weights that are constant and fit the input's channels; *pads of images. -1 as
 * oribi_tflite_hybrid_conv. */
static oribi_value_id fitting_filter(oribi_tflite_node *n, const oribi_tflite_hybrid *h,
                                     int64_t pads[4])
{
    const oribi_value_id weights = oribi_tflite_input(n, 1);
    oribi_dims in;
    if (n->failed || weights < 0 || !oribi_tflite_dims(n, h->x, &in)) {
        return -1;
    }
    const oribi_value *value = n->graph->values[weights];
    const int32_t rank = h->rows_of > 0 ? 2 : 4;
    if (value->constant == NULL || value->shape.rank != rank || (rank == 4 && in.n != 4)) {
        return -1;
    }
    const oribi_value_id filter = filter_of(n, weights);
    const int64_t *taps = filter < 0 ? NULL : n->graph->values[filter]->shape.dims;
    const int64_t depth = h->rows_of > 0 ? h->rows_of : in.at[3];
    const bool fits = taps != NULL && taps[2] > 0 && taps[3] > 0 && taps[3] <= INT32_MAX &&
                      depth > 0 && depth % taps[2] == 0 && taps[3] % (depth / taps[2]) == 0;
    return fits && (h->rows_of > 0 || pads_of(h, in.at, taps, pads)) ? filter : -1;
}

oribi_value_id oribi_tflite_hybrid_conv(oribi_tflite_node *n, const oribi_tflite_hybrid *h)
{
    int64_t pads[4] = {0};
    float bounds[2];
    oribi_value_id bias = oribi_tflite_input(n, 2);
    const oribi_value_id filter = fitting_filter(n, h, pads);
    const int64_t channels = filter < 0 ? 0 : n->graph->values[filter]->shape.dims[3];
    if (filter < 0 || !fits_bias(n, bias, channels)) {
        return -1;
    }
    const float *scales = read_scales(n, n->inputs[1], (uint32_t)channels);
    const oribi_node *bytes = scales == NULL ? NULL : bytes_of(n, h);
    if (bytes == NULL) {
        return -1;
    }
    const oribi_value_id multipliers = oribi_graph_add_constant_copy(
        n->graph, "scales", TF_FLOAT, &channels, 1, scales, n->status);
    n->failed = n->failed || multipliers < 0;
    bias = bias < 0 ? oribi_tflite_zeros(n, TF_FLOAT, channels) : bias;
    const oribi_dims pixels = {4, {-1, 1, 1, h->rows_of}}, rows = {2, {-1, channels}};
    const oribi_value_id x =
        h->rows_of > 0 ? oribi_tflite_reshape(n, bytes->outputs[0], &pixels) : bytes->outputs[0];
    bounds_of(h->activation, bounds);
    oribi_value_id y = oribi_tflite_emit(
        n, "Oribi>HybridConv2D",
        INPUTS(x, filter, bias, multipliers, bytes->outputs[1], bytes->outputs[2]),
        ATTRS(ATTR_INTS("strides", h->strides, 2), ATTR_INTS("dilations", h->dilations, 2),
              ATTR_INTS("pads", pads, 4), ATTR_FLOAT("low", bounds[0]),
              ATTR_FLOAT("high", bounds[1])));
    y = h->rows_of > 0 ? oribi_tflite_reshape(n, y, &rows) : y;
    return h->activation == ORIBI_TFLITE_ACT_TANH ? oribi_tflite_activate(n, y, h->activation) : y;
}
