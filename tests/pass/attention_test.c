/* SPDX-License-Identifier: Apache-2.0 */
/* Products with a softmax between them, as exporters write them, become Oribi>Attention with the
 * same results; what only looks like it stays.
 */
#include "pass/pass_test_support.h"

enum { BATCH = 2, LENGTH = 10, HEADS = 3, SIZE = 4 };

static oribi_value_id number(net *n, float value)
{
    return net_floats(n, NULL, 0, value, 0.0F);
}

static oribi_value_id products(net *n, oribi_value_id a, oribi_value_id b, bool turns)
{
    oribi_node *node = net_node(n, "BatchMatMulV2", IDS(a, b));
    assert_true(oribi_attrs_set_bool(&node->attrs, &n->graph->arena, "adj_y", turns));
    return net_done(n, node);
}

/* [batch, length, heads, size] of an input as [batch, heads, length, size]. */
static oribi_value_id heads(net *n, const char *name)
{
    return net_transpose(n, net_input(n, name, DIMS(BATCH, LENGTH, HEADS, SIZE)), DIMS(0, 2, 1, 3));
}

static void mix(net *n, oribi_value_id scores, oribi_value_id value)
{
    oribi_value_id share = net_op(n, "Softmax", IDS(scores));
    oribi_value_id mixed = products(n, share, value, false);
    net_output(n, net_transpose(n, mixed, DIMS(0, 2, 1, 3)));
}

static oribi_value_id plain_scores(net *n)
{
    return products(n, heads(n, "q"), heads(n, "k"), true);
}

static void divided_and_masked(net *n)
{
    oribi_value_id scores = net_op(n, "RealDiv", IDS(plain_scores(n), number(n, 2.0F)));
    oribi_value_id mask = net_input(n, "mask", DIMS(BATCH, 1, 1, LENGTH));
    mix(n, net_op(n, "AddV2", IDS(mask, scores)), heads(n, "v"));
}

static void scaled_before(net *n)
{
    oribi_value_id q = net_op(n, "Mul", IDS(heads(n, "q"), number(n, 0.7F)));
    oribi_value_id k =
        net_transpose(n, net_input(n, "k", DIMS(BATCH, LENGTH, HEADS, SIZE)), DIMS(0, 2, 3, 1));
    k = net_op(n, "Mul", IDS(number(n, 0.7F), k));
    mix(n, products(n, q, k, false), heads(n, "v"));
}

/* Chosen by a comparison, as causal masks are: [1, 1, length, length]. */
static oribi_value_id condition(net *n)
{
    oribi_value_id a = net_floats(n, DIMS(1, 1, LENGTH, LENGTH), 0.3F, 1.0F);
    return net_op(n, "Greater", IDS(a, net_input(n, "bound", DIMS(1, 1, 1, LENGTH))));
}

static void chosen(net *n)
{
    oribi_value_id scores = net_op(n, "Mul", IDS(plain_scores(n), number(n, 0.5F)));
    oribi_value_id low = number(n, -3.4028235e38F);
    mix(n, net_op(n, "SelectV2", IDS(condition(n), scores, low)), heads(n, "v"));
}

static void chosen_the_other_way(net *n)
{
    oribi_value_id low = number(n, -3.4028235e38F);
    mix(n, net_op(n, "SelectV2", IDS(condition(n), low, plain_scores(n))), heads(n, "v"));
}

static void as_it_is(net *n)
{
    oribi_value_id q = net_input(n, "q", DIMS(BATCH, HEADS, LENGTH, SIZE));
    oribi_value_id k = net_input(n, "k", DIMS(BATCH, HEADS, SIZE, LENGTH));
    oribi_value_id v = net_input(n, "v", DIMS(BATCH, HEADS, LENGTH, SIZE));
    net_output(n, products(n, net_op(n, "Softmax", IDS(products(n, q, k, false))), v, false));
}

/* Heads of an input, of which each stands for two; in the other order where `is_behind` is false.
 */
static oribi_value_id repeated(net *n, const char *name, bool is_behind)
{
    oribi_value_id x = net_input(n, name, DIMS(BATCH, HEADS, LENGTH, SIZE));
    x = net_op(n, "ExpandDims", IDS(x, net_int(n, is_behind ? 2 : 1)));
    const int64_t behind[5] = {BATCH, HEADS, 2, LENGTH, SIZE};
    const int64_t before[5] = {BATCH, 2, HEADS, LENGTH, SIZE};
    x = net_op(n, "BroadcastTo", IDS(x, net_ints(n, is_behind ? behind : before, 5)));
    return net_reshape(n, x, DIMS(BATCH, 2 * HEADS, LENGTH, SIZE));
}

static void share(net *n, bool keys_behind, bool values_behind)
{
    oribi_value_id q =
        net_transpose(n, net_input(n, "q", DIMS(BATCH, LENGTH, 2 * HEADS, SIZE)), DIMS(0, 2, 1, 3));
    oribi_value_id k = net_transpose(n, repeated(n, "k", keys_behind), DIMS(0, 1, 3, 2));
    mix(n, products(n, q, k, false), repeated(n, "v", values_behind));
}

static void heads_are_shared(net *n)
{
    share(n, true, true);
}

static void expect(void (*build)(net *n), int n_attention, int n_all)
{
    net n = net_compare(build);
    if (net_count(&n, "Oribi>Attention") != n_attention ||
        (n_all >= 0 && net_count(&n, NULL) != n_all)) {
        net_print(&n);
        fail_msg("%d nodes, %d of them attention", net_count(&n, NULL),
                 net_count(&n, "Oribi>Attention"));
    }
    net_close(&n);
}

static void what_exporters_write_is_found(void **state)
{
    (void)state;
    expect(divided_and_masked, 1, 1);
    expect(scaled_before, 1, 1);
    expect(as_it_is, 1, 1);
    expect(heads_are_shared, 1, 1);
    expect(chosen, 1, 3); /* with the comparison, and the choice as a mask */
    expect(chosen_the_other_way, 1, 3);
}

/* --- Shapes that are computed ---------------------------------------------------------------- */

/* Element `at` of the shape of x. */
static oribi_value_id dim(net *n, oribi_value_id x, int32_t at)
{
    return net_op(n, "GatherV2", IDS(net_op(n, "Shape", IDS(x)), net_int(n, at), net_int(n, 0)));
}

static oribi_value_id sizes(net *n, const oribi_value_id *parts, int32_t count)
{
    oribi_node *node = net_node(n, "Pack", parts, count);
    assert_true(oribi_attrs_set_int(&node->attrs, &n->graph->arena, "axis", 0));
    return net_done(n, node);
}

/* Keys or values as exporters repeat them: all sizes that are open come from `of`, x itself or
 * another. As ONNX's Expand and Reshape have it, a 1 and a 0 in the shape keep what was there. */
static oribi_value_id repeated_openly(net *n, oribi_value_id x, oribi_value_id of)
{
    const oribi_value_id wide[5] = {dim(n, of, 0), net_int(n, HEADS), net_int(n, 2), dim(n, of, 2),
                                    net_int(n, SIZE)};
    const oribi_value_id joined[4] = {dim(n, of, 0), net_int(n, 2 * HEADS), dim(n, of, 2),
                                      net_int(n, SIZE)};
    const oribi_value_id apart = net_op(n, "ExpandDims", IDS(x, net_int(n, 2)));
    oribi_value_id shape = sizes(n, wide, 5);
    shape = net_op(
        n, "SelectV2",
        IDS(net_op(n, "Equal", IDS(shape, net_int(n, 1))), net_op(n, "Shape", IDS(apart)), shape));
    return net_op(n, "Reshape",
                  IDS(net_op(n, "BroadcastTo", IDS(apart, shape)), sizes(n, joined, 4)));
}

static int attention_of_few_heads(bool of_itself)
{
    net n = net_open();
    const oribi_value_id k = net_input(&n, "k", DIMS(-1, HEADS, -1, SIZE));
    const oribi_value_id v = net_input(&n, "v", DIMS(-1, HEADS, -1, SIZE));
    const oribi_value_id q = net_input(&n, "q", DIMS(-1, 2 * HEADS, -1, SIZE));
    const oribi_value_id keys = repeated_openly(&n, k, of_itself ? k : q);
    mix(&n, products(&n, q, keys, true), repeated_openly(&n, v, of_itself ? v : q));
    net_pass(&n, 0);
    int found = 0;
    for (int32_t i = 0; i < n.graph->n_order; i++) {
        const oribi_node *node = n.graph->nodes[n.graph->order[i]];
        found += strcmp(node->op_name, "Oribi>Attention") == 0 && node->inputs[1] == k &&
                 node->inputs[2] == v;
    }
    net_close(&n);
    return found;
}

static void heads_are_shared_where_shapes_are_open(void **state)
{
    (void)state;
    assert_int_equal(attention_of_few_heads(true), 1);
    assert_int_equal(attention_of_few_heads(false), 0); /* a batch of one may become many */
}

/* --- What stays ------------------------------------------------------------------------------ */

static void shares_are_an_output(net *n)
{
    oribi_value_id share = net_op(n, "Softmax", IDS(plain_scores(n)));
    net_output(n, products(n, share, heads(n, "v"), false));
    net_output(n, share);
}

static void mask_is_scaled(net *n)
{
    oribi_value_id mask = net_input(n, "mask", DIMS(1, 1, 1, LENGTH));
    oribi_value_id scores = net_op(n, "AddV2", IDS(plain_scores(n), mask));
    mix(n, net_op(n, "Mul", IDS(scores, number(n, 0.5F))), heads(n, "v"));
}

/* -10 and a score are not -10. */
static void chosen_number_is_near(net *n)
{
    mix(n, net_op(n, "SelectV2", IDS(condition(n), plain_scores(n), number(n, -10.0F))),
        heads(n, "v"));
}

static void keys_are_repeated(net *n)
{
    oribi_value_id k = net_input(n, "k", DIMS(1, 1, LENGTH, SIZE));
    mix(n, products(n, heads(n, "q"), k, true), heads(n, "v"));
}

static void heads_take_turns(net *n)
{
    share(n, false, false);
}

static void keys_alone_are_shared(net *n)
{
    share(n, true, false);
}

static void factor_is_negative(net *n)
{
    mix(n, net_op(n, "Mul", IDS(plain_scores(n), number(n, -0.5F))), heads(n, "v"));
}

static void what_looks_like_it_stays(void **state)
{
    (void)state;
    expect(shares_are_an_output, 0, -1);
    expect(mask_is_scaled, 0, -1);
    expect(chosen_number_is_near, 0, -1);
    expect(keys_are_repeated, 0, -1);
    expect(factor_is_negative, 0, -1);
    expect(heads_take_turns, 1, 7);
    expect(keys_alone_are_shared, 1, 7);
}

static void emitted_code_keeps_the_products(void **state)
{
    (void)state;
    net n = net_open();
    divided_and_masked(&n);
    const oribi_pass_options options = {.plain_activations = true};

    oribi_pass_run_all(n.graph, &options, &n.report, n.status);

    net_check(&n);
    assert_int_equal(net_count(&n, "Oribi>Attention"), 0);
    net_close(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_exporters_write_is_found),
        cmocka_unit_test(heads_are_shared_where_shapes_are_open),
        cmocka_unit_test(what_looks_like_it_stays),
        cmocka_unit_test(emitted_code_keeps_the_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
