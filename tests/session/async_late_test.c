/* SPDX-License-Identifier: Apache-2.0 */
/* Asynchronous kernels that are late: done after the run and the session, twice, or never; and how
 * a cancel, a time limit and a failure end every wait. Time limits end waits here, and order
 * nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "session/async_small.h"

static const uint64_t SHORT_NS = 200000000; /* long enough to get to the node */

/* --- Kernels --------------------------------------------------------------------------------- */

static sem_t release, is_at_work;
static atomic_int n_wrong;

static void open_gates(void)
{
    sem_init(&release, 0, 0);
    sem_init(&is_at_work, 0, 0);
    n_wrong = 0;
    n_async_deleted = 0;
}

/* Computes when the test lets it, which may be long after its run. */
static void wait_for_the_test(flying *work)
{
    TF_Tensor *x = NULL;
    TF_Status *status = TF_NewStatus();
    TF_GetInput(work->ctx, 0, &x, status);
    sem_post(&is_at_work);
    sem_wait(&release);
    n_wrong += !TF_OpKernelContext_IsCancelled(work->ctx);
    TF_Tensor *z = TF_AllocateOutput(work->ctx, 0, TF_FLOAT, DIMS, 2, 0, status);
    TF_Tensor *temp = TF_AllocateTemp(work->ctx, TF_FLOAT, DIMS, 2, NULL, status);
    n_wrong += TF_GetCode(status) != TF_OK;
    for (int i = 0; i < COUNT; i++) {
        ((float *)TF_TensorData(temp))[i] = ((float *)TF_TensorData(x))[i];
        ((float *)TF_TensorData(z))[i] = ((float *)TF_TensorData(temp))[i];
    }
    TF_DeleteTensor(temp);
    small_close(x, z);
    TF_DeleteStatus(status);
    TF_RunAsyncOpKernelDoneCallback(work->done);
}

static void add_at_once(flying *work)
{
    small_add_one(work->ctx);
    TF_RunAsyncOpKernelDoneCallback(work->done);
}

static atomic_bool is_patient; /* kernels of the next run do as they should */

static void wait_or_add(flying *work)
{
    (is_patient ? add_at_once : wait_for_the_test)(work);
}

static oribi_session *one_late(flying_fn fn)
{
    small_graph g = small_begin();
    const oribi_value_id x = pure_fn1(&g, small_add_one, small_input(&g, "x", 2, DIMS));
    small_output(&g, pure_fn1(&g, small_add_one, async_node(&g, fn, x)), "z");
    return small_finish(&g);
}

static TF_Code execute(oribi_run *run)
{
    TF_Status *status = TF_NewStatus();
    oribi_run_execute(run, status);
    const TF_Code code = TF_GetCode(status);
    if (code != TF_OK) {
        assert_non_null(strstr(TF_Message(status), "node 'n"));
    }
    TF_DeleteStatus(status);
    return code;
}

static void await_deletion(int n)
{
    while (n_async_deleted < n) {
        sched_yield();
    }
}

/* --- Late ------------------------------------------------------------------------------------ */

static void the_time_limit_ends_a_run_whose_kernel_is_not_done(void **state)
{
    (void)state;
    open_gates();
    oribi_session *session = one_late(wait_or_add);
    oribi_run *run = small_run_of(session);
    small_bind(run, 0, small_tensor(2, DIMS, 1));
    oribi_run_set_time_limit(run, SHORT_NS);
    assert_int_equal(execute(run), TF_DEADLINE_EXCEEDED);

    oribi_run_set_time_limit(run, 0); /* the run goes on, and the late one is at work still */
    is_patient = true;
    for (int i = 0; i < 3; i++) {
        small_bind(run, 0, small_tensor(2, DIMS, (float)i));
        small_execute(run);
        small_expect(run, 0, COUNT, (float)i + 3);
    }
    is_patient = false;
    sem_post(&release);
    join_all();

    assert_int_equal(n_wrong, 0);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    await_deletion(1);
}

static void a_done_may_come_after_the_run_and_after_the_session(void **state)
{
    (void)state;
    for (int with_session = 0; with_session < 2; with_session++) {
        open_gates();
        oribi_session *session = one_late(wait_for_the_test);
        oribi_run *run = small_run_of(session);
        small_bind(run, 0, small_tensor(2, DIMS, 1));
        oribi_run_set_time_limit(run, SHORT_NS);
        assert_int_equal(execute(run), TF_DEADLINE_EXCEEDED);
        oribi_run_destroy(run);
        if (with_session == 1) {
            oribi_session_destroy(session);
        }
        sem_post(&release);
        join_all();
        if (with_session == 0) {
            oribi_session_destroy(session);
        }
        await_deletion(1); /* the kernel goes when all is over, on another thread than its own */
        assert_int_equal(n_wrong, 0);
    }
}

static void many_late_kernels_leave_one_frame(void **state)
{
    (void)state;
    enum { LATE = 8 };
    open_gates();
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, DIMS);
    for (int i = 0; i < LATE; i++) {
        char name[8];
        snprintf(name, sizeof name, "z%d", i);
        small_output(&g, async_node(&g, wait_for_the_test, x), name);
    }
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    small_bind(run, 0, small_tensor(2, DIMS, 1));
    oribi_run_set_time_limit(run, SHORT_NS);
    assert_int_equal(execute(run), TF_DEADLINE_EXCEEDED);
    oribi_run_destroy(run);
    oribi_session_destroy(session);

    for (int i = 0; i < LATE; i++) {
        sem_post(&release);
    }
    join_all();
    await_deletion(LATE);

    assert_int_equal(n_wrong, 0);
}

/* --- Twice ----------------------------------------------------------------------------------- */

static TF_AsyncOpKernelDoneCallback *first_done, *slow_done; /* the latter of the run before */
static sem_t slow_started, slow_may_end;

static void done_twice(flying *work)
{
    small_add_one(work->ctx);
    first_done = work->done;
    TF_RunAsyncOpKernelDoneCallback(work->done);
    sem_wait(&slow_started);
    TF_RunAsyncOpKernelDoneCallback(work->done); /* while the run waits for the other one */
    if (slow_done != NULL) {
        TF_RunAsyncOpKernelDoneCallback(slow_done); /* its own, of another run */
    }
    sem_post(&slow_may_end);
}

static void slow(flying *work)
{
    sem_post(&slow_started);
    sem_wait(&slow_may_end);
    slow_done = work->done;
    add_at_once(work);
}

static void a_second_done_ends_no_other_nodes_wait(void **state)
{
    (void)state;
    sem_init(&slow_started, 0, 0);
    sem_init(&slow_may_end, 0, 0);
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, DIMS);
    small_output(&g, async_node(&g, slow, async_node(&g, done_twice, x)), "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);

    for (int i = 0; i < 5; i++) {
        small_bind(run, 0, small_tensor(2, DIMS, (float)i));
        small_execute(run);
        small_expect(run, 0, COUNT, (float)i + 2);
        join_all();
    }

    oribi_run_destroy(run);
    TF_RunAsyncOpKernelDoneCallback(first_done); /* once more, when the context is gone */
    oribi_session_destroy(session);
    TF_RunAsyncOpKernelDoneCallback(first_done);
    TF_RunAsyncOpKernelDoneCallback(NULL);
}

/* --- What stops ------------------------------------------------------------------------------ */

typedef struct stoppable {
    TF_OpKernelContext *ctx;
    TF_AsyncOpKernelDoneCallback *done;
} stoppable;

static atomic_int n_calls;

static void give_up(void *object)
{
    stoppable *work = object;
    TF_Status *status = TF_NewStatus();
    TF_SetStatus(status, TF_CANCELLED, "gave up");
    TF_OpKernelContext_Failure(work->ctx, status);
    TF_DeleteStatus(status);
    n_calls++;
    TF_RunAsyncOpKernelDoneCallback(work->done);
    free(work);
}

/* Never done, unless it is told to give up. */
static void until_stopped(flying *work)
{
    stoppable *own = malloc(sizeof *own);
    *own = (stoppable){work->ctx, work->done};
    if (!TF_OpKernelContext_OnCancel(work->ctx, give_up, own)) {
        give_up(own);
    }
    sem_post(&is_at_work);
}

static void cancel_at_work(void *arg)
{
    sem_wait(&is_at_work);
    oribi_run_cancel(arg);
}

static void a_cancel_is_told_to_kernels_that_asked(void **state)
{
    (void)state;
    open_gates();
    n_calls = 0;
    oribi_session *session = one_late(until_stopped);
    oribi_run *run = small_run_of(session);
    small_bind(run, 0, small_tensor(2, DIMS, 1));

    for (int i = 0; i < 10; i++) {
        oribi_thread *thread = oribi_thread_start(cancel_at_work, run, "cancel", 0);
        assert_int_equal(execute(run), TF_CANCELLED);
        oribi_thread_join(thread);
        join_all();
        while (n_calls < i + 1) {
            sched_yield();
        }
    }

    assert_int_equal(n_calls, 10);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    await_deletion(1);
}

static void the_time_limit_is_told_to_kernels_that_asked(void **state)
{
    (void)state;
    open_gates();
    n_calls = 0;
    oribi_session *session = one_late(until_stopped);
    oribi_run *run = small_run_of(session);
    small_bind(run, 0, small_tensor(2, DIMS, 1));
    oribi_run_set_time_limit(run, SHORT_NS);

    for (int i = 0; i < 3; i++) {
        assert_int_equal(execute(run), TF_DEADLINE_EXCEEDED);
        join_all();
    }

    oribi_run_destroy(run);
    oribi_session_destroy(session);
    await_deletion(1);
    assert_int_equal(n_calls, 3);
}

static void fail_when_the_other_is_at_work(flying *work)
{
    TF_Status *status = TF_NewStatus();
    sem_wait(&is_at_work);
    TF_SetStatus(status, TF_DATA_LOSS, "broken");
    TF_OpKernelContext_Failure(work->ctx, status);
    TF_DeleteStatus(status);
    TF_RunAsyncOpKernelDoneCallback(work->done);
}

static void a_failure_is_told_to_kernels_that_asked(void **state)
{
    (void)state;
    open_gates();
    n_calls = 0;
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, DIMS);
    const oribi_value_id a = async_node(&g, until_stopped, x);
    small_output(&g, pure_fn2(&g, add_both, a, async_node(&g, fail_when_the_other_is_at_work, x)),
                 "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    small_bind(run, 0, small_tensor(2, DIMS, 1));

    for (int i = 0; i < 10; i++) {
        assert_int_equal(execute(run), TF_DATA_LOSS);
        join_all();
    }

    assert_int_equal(n_calls, 10);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

/* --- Kernels that block the thread of the run ------------------------------------------------ */

static sem_t blocked;

static void unblock(void *object)
{
    sem_post(object);
}

static void block_until_stopped(TF_OpKernelContext *ctx)
{
    small_add_one(ctx);
    if (TF_OpKernelContext_OnCancel(ctx, unblock, &blocked)) {
        sem_post(&is_at_work);
        sem_wait(&blocked);
    }
    n_calls++;
}

static void a_kernel_that_blocks_hears_of_limits_and_cancels(void **state)
{
    (void)state;
    open_gates();
    n_calls = 0;
    sem_init(&blocked, 0, 0);
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, DIMS);
    small_output(&g, pure_fn1(&g, block_until_stopped, x), "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    small_bind(run, 0, small_tensor(2, DIMS, 1));

    oribi_run_set_time_limit(run, SHORT_NS);
    assert_int_equal(execute(run), TF_DEADLINE_EXCEEDED);
    sem_init(&is_at_work, 0, 0);
    oribi_run_set_time_limit(run, 0);
    oribi_thread *thread = oribi_thread_start(cancel_at_work, run, "cancel", 0);
    assert_int_equal(execute(run), TF_CANCELLED);
    oribi_thread_join(thread);

    assert_int_equal(n_calls, 2);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void leave_a_hook_behind(TF_OpKernelContext *ctx)
{
    small_add_one(ctx);
    assert_true(TF_OpKernelContext_OnCancel(ctx, unblock, &blocked));
}

static void take_the_hook_back(TF_OpKernelContext *ctx)
{
    small_add_one(ctx);
    assert_false(TF_OpKernelContext_OnCancel(ctx, NULL, NULL));
    assert_true(TF_OpKernelContext_OnCancel(ctx, unblock, &blocked));
    assert_true(TF_OpKernelContext_OnCancel(ctx, unblock, &blocked)); /* instead */
    assert_true(TF_OpKernelContext_OnCancel(ctx, NULL, NULL));
    assert_false(TF_OpKernelContext_OnCancel(ctx, NULL, NULL));
}

static void a_function_is_taken_back_with_its_node(void **state)
{
    (void)state;
    sem_init(&blocked, 0, 0);
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, DIMS);
    small_output(&g, pure_fn1(&g, leave_a_hook_behind, pure_fn1(&g, take_the_hook_back, x)), "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    small_bind(run, 0, small_tensor(2, DIMS, 1));

    for (int i = 0; i < 3; i++) {
        small_execute(run);
        oribi_run_cancel(run); /* too late, and told to nobody */
    }

    assert_int_equal(sem_trywait(&blocked), -1);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

/* --- Deferred operations --------------------------------------------------------------------- */

static TF_OpKernelContext *deferred;

static void defer(TF_OpKernelContext *ctx)
{
    small_add_one(ctx);
    TF_IncNumDeferredOps(ctx);
    deferred = ctx;
}

static void the_time_limit_ends_the_wait_for_deferred_operations(void **state)
{
    (void)state;
    small_graph g = small_begin();
    small_output(&g, pure_fn1(&g, defer, small_input(&g, "x", 2, DIMS)), "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    small_bind(run, 0, small_tensor(2, DIMS, 1));
    oribi_run_set_time_limit(run, SHORT_NS);

    assert_int_equal(execute(run), TF_DEADLINE_EXCEEDED);
    oribi_run_destroy(run);
    oribi_session_destroy(session);

    assert_true(TF_OpKernelContext_IsCancelled(deferred)); /* it stays until the last has ended */
    TF_DecNumDeferredOps(deferred);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_time_limit_ends_a_run_whose_kernel_is_not_done),
        cmocka_unit_test(a_done_may_come_after_the_run_and_after_the_session),
        cmocka_unit_test(many_late_kernels_leave_one_frame),
        cmocka_unit_test(a_second_done_ends_no_other_nodes_wait),
        cmocka_unit_test(a_cancel_is_told_to_kernels_that_asked),
        cmocka_unit_test(the_time_limit_is_told_to_kernels_that_asked),
        cmocka_unit_test(a_failure_is_told_to_kernels_that_asked),
        cmocka_unit_test(a_kernel_that_blocks_hears_of_limits_and_cancels),
        cmocka_unit_test(a_function_is_taken_back_with_its_node),
        cmocka_unit_test(the_time_limit_ends_the_wait_for_deferred_operations),
    };
    return cmocka_run_group_tests(tests, async_setup, NULL);
}
