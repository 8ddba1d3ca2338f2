/* SPDX-License-Identifier: Apache-2.0 */
/* Asynchronous kernels: which are at work at the same time, what they may ask for meanwhile.
 * Barriers say who comes first, never clocks. How their runs fail: async_failures_test.c; kernels
 * that are late: async_late_test.c. Run it under the thread sanitizer (preset tsan).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "session/async_small.h"
#include "tensorflow/c/thread_pool.h"

/* --- At the same time ------------------------------------------------------------------------ */

enum { MANY = 8 };
static gate all;

static void after_all_have_started(flying *work)
{
    gate_pass(&all, MANY);
    small_add_one(work->ctx);
    TF_RunAsyncOpKernelDoneCallback(work->done);
}

static void eight_kernels_of_which_none_is_done_before_all_have_started(void **state)
{
    (void)state;
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, DIMS);
    oribi_value_id sum = -1;
    for (int i = 0; i < MANY; i++) { /* each is followed by a node that reads it */
        const oribi_value_id y =
            async_node(&g, after_all_have_started, pure_fn1(&g, small_add_one, x));
        const oribi_value_id z = pure_fn1(&g, small_add_one, y);
        sum = i == 0 ? z : pure_fn2(&g, second_of_two, sum, z);
    }
    small_output(&g, sum, "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);

    for (int i = 0; i < 5; i++) {
        gate_open(&all);
        small_bind(run, 0, small_tensor(2, DIMS, (float)i));
        small_execute(run);
        small_expect(run, 0, COUNT, (float)i + 3);
    }

    oribi_run_destroy(run);
    oribi_session_destroy(session);
    join_all();
}

/* On the session's pool, which has as many threads as there are kernels: the one that waits is one
 * of them, and another one stands in for it. */
static void pass_on_the_pool(void *object)
{
    flying *work = object;
    after_all_have_started(work);
    free(work);
}

static void compute_on_the_pool(void *kernel, TF_OpKernelContext *ctx,
                                TF_AsyncOpKernelDoneCallback *done)
{
    (void)kernel;
    flying *work = malloc(sizeof *work);
    *work = (flying){ctx, done, NULL};
    const TF_Callable call = {work, pass_on_the_pool, NULL};
    TF_ThreadPool_Schedule(ctx, call);
}

static void eight_kernels_meet_on_the_eight_threads_of_the_pool(void **state)
{
    (void)state;
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, DIMS);
    for (int i = 0; i < MANY; i++) {
        char name[8];
        snprintf(name, sizeof name, "z%d", i);
        small_output(&g, small_node(&g, "Test>OnPool", NULL, &x, 1), name);
    }
    oribi_options *options = small_options();
    oribi_options_set_threads(options, MANY);
    oribi_session *session = oribi_session_from_graph(g.graph, options, g.status);
    small_expect_ok(g.status);
    oribi_run *run = small_run_of(session);

    for (int i = 0; i < 5; i++) {
        gate_open(&all);
        small_bind(run, 0, small_tensor(2, DIMS, (float)i));
        small_execute(run);
        small_expect(run, MANY - 1, COUNT, (float)i + 1);
    }

    oribi_run_destroy(run);
    oribi_session_destroy(session);
    oribi_options_destroy(options);
    TF_DeleteStatus(g.status);
}

static int setup(void **state)
{
    static const char *const x[] = {"x: float", NULL};
    const int result = async_setup(state);
    define_pure("Test>OnPool", x, "fn: int");
    small_register(TF_NewAsyncKernelBuilder("Test>OnPool", "CPU", NULL, compute_on_the_pool, NULL),
                   "on_pool");
    return result;
}

static sem_t hello[2];

static void greet(flying *work, int own)
{
    sem_post(&hello[own]);
    sem_wait(&hello[!own]);
    small_add_one(work->ctx);
    TF_RunAsyncOpKernelDoneCallback(work->done);
}

static void greet_first(flying *work)
{
    greet(work, 0);
}

static void greet_second(flying *work)
{
    greet(work, 1);
}

static void two_kernels_wait_for_each_other(void **state)
{
    (void)state;
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, DIMS);
    small_output(&g, pure_fn1(&g, small_add_one, async_node(&g, greet_first, x)), "a");
    small_output(&g, pure_fn1(&g, small_add_one, async_node(&g, greet_second, x)), "b");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    sem_init(&hello[0], 0, 0);
    sem_init(&hello[1], 0, 0);

    for (int i = 0; i < 5; i++) {
        small_bind(run, 0, small_tensor(2, DIMS, (float)i));
        small_execute(run);
        small_expect(run, 0, COUNT, (float)i + 2);
        small_expect(run, 1, COUNT, (float)i + 2);
    }

    oribi_run_destroy(run);
    oribi_session_destroy(session);
    join_all();
}

/* --- Memory ---------------------------------------------------------------------------------- */

static gate host_is_through;

/* Reads its input and writes its output when the host has computed all that it can. */
static void work_when_the_host_waits(flying *work)
{
    TF_Tensor *x;
    TF_Tensor *z;
    TF_Status *status = TF_NewStatus();
    assert_true(small_open(work->ctx, &x, &z));
    TF_Tensor *temp = TF_AllocateTemp(work->ctx, TF_FLOAT, DIMS, 2, NULL, status);
    float *between = TF_TensorData(temp);
    for (int i = 0; i < COUNT; i++) {
        between[i] = -1.0f;
    }
    gate_pass(&host_is_through, 2);
    for (int i = 0; i < COUNT; i++) {
        between[i] += ((float *)TF_TensorData(x))[i];
    }
    for (int i = 0; i < COUNT; i++) {
        ((float *)TF_TensorData(z))[i] = between[i] + 2.0f;
    }
    TF_DeleteTensor(temp);
    small_close(x, z);
    TF_DeleteStatus(status);
    TF_RunAsyncOpKernelDoneCallback(work->done);
}

static void tell_that_the_host_is_through(TF_OpKernelContext *ctx)
{
    small_add_one(ctx);
    gate_pass(&host_is_through, 2);
}

static void nobody_gets_the_memory_of_a_kernel_that_is_at_work(void **state)
{
    (void)state;
    small_graph g = small_begin();
    const oribi_value_id x = pure_fn1(&g, small_add_one, small_input(&g, "x", 2, DIMS));
    oribi_value_id value = pure_fn1(&g, small_add_one, x);
    const oribi_value_id y = async_node(&g, work_when_the_host_waits, value);
    value = pure_fn1(&g, small_add_one, x);
    for (int i = 0; i < 6; i++) { /* these want memory, and the input of y is used no more */
        value = pure_fn1(&g, i < 5 ? small_add_one : tell_that_the_host_is_through, value);
    }
    small_output(&g, pure_fn2(&g, add_both, y, value), "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);

    TF_Buffer *json = TF_NewBuffer();
    TF_Status *status = TF_NewStatus();
    oribi_session_describe(session, "graph", json, status);
    small_expect_ok(status);
    assert_true(small_has(json, "\"until\":9,") || small_has(json, "\"until\": 9,"));
    TF_DeleteBuffer(json);
    TF_DeleteStatus(status);

    for (int i = 0; i < 5; i++) {
        gate_open(&host_is_through);
        small_bind(run, 0, small_tensor(2, DIMS, 0));
        small_execute(run);
        TF_Tensor *z = small_result(run, 0);
        for (int k = 0; k < COUNT; k++) {
            assert_true(((float *)TF_TensorData(z))[k] == (float)(2 * k + 11));
        }
        TF_DeleteTensor(z);
    }

    oribi_run_destroy(run);
    oribi_session_destroy(session);
    join_all();
}

static void add_on_the_thread(flying *work)
{
    small_add_one(work->ctx);
    TF_RunAsyncOpKernelDoneCallback(work->done);
}

typedef struct runner {
    oribi_session *session;
    int64_t rows;
    int n_wrong;
} runner;

static void run_often(void *arg)
{
    runner *self = arg;
    TF_Status *status = TF_NewStatus();
    oribi_run *run = oribi_run_create(self->session, status);
    for (int i = 0; i < 10; i++) {
        const int64_t dims[2] = {self->rows + i % 2, 8};
        TF_Tensor *x = small_tensor(2, dims, (float)i);
        oribi_run_set_input(run, 0, x, status);
        TF_DeleteTensor(x);
        oribi_run_execute(run, status);
        TF_Tensor *z = oribi_run_output(run, 0, status);
        for (int64_t k = 0; z != NULL && k < dims[0] * 8; k++) {
            self->n_wrong += ((float *)TF_TensorData(z))[k] != (float)(i + 5 + k);
        }
        self->n_wrong += TF_GetCode(status) != TF_OK;
        TF_DeleteTensor(z);
    }
    oribi_run_destroy(run);
    TF_DeleteStatus(status);
}

static void runs_of_one_session_do_not_meet(void **state)
{
    (void)state;
    enum { RUNNERS = 4 };
    static const int64_t any[2] = {-1, 8};
    small_graph g = small_begin();
    oribi_value_id value = small_input(&g, "x", 2, any);
    for (int i = 0; i < 5; i++) {
        value = i % 2 == 0 ? async_node(&g, add_on_the_thread, value)
                           : pure_fn1(&g, small_add_one, value);
    }
    small_output(&g, value, "z");
    oribi_session *session = small_finish(&g);
    oribi_thread *threads[RUNNERS];
    runner runners[RUNNERS];

    for (int i = 0; i < RUNNERS; i++) {
        runners[i] = (runner){session, i + 1, 0};
        threads[i] = oribi_thread_start(run_often, &runners[i], "test", 0);
    }
    for (int i = 0; i < RUNNERS; i++) {
        oribi_thread_join(threads[i]);
        assert_int_equal(runners[i].n_wrong, 0);
    }

    oribi_session_destroy(session);
    join_all();
}

static void set_the_input(flying *work)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    TF_GetInput(work->ctx, 0, &x, status);
    TF_SetOutput(work->ctx, 0, x, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
    TF_RunAsyncOpKernelDoneCallback(work->done);
}

static void set_a_temporary(flying *work)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    TF_GetInput(work->ctx, 0, &x, status);
    TF_Tensor *temp = TF_AllocateTemp(work->ctx, TF_FLOAT, DIMS, 2, NULL, status);
    for (int i = 0; i < COUNT; i++) {
        ((float *)TF_TensorData(temp))[i] = ((float *)TF_TensorData(x))[i] + 1.0f;
    }
    TF_SetOutput(work->ctx, 0, temp, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_DeleteTensor(temp);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
    TF_RunAsyncOpKernelDoneCallback(work->done);
}

/* On the thread that runs, so that a plan can know of it. */
static void ask_to_forward(flying *work)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    const int candidates[1] = {0};
    int forwarded = 7;
    TF_Tensor *z =
        TF_ForwardInputOrAllocateOutput(work->ctx, candidates, 1, 0, DIMS, 2, &forwarded, status);
    assert_int_equal(forwarded, -1); /* others may read it yet */
    TF_GetInput(work->ctx, 0, &x, status);
    for (int i = 0; i < COUNT; i++) {
        ((float *)TF_TensorData(z))[i] = ((float *)TF_TensorData(x))[i] + 1.0f;
    }
    TF_DeleteTensor(z);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
    TF_RunAsyncOpKernelDoneCallback(work->done);
}

static void outputs_are_set_and_forwarded_from_other_threads(void **state)
{
    (void)state;
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, DIMS);
    const oribi_value_id y = async_node(&g, set_the_input, x); /* the caller's */
    oribi_value_id value = async_node(&g, set_the_input, pure_fn1(&g, small_add_one, y));
    value = async_node(&g, ask_to_forward, async_node(&g, set_a_temporary, value));
    small_output(&g, y, "y");
    small_output(&g, value, "z");
    small_output(&g, async_node(&g, set_the_input, value), "same");
    small_output(&g, async_node(&g, set_a_temporary, value), "more");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);

    for (int i = 0; i < 6; i++) {
        small_bind(run, 0, small_tensor(2, DIMS, (float)i));
        small_execute(run);
        small_expect(run, 0, COUNT, (float)i);
        small_expect(run, 1, COUNT, (float)i + 3);
        small_expect(run, 2, COUNT, (float)i + 3);
        small_expect(run, 3, COUNT, (float)i + 4);
    }

    oribi_run_destroy(run);
    oribi_session_destroy(session);
    join_all();
}

static TF_Tensor *kept[2];

static void keep_both(flying *work)
{
    TF_Status *status = TF_NewStatus();
    small_add_one(work->ctx);
    TF_GetInput(work->ctx, 0, &kept[0], status);
    kept[1] = TF_GetMutableOutput(work->ctx, 0, status);
    TF_DeleteStatus(status);
    TF_RunAsyncOpKernelDoneCallback(work->done);
}

static void handles_that_a_kernel_keeps_beyond_its_done_keep_their_bytes(void **state)
{
    (void)state;
    for (int round = 0; round < 2; round++) {
        small_graph g = small_begin();
        oribi_value_id value = pure_fn1(&g, small_add_one, small_input(&g, "x", 2, DIMS));
        value = async_node(&g, keep_both, value);
        for (int i = 0; i < 4; i++) {
            value = i % 2 == 0 ? pure_fn1(&g, small_add_one, value)
                               : async_node(&g, ask_to_forward, value);
        }
        small_output(&g, value, "z");
        oribi_session *session = small_finish(&g);
        oribi_run *run = small_run_of(session);
        for (int i = 0; i < 3; i++) {
            small_bind(run, 0, small_tensor(2, DIMS, (float)i));
            small_execute(run);
            small_expect(run, 0, COUNT, (float)i + 6);
            for (int k = 0; k < COUNT; k++) {
                assert_true(((float *)TF_TensorData(kept[0]))[k] == (float)(i + 1 + k));
                assert_true(((float *)TF_TensorData(kept[1]))[k] == (float)(i + 2 + k));
            }
            if (i < 2 || round == 0) {
                small_close(kept[0], kept[1]);
            }
        }
        oribi_run_destroy(run);
        oribi_session_destroy(session);
        if (round == 1) { /* the last to go */
            assert_true(((float *)TF_TensorData(kept[1]))[0] == 4.0f);
            small_close(kept[0], kept[1]);
        }
        join_all();
    }
}

/* --- What tools see -------------------------------------------------------------------------- */

static int n_flights_told, n_values_seen;

static void note_event(void *arg, const oribi_trace_event *event)
{
    (void)arg;
    if (strcmp(event->lane_name, "asynchronous") == 0) {
        n_flights_told++;
        assert_true(event->lane >= 500);
        assert_true(event->start_ns <= event->end_ns);
    }
}

static void note_value(void *arg, const oribi_value_event *event)
{
    (void)arg;
    n_values_seen++;
    assert_true(((const float *)event->data)[1] == ((const float *)event->data)[0] + 1.0f);
}

static void traces_and_watches_see_asynchronous_kernels(void **state)
{
    (void)state;
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, DIMS);
    const oribi_value_id a = async_node(&g, ask_to_forward, x);
    const oribi_value_id b = async_node(&g, set_a_temporary, x);
    small_output(&g, pure_fn2(&g, second_of_two, a, b), "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    oribi_run_set_trace(run, note_event, NULL);
    oribi_run_set_watch(run, note_value, NULL);

    small_bind(run, 0, small_tensor(2, DIMS, 0));
    small_execute(run);

    assert_int_equal(n_flights_told, 2);
    assert_int_equal(n_values_seen, 3);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    join_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eight_kernels_of_which_none_is_done_before_all_have_started),
        cmocka_unit_test(eight_kernels_meet_on_the_eight_threads_of_the_pool),
        cmocka_unit_test(two_kernels_wait_for_each_other),
        cmocka_unit_test(nobody_gets_the_memory_of_a_kernel_that_is_at_work),
        cmocka_unit_test(runs_of_one_session_do_not_meet),
        cmocka_unit_test(outputs_are_set_and_forwarded_from_other_threads),
        cmocka_unit_test(handles_that_a_kernel_keeps_beyond_its_done_keep_their_bytes),
        cmocka_unit_test(traces_and_watches_see_asynchronous_kernels),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
