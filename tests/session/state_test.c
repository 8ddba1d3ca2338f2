/* SPDX-License-Identifier: Apache-2.0 */
/* State of a run: what one execution leaves to the next. A counter that starts at 10 and adds one,
 * beside an input x that passes through another node.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "session/small.h"

static const int64_t DIMS[1] = {4};
static bool fails;

static void fail_sometimes(TF_OpKernelContext *ctx)
{
    if (fails) {
        TF_Status *status = TF_NewStatus();
        TF_SetStatus(status, TF_INTERNAL, "on purpose");
        TF_OpKernelContext_Failure(ctx, status);
        TF_DeleteStatus(status);
        return;
    }
    small_add_one(ctx);
}

/* Inputs: x. Outputs: x + 1, and the counter behind this run. */
static oribi_session *counter(void)
{
    small_graph g = small_begin();
    const oribi_shape shape = {1, (int64_t *)DIMS};
    const oribi_value_id x = small_input(&g, "x", 1, DIMS);
    const oribi_value_id read = oribi_graph_add_value(g.graph, "n", TF_FLOAT, &shape, g.status);
    assert_true(read >= 0);
    const oribi_value_id next = small_fn1(&g, small_add_one, read);
    small_output(&g, small_fn1(&g, fail_sometimes, x), "z");
    small_output(&g, next, "count");
    assert_true(
        oribi_graph_add_state(g.graph, read, next, "n", small_tensor(1, DIMS, 10), g.status));
    return small_finish(&g);
}

static void each_run_reads_what_the_one_before_has_left(void **state)
{
    (void)state;
    oribi_session *session = counter();
    oribi_run *run = small_run_of(session);

    for (int i = 0; i < 9; i++) {
        small_bind(run, 0, small_tensor(1, DIMS, 0));
        small_execute(run);
        small_expect(run, 0, 4, 1);
        small_expect(run, 1, 4, 11 + (float)i);
    }

    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void run_objects_have_a_state_of_their_own(void **state)
{
    (void)state;
    oribi_session *session = counter();
    oribi_run *one = small_run_of(session), *other = small_run_of(session);
    small_bind(one, 0, small_tensor(1, DIMS, 0));
    small_bind(other, 0, small_tensor(1, DIMS, 0));

    small_execute(one);
    small_execute(one);
    small_execute(other);

    small_expect(one, 1, 4, 12);
    small_expect(other, 1, 4, 11);
    oribi_run_destroy(one);
    oribi_run_destroy(other);
    oribi_session_destroy(session);
}

static void a_run_that_fails_leaves_the_state_as_it_was(void **state)
{
    (void)state;
    oribi_session *session = counter();
    oribi_run *run = small_run_of(session);
    TF_Status *status = TF_NewStatus();
    small_bind(run, 0, small_tensor(1, DIMS, 0));
    small_execute(run);

    fails = true;
    for (int i = 0; i < 3; i++) {
        oribi_run_execute(run, status);
        assert_int_equal(TF_GetCode(status), TF_INTERNAL);
    }
    fails = false;
    small_execute(run);

    small_expect(run, 1, 4, 12);
    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void callers_do_not_see_state_among_inputs_and_outputs(void **state)
{
    (void)state;
    oribi_session *session = counter();
    oribi_run *run = small_run_of(session);
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = small_tensor(1, DIMS, 0);
    small_bind(run, 0, small_tensor(1, DIMS, 0));
    small_execute(run);

    oribi_run_set_input(run, 1, x, status);
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    assert_null(oribi_run_output(run, 2, status));
    assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);

    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void a_reset_puts_the_first_values_back(void **state)
{
    (void)state;
    oribi_session *session = counter();
    oribi_run *run = small_run_of(session);
    TF_Status *status = TF_NewStatus();
    small_bind(run, 0, small_tensor(1, DIMS, 0));
    small_execute(run);
    small_execute(run);

    oribi_run_reset(run, status);
    small_expect_ok(status);
    small_expect(run, 1, 4, 12); /* results stay */
    small_execute(run);

    small_expect(run, 1, 4, 11);
    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_run_reads_what_the_one_before_has_left),
        cmocka_unit_test(run_objects_have_a_state_of_their_own),
        cmocka_unit_test(a_run_that_fails_leaves_the_state_as_it_was),
        cmocka_unit_test(a_reset_puts_the_first_values_back),
        cmocka_unit_test(callers_do_not_see_state_among_inputs_and_outputs),
    };
    return cmocka_run_group_tests(tests, small_setup, NULL);
}
