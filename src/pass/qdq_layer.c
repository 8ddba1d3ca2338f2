/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions and products of matrices between dequantised inputs and a quantised result become
 * sums of integers: ONNX>QLinearConv2D where the weights' parameters are constants, else
 * ONNX>QLinearMatMul. A bias of int32 is taken as it is, another is rounded to the sums' scale.
 */
#include "micro/geometry/geometry_window.h"
#include "pass/qdq_internal.h"

#include <math.h>
#include <string.h>

typedef struct layer {
    oribi_qdq_side x;
    oribi_value_id filter;            /* 8 bits, [h, w, in, out] or [in, out] */
    int64_t channels;                 /* results */
    double *scales, *zeros, *sums;    /* of the filter, and the bias, `channels` each */
    const oribi_node *node;           /* the convolution or product */
    oribi_value_id bias;              /* float, or -1 */
    float output_scale;               /* 0: the result is float */
    int64_t strides[2], dilations[2]; /* of convolutions */
    int64_t pads[4];
} layer;

static double *numbers(oribi_qdq *q, int64_t count)
{
    double *out = count < 1 || count > INT32_MAX
                      ? NULL
                      : oribi_arena_array(&q->graph->arena, (size_t)count, sizeof *out);
    for (int64_t i = 0; out != NULL && i < count; i++) {
        out[i] = 0;
    }
    return out;
}

/* --- Reading --------------------------------------------------------------------------------- */

/* Scales and zero points of constants, of which each channel has one: they lie along the dimensions
 * that end at `last`, with `behind` elements behind those. */
static bool read_filter(oribi_qdq *q, oribi_value_id real, int64_t behind, layer *l)
{
    const oribi_node *node = oribi_graph_producer(q->graph, real);
    if (!oribi_qdq_is_dequantize(node)) {
        return false;
    }
    const oribi_value *filter = q->graph->values[node->inputs[0]];
    const oribi_constant_view *view = oribi_pass_constant(q->graph, node->inputs[1]);
    if ((filter->dtype != TF_INT8 && filter->dtype != TF_UINT8) || view == NULL ||
        !oribi_shape_is_full(&filter->shape)) {
        return false;
    }
    const int64_t count = oribi_pass_view_count(view);
    int64_t after = 1;
    int64_t axis = oribi_pass_attr_int(node, "axis", 1);
    axis += axis < 0 ? filter->shape.rank : 0;
    for (int64_t i = axis < 0 ? 0 : axis; i < filter->shape.rank; i++) {
        after *= filter->shape.dims[i];
    }
    l->filter = node->inputs[0];
    l->scales = numbers(q, l->channels);
    l->zeros = numbers(q, l->channels);
    return (count == 1 || after == count * behind) && l->scales != NULL && l->zeros != NULL &&
           oribi_qdq_numbers(q->graph, node->inputs[1], l->channels, l->scales) &&
           oribi_qdq_numbers(q->graph, node->inputs[2], l->channels, l->zeros);
}

/* The constant that a chain of reshapes reads. */
static oribi_value_id below_reshapes(const oribi_qdq *q, oribi_value_id value)
{
    const oribi_node *node = oribi_graph_producer(q->graph, value);
    while (oribi_pass_has(node, ORIBI_TRAIT_VIEW)) {
        value = node->inputs[oribi_pass_traits(node).data];
        node = oribi_graph_producer(q->graph, value);
    }
    return value;
}

/* `count` numbers of a constant of any shape that holds as many. */
static bool read_flat(const oribi_qdq *q, oribi_value_id value, int64_t count, double *out)
{
    value = below_reshapes(q, value);
    const oribi_constant_view *view = oribi_pass_constant(q->graph, value);
    if (view == NULL || oribi_pass_view_count(view) != count) {
        return false;
    }
    if (view->rank <= 1) {
        return oribi_qdq_numbers(q->graph, value, count, out);
    }
    const oribi_value_id flat = oribi_pass_add_reshaped(q->graph, value, &count, 1, q->status);
    return flat >= 0 && oribi_qdq_numbers(q->graph, flat, count, out);
}

/* The bias in steps of x's scale times the filter's. */
static bool read_bias(oribi_qdq *q, layer *l)
{
    const double near =
        1.0e-4; /* scales that differ by less are the same, written with less care */
    l->sums = numbers(q, l->channels);
    if (l->bias < 0) {
        return l->sums != NULL;
    }
    const oribi_node *node = oribi_graph_producer(q->graph, l->bias);
    const bool is_quantised = oribi_qdq_is_dequantize(node);
    const oribi_value_id from = is_quantised ? node->inputs[0] : below_reshapes(q, l->bias);
    const TF_DataType dtype = q->graph->values[from]->dtype;
    double *scales = numbers(q, l->channels), *zeros = numbers(q, l->channels);
    if (l->sums == NULL || scales == NULL || zeros == NULL ||
        !read_flat(q, from, l->channels, l->sums) || (!is_quantised && dtype != TF_FLOAT) ||
        (is_quantised && (!oribi_qdq_numbers(q->graph, node->inputs[1], l->channels, scales) ||
                          !oribi_qdq_numbers(q->graph, node->inputs[2], l->channels, zeros)))) {
        return false;
    }
    for (int64_t i = 0; i < l->channels; i++) {
        const double step = (double)((float)l->scales[i] * l->x.scale);
        const bool is_sum =
            is_quantised && dtype == TF_INT32 && fabs(scales[i] / step - 1.0) < near;
        if (!is_sum) {
            const double real = is_quantised ? (l->sums[i] - zeros[i]) * scales[i] : l->sums[i];
            l->sums[i] = rint(real / step);
        } else {
            l->sums[i] -= zeros[i];
        }
        if (!(fabs(l->sums[i]) <= (double)INT32_MAX)) {
            return false;
        }
    }
    return true;
}

/* --- Making ---------------------------------------------------------------------------------- */

static oribi_value_id add_int32(oribi_qdq *q, const double *values, int64_t count)
{
    int32_t *data = oribi_claim_array(&q->graph->arena, (size_t)count, sizeof *data, q->status);
    if (data == NULL) {
        return -1;
    }
    for (int64_t i = 0; i < count; i++) {
        data[i] = (int32_t)values[i];
    }
    return oribi_graph_add_constant_copy(q->graph, "channels", TF_INT32, &count, 1, data,
                                         q->status);
}

/* In float, as ONNX Runtime makes them. */
static oribi_value_id add_multipliers(oribi_qdq *q, const layer *l)
{
    double *out = numbers(q, l->channels);
    if (out == NULL) {
        oribi_fail_memory(q->status);
        return -1;
    }
    for (int64_t i = 0; i < l->channels; i++) {
        const float product = l->x.scale * (float)l->scales[i];
        const float multiplier = l->output_scale > 0.0F ? product / l->output_scale : product;
        if (!isfinite(multiplier)) {
            return -1;
        }
        out[i] = (double)multiplier;
    }
    return oribi_pass_add_floats(q->graph, "multipliers", out, l->channels, q->status);
}

/* x and filter are of four dimensions. end NULL: the result is float. */
static oribi_node *add_conv(oribi_qdq *q, const layer *l, oribi_value_id x, oribi_value_id filter,
                            const oribi_qdq_end *end)
{
    const oribi_value_id inputs[5] = {x, filter, add_int32(q, l->sums, l->channels),
                                      add_int32(q, l->zeros, l->channels), add_multipliers(q, l)};
    const oribi_attr attrs[] = {QDQ_TYPE("Ty", end != NULL ? end->to.dtype : TF_FLOAT),
                                QDQ_INT("input_zero", l->x.zero),
                                QDQ_INT("output_zero", end != NULL ? end->to.zero : 0),
                                QDQ_INT("low", end != NULL ? end->low : INT8_MIN),
                                QDQ_INT("high", end != NULL ? end->high : UINT8_MAX),
                                QDQ_INTS("strides", l->strides, 2),
                                QDQ_INTS("dilations", l->dilations, 2),
                                QDQ_INTS("pads", l->pads, 4)};
    for (int i = 0; i < 5; i++) {
        if (inputs[i] < 0) {
            return NULL;
        }
    }
    return oribi_qdq_add(q, "ONNX>QLinearConv2D", l->node, inputs, 5, attrs,
                         (int32_t)(sizeof attrs / sizeof attrs[0]));
}

/* --- Convolutions ---------------------------------------------------------------------------- */

/* Height and width of a list for NHWC. */
static bool read_pair(const oribi_node *node, const char *name, int64_t out[2])
{
    const oribi_attr *attr = oribi_attrs_find(&node->attrs, name);
    out[0] = out[1] = 1;
    if (attr == NULL) {
        return strcmp(name, "dilations") == 0;
    }
    if (!attr->is_list || attr->kind != TF_ATTR_INT || attr->count != 4) {
        return false;
    }
    out[0] = attr->u.i[1];
    out[1] = attr->u.i[2];
    return out[0] > 0 && out[1] > 0;
}

bool oribi_qdq_read_pads(const oribi_node *node, const int64_t in[2], const int64_t taps[2],
                         const int64_t strides[2], const int64_t dilations[2], int64_t out_pads[4])
{
    memset(out_pads, 0, 4 * sizeof out_pads[0]);
    if (oribi_pass_attr_is(node, "padding", "EXPLICIT", "")) {
        const oribi_attr *attr = oribi_attrs_find(&node->attrs, "explicit_paddings");
        if (attr == NULL || !attr->is_list || attr->kind != TF_ATTR_INT || attr->count != 8) {
            return false;
        }
        for (int i = 0; i < 2; i++) {
            out_pads[i] = attr->u.i[2 + 2 * i];
            out_pads[2 + i] = attr->u.i[3 + 2 * i];
        }
        return true;
    }
    for (int i = 0; i < 2 && oribi_pass_attr_is(node, "padding", "SAME", ""); i++) {
        oribi_geometry_window w = {.in = in[i],
                                   .taps = taps[i],
                                   .stride = strides[i],
                                   .dilation = dilations[i],
                                   .padding = ORIBI_GEOMETRY_SAME};
        if (in[i] < 1 || oribi_geometry_slide(&w) != ORIBI_GEOMETRY_FITS) {
            return false;
        }
        out_pads[i] = w.before;
        out_pads[2 + i] = w.after;
    }
    return true;
}

static bool read_conv(oribi_qdq *q, bool is_depthwise, layer *l)
{
    const oribi_node *node = l->node;
    const oribi_shape *filter = &q->graph->values[node->inputs[1]]->shape;
    if (filter->rank != 4 || !oribi_shape_is_full(filter) || filter->dims[2] < 1 ||
        filter->dims[3] < 1 || !oribi_pass_attr_is(node, "data_format", "NHWC", "NHWC") ||
        !oribi_qdq_side_of(q, node->inputs[0], &l->x) || !read_pair(node, "strides", l->strides) ||
        !read_pair(node, "dilations", l->dilations)) {
        return false;
    }
    const int64_t *in = &q->graph->values[l->x.value]->shape.dims[1];
    l->channels = filter->dims[3] * (is_depthwise ? filter->dims[2] : 1);
    return q->graph->values[l->x.value]->shape.rank == 4 &&
           oribi_qdq_read_pads(node, in, filter->dims, l->strides, l->dilations, l->pads) &&
           read_filter(q, node->inputs[1], 1, l) && read_bias(q, l);
}

static oribi_node *make_conv(oribi_qdq *q, bool is_depthwise, layer *l, const oribi_qdq_end *end)
{
    if (!read_conv(q, is_depthwise, l)) {
        return NULL;
    }
    oribi_value_id filter = l->filter;
    if (is_depthwise) {
        const int64_t *from = q->graph->values[filter]->shape.dims;
        const int64_t dims[4] = {from[0], from[1], 1, l->channels};
        filter = oribi_qdq_reshape(q, filter, dims, 4, l->node);
    }
    return filter < 0 ? NULL : add_conv(q, l, l->x.value, filter, end);
}

/* --- Products -------------------------------------------------------------------------------- */

static oribi_value_id transposed(oribi_qdq *q, oribi_value_id matrix, const oribi_node *like)
{
    static const oribi_dims swap = {.n = 2, .at = {1, 0}};
    const oribi_node *node =
        oribi_qdq_choose(q, oribi_pass_add_transpose(q->graph, like, matrix, &swap, q->status));
    return node != NULL ? node->outputs[0] : -1;
}

/* Rows of a times a matrix with constant parameters: a convolution of one row of pixels. */
static oribi_node *make_product(oribi_qdq *q, layer *l, const oribi_qdq_end *end)
{
    const oribi_node *node = l->node;
    const bool turn_a = oribi_pass_attr_bool(node, "transpose_a", false);
    const bool turn_b = oribi_pass_attr_bool(node, "transpose_b", false);
    const oribi_shape *b = &q->graph->values[node->inputs[1]]->shape;
    const oribi_shape *y = &q->graph->values[node->outputs[0]]->shape;
    oribi_dims dims;
    if (b->rank != 2 || !oribi_shape_is_full(b) || y->rank < 2 ||
        !oribi_dims_set(&dims, y->dims, y->rank) || !oribi_qdq_side_of(q, node->inputs[0], &l->x)) {
        return NULL;
    }
    const int64_t inner = b->dims[turn_b ? 1 : 0];
    int32_t n_unknown = 0;
    l->channels = b->dims[turn_b ? 0 : 1];
    for (int32_t i = 0; i < y->rank; i++) {
        n_unknown += y->dims[i] < 0 ? 1 : 0;
    }
    if (inner < 1 || n_unknown > 1 || !read_filter(q, node->inputs[1], turn_b ? inner : 1, l) ||
        !read_bias(q, l)) {
        return NULL;
    }
    const int64_t pixels[4] = {1, 1, -1, inner}, taps[4] = {1, 1, inner, l->channels};
    oribi_value_id x = turn_a ? transposed(q, l->x.value, node) : l->x.value;
    oribi_value_id filter = turn_b ? transposed(q, l->filter, node) : l->filter;
    x = x < 0 ? -1 : oribi_qdq_reshape(q, x, pixels, 4, node);
    filter = filter < 0 ? -1 : oribi_qdq_reshape(q, filter, taps, 4, node);
    const oribi_node *conv = x < 0 || filter < 0 ? NULL : add_conv(q, l, x, filter, end);
    if (conv == NULL) {
        return NULL;
    }
    const oribi_value_id result = oribi_qdq_reshape(q, conv->outputs[0], dims.at, dims.n, node);
    return result < 0 ? NULL : oribi_graph_producer(q->graph, result);
}

/* Both sides have one scale, and both may be computed. */
static oribi_node *make_matmul(oribi_qdq *q, const layer *l, const oribi_qdq_end *end)
{
    oribi_qdq_side a, b;
    const oribi_node *node = l->node;
    if (l->bias >= 0 || !oribi_qdq_side_of(q, node->inputs[0], &a) ||
        !oribi_qdq_side_of(q, node->inputs[1], &b) ||
        oribi_pass_attr_bool(node, "transpose_a", false) ||
        oribi_pass_attr_bool(node, "transpose_b", false) ||
        oribi_pass_attr_bool(node, "adj_x", false) || oribi_pass_attr_bool(node, "adj_y", false)) {
        return NULL;
    }
    const float product = a.scale * b.scale;
    const double zeros[2] = {a.zero, b.zero};
    const double multiplier = (double)(product / end->to.scale);
    const oribi_value_id inputs[5] = {
        a.value, b.value, add_int32(q, &zeros[0], 1), add_int32(q, &zeros[1], 1),
        oribi_pass_add_floats(q->graph, "multiplier", &multiplier, 1, q->status)};
    const oribi_attr attrs[] = {QDQ_TYPE("Ty", end->to.dtype), QDQ_INT("output_zero", end->to.zero),
                                QDQ_INT("low", end->low), QDQ_INT("high", end->high)};
    if (!isfinite(multiplier) || inputs[2] < 0 || inputs[3] < 0 || inputs[4] < 0) {
        return NULL;
    }
    return oribi_qdq_add(q, "ONNX>QLinearMatMul", node, inputs, 5, attrs, 4);
}

/* --- Rules ----------------------------------------------------------------------------------- */

static oribi_node *make(oribi_qdq *q, layer *l, const oribi_qdq_end *end)
{
    const oribi_layer kind = oribi_pass_layer(l->node);
    if (kind == ORIBI_LAYER_DEPTHWISE || kind == ORIBI_LAYER_CONV) {
        return end == NULL ? NULL : make_conv(q, kind == ORIBI_LAYER_DEPTHWISE, l, end);
    }
    const bool is_turned =
        kind == ORIBI_LAYER_PRODUCTS && (oribi_pass_attr_bool(l->node, "adj_x", false) ||
                                         oribi_pass_attr_bool(l->node, "adj_y", false));
    if (kind == ORIBI_LAYER_NONE || is_turned) {
        return NULL;
    }
    oribi_node *made = make_product(q, l, end);
    return made != NULL || end == NULL || !oribi_ok(q->status) ? made : make_matmul(q, l, end);
}

bool oribi_qdq_layer(oribi_qdq *q, const oribi_qdq_end *end)
{
    oribi_node *last = oribi_qdq_sole_producer(q, end->real);
    layer l = {.bias = -1, .strides = {1, 1}, .dilations = {1, 1}, .output_scale = end->to.scale};
    l.node = last;
    if (oribi_pass_adds_bias(last)) {
        l.bias = last->inputs[1];
        l.node = oribi_qdq_sole_producer(q, last->inputs[0]);
    }
    const oribi_node *made = l.node == NULL ? NULL : make(q, &l, end);
    return made != NULL && oribi_qdq_finish(q, end, l.node, made->outputs[0]);
}

bool oribi_qdq_float_product(oribi_qdq *q, oribi_node *node)
{
    layer l = {.node = node, .bias = -1, .strides = {1, 1}, .dilations = {1, 1}};
    int32_t input;
    oribi_qdq_side x;
    const oribi_layer kind = oribi_pass_layer(node);
    if ((kind != ORIBI_LAYER_DENSE && kind != ORIBI_LAYER_PRODUCTS) ||
        oribi_pass_is_foreign(node) || !oribi_qdq_side_of(q, node->inputs[0], &x) ||
        q->graph->values[x.value]->constant != NULL) {
        return false;
    }
    const oribi_node *last = oribi_pass_only_consumer(q->graph, node->outputs[0], &input);
    const bool has_bias = oribi_pass_adds_bias(last) && input == 0 &&
                          !oribi_pass_is_foreign(last) &&
                          oribi_qdq_is_dequantize(oribi_graph_producer(q->graph, last->inputs[1]));
    l.bias = has_bias ? last->inputs[1] : -1;
    const oribi_node *made = make(q, &l, NULL);
    if (made == NULL) {
        return false;
    }
    oribi_pass_take_over(q->graph, (has_bias ? last : node)->outputs[0], made->outputs[0]);
    q->n_made++;
    return true;
}
