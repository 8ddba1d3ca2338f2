/* SPDX-License-Identifier: Apache-2.0 */
/* Asynchronous kernels: how their runs fail, and the order of those that share a resource. Read
 * async_test.c first. Run it under the thread sanitizer (preset tsan).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "session/async_small.h"
#include "tensorflow/c/thread_pool.h"

/* --- Failures -------------------------------------------------------------------------------- */

static gate failed;

static void fail_with(TF_OpKernelContext *ctx, TF_Code code, const char *message)
{
    TF_Status *status = TF_NewStatus();
    TF_SetStatus(status, code, message);
    TF_OpKernelContext_Failure(ctx, status);
    TF_DeleteStatus(status);
}

static void fail_first(flying *work)
{
    fail_with(work->ctx, TF_DATA_LOSS, "the first to fail");
    TF_RunAsyncOpKernelDoneCallback(work->done);
    gate_pass(&failed, 1);
}

static void fail_second(flying *work)
{
    gate_await(&failed, 1);
    fail_with(work->ctx, TF_UNAVAILABLE, "the second to fail");
    TF_RunAsyncOpKernelDoneCallback(work->done);
}

static void give_up_second(flying *work)
{
    gate_await(&failed, 1);
    fail_with(work->ctx, TF_CANCELLED, "gave up");
    TF_RunAsyncOpKernelDoneCallback(work->done);
}

static void fail_in_step(TF_OpKernelContext *ctx)
{
    fail_with(ctx, TF_ABORTED, "in step");
    gate_pass(&failed, 1);
}

static void expect_failure(oribi_session *session, TF_Code code, const char *node)
{
    oribi_run *run = small_run_of(session);
    TF_Status *status = TF_NewStatus();
    for (int i = 0; i < 3; i++) {
        gate_open(&failed);
        small_bind(run, 0, small_tensor(2, DIMS, 0));
        oribi_run_execute(run, status);
        join_all(); /* nobody is in the gate */
        assert_int_equal(TF_GetCode(status), code);
        assert_non_null(strstr(TF_Message(status), node));
    }
    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void the_failure_of_the_lowest_step_wins_whoever_was_first(void **state)
{
    (void)state;
    static void (*const second[2])(flying *) = {fail_second, give_up_second};
    for (int k = 0; k < 2; k++) {
        small_graph g = small_begin();
        const oribi_value_id x = small_input(&g, "x", 2, DIMS);
        const oribi_value_id a = async_node(&g, second[k], x);
        const oribi_value_id b = async_node(&g, fail_first, x);
        small_output(&g, pure_fn2(&g, add_both, a, b), "z");
        /* one that gave up since another one failed is not the cause */
        expect_failure(small_finish(&g), k == 0 ? TF_UNAVAILABLE : TF_DATA_LOSS,
                       k == 0 ? "'n0'" : "'n1'");
    }
}

static void a_failure_in_step_and_one_beside_it_go_by_step_too(void **state)
{
    (void)state;
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, DIMS);
    const oribi_value_id a = async_node(&g, fail_second, x);
    const oribi_value_id b = pure_fn1(&g, fail_in_step, x);
    small_output(&g, pure_fn2(&g, add_both, a, b), "z");
    expect_failure(small_finish(&g), TF_UNAVAILABLE, "'n0'");
}

static void forget_the_output(flying *work)
{
    TF_RunAsyncOpKernelDoneCallback(work->done);
}

static void a_kernel_that_is_done_without_an_output_is_named(void **state)
{
    (void)state;
    small_graph g = small_begin();
    small_output(&g, async_node(&g, forget_the_output, small_input(&g, "x", 2, DIMS)), "z");
    expect_failure(small_finish(&g), TF_INTERNAL, "Missing 0-th output from node 'n0'");
}

/* --- Resources ------------------------------------------------------------------------------- */

static atomic_int n_inside, n_touched;

/* Two inputs, the first is a resource: nobody else may be inside. */
static void touch_resource(flying *work)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    assert_int_equal(atomic_fetch_add(&n_inside, 1), 0);
    TF_GetInput(work->ctx, 1, &x, status);
    TF_Tensor *z = TF_AllocateOutput(work->ctx, 0, TF_FLOAT, DIMS, 2, 0, status);
    const float number = (float)atomic_fetch_add(&n_touched, 1);
    for (int i = 0; i < COUNT; i++) {
        ((float *)TF_TensorData(z))[i] = number + (float)i;
    }
    sched_yield();
    small_close(x, z);
    TF_DeleteStatus(status);
    atomic_fetch_sub(&n_inside, 1);
    TF_RunAsyncOpKernelDoneCallback(work->done);
}

static oribi_value_id make_handle(small_graph *g, const char *name)
{
    oribi_node *node = oribi_graph_add_node(g->graph, "VarHandleOp", name, NULL, 0, 1, g->status);
    const oribi_shape shape = {2, (int64_t *)DIMS};
    const oribi_attr attr = {.name = "shape", .kind = TF_ATTR_SHAPE, .count = 1, .u.shape = &shape};
    assert_true(oribi_attrs_set(&node->attrs, &g->graph->arena, &attr));
    oribi_attrs_set_type(&node->attrs, &g->graph->arena, "dtype", TF_FLOAT);
    oribi_attrs_set_string(&node->attrs, &g->graph->arena, "shared_name", "v");
    if (!oribi_graph_resolve(g->graph, node, g->status)) {
        fail_msg("%s", TF_Message(g->status));
    }
    return node->outputs[0];
}

static void nodes_that_may_share_a_resource_keep_their_order(void **state)
{
    (void)state;
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, DIMS);
    /* two handles by value, one resource by name */
    const oribi_value_id handles[2] = {make_handle(&g, "a"), make_handle(&g, "b")};
    for (int i = 0; i < 6; i++) {
        char name[8];
        const oribi_value_id both[2] = {handles[i % 2], x};
        snprintf(name, sizeof name, "z%d", i);
        small_output(&g, async_node_of(&g, "Test>AsyncOn", touch_resource, both, 2), name);
    }
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);

    for (int round = 0; round < 5; round++) {
        n_touched = 0;
        small_bind(run, 0, small_tensor(2, DIMS, 0));
        small_execute(run);
        for (int i = 0; i < 6; i++) {
            small_expect(run, i, COUNT, (float)i);
        }
    }

    oribi_run_destroy(run);
    oribi_session_destroy(session);
    join_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_failure_of_the_lowest_step_wins_whoever_was_first),
        cmocka_unit_test(a_failure_in_step_and_one_beside_it_go_by_step_too),
        cmocka_unit_test(a_kernel_that_is_done_without_an_output_is_named),
        cmocka_unit_test(nodes_that_may_share_a_resource_keep_their_order),
    };
    return cmocka_run_group_tests(tests, async_setup, NULL);
}
