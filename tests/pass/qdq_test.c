/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of DequantizeLinear and QuantizeLinear go: layers compute on quantised elements, within one
 * step of what the float graph gives. The bits are those of ONNX Runtime: tests/vectors/onnx_qdq_*.
 */
#include "pass/pass_test_support.h"

enum { STEPS_APART = 1 };

typedef struct pair { /* uint8 */
    float scale;
    uint8_t zero;
} pair;

static oribi_value_id number(net *n, TF_DataType dtype, const int64_t *dims, int32_t rank,
                             const void *data)
{
    oribi_value_id id =
        oribi_graph_add_constant_copy(n->graph, "number", dtype, dims, rank, data, n->status);
    net_check(n);
    return id;
}

static oribi_value_id linear(net *n, const char *op, oribi_value_id x, pair p)
{
    const oribi_value_id scale = number(n, TF_FLOAT, NULL, 0, &p.scale);
    return net_op(n, op, IDS(x, scale, number(n, TF_UINT8, NULL, 0, &p.zero)));
}

static oribi_value_id quantised(net *n, oribi_value_id x, pair p)
{
    return linear(n, "ONNX>QuantizeLinear", x, p);
}

static oribi_value_id dequantised(net *n, oribi_value_id x, pair p)
{
    return linear(n, "ONNX>DequantizeLinear", x, p);
}

static oribi_value_id both(net *n, oribi_value_id x, pair p)
{
    return dequantised(n, quantised(n, x, p), p);
}

/* Weights of int8 with a scale for each of the `channels` of an axis. */
static oribi_value_id weights(net *n, const int64_t *dims, int32_t rank, int64_t axis,
                              int64_t channels)
{
    int8_t values[1024] = {0}, zeros[16] = {0};
    float scales[16];
    int64_t count = 1;
    for (int32_t i = 0; i < rank; i++) {
        count *= dims[i];
    }
    assert_true(count <= 1024 && channels <= 16);
    for (int64_t i = 0; i < count; i++) {
        values[i] = (int8_t)(127.0F * net_number((uint32_t)n->graph->n_values, (uint32_t)i));
    }
    for (int64_t i = 0; i < channels; i++) {
        scales[i] = 0.002F + 0.001F * (float)i;
    }
    oribi_node *node = net_node(n, "ONNX>DequantizeLinear",
                                IDS(number(n, TF_INT8, dims, rank, values),
                                    number(n, TF_FLOAT, &channels, 1, scales),
                                    number(n, TF_INT8, &channels, 1, zeros)));
    oribi_attrs_set_int(&node->attrs, &n->graph->arena, "axis", axis);
    return net_done(n, node);
}

static oribi_value_id window(net *n, const char *op, const oribi_value_id *inputs, int32_t n_inputs,
                             bool has_size)
{
    const int64_t ones[4] = {1, 1, 1, 1}, twos[4] = {1, 2, 2, 1};
    oribi_node *node = net_node(n, op, inputs, n_inputs);
    oribi_attrs_set_ints(&node->attrs, &n->graph->arena, "strides", ones, 4);
    oribi_attrs_set_string(&node->attrs, &n->graph->arena, "padding", "SAME");
    if (has_size) {
        oribi_attrs_set_ints(&node->attrs, &n->graph->arena, "ksize", twos, 4);
    }
    return net_done(n, node);
}

/* Both nets give bytes (or floats of bytes) that are one step apart at most. */
static net compare(void (*build)(net *n), uint32_t disabled)
{
    net before = net_open(), after = net_open();
    build(&before);
    build(&after);
    net_pass(&after, disabled);
    TF_Tensor *expected = net_run(&before, 0), *found = net_run(&after, 0);
    assert_int_equal(TF_TensorType(expected), TF_TensorType(found));
    assert_int_equal(TF_TensorType(expected), TF_UINT8);
    assert_int_equal(TF_TensorElementCount(expected), TF_TensorElementCount(found));
    const uint8_t *a = TF_TensorData(expected), *b = TF_TensorData(found);
    int64_t n_inner = 0;
    for (int64_t i = 0; i < TF_TensorElementCount(expected); i++) {
        assert_true(abs(a[i] - b[i]) <= STEPS_APART);
        n_inner += a[i] > 0 && a[i] < 255 ? 1 : 0;
    }
    assert_true(n_inner > 0); /* saturation alone would say nothing */
    TF_DeleteTensor(expected);
    TF_DeleteTensor(found);
    net_close(&before);
    return after;
}

/* No float operator is left but the quantisation of the input. */
static void expect_integers(const net *n)
{
    for (int32_t i = 0; i < n->graph->n_nodes; i++) {
        const oribi_node *node = n->graph->nodes[i];
        if (!node->is_dead && n->graph->values[node->outputs[0]]->dtype == TF_FLOAT) {
            fail_msg("%s '%s' computes in float", node->op_name, node->name);
        }
    }
    assert_int_equal(net_count(n, "ONNX>DequantizeLinear"), 0);
}

static const pair in = {0.01F, 128}, middle = {0.05F, 0}, wide = {0.08F, 120};

/* --- Layers ---------------------------------------------------------------------------------- */

static void build_layers(net *n)
{
    oribi_value_id x = both(n, net_input(n, "x", DIMS(1, 3, 6, 6)), in);
    oribi_value_id y =
        window(n, "Conv2D", IDS(net_to_nhwc(n, x), weights(n, DIMS(3, 3, 3, 8), 3, 8)), false);
    y = net_op(n, "BiasAdd", IDS(y, net_floats(n, DIMS(8), 0.0F, 0.2F)));
    y = both(n, net_op(n, "Relu", IDS(net_to_nchw(n, y))), middle);
    y = both(n, window(n, "MaxPool", IDS(net_to_nhwc(n, y)), true), middle);
    oribi_value_id z =
        window(n, "DepthwiseConv2dNative", IDS(y, weights(n, DIMS(3, 3, 8, 1), 2, 8)), false);
    z = both(n, z, wide);
    z = both(n, net_op(n, "AddV2", IDS(y, z)), wide);
    z = both(n, window(n, "AvgPool", IDS(z), true), wide);
    z = both(n, net_reshape(n, z, DIMS(1, 288)), wide);
    z = net_op(n, "MatMul", IDS(z, weights(n, DIMS(288, 3), 1, 3)));
    net_output(n, quantised(n, z, (pair){0.2F, 128}));
}

static void layers_between_pairs_compute_in_integers(void **state)
{
    (void)state;
    net n = compare(build_layers, 0);
    expect_integers(&n);
    assert_int_equal(net_count(&n, "ONNX>QLinearConv2D"), 3);
    assert_int_equal(net_count(&n, "ONNX>QLinearMaxPool"), 1);
    assert_int_equal(net_count(&n, "ONNX>QLinearAveragePool"), 1);
    assert_int_equal(net_count(&n, "ONNX>QLinearAdd"), 1);
    assert_int_equal(net_count(&n, "ONNX>QuantizeLinear"), 1);
    assert_int_equal(net_count(&n, "Transpose"), 1); /* of the input */
    assert_int_equal(net_count(&n, "Relu"), 0);
    net_close(&n);
}

static void a_pass_that_is_switched_off_leaves_floats(void **state)
{
    (void)state;
    net n = compare(build_layers, ORIBI_PASS_QDQ);
    assert_int_equal(net_count(&n, "ONNX>QLinearConv2D"), 0);
    net_close(&n);
}

/* The rectified sum is read twice: as a byte, and as what it was before. */
static void build_shared(net *n)
{
    oribi_value_id x = both(n, net_input(n, "x", DIMS(1, 6, 6, 3)), in);
    oribi_value_id y = window(n, "Conv2D", IDS(x, weights(n, DIMS(3, 3, 3, 4), 3, 4)), false);
    oribi_value_id bytes = quantised(n, y, wide);
    net_output(n, bytes);
    net_output(n, net_op(n, "Relu", IDS(y)));
}

static void a_result_that_is_wanted_in_float_too_stays_one(void **state)
{
    (void)state;
    net n = compare(build_shared, 0);
    assert_int_equal(net_count(&n, "ONNX>QLinearConv2D"), 0);
    net_close(&n);
}

/* --- Functions ------------------------------------------------------------------------------- */

static void build_gate(net *n)
{
    oribi_value_id x = both(n, net_input(n, "x", DIMS(2, 3, 4, 5)), in);
    oribi_value_id y = net_op(n, "Mul", IDS(x, net_op(n, "Sigmoid", IDS(x))));
    y = net_op(n, "AddV2", IDS(y, net_floats(n, DIMS(1), 0.5F, 0.0F)));
    net_output(n, quantised(n, y, (pair){0.01F, 20}));
}

static void a_function_of_one_tensor_is_a_table(void **state)
{
    (void)state;
    net n = compare(build_gate, 0);
    expect_integers(&n);
    assert_int_equal(net_count(&n, "ONNX>QLinearTable"), 1);
    assert_int_equal(net_count(&n, NULL), 2);
    net_close(&n);
}

static oribi_node *of_bytes(net *n, const char *op, const oribi_value_id *inputs, int32_t n_inputs)
{
    oribi_node *node = net_node(n, op, inputs, n_inputs);
    oribi_attrs_set_string(&node->attrs, &n->graph->arena, "rounding", "tflite");
    return node;
}

static void set_pair(net *n, oribi_node *node, const char *scale, const char *zero, pair p)
{
    oribi_attrs_set_float(&node->attrs, &n->graph->arena, scale, p.scale);
    oribi_attrs_set_int(&node->attrs, &n->graph->arena, zero, p.zero);
}

static const pair share = {1.0F / 256, 0};

static oribi_value_id logistic(net *n, oribi_value_id x)
{
    oribi_node *node = of_bytes(n, "Oribi>QUnary", IDS(x));
    oribi_attrs_set_string(&node->attrs, &n->graph->arena, "function", "LOGISTIC");
    oribi_attrs_set_float(&node->attrs, &n->graph->arena, "alpha", 0.0F);
    set_pair(n, node, "input_scale", "input_zero", in);
    set_pair(n, node, "output_scale", "output_zero", share);
    return net_done(n, node);
}

static oribi_value_id product(net *n, oribi_value_id a, oribi_value_id b)
{
    oribi_node *node = of_bytes(n, "Oribi>QMul", IDS(a, b));
    oribi_attrs_set_string(&node->attrs, &n->graph->arena, "activation", "NONE");
    set_pair(n, node, "a_scale", "a_zero", in);
    set_pair(n, node, "b_scale", "b_zero", share);
    set_pair(n, node, "output_scale", "output_zero", in);
    return net_done(n, node);
}

/* As TFLite writes it: a gate of its own and of another tensor, one whose share is wanted too, and
 * a gate of what is a function of two tensors. */
static void build_byte_gates(net *n)
{
    const oribi_value_id x = quantised(n, net_input(n, "x", DIMS(1, 3, 4, 5)), in);
    const oribi_value_id y = quantised(n, net_input(n, "y", DIMS(1, 3, 4, 5)), in);
    const oribi_value_id shown = logistic(n, y), both_sides = product(n, x, y);
    net_output(n, product(n, x, logistic(n, x)));
    net_output(n, shown);
    net_output(n, product(n, y, shown));
    net_output(n, product(n, both_sides, logistic(n, both_sides)));
}

static void a_function_of_bytes_is_a_table(void **state)
{
    (void)state;
    net n = compare(build_byte_gates, 0);
    assert_int_equal(net_count(&n, "ONNX>QLinearTable"), 2);
    assert_int_equal(net_count(&n, "Oribi>QUnary"), 1);
    assert_int_equal(net_count(&n, "Oribi>QMul"), 2);
    net_close(&n);
}

/* A constant of more dimensions would give the result more than its input has. */
static void build_wider(net *n)
{
    oribi_value_id x = both(n, net_input(n, "x", DIMS(5)), in);
    oribi_value_id y = net_op(n, "Mul", IDS(x, net_floats(n, DIMS(1, 1), 0.5F, 0.0F)));
    net_output(n, quantised(n, y, in));
}

static void a_broadcast_that_adds_dimensions_is_no_table(void **state)
{
    (void)state;
    net n = compare(build_wider, 0);
    assert_int_equal(net_count(&n, "ONNX>QLinearTable"), 0);
    net_close(&n);
}

static void build_pairs(net *n)
{
    oribi_value_id x = both(n, both(n, net_input(n, "x", DIMS(4, 5)), in), in);
    x = net_op(n, "ConcatV2", IDS(x, both(n, x, in), net_int(n, 0)));
    net_output(n, quantised(n, x, in));
}

static void pairs_of_one_quantisation_go(void **state)
{
    (void)state;
    net n = compare(build_pairs, 0);
    expect_integers(&n);
    assert_int_equal(net_count(&n, "ONNX>QLinearTable"), 0);
    assert_int_equal(net_count(&n, "ONNX>QuantizeLinear"), 1);
    net_close(&n);
}

/* --- Sums that a model scales ------------------------------------------------------------------
 */

/* What exporters make of a dynamically quantised layer; `dims` are those of the scale. */
static oribi_value_id scaled_product(net *n, oribi_value_id x, const int64_t *dims, int32_t rank)
{
    int8_t values[5 * 6];
    const int32_t zeros[1] = {3};
    for (int32_t i = 0; i < 5 * 6; i++) {
        values[i] = (int8_t)(100.0F * net_number(9, (uint32_t)i));
    }
    const oribi_value_id zero = number(n, TF_INT32, DIMS(1), zeros);
    oribi_node *node = net_node(n, "ONNX>QLinearMatMul",
                                IDS(x, number(n, TF_INT8, DIMS(5, 6), values), zero, zero,
                                    net_floats(n, DIMS(1), 1.0F, 0.0F)));
    oribi_attrs_set_type(&node->attrs, &n->graph->arena, "Ty", TF_INT32);
    oribi_attrs_set_int(&node->attrs, &n->graph->arena, "output_zero", 0);
    oribi_node *cast = net_node(n, "Cast", IDS(net_done(n, node)));
    oribi_attrs_set_type(&cast->attrs, &n->graph->arena, "DstT", TF_FLOAT);
    const oribi_value_id sums = net_done(n, cast);
    return net_op(n, "Mul", IDS(net_floats(n, dims, rank, 0.01F, 0.005F), sums));
}

static void build_scaled(net *n)
{
    oribi_value_id x = quantised(n, net_input(n, "x", DIMS(4, 5)), in);
    net_output(n, scaled_product(n, x, NULL, 0));
    net_output(n, scaled_product(n, x, DIMS(6)));
    net_output(n, scaled_product(n, x, DIMS(1, 6)));
    net_output(n, scaled_product(n, x, DIMS(4, 1))); /* of rows: these two stay */
    net_output(n, scaled_product(n, x, DIMS(1, 1, 1)));
}

static void sums_scaled_by_column_are_scaled_by_the_product(void **state)
{
    (void)state;
    net before = net_open(), after = net_open();
    build_scaled(&before);
    build_scaled(&after);
    net_pass(&after, ORIBI_PASS_FOLD); /* weights stay beside the numbers that tell them */
    for (int32_t i = 0; i < 5; i++) {
        TF_Tensor *expected = net_run(&before, i), *found = net_run(&after, i);
        assert_int_equal(TF_TensorByteSize(expected), TF_TensorByteSize(found));
        assert_memory_equal(TF_TensorData(expected), TF_TensorData(found),
                            TF_TensorByteSize(found));
        TF_DeleteTensor(expected);
        TF_DeleteTensor(found);
    }
    assert_int_equal(net_count(&after, "ONNX>QLinearMatMul"), 5);
    assert_int_equal(net_count(&after, "Mul"), 2);
    assert_int_equal(net_count(&after, "Cast"), 2);
    net_close(&before);
    net_close(&after);
}

/* --- What stays --------------------------------------------------------------------------------
 */

static void build_nothing(net *n)
{
    oribi_value_id x = both(n, net_input(n, "x", DIMS(4, 5)), in);
    oribi_value_id y = both(n, net_input(n, "y", DIMS(4, 5)), in);
    net_output(n, quantised(n, net_op(n, "Sub", IDS(x, y)), in));
}

static void what_has_no_quantised_op_computes_between_its_pairs(void **state)
{
    (void)state;
    net n = compare(build_nothing, 0);
    assert_int_equal(net_count(&n, "Sub"), 1);
    assert_int_equal(net_count(&n, "ONNX>DequantizeLinear"), 2);
    net_close(&n);
}

static void build_computed_scale(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(4, 5));
    oribi_value_id most = net_op(n, "Max", IDS(net_op(n, "Abs", IDS(x)), net_ints(n, DIMS(0, 1))));
    const uint8_t zero = 128;
    oribi_value_id scale = net_op(n, "Mul", IDS(most, net_floats(n, DIMS(1), 0.01F, 0.0F)));
    oribi_value_id point = number(n, TF_UINT8, DIMS(1), &zero);
    oribi_value_id y = net_op(n, "ONNX>QuantizeLinear", IDS(x, scale, point));
    y = net_op(n, "Sigmoid", IDS(net_op(n, "ONNX>DequantizeLinear", IDS(y, scale, point))));
    net_output(n, quantised(n, y, (pair){0.005F, 0}));
}

static void a_computed_scale_stays(void **state)
{
    (void)state;
    net n = compare(build_computed_scale, 0);
    assert_int_equal(net_count(&n, "Sigmoid"), 1);
    net_close(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_between_pairs_compute_in_integers),
        cmocka_unit_test(a_pass_that_is_switched_off_leaves_floats),
        cmocka_unit_test(a_result_that_is_wanted_in_float_too_stays_one),
        cmocka_unit_test(a_function_of_one_tensor_is_a_table),
        cmocka_unit_test(a_function_of_bytes_is_a_table),
        cmocka_unit_test(a_broadcast_that_adds_dimensions_is_no_table),
        cmocka_unit_test(pairs_of_one_quantisation_go),
        cmocka_unit_test(sums_scaled_by_column_are_scaled_by_the_product),
        cmocka_unit_test(what_has_no_quantised_op_computes_between_its_pairs),
        cmocka_unit_test(a_computed_scale_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
