/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of session creation and of a run fails once: an error, nothing left behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "session/small.h"
#include "support/fail_nth.h"

static const int64_t DIMS[2] = {4, 4};

static void with_temp(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *temp = TF_AllocateTemp(ctx, TF_FLOAT, DIMS, 2, NULL, status);
    TF_OpKernelContext_Failure(ctx, status);
    TF_DeleteTensor(temp);
    if (TF_GetCode(status) == TF_OK) {
        small_add_one(ctx);
    }
    TF_DeleteStatus(status);
}

static void compute_at_once(void *kernel, TF_OpKernelContext *ctx,
                            TF_AsyncOpKernelDoneCallback *done)
{
    fn_table[(intptr_t)kernel](ctx);
    TF_RunAsyncOpKernelDoneCallback(done);
}

static bool is_asynchronous; /* the second and third kernel of the graph */

/* The graph, or NULL when memory ran out on the way. */
static oribi_graph *make_graph(TF_Status *status)
{
    const oribi_shape shape = {2, (int64_t *)DIMS};
    static const char *const in_step[3] = {"Test>Fn", "Test>Blind", "Test>Fn"};
    static const char *const beside[3] = {"Test>Fn", "Test>AtOnce", "Test>AtOnce"};
    const char *const *ops = is_asynchronous ? beside : in_step;
    oribi_graph *graph = oribi_graph_create(status);
    if (graph == NULL) {
        return NULL;
    }
    oribi_value_id value = oribi_graph_add_value(graph, "x", TF_FLOAT, &shape, status);
    bool ok = value >= 0 && oribi_graph_add_input(graph, value, "x", status);
    for (int i = 0; i < 3 && ok; i++) {
        oribi_node *node = oribi_graph_add_node(graph, ops[i], "n", &value, 1, 1, status);
        ok = node != NULL &&
             oribi_attrs_set_int(&node->attrs, &graph->arena, "fn",
                                 small_add_fn(i == 1 ? with_temp : small_add_one)) &&
             oribi_graph_resolve(graph, node, status);
        value = ok ? node->outputs[0] : -1;
    }
    ok = ok && oribi_graph_add_output(graph, value, "z", status);
    if (!ok) {
        oribi_graph_destroy(graph);
    }
    return ok ? graph : NULL;
}

static bool create_session(void *arg)
{
    const oribi_options *options = arg;
    TF_Status *status = TF_NewStatus();
    oribi_graph *graph = make_graph(status);
    oribi_session *session =
        graph != NULL ? oribi_session_from_graph(graph, options, status) : NULL;
    const bool ok = session != NULL;
    oribi_session_destroy(session);
    TF_DeleteStatus(status);
    return ok;
}

static void session_creation_survives_any_failing_allocation(void **state)
{
    (void)state;
    oribi_options *options = small_options();
    assert_true(fail_each_allocation(create_session, options) > 10);
    oribi_options_destroy(options);
}

typedef struct run_case {
    oribi_session *session;
    TF_Tensor *input;
} run_case;

static bool run_three_times(void *arg)
{
    const run_case *self = arg;
    TF_Status *status = TF_NewStatus();
    oribi_run *run = oribi_run_create(self->session, status);
    bool ok = run != NULL;
    if (ok) {
        oribi_run_set_input(run, 0, self->input, status);
        ok = TF_GetCode(status) == TF_OK;
    }
    for (int i = 0; i < 3 && ok; i++) {
        oribi_run_execute(run, status);
        ok = TF_GetCode(status) == TF_OK;
    }
    if (ok) {
        TF_Tensor *z = oribi_run_output(run, 0, status);
        ok = z != NULL && ((float *)TF_TensorData(z))[15] == 18.0f;
        TF_DeleteTensor(z);
    }
    oribi_run_destroy(run);
    TF_DeleteStatus(status);
    return ok;
}

/* Plans may stay in the session's cache, so blocks are counted around the session's whole life. */
static void survive_any_failing_allocation(void)
{
    oribi_options *options = small_options();
    TF_Status *status = TF_NewStatus();
    run_case first = {oribi_session_from_graph(make_graph(status), options, status),
                      small_tensor(2, DIMS, 0)};
    assert_true(run_three_times(&first)); /* what a process makes once */
    TF_DeleteTensor(first.input);
    oribi_session_destroy(first.session);
    const int64_t live = fail_nth_live();
    uint64_t n = 1;
    bool succeeded = false;
    for (; !succeeded && n < 1000; n++) {
        for (int sticky = 0; sticky < 2; sticky++) {
            run_case one = {oribi_session_from_graph(make_graph(status), options, status),
                            small_tensor(2, DIMS, 0)};
            assert_non_null(one.session);
            oribi_alloc_fail_at(n, sticky == 1);
            const bool ok = run_three_times(&one);
            oribi_alloc_fail_at(0, false);
            assert_true(run_three_times(&one)); /* the session is as good as before */
            succeeded = ok && sticky == 1;
            TF_DeleteTensor(one.input);
            oribi_session_destroy(one.session);
            assert_int_equal(fail_nth_live(), live);
        }
    }
    assert_true(succeeded && n > 10);
    oribi_options_destroy(options);
    TF_DeleteStatus(status);
}

static void runs_survive_any_failing_allocation(void **state)
{
    (void)state;
    survive_any_failing_allocation();
}

static void so_do_runs_with_asynchronous_kernels(void **state)
{
    (void)state;
    is_asynchronous = true;
    survive_any_failing_allocation();
    is_asynchronous = false;
}

static int setup(void **state)
{
    static const char *const x[] = {"x: float", NULL};
    static const char *const z[] = {"z: float", NULL};
    static const char *const fn[] = {"fn: int", NULL};
    const int result = small_setup(state);
    small_define_op("Test>AtOnce", x, z, fn, NULL);
    small_register(
        TF_NewAsyncKernelBuilder("Test>AtOnce", "CPU", small_create, compute_at_once, NULL),
        "at_once");
    return result;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(session_creation_survives_any_failing_allocation),
        cmocka_unit_test(runs_survive_any_failing_allocation),
        cmocka_unit_test(so_do_runs_with_asynchronous_kernels),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
