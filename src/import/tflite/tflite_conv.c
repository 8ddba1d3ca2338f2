/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions and matrix products: int8 ones as they are (tflite_quantised.c), float ones with
 * their weights read in TensorFlow's layout.
 */
#include "import/tflite/tflite.h"

static bool check_float(oribi_tflite_node *n, int32_t x, int32_t filter)
{
    TF_DataType dtype = oribi_tflite_dtype_in(n, x);
    if (dtype != TF_FLOAT) {
        const char *name = oribi_tflite_type_name(n->inputs[x]->type);
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED, "not supported for inputs of type %s",
                                 name == NULL ? "?" : name);
    }
    return oribi_tflite_dtype_in(n, filter) == TF_FLOAT || oribi_tflite_is_hybrid(n, x, filter) ||
           oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                             "a float input takes weights of float or quantised int8");
}

static bool finish(oribi_tflite_node *n, oribi_value_id y, int32_t bias, int64_t activation)
{
    oribi_value_id b = oribi_tflite_input(n, bias);
    if (b >= 0) {
        y = oribi_tflite_emit(n, "BiasAdd", INPUTS(y, b), NO_ATTRS);
    }
    return oribi_tflite_bind(n, 0, oribi_tflite_activate(n, y, activation));
}

static const char *padding(oribi_tflite_node *n)
{
    return oribi_tflite_byte(n, 0, 0) == 0 ? "SAME" : "VALID";
}

static bool conv_2d(oribi_tflite_node *n)
{
    static const oribi_dims ohwi_to_hwio = {4, {1, 2, 3, 0}};
    if (oribi_tflite_is_int8(n)) {
        return oribi_tflite_q_conv(n);
    }
    if (oribi_tflite_is_wide(n)) {
        return oribi_tflite_wide_conv(n);
    }
    ORIBI_TRY(check_float(n, 0, 1));
    int64_t strides[4] = {1, oribi_tflite_int(n, 2, 0), oribi_tflite_int(n, 1, 0), 1};
    int64_t dilations[4] = {1, oribi_tflite_int(n, 5, 1), oribi_tflite_int(n, 4, 1), 1};
    oribi_value_id x = oribi_tflite_input(n, 0);
    if (oribi_tflite_is_hybrid(n, 0, 1)) {
        const oribi_tflite_hybrid layer = {.x = x,
                                           .strides = {strides[1], strides[2]},
                                           .dilations = {dilations[1], dilations[2]},
                                           .activation = oribi_tflite_byte(n, 3, 0),
                                           .is_same = oribi_tflite_byte(n, 0, 0) == 0,
                                           .is_asymmetric = n->inputs[1]->scales.count > 1};
        const oribi_value_id y = oribi_tflite_hybrid_conv(n, &layer);
        if (y >= 0 || n->failed) {
            return oribi_tflite_bind(n, 0, y);
        }
        x = oribi_tflite_through_bytes(n, x, 1, layer.is_asymmetric);
    }
    oribi_value_id filter = oribi_tflite_transpose(n, oribi_tflite_weights_in(n, 1), &ohwi_to_hwio);
    oribi_value_id y = oribi_tflite_emit(n, "Conv2D", INPUTS(x, filter),
                                         ATTRS(ATTR_INTS("strides", strides, 4),
                                               ATTR_INTS("dilations", dilations, 4),
                                               ATTR_TEXT("padding", padding(n))));
    return finish(n, y, 2, oribi_tflite_byte(n, 3, 0));
}

/* The filter lies as TensorFlow's: DHWIO. */
static bool conv_3d(oribi_tflite_node *n)
{
    ORIBI_TRY(check_float(n, 0, 1));
    const int64_t strides[5] = {1, oribi_tflite_int(n, 1, 0), oribi_tflite_int(n, 3, 0),
                                oribi_tflite_int(n, 2, 0), 1};
    const int64_t dilations[5] = {1, oribi_tflite_int(n, 5, 1), oribi_tflite_int(n, 7, 1),
                                  oribi_tflite_int(n, 6, 1), 1};
    oribi_value_id y = oribi_tflite_emit(
        n, "Conv3D", INPUTS(oribi_tflite_input(n, 0), oribi_tflite_weights_in(n, 1)),
        ATTRS(ATTR_INTS("strides", strides, 5), ATTR_INTS("dilations", dilations, 5),
              ATTR_TEXT("padding", padding(n))));
    return finish(n, y, 2, oribi_tflite_byte(n, 4, 0));
}

/* One axis of CONV_3D_TRANSPOSE: what is cut off before and after, and left behind the last window.
 */
static bool cut_axis(oribi_tflite_node *n, int64_t in, int64_t out, int64_t taps, int64_t stride,
                     int64_t dilation, int64_t cut[3])
{
    const bool is_same = oribi_tflite_byte(n, 0, 0) == 0;
    const int64_t most = INT32_MAX;
    if (in < 1 || out < 1 || taps < 1 || stride < 1 || dilation < 1 || in > most || out > most ||
        taps > most || stride > most || dilation > most) {
        return oribi_tflite_fail(
            n, TF_INVALID_ARGUMENT,
            "an axis of %lld elements, %lld of the result, %lld of the filter, "
            "stride %lld and dilation %lld is not possible",
            (long long)in, (long long)out, (long long)taps, (long long)stride, (long long)dilation);
    }
    const int64_t reach = (taps - 1) * dilation + 1;
    const int64_t wanted = is_same ? (out + stride - 1) / stride : (out - reach) / stride + 1;
    if (wanted != in || (!is_same && out < reach)) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                 "%lld elements of the result do not come from %lld of the input",
                                 (long long)out, (long long)in);
    }
    const int64_t over = (in - 1) * stride + reach - out;
    cut[0] = over > 0 ? over / 2 : 0;
    cut[1] = over > 0 ? over - cut[0] : 0;
    cut[2] = over > 0 ? 0 : -over;
    return true;
}

/* Inputs: the result's shape, weights DHWOI, the input, and maybe a bias. ONNX's op has the
 * channels first. */
static bool conv_3d_transpose(oribi_tflite_node *n)
{
    static const oribi_dims first = {5, {0, 4, 1, 2, 3}}, last = {5, {0, 2, 3, 4, 1}},
                            dhwoi_to_iodhw = {5, {4, 3, 0, 1, 2}};
    const int strides[3] = {1, 3, 2}, dilations[3] = {5, 7, 6}; /* fields */
    int64_t wanted[5], stride[3], dilation[3], pads[6], more[3];
    oribi_dims x_dims, w_dims;
    ORIBI_TRY(check_float(n, 2, 1));
    const oribi_value_id sizes = oribi_tflite_input(n, 0), x = oribi_tflite_input(n, 2);
    const oribi_value_id filter = oribi_tflite_input(n, 1);
    ORIBI_TRY(oribi_tflite_dims(n, x, &x_dims) && oribi_tflite_dims(n, filter, &w_dims));
    if (oribi_tflite_dtype_in(n, 1) != TF_FLOAT || x_dims.n != 5 || w_dims.n != 5 ||
        !oribi_graph_constant_exactly(n->graph, sizes, wanted, 5)) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                 "it wants an input and weights of floats and of five dimensions, "
                                 "and five constant sizes");
    }
    for (int i = 0; i < 5; i++) {
        if (x_dims.at[i] < 0 || w_dims.at[i] < 0) {
            return oribi_tflite_want_shapes(n, "the sizes of its inputs must be known");
        }
    }
    if (wanted[0] != x_dims.at[0] || wanted[4] != w_dims.at[3] || x_dims.at[4] != w_dims.at[4]) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                 "batches or channels of input, weights and result contradict "
                                 "each other");
    }
    for (int i = 0; i < 3; i++) {
        int64_t cut[3] = {0};
        stride[i] = oribi_tflite_int(n, strides[i], 0);
        dilation[i] = oribi_tflite_int(n, dilations[i], 1);
        ORIBI_TRY(cut_axis(n, x_dims.at[i + 1], wanted[i + 1], w_dims.at[i], stride[i], dilation[i],
                           cut));
        pads[i] = cut[0];
        pads[i + 3] = cut[1];
        more[i] = cut[2];
    }
    oribi_value_id y = oribi_tflite_emit(
        n, "ONNX>ConvTranspose",
        INPUTS(oribi_tflite_transpose(n, x, &first),
               oribi_tflite_transpose(n, filter, &dhwoi_to_iodhw)),
        ATTRS(ATTR_INTS("strides", stride, 3), ATTR_INTS("dilations", dilation, 3),
              ATTR_INTS("pads", pads, 6), ATTR_INTS("output_padding", more, 3)));
    const oribi_value_id bias = oribi_tflite_input(n, 3);
    if (bias >= 0) {
        const oribi_dims of_channels = {4, {wanted[4], 1, 1, 1}};
        y = oribi_tflite_emit(n, "AddV2", INPUTS(y, oribi_tflite_reshape(n, bias, &of_channels)),
                              NO_ATTRS);
    }
    y = oribi_tflite_activate(n, y, oribi_tflite_byte(n, 4, 0));
    return oribi_tflite_bind(n, 0, oribi_tflite_transpose(n, y, &last));
}

static bool depthwise(oribi_tflite_node *n)
{
    if (oribi_tflite_is_int8(n)) {
        return oribi_tflite_q_depthwise(n);
    }
    if (oribi_tflite_is_wide(n)) {
        return oribi_tflite_wide_depthwise(n);
    }
    ORIBI_TRY(check_float(n, 0, 1));
    int64_t strides[4] = {1, oribi_tflite_int(n, 2, 0), oribi_tflite_int(n, 1, 0), 1};
    int64_t dilations[4] = {1, oribi_tflite_int(n, 6, 1), oribi_tflite_int(n, 5, 1), 1};
    oribi_value_id x = oribi_tflite_input(n, 0), filter = oribi_tflite_weights_in(n, 1);
    int64_t depth = oribi_tflite_dim(n, x, 3);
    const oribi_dims dims = {
        4, {oribi_tflite_dim(n, filter, 1), oribi_tflite_dim(n, filter, 2), depth, -1}};
    if (depth < 1 || oribi_tflite_rank(n, filter) != 4) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED, "the number of channels is unknown or 0");
    }
    if (oribi_tflite_is_hybrid(n, 0, 1)) {
        x = oribi_tflite_through_bytes(n, x, 1, true);
    }
    filter = oribi_tflite_reshape(n, filter, &dims); /* folded when the filter is constant */
    oribi_value_id y = oribi_tflite_emit(n, "DepthwiseConv2dNative", INPUTS(x, filter),
                                         ATTRS(ATTR_INTS("strides", strides, 4),
                                               ATTR_INTS("dilations", dilations, 4),
                                               ATTR_TEXT("padding", padding(n))));
    return finish(n, y, 2, oribi_tflite_byte(n, 4, 0));
}

/* Inputs: the result's shape, weights OHWI, the input, and maybe a bias. */
static bool transpose_conv(oribi_tflite_node *n)
{
    static const oribi_dims ohwi_to_hwoi = {4, {1, 2, 0, 3}};
    if (oribi_tflite_dtype_in(n, 2) == TF_INT8) {
        return oribi_tflite_q_transpose_conv(n);
    }
    if (oribi_tflite_is_quantised(n, 2)) {
        return oribi_tflite_wide_transpose_conv(n);
    }
    ORIBI_TRY(check_float(n, 2, 1));
    int64_t strides[4] = {1, oribi_tflite_int(n, 2, 0), oribi_tflite_int(n, 1, 0), 1};
    oribi_value_id sizes = oribi_tflite_input(n, 0), x = oribi_tflite_input(n, 2);
    if (oribi_tflite_is_hybrid(n, 2, 1)) {
        x = oribi_tflite_through_bytes(n, x, 1, true);
    }
    oribi_value_id filter = oribi_tflite_transpose(n, oribi_tflite_weights_in(n, 1), &ohwi_to_hwoi);
    oribi_value_id y = oribi_tflite_emit(
        n, "Conv2DBackpropInput", INPUTS(sizes, filter, x),
        ATTRS(ATTR_INTS("strides", strides, 4), ATTR_TEXT("padding", padding(n))));
    return finish(n, y, 3, oribi_tflite_byte(n, 3, 0));
}

/* The input's leading dimensions and the result's last one. */
static oribi_value_id keep_dims(oribi_tflite_node *n, oribi_value_id y, oribi_value_id x,
                                int64_t units)
{
    oribi_dims dims;
    int32_t n_unknown = 0;
    if (!oribi_tflite_dims(n, x, &dims)) {
        return -1;
    }
    for (int32_t i = 0; i + 1 < dims.n; i++) {
        n_unknown += dims.at[i] < 0;
    }
    if (dims.n < 1 || n_unknown > 1) {
        oribi_tflite_want_shapes(n, "more than one dimension of the input is unknown");
        return -1;
    }
    dims.at[dims.n - 1] = units;
    return oribi_tflite_reshape(n, y, &dims);
}

static oribi_value_id float_rows(oribi_tflite_node *n, oribi_value_id rows, bool is_hybrid)
{
    if (is_hybrid) {
        rows = oribi_tflite_through_bytes(n, rows, 1, oribi_tflite_byte(n, 3, 0) != 0);
    }
    oribi_value_id y = oribi_tflite_emit(n, "MatMul", INPUTS(rows, oribi_tflite_weights_in(n, 1)),
                                         ATTRS(ATTR_BOOL("transpose_b", true)));
    const oribi_value_id bias = oribi_tflite_input(n, 2);
    if (bias >= 0) {
        y = oribi_tflite_emit(n, "BiasAdd", INPUTS(y, bias), NO_ATTRS);
    }
    return oribi_tflite_activate(n, y, oribi_tflite_byte(n, 0, 0));
}

static bool fully_connected(oribi_tflite_node *n)
{
    /* LiteRT's kernel of sparse weights kept the multiplier */
    if (oribi_tflite_rounds_as_litert(n) && !n->inputs[1]->is_sparse &&
        (oribi_tflite_is_int8(n) || oribi_tflite_is_wide(n))) {
        return oribi_tflite_real_fully_connected(n);
    }
    if (oribi_tflite_is_int8(n)) {
        return oribi_tflite_q_fully_connected(n);
    }
    if (oribi_tflite_is_wide(n)) {
        return oribi_tflite_wide_fully_connected(n);
    }
    ORIBI_TRY(check_float(n, 0, 1));
    if (oribi_tflite_byte(n, 1, 0) != 0) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                 "weights in a shuffled format are not supported");
    }
    oribi_value_id x = oribi_tflite_input(n, 0), filter = oribi_tflite_input(n, 1);
    int64_t units = oribi_tflite_dim(n, filter, 0), row = oribi_tflite_dim(n, filter, 1);
    if (oribi_tflite_rank(n, filter) != 2 || units < 0 || row < 1) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED, "the weights must be a matrix");
    }
    const int32_t rank = oribi_tflite_rank(n, x);
    const bool has_rows = rank > 0 && oribi_tflite_dim(n, x, rank - 1) == row;
    oribi_value_id rows = x;
    if (rank != 2 || !has_rows) {
        rows = oribi_tflite_reshape(n, x, &(oribi_dims){2, {-1, row}});
    }
    const bool is_hybrid = oribi_tflite_is_hybrid(n, 0, 1);
    const oribi_tflite_hybrid layer = {.x = has_rows ? x : rows,
                                       .rows_of = row,
                                       .strides = {1, 1},
                                       .dilations = {1, 1},
                                       .activation = oribi_tflite_byte(n, 0, 0),
                                       .is_asymmetric = oribi_tflite_byte(n, 3, 0) != 0};
    oribi_value_id y = is_hybrid ? oribi_tflite_hybrid_conv(n, &layer) : -1;
    if (y < 0 && !n->failed) {
        y = float_rows(n, rows, is_hybrid);
    }
    if (oribi_tflite_byte(n, 2, 0) != 0 && oribi_tflite_rank(n, x) != 2) {
        y = keep_dims(n, y, x, units);
    }
    return oribi_tflite_bind(n, 0, y);
}

/* The last two dimensions change places. */
static oribi_value_id turn(oribi_tflite_node *n, oribi_value_id x)
{
    oribi_dims order;
    if (!oribi_tflite_dims(n, x, &order) || order.n < 2) {
        oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "a matrix is wanted");
        return -1;
    }
    for (int32_t i = 0; i < order.n; i++) {
        order.at[i] = i + 2 < order.n ? i : 2 * order.n - 3 - i;
    }
    return oribi_tflite_transpose(n, x, &order);
}

/* TFLite has no product of uint8. */
static bool batch_matmul(oribi_tflite_node *n)
{
    if (oribi_tflite_is_quantised(n, 0) && oribi_tflite_dtype_in(n, 0) != TF_UINT8) {
        return oribi_tflite_q_batch_matmul(n);
    }
    ORIBI_TRY(check_float(n, 0, 1));
    oribi_value_id x = oribi_tflite_input(n, 0);
    bool is_turned = oribi_tflite_byte(n, 0, 0) != 0;
    if (oribi_tflite_is_hybrid(n, 0, 1)) {
        x = is_turned ? turn(n, x) : x; /* it is the rows of the product that have ranges */
        is_turned = false;
        x = oribi_tflite_through_bytes(n, x, -1, oribi_tflite_byte(n, 2, 0) != 0);
    }
    oribi_value_id y = oribi_tflite_emit(
        n, "BatchMatMulV2", INPUTS(x, oribi_tflite_weights_in(n, 1)),
        ATTRS(ATTR_BOOL("adj_x", is_turned), ATTR_BOOL("adj_y", oribi_tflite_byte(n, 1, 0) != 0)));
    return oribi_tflite_bind(n, 0, y);
}

const oribi_tflite_row oribi_tflite_conv_rows[] = {
    /* operator, options, inputs at least and at most, outputs */
    {3, 1, 2, 3, 1, conv_2d, NULL},
    {4, 2, 2, 3, 1, depthwise, NULL},
    {9, 8, 2, 3, 1, fully_connected, NULL},
    {67, 49, 3, 4, 1, transpose_conv, NULL},
    {126, 101, 2, 2, 1, batch_matmul, NULL},
    {132, 106, 2, 3, 1, conv_3d, NULL},
    {141, 106, 3, 4, 1, conv_3d_transpose, NULL},
    {0, 0, 0, 0, 0, NULL, NULL},
};
