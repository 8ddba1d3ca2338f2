/* SPDX-License-Identifier: Apache-2.0 */
/* Ops of a plugin take part in what is done around ours, where they say what they are: layout,
 * folding, tables of quantised tensors, fusions. Weighing: tests/devices/weigh_test.c.
 */
#include "pass/pass_test_support.h"
#include "plugin/loading.h"

static int setup(void **state)
{
    (void)state;
    setenv("ORIBI_PLUGIN_PROBE", TEST_PROBE, 1);
    assert_loads(PLUGIN("vendor_ops"));
    return 0;
}

/* --- Layout ---------------------------------------------------------------------------------- */

static const char *tried; /* the op that a graph is built with */

static bool is_tried(const char *op)
{
    return strcmp(tried, op) == 0;
}

static oribi_value_id conv_nchw(net *n, oribi_value_id x, int64_t in, int64_t out)
{
    return net_to_nchw(n, net_conv(n, "Conv2D", net_to_nhwc(n, x), 3, in, out));
}

static oribi_value_id reduced(net *n, oribi_value_id x)
{
    oribi_node *node = net_node(n, tried, IDS(x, net_ints(n, DIMS(3))));
    if (is_tried("Max")) {
        oribi_attrs_set_bool(&node->attrs, &n->graph->arena, "keep_dims", true);
    }
    return net_done(n, node);
}

/* The last two dimensions as one. */
static oribi_value_id merged(net *n, oribi_value_id x, const int64_t *dims, int32_t rank)
{
    return is_tried("Reshape") ? net_reshape(n, x, dims, rank) : net_op(n, tried, IDS(x));
}

static void build_elementwise(net *n)
{
    oribi_value_id y = conv_nchw(n, net_input(n, "x", DIMS(1, 3, 6, 5)), 3, 4);
    y = is_tried("TruncateMod") ? net_op(n, tried, IDS(y, net_floats(n, DIMS(1), 0.7F, 0)))
                                : net_op(n, tried, IDS(y));
    net_output(n, conv_nchw(n, y, 4, 7));
}

static void build_view(net *n)
{
    oribi_value_id y = conv_nchw(n, net_input(n, "x", DIMS(1, 3, 6, 5)), 3, 4);
    y = net_op(n, "Relu", IDS(merged(n, y, DIMS(1, 4, 30))));
    net_output(n, conv_nchw(n, net_reshape(n, y, DIMS(1, 4, 6, 5)), 4, 7));
}

static void build_reduction(net *n)
{
    oribi_value_id y = conv_nchw(n, net_input(n, "x", DIMS(1, 3, 6, 5)), 3, 4);
    net_output(n, conv_nchw(n, reduced(n, y), 4, 7));
}

/* Nodes of `op` that are left of a graph that was built with `with`. */
static int left_without(uint32_t disabled, void (*build)(net *n), const char *with, const char *op)
{
    tried = with;
    net n = net_compare_without(disabled, build);
    const int count = net_count(&n, op);
    net_close(&n);
    return count;
}

static int left(void (*build)(net *n), const char *with, const char *op)
{
    return left_without(0, build, with, op);
}

/* A first layer that is fused would read the planes, and take its transpose along. */
static int left_by_layout(void (*build)(net *n), const char *with, const char *op)
{
    return left_without(ORIBI_PASS_FUSE, build, with, op);
}

static void an_elementwise_op_lets_transposes_through_as_ours_do(void **state)
{
    (void)state;
    assert_int_equal(left_by_layout(build_elementwise, "Elu", "Transpose"), 2);
    assert_int_equal(left_by_layout(build_elementwise, "Test>Bend", "Transpose"), 2);
    assert_int_equal(left_by_layout(build_elementwise, "Test>Bend", "Test>Bend"), 1);
    assert_int_equal(left_by_layout(build_elementwise, "Test>SilentBend", "Transpose"), 4);
}

static void ops_of_ours_that_a_list_forgot_do_so_too(void **state)
{
    (void)state;
    static const char *const ops[] = {"TruncateMod", "Lgamma", "OnesLike", "Erfc"};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        assert_int_equal(left_by_layout(build_elementwise, ops[i], "Transpose"), 2);
    }
}

static void a_view_is_reshaped_in_the_order_of_convolutions(void **state)
{
    (void)state;
    assert_int_equal(left_by_layout(build_view, "Reshape", "Transpose"), 2);
    assert_int_equal(left_by_layout(build_view, "Test>Merge", "Transpose"), 2);
    assert_int_equal(left_by_layout(build_view, "Test>SilentMerge", "Transpose"), 4);
}

static void a_reduction_takes_its_axes_along(void **state)
{
    (void)state;
    const int silent = left_by_layout(build_reduction, "Test>SilentSpan", "Transpose");
    assert_int_equal(left_by_layout(build_reduction, "Max", "Transpose"), 2);
    assert_int_equal(left_by_layout(build_reduction, "Test>Span", "Transpose"), 2);
    assert_int_equal(silent, 4);
}

/* --- Folding --------------------------------------------------------------------------------- */

/* Four megabytes that are one element; a result of that size is not kept, and not made either. */
static oribi_value_id repeated(net *n)
{
    oribi_value_id value = net_floats(n, DIMS(1), 0.25F, 0);
    return net_op(
        n, "Fill",
        IDS(net_ints(n, DIMS(1, 4, 512, 512)), net_reshape(n, value, (const int64_t[]){0}, 0)));
}

static void build_repeated(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(1, 1, 1));
    net_output(
        n, net_op(n, "AddV2",
                  IDS(x, net_reshape(n, net_op(n, tried, IDS(repeated(n))), DIMS(1, 4, 262144)))));
}

static void build_constant_view(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(1, 1, 1));
    oribi_value_id large = net_floats(n, DIMS(1, 4, 512, 512), 0, 1);
    net_output(n, net_op(n, "AddV2", IDS(x, merged(n, large, DIMS(1, 4, 262144)))));
}

static void what_is_computed_of_one_repeated_element_is_one_again(void **state)
{
    (void)state;
    assert_int_equal(left(build_repeated, "Elu", NULL), 1);
    assert_int_equal(left(build_repeated, "Test>Bend", NULL), 1);
    assert_int_equal(left(build_repeated, "Test>SilentBend", "Test>SilentBend"), 1);
}

static void a_view_of_a_constant_is_no_copy(void **state)
{
    (void)state;
    assert_int_equal(left(build_constant_view, "Reshape", NULL), 1);
    assert_int_equal(left(build_constant_view, "Test>Merge", NULL), 1);
    assert_int_equal(left(build_constant_view, "Test>SilentMerge", "Test>SilentMerge"), 1);
}

/* --- Quantised tensors ----------------------------------------------------------------------- */

static oribi_value_id linear(net *n, const char *op, oribi_value_id x)
{
    static const float scale = 0.0625F;
    static const uint8_t zero = 128;
    const oribi_value_id s =
        oribi_graph_add_constant_copy(n->graph, "scale", TF_FLOAT, NULL, 0, &scale, n->status);
    const oribi_value_id z =
        oribi_graph_add_constant_copy(n->graph, "zero", TF_UINT8, NULL, 0, &zero, n->status);
    net_check(n);
    return net_op(n, op, IDS(x, s, z));
}

static oribi_value_id both(net *n, oribi_value_id x)
{
    return linear(n, "ONNX>DequantizeLinear", linear(n, "ONNX>QuantizeLinear", x));
}

static void build_quantised(net *n)
{
    net_output(n, both(n, net_op(n, tried, IDS(both(n, net_input(n, "x", DIMS(2, 3, 4)))))));
}

static void build_quantised_view(net *n)
{
    oribi_value_id y = both(n, net_input(n, "x", DIMS(1, 4, 6, 5)));
    net_output(n, both(n, merged(n, y, DIMS(1, 4, 30))));
}

static void a_function_of_a_quantised_tensor_is_a_table(void **state)
{
    (void)state;
    assert_int_equal(left(build_quantised, "Elu", "ONNX>QLinearTable"), 1);
    assert_int_equal(left(build_quantised, "Test>Bend", "ONNX>QLinearTable"), 1);
    assert_int_equal(left(build_quantised, "Test>Bend", "Test>Bend"), 0);
    assert_int_equal(left(build_quantised, "Test>SilentBend", "ONNX>QLinearTable"), 0);
}

static void a_view_moves_quantised_elements(void **state)
{
    (void)state;
    assert_int_equal(left(build_quantised_view, "Reshape", "ONNX>QuantizeLinear"), 1);
    assert_int_equal(left(build_quantised_view, "Test>Merge", "ONNX>QuantizeLinear"), 1);
    assert_int_equal(left(build_quantised_view, "Test>SilentMerge", "ONNX>QuantizeLinear"), 2);
}

/* --- Fusions --------------------------------------------------------------------------------- */

static oribi_value_id scaled(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(2, 3, 4));
    return net_op(n, "Test>Scale", IDS(x, net_floats(n, DIMS(4), 1, 1)));
}

static oribi_value_id biased(net *n)
{
    return net_op(n, tried, IDS(scaled(n), net_floats(n, DIMS(4), 0, 1)));
}

static void build_scale_bias_relu(net *n)
{
    net_output(n, net_op(n, "Relu", IDS(biased(n))));
}

static void build_scale_bias(net *n)
{
    net_output(n, biased(n));
}

static void build_scale_activation(net *n)
{
    net_output(n, net_op(n, tried, IDS(scaled(n))));
}

static void build_bend_add(net *n)
{
    oribi_value_id y = net_op(n, tried, IDS(net_input(n, "x", DIMS(2, 3, 4))));
    net_output(n, net_op(n, "AddV2", IDS(net_input(n, "b", DIMS(2, 3, 4)), y)));
}

/* The addend is of another shape, which Test>BendAdd's result would not have. */
static void build_bend_add_wider(net *n)
{
    oribi_value_id y = net_op(n, tried, IDS(net_input(n, "x", DIMS(1, 3, 4))));
    net_output(n, net_op(n, "AddV2", IDS(net_input(n, "b", DIMS(2, 3, 4)), y)));
}

static void a_vendor_s_layer_takes_bias_and_activation_along(void **state)
{
    (void)state;
    static const char *const sums[] = {"BiasAdd", "AddV2", "Add"};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        assert_int_equal(left(build_scale_bias_relu, sums[i], NULL), 1);
        assert_int_equal(left(build_scale_bias_relu, sums[i], "Test>ScaleBias"), 1);
        assert_int_equal(left(build_scale_bias, sums[i], "Test>ScaleBias"), 1);
    }
    assert_int_equal(left(build_scale_activation, "Relu", "Test>ScaleBias"), 1);
    assert_int_equal(left(build_scale_activation, "Relu", NULL), 1);
    assert_int_equal(left(build_scale_activation, "Relu6", "Test>ScaleBias"), 0);
}

static void a_vendor_s_chain_of_elementwise_ops_is_one_node(void **state)
{
    (void)state;
    assert_int_equal(left(build_bend_add, "Test>Bend", NULL), 1);
    assert_int_equal(left(build_bend_add, "Test>Bend", "Test>BendAdd"), 1);
    assert_int_equal(left(build_bend_add, "Elu", "Test>BendAdd"), 0);
    assert_int_equal(left(build_bend_add_wider, "Test>Bend", "Test>BendAdd"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_elementwise_op_lets_transposes_through_as_ours_do),
        cmocka_unit_test(ops_of_ours_that_a_list_forgot_do_so_too),
        cmocka_unit_test(a_view_is_reshaped_in_the_order_of_convolutions),
        cmocka_unit_test(a_reduction_takes_its_axes_along),
        cmocka_unit_test(what_is_computed_of_one_repeated_element_is_one_again),
        cmocka_unit_test(a_view_of_a_constant_is_no_copy),
        cmocka_unit_test(a_function_of_a_quantised_tensor_is_a_table),
        cmocka_unit_test(a_view_moves_quantised_elements),
        cmocka_unit_test(a_vendor_s_layer_takes_bias_and_activation_along),
        cmocka_unit_test(a_vendor_s_chain_of_elementwise_ops_is_one_node),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
