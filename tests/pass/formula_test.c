/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes as exporters write Gelu, a layer normalisation and other formulas become one op with the
 * same results; what only looks like them stays.
 */
#include "pass/pass_test_support.h"

static oribi_value_id number(net *n, float value)
{
    return net_floats(n, NULL, 0, value, 0.0F);
}

static oribi_value_id two(net *n, const char *op, oribi_value_id a, oribi_value_id b)
{
    return net_op(n, op, IDS(a, b));
}

static oribi_value_id one(net *n, const char *op, oribi_value_id a)
{
    return net_op(n, op, IDS(a));
}

static void expect_one(void (*build)(net *n), const char *op)
{
    net n = net_compare(build);
    if (net_count(&n, NULL) != 1 || net_count(&n, op) != 1) {
        net_print(&n);
        fail_msg("not one %s", op);
    }
    net_close(&n);
}

/* --- Gelu ------------------------------------------------------------------------------------ */

static oribi_value_id gelu_gate(net *n, oribi_value_id x)
{
    oribi_value_id inner = two(n, "RealDiv", x, number(n, 1.41421356F));
    return two(n, "AddV2", one(n, "Erf", inner), number(n, 1.0F));
}

static void gelu_half_last(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(3, 40));
    net_output(n, two(n, "Mul", two(n, "Mul", x, gelu_gate(n, x)), number(n, 0.5F)));
}

static void gelu_half_first(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(3, 40));
    net_output(n, two(n, "Mul", two(n, "Mul", number(n, 0.5F), x), gelu_gate(n, x)));
}

static void gelu_halves_by_division(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(3, 40));
    oribi_value_id inner = two(n, "Mul", number(n, 0.70710677F), x);
    oribi_value_id gate = two(n, "AddV2", number(n, 1.0F), one(n, "Erf", inner));
    net_output(n, two(n, "RealDiv", two(n, "Mul", gate, x), number(n, 2.0F)));
}

static void gelu_is_found_in_every_order(void **state)
{
    (void)state;
    expect_one(gelu_half_last, "ONNX>Gelu");
    expect_one(gelu_half_first, "ONNX>Gelu");
    expect_one(gelu_halves_by_division, "ONNX>Gelu");
}

static oribi_value_id tanh_gelu(net *n, oribi_value_id x, oribi_value_id inner)
{
    oribi_value_id gate = one(n, "Tanh", two(n, "Mul", inner, number(n, 0.79788456F)));
    gate = two(n, "AddV2", gate, number(n, 1.0F));
    return two(n, "Mul", two(n, "Mul", x, number(n, 0.5F)), gate);
}

static void gelu_tanh_by_pow(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(3, 40));
    oribi_value_id cube = two(n, "Pow", x, number(n, 3.0F));
    oribi_value_id inner = two(n, "AddV2", x, two(n, "Mul", cube, number(n, 0.044715F)));
    net_output(n, tanh_gelu(n, x, inner));
}

static void gelu_tanh_by_products(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(3, 40));
    oribi_value_id square = two(n, "Mul", x, x);
    oribi_value_id cube = two(n, "Mul", two(n, "Mul", number(n, 0.044715F), square), x);
    net_output(n, tanh_gelu(n, x, two(n, "AddV2", cube, x)));
}

static void gelu_tanh_with_x_outside(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(3, 40));
    oribi_value_id square = two(n, "Mul", number(n, 0.044715F), one(n, "Square", x));
    oribi_value_id inner = two(n, "Mul", two(n, "AddV2", square, number(n, 1.0F)), x);
    net_output(n, tanh_gelu(n, x, inner));
}

static void gelu_by_tanh_is_told_apart(void **state)
{
    (void)state;
    expect_one(gelu_tanh_by_pow, "ONNX>Gelu");
    expect_one(gelu_tanh_by_products, "ONNX>Gelu");
    expect_one(gelu_tanh_with_x_outside, "ONNX>Gelu");
}

/* --- Normalisations -------------------------------------------------------------------------- */

static oribi_value_id mean(net *n, oribi_value_id x)
{
    oribi_node *node = net_node(n, "Mean", IDS(x, net_ints(n, DIMS(-1))));
    assert_true(oribi_attrs_set_bool(&node->attrs, &n->graph->arena, "keep_dims", true));
    return net_done(n, node);
}

static void norm_by_pow_and_sqrt(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(2, 3, 40));
    oribi_value_id d = two(n, "Sub", x, mean(n, x));
    oribi_value_id v = mean(n, two(n, "Pow", d, number(n, 2.0F)));
    v = one(n, "Sqrt", two(n, "AddV2", v, number(n, 1e-5F)));
    d = two(n, "Mul", two(n, "RealDiv", d, v), net_floats(n, DIMS(40), 1.0F, 0.5F));
    net_output(n, two(n, "AddV2", d, net_floats(n, DIMS(40), 0.0F, 0.5F)));
}

/* Old exporters subtract twice. */
static void norm_by_rsqrt_and_two_differences(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(2, 3, 40));
    oribi_value_id m = mean(n, x), d = two(n, "Sub", x, m), e = two(n, "Sub", x, m);
    oribi_value_id v =
        one(n, "Rsqrt", two(n, "AddV2", number(n, 1e-5F), mean(n, two(n, "Mul", e, e))));
    d = two(n, "Mul", net_floats(n, DIMS(40), 1.0F, 0.5F), two(n, "Mul", d, v));
    net_output(n, two(n, "AddV2", net_floats(n, DIMS(40), 0.0F, 0.5F), d));
}

static void norm_without_vectors(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(2, 3, 40));
    oribi_value_id d = two(n, "Sub", x, mean(n, x));
    oribi_value_id v = two(n, "AddV2", mean(n, one(n, "Square", d)), number(n, 1e-5F));
    net_output(n, two(n, "RealDiv", d, two(n, "Pow", v, number(n, 0.5F))));
}

static void rms_norm(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(2, 3, 40));
    oribi_value_id v = two(n, "AddV2", mean(n, one(n, "Square", x)), number(n, 1e-5F));
    v = two(n, "Mul", x, one(n, "Reciprocal", one(n, "Sqrt", v)));
    net_output(n, two(n, "Mul", net_floats(n, DIMS(40), 1.0F, 0.5F), v));
}

static void normalisations_of_rows_are_one_node(void **state)
{
    (void)state;
    expect_one(norm_by_pow_and_sqrt, "Oribi>LayerNorm");
    expect_one(norm_by_rsqrt_and_two_differences, "Oribi>LayerNorm");
    expect_one(norm_without_vectors, "Oribi>LayerNorm");
    expect_one(rms_norm, "Oribi>RmsNorm");
}

/* --- Others ---------------------------------------------------------------------------------- */

static void swish(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(3, 40));
    net_output(n, two(n, "Mul", one(n, "Sigmoid", two(n, "Mul", x, number(n, 1.702F))), x));
}

static void silu(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(3, 40));
    net_output(n, two(n, "Mul", x, one(n, "Sigmoid", x)));
}

static void prelu(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(1, 4, 5, 8)), zero = number(n, 0.0F);
    oribi_value_id low =
        two(n, "Mul", two(n, "Minimum", x, zero), net_floats(n, DIMS(8), 0.2F, 0.1F));
    net_output(n, two(n, "AddV2", two(n, "Maximum", x, zero), low));
}

static void hard_swish(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(3, 40));
    oribi_value_id gate = one(n, "Relu6", two(n, "AddV2", x, number(n, 3.0F)));
    net_output(n, two(n, "RealDiv", two(n, "Mul", x, gate), number(n, 6.0F)));
}

/* As the importer of ONNX writes it; the scale and the offset of all channels are one number. */
static void hard_swish_of_an_image(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(1, 4, 5, 8));
    oribi_value_id gate = two(n, "Mul", x, number(n, 1.0F / 6.0F));
    gate = two(n, "AddV2", gate, number(n, 0.5F));
    gate = net_op(n, "ClipByValue", IDS(gate, number(n, 0.0F), number(n, 1.0F)));
    net_output(n, two(n, "Mul", x, gate));
}

static void mish(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(3, 40));
    net_output(n, two(n, "Mul", x, one(n, "Tanh", one(n, "Softplus", x))));
}

static void activations_are_one_node(void **state)
{
    (void)state;
    expect_one(swish, "ONNX>Swish");
    expect_one(silu, "ONNX>Swish");
    expect_one(prelu, "ONNX>PRelu");
    expect_one(hard_swish, "ONNX>HardSwish");
    expect_one(hard_swish_of_an_image, "ONNX>HardSwish");
    expect_one(mish, "ONNX>Mish");
}

/* --- What is none ---------------------------------------------------------------------------- */

static void gelu_with_another_number(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(3, 40));
    net_output(n, two(n, "Mul", two(n, "Mul", x, gelu_gate(n, x)), number(n, 0.501F)));
}

static void gelu_of_two_values(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(3, 40)), y = net_input(n, "y", DIMS(3, 40));
    net_output(n, two(n, "Mul", two(n, "Mul", x, gelu_gate(n, y)), number(n, 0.5F)));
}

static void gelu_whose_gate_is_read(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(3, 40)), gate = gelu_gate(n, x);
    net_output(n, two(n, "Mul", two(n, "Mul", x, gate), number(n, 0.5F)));
    net_output(n, one(n, "Neg", gate));
}

/* The vectors go along another axis, or make the result larger. */
static void norm_with_columns(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(2, 3, 40));
    oribi_value_id v = two(n, "AddV2", mean(n, one(n, "Square", x)), number(n, 1e-5F));
    v = two(n, "Mul", x, one(n, "Rsqrt", v));
    net_output(n, two(n, "Mul", net_floats(n, DIMS(3, 1), 1.0F, 0.5F), v));
}

static void norm_that_broadcasts(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(3, 1));
    oribi_value_id v = two(n, "AddV2", mean(n, one(n, "Square", x)), number(n, 1e-5F));
    v = two(n, "Mul", x, one(n, "Rsqrt", v));
    net_output(n, two(n, "Mul", net_floats(n, DIMS(40), 1.0F, 0.5F), v));
}

static void expect_none(void (*build)(net *n), const char *op)
{
    net n = net_compare(build);
    assert_int_equal(net_count(&n, op), 0);
    net_close(&n);
}

static void what_only_looks_like_a_formula_stays(void **state)
{
    (void)state;
    expect_none(gelu_with_another_number, "ONNX>Gelu");
    expect_none(gelu_of_two_values, "ONNX>Gelu");
    expect_none(gelu_whose_gate_is_read, "ONNX>Gelu");
    net n = net_compare(norm_with_columns);
    assert_int_equal(net_count(&n, "Mul"), 1); /* behind the normalisation */
    net_close(&n);
    n = net_compare(norm_that_broadcasts);
    assert_int_equal(net_count(&n, "Mul"), 1);
    net_close(&n);
}

static void emitted_layers_know_no_formulas(void **state)
{
    (void)state;
    net n = net_open();
    const oribi_pass_options options = {.plain_activations = true};
    gelu_half_last(&n);
    assert_true(oribi_pass_run_all(n.graph, &options, NULL, n.status));
    assert_int_equal(net_count(&n, NULL), 5);
    net_close(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gelu_is_found_in_every_order),
                                       cmocka_unit_test(gelu_by_tanh_is_told_apart),
                                       cmocka_unit_test(normalisations_of_rows_are_one_node),
                                       cmocka_unit_test(activations_are_one_node),
                                       cmocka_unit_test(what_only_looks_like_a_formula_stays),
                                       cmocka_unit_test(emitted_layers_know_no_formulas)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
