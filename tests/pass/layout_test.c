/* SPDX-License-Identifier: Apache-2.0 */
/* Transposes cancel, and what comes out is the same as before. */
#include "pass/pass_test_support.h"

/* The chain that ONNX importers make: each NHWC op between two transposes. */
static oribi_value_id conv_nchw(net *n, oribi_value_id x, int64_t in, int64_t out)
{
    return net_to_nchw(n, net_conv(n, "Conv2D", net_to_nhwc(n, x), 3, in, out));
}

static void build_chain(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(1, 3, 6, 5));
    oribi_value_id y = net_op(n, "Relu", IDS(conv_nchw(n, x, 3, 4)));
    net_output(n, conv_nchw(n, y, 4, 7));
}

static void chain_of_convolutions_keeps_one_transpose_at_each_end(void **state)
{
    (void)state;
    net n = net_compare_without(ORIBI_PASS_FUSE, build_chain);
    assert_int_equal(net_count(&n, "Transpose"), 2);
    net_close(&n);
}

static void build_residual(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(1, 4, 6, 5));
    oribi_value_id a = conv_nchw(n, x, 4, 4);
    oribi_value_id b = conv_nchw(n, net_op(n, "Relu", IDS(a)), 4, 4);
    oribi_value_id channel = net_floats(n, DIMS(4, 1, 1), 1.0F, 0.5F);
    oribi_value_id sum = net_op(n, "AddV2", IDS(net_op(n, "Mul", IDS(b, channel)), a));
    oribi_value_id scalar = net_floats(n, DIMS(1), 1.0F, 0.5F);
    net_output(n, conv_nchw(n, net_op(n, "Mul", IDS(scalar, sum)), 4, 2));
}

static void sums_and_channel_constants_let_transposes_through(void **state)
{
    (void)state;
    net n = net_compare_without(ORIBI_PASS_FUSE, build_residual);
    assert_int_equal(net_count(&n, "Transpose"), 2);
    net_close(&n);
}

static void build_concat(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(1, 3, 6, 5));
    oribi_value_id a = conv_nchw(n, x, 3, 4), b = conv_nchw(n, x, 3, 2);
    oribi_value_id c = net_floats(n, DIMS(1, 3, 6, 5), 0.0F, 1.0F);
    oribi_node *node = net_node(n, "ConcatV2", IDS(a, b, c, net_int(n, 1)));
    net_output(n, conv_nchw(n, net_done(n, node), 9, 2));
}

static void concat_moves_its_axis(void **state)
{
    (void)state;
    net n = net_compare_without(ORIBI_PASS_FUSE, build_concat);
    assert_int_equal(net_count(&n, "Transpose"), 2);
    assert_int_equal(net_count(&n, "ConcatV2"), 1);
    net_close(&n);
}

static void build_shuffle(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(1, 6, 3, 5));
    oribi_value_id y = net_reshape(n, conv_nchw(n, x, 6, 6), DIMS(1, 2, 3, 3, 5));
    y = net_transpose(n, y, DIMS(0, 2, 1, 3, 4));
    y = net_reshape(n, y, DIMS(1, 6, 3, 5));
    net_output(n, conv_nchw(n, y, 6, 2));
}

static void channel_shuffle_in_the_order_of_convolutions_is_one_node(void **state)
{
    (void)state;
    net n = net_compare_without(ORIBI_PASS_FUSE, build_shuffle);
    assert_int_equal(net_count(&n, "Transpose"), 2);
    assert_int_equal(net_count(&n, "Oribi>ChannelShuffle"), 1);
    assert_int_equal(net_count(&n, "Reshape"), 0);
    net_close(&n);
}

/* Groups of every size, a lone pixel, and a swap that is no shuffle of channels. */
static void build_shuffles(net *n)
{
    static const int64_t groups[] = {1, 2, 3, 4, 6, 12};
    oribi_value_id x = net_input(n, "x", DIMS(2, 3, 12));
    for (int i = 0; i < 6; i++) {
        oribi_value_id y = net_reshape(n, x, DIMS(2, 3, groups[i], 12 / groups[i]));
        y = net_transpose(n, y, DIMS(0, 1, 3, 2));
        net_output(n, net_reshape(n, y, DIMS(2, 3, 12)));
    }
    oribi_value_id y = net_transpose(n, net_reshape(n, x, DIMS(2, 3, 3, 4)), DIMS(0, 1, 3, 2));
    net_output(n, net_reshape(n, y, DIMS(2, 36)));
}

static void shuffles_of_any_groups_give_what_the_three_steps_gave(void **state)
{
    (void)state;
    net n = net_compare_without(ORIBI_PASS_FUSE, build_shuffles);
    assert_int_equal(net_count(&n, "Oribi>ChannelShuffle"), 4); /* 1 and 12 do not move anything */
    assert_int_equal(net_count(&n, "Transpose"), 1);
    net_close(&n);
}

/* One channel a group, of planes, with two results of each; and two channels a group, which is no
 * depthwise layer. */
static void build_groups(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(1, 6, 5, 4));
    oribi_value_id y = net_to_nhwc(n, x);
    net_output(n, net_conv(n, "Conv2D", y, 3, 1, 12));
    net_output(n, net_conv(n, "Conv2D", y, 3, 1, 6));
    net_output(n, net_conv(n, "Conv2D", y, 3, 2, 9));
}

static void a_filter_of_one_channel_is_a_depthwise_layer(void **state)
{
    (void)state;
    net n = net_compare_without(ORIBI_PASS_FUSE, build_groups);
    assert_int_equal(net_count(&n, "DepthwiseConv2dNative"), 2);
    assert_int_equal(net_count(&n, "Conv2D"), 1);
    net_close(&n);
}

/* How many elements, and how many axes, does a transposed value have? Nothing is moved to tell it.
 */
static void build_size(net *n)
{
    oribi_value_id y = conv_nchw(n, net_input(n, "x", DIMS(-1, 3, 6, 5)), 3, 4);
    static const char *const told[] = {"Size", "Rank"};
    for (int i = 0; i < 2; i++) {
        oribi_node *node = net_node(n, "Cast", IDS(net_op(n, told[i], IDS(y))));
        oribi_attrs_set_type(&node->attrs, &n->graph->arena, "DstT", TF_FLOAT);
        net_output(n, net_done(n, node));
    }
}

static void size_and_rank_are_told_of_the_base(void **state)
{
    (void)state;
    net n = net_compare_without(ORIBI_PASS_FUSE, build_size);
    assert_int_equal(net_count(&n, "Transpose"), 1); /* before the convolution */
    assert_int_equal(net_count(&n, "Size"), 1);
    net_close(&n);
}

static void build_lines(net *n)
{
    oribi_value_id y = conv_nchw(n, net_input(n, "x", DIMS(1, 3, 6, 5)), 3, 4);
    oribi_node *sum = net_node(n, "Cumsum", IDS(y, net_int(n, 2)));
    net_output(n, conv_nchw(n, net_done(n, sum), 4, 2));
}

static void lines_along_an_axis_follow_it(void **state)
{
    (void)state;
    net n = net_compare_without(ORIBI_PASS_FUSE, build_lines);
    assert_int_equal(net_count(&n, "Transpose"), 2);
    assert_int_equal(net_count(&n, "Cumsum"), 1);
    net_close(&n);
}

static oribi_value_id dense(net *n, oribi_value_id x, int64_t in, int64_t out, bool transposed)
{
    oribi_value_id w = transposed ? net_floats(n, DIMS(out, in), 0.0F, 0.3F)
                                  : net_floats(n, DIMS(in, out), 0.0F, 0.3F);
    oribi_node *node = net_node(n, "MatMul", IDS(x, w));
    oribi_attrs_set_bool(&node->attrs, &n->graph->arena, "transpose_b", transposed);
    return net_done(n, node);
}

static void build_flatten(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(2, 3, 4, 5));
    oribi_value_id y = net_reshape(n, conv_nchw(n, x, 3, 6), DIMS(2, 120));
    net_output(n, dense(n, y, 120, 8, false));
    net_output(n, dense(n, y, 120, 9, true));
}

static void flatten_before_dense_layers_permutes_their_weights(void **state)
{
    (void)state;
    net n = net_compare_without(ORIBI_PASS_FUSE, build_flatten);
    assert_int_equal(net_count(&n, "Transpose"), 1);
    net_close(&n);
}

static void build_flatten_of_one_pixel(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(2, 3, 4, 5));
    oribi_value_id y = conv_nchw(n, x, 3, 6);
    oribi_node *mean = net_node(n, "Mean", IDS(y, net_ints(n, DIMS(2, 3))));
    oribi_attrs_set_bool(&mean->attrs, &n->graph->arena, "keep_dims", true);
    y = net_reshape(n, net_done(n, mean), DIMS(2, 6));
    net_output(n, dense(n, y, 6, 8, false));
}

static void global_mean_and_flatten_need_no_transpose(void **state)
{
    (void)state;
    net n = net_compare_without(ORIBI_PASS_FUSE, build_flatten_of_one_pixel);
    assert_int_equal(net_count(&n, "Transpose"), 1);
    net_close(&n);
}

static void build_mean_without_dims(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(2, 3, 4, 5));
    oribi_value_id y = conv_nchw(n, x, 3, 6);
    net_output(n, net_op(n, "Mean", IDS(y, net_ints(n, DIMS(-1, 2)))));
    net_output(n, net_op(n, "Max", IDS(y, net_ints(n, DIMS(1)))));
    net_output(n, net_op(n, "Sum", IDS(y, net_ints(n, DIMS(3)))));
}

static void reductions_move_their_axes(void **state)
{
    (void)state;
    net n = net_compare_without(ORIBI_PASS_FUSE, build_mean_without_dims);
    /* The input, and what is left of Sum over the width: [n, h, c] to [n, c, h]. */
    assert_int_equal(net_count(&n, "Transpose"), 2);
    net_close(&n);
}

static void build_pad_and_slice(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(1, 3, 6, 5));
    int32_t paddings[8] = {0, 0, 1, 2, 3, 4, 5, 6};
    int64_t dims[2] = {4, 2};
    oribi_value_id rows =
        oribi_graph_add_constant_copy(n->graph, "paddings", TF_INT32, dims, 2, paddings, n->status);
    oribi_value_id y = net_op(n, "Pad", IDS(conv_nchw(n, x, 3, 4), rows));
    oribi_value_id begin = net_ints(n, DIMS(0, 2, 0)), end = net_ints(n, DIMS(1, -1, 9));
    oribi_node *slice = net_node(n, "StridedSlice", IDS(y, begin, end, net_ints(n, DIMS(1, 2, 3))));
    oribi_attrs_set_int(&slice->attrs, &n->graph->arena, "begin_mask", 4);
    net_output(n, conv_nchw(n, net_done(n, slice), 2, 2));
}

static void pads_and_slices_move_their_rows(void **state)
{
    (void)state;
    net n = net_compare_without(ORIBI_PASS_FUSE, build_pad_and_slice);
    assert_int_equal(net_count(&n, "Transpose"), 2);
    net_close(&n);
}

static void build_unknown_batch(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(-1, 3, 4, 5));
    oribi_value_id y = net_op(n, "Relu", IDS(conv_nchw(n, x, 3, 6)));
    y = net_reshape(n, y, DIMS(-1, 120));
    net_output(n, dense(n, y, 120, 8, false));
}

static void an_unknown_batch_does_not_stop_it(void **state)
{
    (void)state;
    net n = net_compare_without(ORIBI_PASS_FUSE, build_unknown_batch);
    assert_int_equal(net_count(&n, "Transpose"), 1);
    net_close(&n);
}

static void build_several_readers(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(1, 3, 6, 5));
    oribi_value_id y = conv_nchw(n, x, 3, 4);
    net_output(n, y);
    net_output(n, net_op(n, "Relu", IDS(y)));
    net_output(n, net_op(n, "Softmax", IDS(y))); /* over the width: needs the model's order */
    net_output(n, net_to_nhwc(n, y));
}

static void what_needs_the_models_order_gets_it(void **state)
{
    (void)state;
    net n = net_compare_without(ORIBI_PASS_FUSE, build_several_readers);
    assert_int_equal(net_count(&n, "Transpose"), 3); /* input, y (shared with Softmax), Relu */
    net_close(&n);
}

static void build_input_straight_to_output(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(1, 3, 6, 5));
    net_output(n, net_to_nchw(n, net_to_nhwc(n, x)));
}

static void transposes_that_cancel_between_input_and_output_leave_a_copy(void **state)
{
    (void)state;
    net n = net_compare_without(ORIBI_PASS_FUSE, build_input_straight_to_output);
    assert_int_equal(net_count(&n, "Transpose"), 0);
    assert_int_equal(net_count(&n, "Identity"), 1);
    net_close(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(size_and_rank_are_told_of_the_base),
        cmocka_unit_test(lines_along_an_axis_follow_it),
        cmocka_unit_test(chain_of_convolutions_keeps_one_transpose_at_each_end),
        cmocka_unit_test(sums_and_channel_constants_let_transposes_through),
        cmocka_unit_test(concat_moves_its_axis),
        cmocka_unit_test(a_filter_of_one_channel_is_a_depthwise_layer),
        cmocka_unit_test(channel_shuffle_in_the_order_of_convolutions_is_one_node),
        cmocka_unit_test(shuffles_of_any_groups_give_what_the_three_steps_gave),
        cmocka_unit_test(flatten_before_dense_layers_permutes_their_weights),
        cmocka_unit_test(global_mean_and_flatten_need_no_transpose),
        cmocka_unit_test(reductions_move_their_axes),
        cmocka_unit_test(pads_and_slices_move_their_rows),
        cmocka_unit_test(an_unknown_batch_does_not_stop_it),
        cmocka_unit_test(what_needs_the_models_order_gets_it),
        cmocka_unit_test(transposes_that_cancel_between_input_and_output_leave_a_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
