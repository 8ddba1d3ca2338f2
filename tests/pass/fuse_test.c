/* SPDX-License-Identifier: Apache-2.0 */
/* Batch normalization goes into weights, and bias, sum and activation into the layer before them;
 * results stay what they were.
 */
#include "pass/pass_test_support.h"

static oribi_value_id bias_add(net *n, oribi_value_id x, int64_t channels)
{
    return net_op(n, "BiasAdd", IDS(x, net_floats(n, DIMS(channels), 0.0F, 1.0F)));
}

static void build_conv_norm_relu(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(1, 6, 5, 3));
    oribi_value_id y = bias_add(n, net_conv(n, "Conv2D", x, 3, 3, 8), 8);
    net_output(n, net_op(n, "Relu", IDS(net_norm(n, y, 8))));
}

static void convolution_bias_norm_and_relu_are_one_node(void **state)
{
    (void)state;
    net n = net_compare(build_conv_norm_relu);
    assert_int_equal(net_count(&n, NULL), 1);
    assert_int_equal(net_count(&n, "_FusedConv2D"), 1);
    net_close(&n);
}

static void build_scale_chain(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(1, 6, 5, 3));
    oribi_value_id y = net_norm(n, net_conv(n, "Conv2D", x, 3, 3, 8), 8);
    y = net_op(n, "Mul", IDS(y, net_floats(n, DIMS(1, 1, 8), 1.0F, 0.5F)));
    y = net_op(n, "AddV2", IDS(net_floats(n, DIMS(1, 1, 8), 0.0F, 0.5F), y));
    net_output(n, net_op(n, "Relu6", IDS(y)));
}

static void norm_scale_and_offset_fold_together(void **state)
{
    (void)state;
    net n = net_compare(build_scale_chain);
    assert_int_equal(net_count(&n, NULL), 1);
    net_close(&n);
}

static void build_depthwise(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(1, 6, 5, 3));
    oribi_value_id y = net_norm(n, net_conv(n, "DepthwiseConv2dNative", x, 3, 3, 2), 6);
    net_output(n, net_op(n, "Relu6", IDS(y)));
}

static void depthwise_weights_take_the_scale_of_their_channel(void **state)
{
    (void)state;
    net n = net_compare(build_depthwise);
    assert_int_equal(net_count(&n, "FusedBatchNormV3"), 0);
    assert_int_equal(net_count(&n, "Relu6"), 0);
    net_close(&n);
}

static void build_padded_depthwise(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(1, 6, 6, 3));
    oribi_node *node =
        net_node(n, "DepthwiseConv2dNative", IDS(x, net_floats(n, DIMS(3, 3, 3, 1), 0.0F, 1.0F)));
    oribi_arena *arena = &n->graph->arena;
    oribi_attrs_set_ints(&node->attrs, arena, "strides", (const int64_t[]){1, 2, 2, 1}, 4);
    oribi_attrs_set_string(&node->attrs, arena, "padding", "EXPLICIT");
    oribi_attrs_set_ints(&node->attrs, arena, "explicit_paddings",
                         (const int64_t[]){0, 0, 1, 1, 1, 1, 0, 0}, 8);
    net_output(n, net_op(n, "Relu6", IDS(bias_add(n, net_done(n, node), 3))));
}

static void depthwise_with_explicit_padding_uses_our_own_fused_op(void **state)
{
    (void)state;
    net n = net_compare(build_padded_depthwise);
    assert_int_equal(net_count(&n, NULL), 1);
    assert_int_equal(net_count(&n, "Oribi>FusedDepthwiseConv2d"), 1);
    net_close(&n);
}

/* A pad in front of a layer that pads nothing, and what comes of it. */
static struct padded {
    const char *op;
    int64_t pads[8], height, stride, dilation;
    int32_t value; /* that is padded */
    bool is_int64, has_value;
    int n_pads;          /* left */
    const char *padding; /* then */
} padded;
static bool is_turned; /* after the pad, as a picture of planes is */

enum { ZERO = -3 }; /* point of int8 inputs */

static oribi_value_id pad(net *n, oribi_value_id x, TF_DataType dtype)
{
    const int64_t dims[2] = {4, 2};
    int32_t narrow[8];
    for (int i = 0; i < 8; i++) {
        narrow[i] = (int32_t)padded.pads[i];
    }
    const oribi_value_id pads = oribi_graph_add_constant_copy(
        n->graph, "pads", padded.is_int64 ? TF_INT64 : TF_INT32, dims, 2,
        padded.is_int64 ? (const void *)padded.pads : narrow, n->status);
    net_check(n);
    if (!padded.has_value) {
        return net_op(n, "Pad", IDS(x, pads));
    }
    const float number = (float)padded.value;
    const int8_t byte = (int8_t)padded.value;
    const oribi_value_id value =
        oribi_graph_add_constant_copy(n->graph, "value", dtype, NULL, 0,
                                      dtype == TF_INT8 ? (const void *)&byte : &number, n->status);
    net_check(n);
    return net_op(n, "PadV2", IDS(x, pads, value));
}

static void set_window(net *n, oribi_node *node, int rank)
{
    oribi_arena *arena = &n->graph->arena;
    const int64_t s = padded.stride, d = padded.dilation;
    const int64_t strides[4] = {1, s, s, 1}, dilations[4] = {1, d, d, 1};
    const int64_t pair[2] = {s, s}, dilated[2] = {d, d};
    oribi_attrs_set_ints(&node->attrs, arena, "strides", rank == 4 ? strides : pair, rank);
    if (strstr(padded.op, "Pool") == NULL) {
        oribi_attrs_set_ints(&node->attrs, arena, "dilations", rank == 4 ? dilations : dilated,
                             rank);
    }
    oribi_attrs_set_string(&node->attrs, arena, "padding", "VALID");
}

static void build_padded_floats(net *n)
{
    const bool is_depthwise = strcmp(padded.op, "Conv2D") != 0;
    const oribi_value_id x = is_turned ? net_input(n, "x", DIMS(1, 3, padded.height, 9))
                                       : net_input(n, "x", DIMS(1, padded.height, 9, 3));
    const oribi_value_id filter = net_floats(n, DIMS(3, 3, 3, is_depthwise ? 2 : 4), 0.0F, 0.4F);
    const oribi_value_id y = pad(n, x, TF_FLOAT);
    oribi_node *node = net_node(n, padded.op, IDS(is_turned ? net_to_nhwc(n, y) : y, filter));
    set_window(n, node, 4);
    net_output(n, net_done(n, node));
}

static oribi_value_id cast(net *n, oribi_value_id x, TF_DataType to)
{
    oribi_node *node = net_node(n, "Cast", IDS(x));
    oribi_attrs_set_type(&node->attrs, &n->graph->arena, "DstT", to);
    return net_done(n, node);
}

static void build_padded_bytes(net *n)
{
    enum { CHANNELS = 4 };
    const bool is_depthwise = strstr(padded.op, "Depthwise") != NULL;
    int8_t weights[CHANNELS * 9 * CHANNELS];
    const int32_t bias[CHANNELS] = {5, -200, 70, 0};
    const int64_t channels = CHANNELS;
    const int64_t dims[4] = {is_depthwise ? 1 : CHANNELS, 3, 3, CHANNELS};
    float scale = 0.02F;
    for (uint32_t i = 0; i < sizeof weights; i++) {
        weights[i] = (int8_t)(100.0F * net_number(9, i));
    }
    const oribi_value_id x = net_op(n, "Mul",
                                    IDS(net_input(n, "x", DIMS(1, padded.height, 9, CHANNELS)),
                                        net_floats(n, DIMS(1), 127.0F, 0.0F)));
    const oribi_value_id filter =
        oribi_graph_add_constant_copy(n->graph, "filter", TF_INT8, dims, 4, weights, n->status);
    const oribi_value_id biases =
        oribi_graph_add_constant_copy(n->graph, "bias", TF_INT32, &channels, 1, bias, n->status);
    net_check(n);
    oribi_node *node =
        net_node(n, padded.op, IDS(pad(n, cast(n, x, TF_INT8), TF_INT8), filter, biases));
    oribi_arena *arena = &n->graph->arena;
    const oribi_attr scales = {
        .name = "filter_scales", .kind = TF_ATTR_FLOAT, .is_list = true, .count = 1, .u.f = &scale};
    oribi_attrs_set(&node->attrs, arena, &scales);
    oribi_attrs_set_float(&node->attrs, arena, "input_scale", 0.05F);
    oribi_attrs_set_int(&node->attrs, arena, "input_zero", ZERO);
    oribi_attrs_set_float(&node->attrs, arena, "output_scale", 0.3F);
    oribi_attrs_set_int(&node->attrs, arena, "output_zero", 4);
    if (is_depthwise) {
        oribi_attrs_set_int(&node->attrs, arena, "depth_multiplier", 1);
    }
    set_window(n, node, 2);
    net_output(n, cast(n, net_done(n, node), TF_FLOAT));
}

/* A pool of largest values of either, behind Relu where floats are padded with zeros. */
static void build_padded_pool(net *n)
{
    const bool is_quantised = padded.op[0] == 'O';
    const int64_t window[4] = {1, 3, 3, 1};
    oribi_arena *arena = &n->graph->arena;
    oribi_value_id x = net_input(n, "x", DIMS(1, padded.height, 9, 3));
    if (is_quantised) {
        x = cast(n, net_op(n, "Mul", IDS(x, net_floats(n, DIMS(1), 127.0F, 0.0F))), TF_INT8);
    } else if (padded.value == 0) {
        x = net_op(n, "Relu", IDS(x));
    }
    oribi_node *node = net_node(n, padded.op, IDS(pad(n, x, is_quantised ? TF_INT8 : TF_FLOAT)));
    oribi_attrs_set_ints(&node->attrs, arena, "ksize", window + (is_quantised ? 1 : 0),
                         is_quantised ? 2 : 4);
    set_window(n, node, is_quantised ? 2 : 4);
    for (int i = 0; is_quantised && i < 2; i++) {
        oribi_attrs_set_float(&node->attrs, arena, i == 0 ? "input_scale" : "output_scale", 0.05F);
        oribi_attrs_set_int(&node->attrs, arena, i == 0 ? "input_zero" : "output_zero", ZERO);
    }
    net_output(n, is_quantised ? cast(n, net_done(n, node), TF_FLOAT) : net_done(n, node));
}

static const oribi_node *producer_of_kind(const net *n, const char *word)
{
    for (int32_t i = 0; i < n->graph->n_nodes; i++) {
        const oribi_node *node = n->graph->nodes[i];
        if (!node->is_dead && strstr(node->op_name, word) != NULL) {
            return node;
        }
    }
    return NULL;
}

static void check_pads(const struct padded *cases, size_t n_cases)
{
    for (size_t i = 0; i < n_cases; i++) {
        padded = cases[i];
        const bool is_quantised = padded.op[0] == 'O', is_pool = strstr(padded.op, "Pool") != NULL;
        net n = net_compare(is_pool        ? build_padded_pool
                            : is_quantised ? build_padded_bytes
                                           : build_padded_floats);
        const oribi_node *node =
            producer_of_kind(&n, is_quantised || is_pool ? padded.op : "Conv2");
        if (node == NULL || net_count(&n, "Pad") + net_count(&n, "PadV2") != padded.n_pads ||
            strcmp(oribi_attrs_find(&node->attrs, "padding")->u.s[0].data, padded.padding) != 0) {
            net_print(&n);
            fail_msg("case %d", (int)i);
        }
        net_close(&n);
    }
}

static void convolutions_pad_themselves(void **state)
{
    static const char conv[] = "Conv2D", depthwise[] = "DepthwiseConv2dNative";
    static const char q_conv[] = "Oribi>QConv2D", q_depthwise[] = "Oribi>QDepthwiseConv2D";
    static const struct padded cases[] = {
        {conv, {0, 0, 0, 1, 1, 1, 0, 0}, 8, 2, 1, 0, false, false, 0, "SAME"},
        {conv, {0, 0, 1, 1, 1, 1, 0, 0}, 8, 2, 1, 0, true, false, 0, "EXPLICIT"},
        {conv, {0, 0, 3, 2, 0, 4, 0, 0}, 8, 1, 2, 0, false, true, 0, "EXPLICIT"},
        {conv, {0, 0, 2, 2, 2, 2, 0, 0}, 8, 1, 2, 0, false, true, 0, "SAME"},
        {conv, {0, 0, 1, 1, 1, 1, 0, 0}, 8, 1, 1, 1, false, true, 1, "VALID"},  /* ones */
        {conv, {1, 0, 1, 1, 1, 1, 0, 0}, 8, 1, 1, 0, false, false, 1, "VALID"}, /* batch */
        {depthwise, {0, 0, 0, 1, 1, 1, 0, 0}, 8, 2, 1, 0, true, true, 0, "SAME"},
        {depthwise, {0, 0, 0, 1, 0, 1, 0, 0}, 9, 2, 1, 0, false, false, 0, "EXPLICIT"},
        {q_conv, {0, 0, 0, 1, 1, 1, 0, 0}, 8, 2, 1, ZERO, false, true, 0, "SAME"},
        {q_conv, {0, 0, 0, 1, 1, 1, 0, 0}, 8, 2, 1, 0, false, true, 1, "VALID"}, /* no zero point */
        {q_conv, {0, 0, 0, 1, 1, 1, 0, 0}, 8, 2, 1, 0, false, false, 1, "VALID"},
        {q_conv, {0, 0, 1, 1, 1, 1, 0, 0}, 8, 2, 1, ZERO, true, true, 0, "EXPLICIT"},
        {q_conv, {0, 0, 2, 0, 1, 2, 0, 0}, 8, 3, 1, ZERO, true, true, 0, "EXPLICIT"},
        {q_conv, {0, 0, 4, 0, 3, 1, 0, 0}, 3, 1, 2, ZERO, true, true, 0, "EXPLICIT"},
        {q_conv, {0, 0, 1, 1, 3, 1, 0, 0}, 8, 2, 1, ZERO, true, true, 1, "VALID"}, /* a window */
        {q_depthwise, {0, 0, 0, 1, 1, 1, 0, 0}, 8, 2, 1, ZERO, true, true, 0, "SAME"},
        {q_depthwise, {0, 0, 1, 1, 1, 1, 0, 0}, 7, 1, 1, ZERO, false, true, 0, "SAME"},
        {q_depthwise, {0, 0, 1, 1, 1, 1, 0, 0}, 8, 2, 1, ZERO, false, true, 0, "EXPLICIT"},
        {q_depthwise, {0, 0, 2, 2, 0, 2, 0, 0}, 1, 1, 1, ZERO, false, true, 0, "EXPLICIT"},
        {q_depthwise, {1, 0, 1, 1, 1, 1, 0, 0}, 7, 1, 1, ZERO, false, true, 1, "VALID"}, /* batch */
    };
    (void)state;
    check_pads(cases, sizeof cases / sizeof *cases);
}

static void convolutions_pad_themselves_before_a_transpose(void **state)
{
    static const struct padded cases[] = {
        {"Conv2D", {0, 0, 0, 0, 1, 2, 0, 1}, 8, 2, 1, 0, false, false, 0, "EXPLICIT"},
        {"Conv2D", {0, 0, 0, 0, 0, 1, 1, 1}, 8, 2, 1, 0, true, true, 0, "SAME"},
    };
    (void)state;
    is_turned = true;
    check_pads(cases, sizeof cases / sizeof *cases);
    is_turned = false;
}

static void pools_pad_themselves_with_what_is_never_the_largest(void **state)
{
    static const char pool[] = "MaxPool", q_pool[] = "Oribi>QMaxPool";
    static const struct padded cases[] = {
        {q_pool, {0, 0, 1, 1, 1, 1, 0, 0}, 8, 2, 1, INT8_MIN, false, true, 0, "EXPLICIT"},
        {q_pool, {0, 0, 0, 1, 1, 1, 0, 0}, 8, 2, 1, INT8_MIN, true, true, 0, "SAME"},
        {q_pool, {0, 0, 1, 1, 1, 1, 0, 0}, 8, 2, 1, ZERO, false, true, 1, "VALID"},
        {q_pool, {0, 0, 3, 1, 1, 1, 0, 0}, 8, 2, 1, INT8_MIN, false, true, 1, "VALID"},
        {pool, {0, 0, 1, 1, 1, 1, 0, 0}, 8, 2, 1, 0, false, false, 0, "EXPLICIT"},
        {pool, {0, 0, 1, 1, 3, 1, 0, 0}, 8, 2, 1, 0, false, true, 1, "VALID"},
        {pool, {0, 0, 1, 1, 1, 1, 0, 0}, 8, 2, 1, 1, false, true, 1, "VALID"}, /* no Relu */
        {pool, {0, 0, 1, 1, 1, 1, 0, 0}, 8, 2, 1, 1, false, false, 1, "VALID"},
    };
    (void)state;
    check_pads(cases, sizeof cases / sizeof *cases);
}

static void pads_that_a_graph_optimiser_wrote_stay(void **state)
{
    (void)state;
    for (int written = 0; written < 3; written++) { /* neither, the pad, the convolution */
        net n = net_open();
        padded = (struct padded){"Conv2D", {0, 0, 0, 1, 1, 1, 0, 0}, 8, 2, 1, 0, 0, 0, 0, ""};
        build_padded_floats(&n);
        if (written > 0) {
            n.graph->nodes[written - 1]->passes_off = ORIBI_PASS_FUSE;
        }
        net_pass(&n, 0);
        assert_int_equal(net_count(&n, "Pad"), written > 0);
        net_close(&n);
    }
}

/* Windows slide over the last two dimensions of planes. */
static void build_padded_planes(net *n)
{
    padded = (struct padded){"", {0, 0, 0, 0, 1, 1, 0, 0}, 8, 2, 1, 0, 0, 0, 0, ""};
    const oribi_value_id x = net_input(n, "x", DIMS(1, 3, padded.height, 9));
    const oribi_value_id filter = net_floats(n, DIMS(3, 3, 3, 4), 0.0F, 0.4F);
    const oribi_value_id bias = net_floats(n, DIMS(4), 0.0F, 0.4F);
    oribi_node *node = net_node(n, "Oribi>FusedConv2d", IDS(pad(n, x, TF_FLOAT), filter, bias));
    const char *const words[] = {"BiasAdd"};
    oribi_attrs_set_strings(&node->attrs, &n->graph->arena, "fused_ops", words, 1);
    oribi_attrs_set_int(&node->attrs, &n->graph->arena, "num_args", 1);
    set_window(n, node, 4);
    net_output(n, net_done(n, node));
}

static void a_layer_that_reads_planes_does_not_pad_itself(void **state)
{
    (void)state;
    net n = net_compare(build_padded_planes);
    assert_int_equal(net_count(&n, "Pad"), 1);
    net_close(&n);
}

static void build_dense(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(4, 6));
    oribi_value_id w = net_floats(n, DIMS(8, 6), 0.0F, 1.0F);
    oribi_node *node = net_node(n, "MatMul", IDS(x, w));
    oribi_attrs_set_bool(&node->attrs, &n->graph->arena, "transpose_b", true);
    oribi_value_id y =
        net_op(n, "AddV2", IDS(net_done(n, node), net_floats(n, DIMS(8), 0.0F, 1.0F)));
    y = net_op(n, "Mul", IDS(y, net_floats(n, DIMS(1, 8), 1.0F, 0.5F)));
    net_output(n, net_op(n, "Relu", IDS(y)));
}

static void dense_layer_takes_bias_scale_and_relu(void **state)
{
    (void)state;
    net n = net_compare(build_dense);
    assert_int_equal(net_count(&n, NULL), 1);
    assert_int_equal(net_count(&n, "_FusedMatMul"), 1);
    net_close(&n);
}

static void build_residual(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(1, 6, 5, 8));
    oribi_value_id y = net_op(n, "Relu", IDS(bias_add(n, net_conv(n, "Conv2D", x, 3, 8, 8), 8)));
    y = net_norm(n, net_conv(n, "Conv2D", y, 3, 8, 8), 8);
    net_output(n, net_op(n, "Relu", IDS(net_op(n, "AddV2", IDS(x, y)))));
}

static void sum_with_another_branch_is_an_epilogue(void **state)
{
    (void)state;
    net n = net_compare(build_residual);
    assert_int_equal(net_count(&n, NULL), 2);
    assert_int_equal(net_count(&n, "_FusedConv2D"), 2);
    net_close(&n);
}

static void build_broadcast_sum(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(1, 6, 5, 8)), r = net_input(n, "r", DIMS(1, 1, 5, 8));
    oribi_value_id y = bias_add(n, net_conv(n, "Conv2D", x, 3, 8, 8), 8);
    net_output(n, net_op(n, "AddV2", IDS(y, r)));
}

static void a_sum_that_broadcasts_stays_a_sum(void **state)
{
    (void)state;
    net n = net_compare(build_broadcast_sum);
    assert_int_equal(net_count(&n, "AddV2"), 1);
    net_close(&n);
}

static void build_shared(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(1, 6, 5, 8));
    oribi_value_id y = bias_add(n, net_conv(n, "Conv2D", x, 3, 8, 8), 8);
    net_output(n, net_op(n, "Relu", IDS(y)));
    net_output(n, net_norm(n, y, 8));
}

static void a_value_with_two_readers_is_not_swallowed(void **state)
{
    (void)state;
    net n = net_compare(build_shared);
    assert_int_equal(net_count(&n, "Relu"), 1);
    assert_int_equal(net_count(&n, "FusedBatchNormV3"), 1);
    net_close(&n);
}

static void build_norm_alone(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(1, 6, 5, 8));
    oribi_value_id y = net_norm(n, x, 8);
    y = net_op(n, "Mul", IDS(y, net_floats(n, DIMS(8), 1.0F, 0.5F)));
    y = net_op(n, "AddV2", IDS(y, net_floats(n, DIMS(8), 0.0F, 0.5F)));
    y = net_op(n, "Relu", IDS(y));
    net_output(n, net_conv(n, "Conv2D", y, 1, 8, 4));
}

static void norm_before_a_convolution_is_one_node_with_its_relu(void **state)
{
    (void)state;
    net n = net_compare(build_norm_alone);
    assert_int_equal(net_count(&n, "Mul") + net_count(&n, "AddV2"), 0);
    assert_int_equal(net_count(&n, "_FusedBatchNormEx"), 1);
    assert_int_equal(net_count(&n, "Relu"), 0);
    net_close(&n);
}

static void build_splat_weights(net *n)
{
    static const float weight = 0.02F;
    int64_t dims[4] = {3, 3, 3, 8}, zeros[4] = {0};
    oribi_constant_view view = {
        .dtype = TF_FLOAT, .rank = 4, .dims = dims, .strides = zeros, .data = &weight};
    oribi_value_id w = oribi_graph_add_constant(n->graph, "w", &view, NULL, n->status);
    oribi_value_id x = net_input(n, "x", DIMS(1, 6, 5, 3));
    oribi_node *node = net_node(n, "Conv2D", IDS(x, w));
    const int64_t strides[4] = {1, 1, 1, 1};
    oribi_attrs_set_ints(&node->attrs, &n->graph->arena, "strides", strides, 4);
    oribi_attrs_set_string(&node->attrs, &n->graph->arena, "padding", "VALID");
    net_output(n, net_norm(n, net_done(n, node), 8));
}

static void scaled_weights_of_one_element_take_a_vector(void **state)
{
    (void)state;
    net n = net_compare(build_splat_weights);
    const oribi_node *node = oribi_graph_producer(n.graph, n.graph->outputs[0]);
    const oribi_constant_view *view = &n.graph->values[node->inputs[1]]->constant->view;
    assert_int_equal(view->strides[0], 0);
    assert_int_equal(view->strides[2], 0);
    assert_int_equal(view->strides[3], 4);
    net_close(&n);
}

static void passes_can_be_switched_off(void **state)
{
    (void)state;
    net n = net_open();
    build_conv_norm_relu(&n);
    net_pass(&n, ORIBI_PASS_FUSE | ORIBI_PASS_BATCH_NORM);
    assert_int_equal(net_count(&n, NULL), 4);
    net_close(&n);
}

static void every_change_is_reported(void **state)
{
    (void)state;
    net n = net_compare(build_conv_norm_relu);
    bool has_norm = false, has_fuse = false;
    for (int32_t i = 0; i < n.report.n_changes; i++) {
        has_norm = has_norm || strcmp(n.report.changes[i].pass, "batch_norm") == 0;
        has_fuse = has_fuse || strcmp(n.report.changes[i].pass, "fuse") == 0;
    }
    assert_true(has_norm && has_fuse);
    net_close(&n);
}

static void build_slopes(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(1, 6, 5, 3));
    oribi_value_id y = bias_add(n, net_conv(n, "Conv2D", x, 3, 3, 8), 8);
    y = net_op(n, "ONNX>PRelu", IDS(y, net_floats(n, DIMS(1, 1, 8), 0.2F, 0.1F)));
    y = net_conv(n, "DepthwiseConv2dNative", y, 3, 8, 2);
    y = net_op(n, "ONNX>PRelu", IDS(y, net_floats(n, DIMS(16), 0.2F, 0.1F)));
    y = net_op(n, "ONNX>HardSwish", IDS(net_conv(n, "Conv2D", y, 1, 16, 70)));
    net_output(n, net_op(n, "ONNX>Swish", IDS(net_conv(n, "Conv2D", y, 1, 70, 8))));
}

static void activations_of_onnx_are_taken_along(void **state)
{
    (void)state;
    net n = net_compare(build_slopes);
    assert_int_equal(net_count(&n, NULL), 4);
    net_close(&n);
}

/* A slope for each pixel, or for each row, is none of the layer's. */
static void build_other_slopes(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(1, 6, 5, 3));
    oribi_value_id y = net_conv(n, "Conv2D", x, 3, 3, 8);
    y = net_op(n, "ONNX>PRelu", IDS(y, net_floats(n, DIMS(6, 5, 1), 0.2F, 0.1F)));
    y = net_conv(n, "Conv2D", y, 3, 8, 8);
    net_output(n, net_op(n, "ONNX>PRelu", IDS(y, net_input(n, "slope", DIMS(8)))));
}

static void slopes_that_are_no_channels_stay_outside(void **state)
{
    (void)state;
    net n = net_compare(build_other_slopes);
    assert_int_equal(net_count(&n, "ONNX>PRelu"), 2);
    net_close(&n);
}

/* A picture of so many planes in NCHW, turned for a convolution. */
static oribi_value_id turned(net *n, int64_t planes)
{
    return net_to_nhwc(n, net_input(n, "x", DIMS(2, planes, 9, 8)));
}

static void build_planes(net *n)
{
    oribi_value_id x = turned(n, 3);
    net_output(n, net_op(n, "Relu", IDS(bias_add(n, net_conv(n, "Conv2D", x, 3, 3, 8), 8))));
}

static void build_plain_planes(net *n)
{
    net_output(n, net_conv(n, "Conv2D", turned(n, 2), 5, 2, 4));
}

static void build_planes_that_two_read(net *n)
{
    oribi_value_id x = turned(n, 3);
    net_output(n, net_conv(n, "Conv2D", x, 3, 3, 8));
    net_output(n, net_conv(n, "Conv2D", x, 3, 3, 4));
}

static void build_many_planes(net *n)
{
    net_output(n, net_conv(n, "Conv2D", turned(n, 5), 3, 5, 8));
}

static void build_another_turn(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(2, 3, 9, 8));
    net_output(n, net_conv(n, "Conv2D", net_transpose(n, x, DIMS(0, 3, 2, 1)), 3, 3, 8));
}

static void first_layers_read_planes(void **state)
{
    static const struct {
        void (*build)(net *n);
        int32_t fused, turns;
    } cases[] = {{build_planes, 1, 0},
                 {build_plain_planes, 1, 0},
                 {build_planes_that_two_read, 0, 1},
                 {build_many_planes, 0, 1},
                 {build_another_turn, 0, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        net n = net_compare(cases[i].build);
        assert_int_equal(net_count(&n, "Oribi>FusedConv2d"), cases[i].fused);
        assert_int_equal(net_count(&n, "Transpose"), cases[i].turns);
        net_close(&n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(activations_of_onnx_are_taken_along),
        cmocka_unit_test(slopes_that_are_no_channels_stay_outside),
        cmocka_unit_test(convolution_bias_norm_and_relu_are_one_node),
        cmocka_unit_test(norm_scale_and_offset_fold_together),
        cmocka_unit_test(depthwise_weights_take_the_scale_of_their_channel),
        cmocka_unit_test(depthwise_with_explicit_padding_uses_our_own_fused_op),
        cmocka_unit_test(convolutions_pad_themselves),
        cmocka_unit_test(convolutions_pad_themselves_before_a_transpose),
        cmocka_unit_test(pools_pad_themselves_with_what_is_never_the_largest),
        cmocka_unit_test(pads_that_a_graph_optimiser_wrote_stay),
        cmocka_unit_test(a_layer_that_reads_planes_does_not_pad_itself),
        cmocka_unit_test(dense_layer_takes_bias_scale_and_relu),
        cmocka_unit_test(sum_with_another_branch_is_an_epilogue),
        cmocka_unit_test(a_sum_that_broadcasts_stays_a_sum),
        cmocka_unit_test(a_value_with_two_readers_is_not_swallowed),
        cmocka_unit_test(norm_before_a_convolution_is_one_node_with_its_relu),
        cmocka_unit_test(scaled_weights_of_one_element_take_a_vector),
        cmocka_unit_test(first_layers_read_planes),
        cmocka_unit_test(passes_can_be_switched_off),
        cmocka_unit_test(every_change_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
