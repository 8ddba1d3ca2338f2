/* SPDX-License-Identifier: Apache-2.0 */
/* Any allocation of the passes may fail: the result is a status, and nothing leaks. */
#include "pass/pass_test_support.h"
#include "support/fail_nth.h"
#include "support/graph_check.h"

/* A little of everything: layout, shuffle, flatten, folding, batch normalization, fusing. */
static void build(net *n)
{
    oribi_value_id x = net_input(n, "x", DIMS(1, 4, 3, 5));
    oribi_value_id y = net_norm(n, net_conv(n, "Conv2D", net_to_nhwc(n, x), 3, 4, 6), 6);
    y = net_to_nchw(n, net_op(n, "Relu", IDS(y)));
    y = net_reshape(n, y, DIMS(1, 2, 3, 3, 5));
    y = net_reshape(n, net_transpose(n, y, DIMS(0, 2, 1, 3, 4)), DIMS(1, 6, 3, 5));
    y = net_to_nchw(n, net_norm(n, net_to_nhwc(n, y), 6));
    y = net_op(n, "AddV2", IDS(y, net_floats(n, DIMS(6, 1, 1), 0.0F, 1.0F)));
    y = net_reshape(n, net_op(n, "Relu", IDS(y)), DIMS(1, 90));
    oribi_value_id w = net_floats(n, DIMS(90, 7), 0.0F, 1.0F);
    w = net_op(n, "Mul", IDS(w, net_floats(n, DIMS(7), 1.0F, 0.5F)));
    net_output(n, net_op(n, "MatMul", IDS(y, w)));
}

static bool plan_with_failure(uint64_t nth, bool sticky)
{
    net n = net_open();
    build(&n);
    oribi_pass_options options = {0};
    oribi_alloc_fail_at(nth, sticky);
    bool ok = oribi_pass_run_all(n.graph, &options, &n.report, n.status);
    oribi_alloc_fail_at(0, false);
    assert_true(ok || TF_GetCode(n.status) == TF_RESOURCE_EXHAUSTED);
    if (ok) {
        oribi_graph_check(n.graph, n.status);
        net_check(&n);
    }
    net_close(&n);
    return ok;
}

static void a_failed_allocation_is_a_status_and_leaks_nothing(void **state)
{
    (void)state;
    assert_true(plan_with_failure(0, false)); /* whatever stays for the process is there now */
    int64_t live = fail_nth_live();
    uint64_t n = 1;
    while (n < FAIL_NTH_MOST && !plan_with_failure(n, true)) {
        assert_int_equal(fail_nth_live(), live);
        (void)plan_with_failure(n, false);
        assert_int_equal(fail_nth_live(), live);
        n++;
    }
    assert_in_range(n, 50, FAIL_NTH_MOST - 1);
}

static void the_same_graph_plans_when_memory_is_there(void **state)
{
    (void)state;
    net n = net_open();
    build(&n);
    net_pass(&n, 0);
    assert_int_equal(net_count(&n, "Oribi>FusedConv2d"), 1);
    assert_int_equal(net_count(&n, "Transpose"), 0);
    net_close(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failed_allocation_is_a_status_and_leaks_nothing),
        cmocka_unit_test(the_same_graph_plans_when_memory_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
