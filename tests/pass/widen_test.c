/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of half precision are computed in float between casts, of which there are as few as may be.
 */
#include "pass/pass_test_support.h"
#include "support/graph_check.h"

static oribi_value_id halves(net *n, const char *name)
{
    const int64_t dims[2] = {2, 3};
    const oribi_shape shape = {2, (int64_t *)dims};
    const oribi_value_id id = oribi_graph_add_value(n->graph, name, TF_HALF, &shape, n->status);
    net_check(n);
    oribi_graph_add_input(n->graph, id, name, n->status);
    net_check(n);
    return id;
}

static int count(const net *n, const char *op)
{
    int found = 0;
    for (int32_t i = 0; i < n->graph->n_order; i++) {
        found += strcmp(n->graph->nodes[n->graph->order[i]]->op_name, op) == 0;
    }
    return found;
}

static void run_passes(net *n)
{
    oribi_pass_run_all(n->graph, NULL, &n->report, n->status);
    net_check(n);
    assert_true(oribi_graph_sort(n->graph, n->status));
    assert_true(oribi_graph_check(n->graph, n->status));
}

static void a_chain_of_halves_is_cast_at_its_ends_alone(void **state)
{
    net n = net_open();
    (void)state;
    const oribi_value_id x = halves(&n, "x");
    oribi_value_id y = net_op(&n, "Tanh", IDS(x));
    y = net_op(&n, "Exp", IDS(net_op(&n, "AddV2", IDS(y, x))));
    net_output(&n, y);

    run_passes(&n);

    assert_int_equal(count(&n, "Cast"), 2); /* of x, which two nodes read, and of the output */
    const oribi_value *out = n.graph->values[n.graph->outputs[0]];
    assert_int_equal(out->dtype, TF_HALF);
    assert_int_equal(out->shape.rank, 2);
    for (int32_t i = 0; i < n.graph->n_order; i++) {
        assert_non_null(n.graph->nodes[n.graph->order[i]]->kernel);
    }
    net_close(&n);
}

static void a_value_that_is_an_output_too_is_narrowed_for_it(void **state)
{
    net n = net_open();
    (void)state;
    const oribi_value_id y = net_op(&n, "Tanh", IDS(halves(&n, "x")));
    net_output(&n, y);
    net_output(&n, net_op(&n, "Exp", IDS(y)));

    run_passes(&n);

    assert_int_equal(count(&n, "Cast"), 3);
    assert_int_equal(n.graph->values[n.graph->outputs[0]]->dtype, TF_HALF);
    assert_int_equal(n.graph->values[n.graph->outputs[1]]->dtype, TF_HALF);
    net_close(&n);
}

static void what_has_a_kernel_stays_narrow(void **state)
{
    net n = net_open();
    (void)state;
    const int64_t shape[1] = {6};
    net_output(&n, net_op(&n, "Reshape", IDS(halves(&n, "x"), net_ints(&n, shape, 1))));

    run_passes(&n);

    assert_int_equal(count(&n, "Cast"), 0);
    net_close(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_of_halves_is_cast_at_its_ends_alone),
        cmocka_unit_test(a_value_that_is_an_output_too_is_narrowed_for_it),
        cmocka_unit_test(what_has_a_kernel_stays_narrow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
