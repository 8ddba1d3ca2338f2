/* SPDX-License-Identifier: Apache-2.0 */
/* Asynchronous kernels of a device: they are at work beside its other kernels and beside the host,
 * on threads of their own that enqueue on the one stream. Barriers say who comes first. What they
 * share with those of the CPU: tests/session/async_test.c. Run it under the thread sanitizer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "device/device.h"
#include "devices/on_spy.h"
#include "session/async_small.h"

/* --- Kernels --------------------------------------------------------------------------------- */

typedef struct addition {
    float *to;
    const float *from;
    int64_t n;
} addition;

static void add_step(void *arg)
{
    addition *own = arg;
    for (int64_t i = 0; i < own->n; i++) {
        own->to[i] = own->from[i] + 1.0f;
    }
    free(own);
}

/* z = x + 1, on the stream. */
static void enqueue_addition(TF_OpKernelContext *ctx, const TF_Tensor *x, const TF_Tensor *z)
{
    TF_Status *status = TF_NewStatus();
    addition *own = malloc(sizeof *own);
    *own = (addition){spy_address(TF_TensorData(z)), spy_address(TF_TensorData(x)),
                      TF_TensorElementCount(x)};
    spy_call(TF_GetStream(ctx, status), add_step, own);
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_DeleteStatus(status);
}

static void add_on_device(TF_OpKernelContext *ctx)
{
    TF_Tensor *x;
    TF_Tensor *z;
    assert_true(small_open(ctx, &x, &z));
    enqueue_addition(ctx, x, z);
    small_close(x, z);
}

static void compute_plus(void *kernel, TF_OpKernelContext *ctx)
{
    (void)kernel;
    add_on_device(ctx);
}

static void compute_plus_on_cpu(void *kernel, TF_OpKernelContext *ctx)
{
    (void)kernel;
    small_add_one(ctx);
}

static gate all;

static void pass_the_gate(void *kernel, TF_OpKernelContext *ctx)
{
    add_on_device(ctx);
    gate_pass(&all, (int)(intptr_t)kernel);
}

static void *create_meeting(TF_OpKernelConstruction *ctx)
{
    TF_Status *status = TF_NewStatus();
    int32_t n = 0;
    TF_OpKernelConstruction_GetAttrInt32(ctx, "fn", &n, status);
    TF_DeleteStatus(status);
    return (void *)(intptr_t)n;
}

static int setup(void **state)
{
    static const char *const x[] = {"x: float", NULL}, *const fn[] = {"fn: int", NULL},
                             *const none[] = {NULL};
    spy_load("");
    async_setup(state);
    small_register(
        TF_NewAsyncKernelBuilder("Test>Async", "FAKE", small_create, async_compute, async_delete),
        "async on device");
    define_pure("Test>Plus", x, "fn: int");
    small_register(TF_NewKernelBuilder("Test>Plus", "FAKE", NULL, compute_plus, NULL), "plus");
    small_register(TF_NewKernelBuilder("Test>Plus", "CPU", NULL, compute_plus_on_cpu, NULL), "+");
    define_pure("Test>Meet", x, "fn: int");
    small_register(TF_NewKernelBuilder("Test>Meet", "FAKE", create_meeting, pass_the_gate, NULL),
                   "meet");
    small_define_op("Test>Post", x, none, fn, NULL); /* with a state, and nobody reads it */
    small_register(
        TF_NewAsyncKernelBuilder("Test>Post", "FAKE", small_create, async_compute, async_delete),
        "post");
    return 0;
}

static oribi_value_id plus(small_graph *g, oribi_value_id x)
{
    return small_node(g, "Test>Plus", NULL, &x, 1);
}

/* A node of the device that adds one, and is a party of the gate for `n`. */
static oribi_value_id meet(small_graph *g, oribi_value_id x, int n)
{
    char name[16];
    snprintf(name, sizeof name, "meet%d", g->n++);
    oribi_node *node = oribi_graph_add_node(g->graph, "Test>Meet", name, &x, 1, 1, g->status);
    assert_non_null(node);
    assert_true(oribi_attrs_set_int(&node->attrs, &g->graph->arena, "fn", n));
    assert_true(oribi_graph_resolve(g->graph, node, g->status));
    return node->outputs[0];
}

static void run_some(oribi_session *session, int n_outputs, const float *more)
{
    oribi_run *run = small_run_of(session);
    for (int i = 0; i < 5; i++) {
        gate_open(&all);
        small_bind(run, 0, small_tensor(2, DIMS, (float)i));
        small_execute(run);
        for (int k = 0; k < n_outputs; k++) {
            small_expect(run, k, COUNT, (float)i + more[k]);
        }
        join_all();
    }
    oribi_run_destroy(run);
}

/* --- At the same time ------------------------------------------------------------------------ */

enum { MANY = 8 };

static void after_all_have_started(flying *work)
{
    gate_pass(&all, MANY);
    add_on_device(work->ctx);
    TF_RunAsyncOpKernelDoneCallback(work->done);
}

static void eight_kernels_of_a_device_of_which_none_is_done_before_all_have_started(void **state)
{
    (void)state;
    const float more[] = {4, 3};
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, DIMS);
    oribi_value_id sum = -1, last = -1;
    for (int i = 0; i < MANY; i++) { /* each is read by the device and by the host */
        const oribi_value_id y = async_node(&g, after_all_have_started, plus(&g, x));
        const oribi_value_id z = pure_fn1(&g, small_add_one, plus(&g, y));
        last = pure_fn1(&g, small_add_one, y);
        sum = i == 0 ? z : pure_fn2(&g, second_of_two, sum, z);
    }
    small_output(&g, sum, "z");
    small_output(&g, last, "last");
    oribi_session *session = device_session(g, "FAKE:0", NULL);

    run_some(session, 2, more);

    oribi_session_destroy(session);
    assert_int_equal(fake_live_bytes(), 0);
}

static void with_a_node_of_the_device_and_the_host(flying *work)
{
    gate_pass(&all, 3);
    add_on_device(work->ctx);
    TF_RunAsyncOpKernelDoneCallback(work->done);
}

static void tell_all(TF_OpKernelContext *ctx)
{
    small_add_one(ctx);
    gate_pass(&all, 1);
}

/* Neither waits: they only come. */
static void the_device_and_the_host_go_on_beside_one(void **state)
{
    (void)state;
    const float more[] = {1, 1, 1};
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, DIMS);
    small_output(&g, async_node(&g, with_a_node_of_the_device_and_the_host, x), "a");
    small_output(&g, meet(&g, x, 0), "b");
    small_output(&g, pure_fn1(&g, tell_all, x), "c");
    oribi_session *session = device_session(g, "FAKE:0", NULL);

    run_some(session, 3, more);

    oribi_session_destroy(session);
}

/* --- Memory ---------------------------------------------------------------------------------- */

static void add_twice_when_all_else_is_enqueued(flying *work)
{
    TF_Tensor *x;
    TF_Tensor *z;
    TF_Status *status = TF_NewStatus();
    assert_true(small_open(work->ctx, &x, &z));
    TF_Tensor *between = TF_AllocateTemp(work->ctx, TF_FLOAT, DIMS, 2, NULL, status);
    enqueue_addition(work->ctx, x, between);
    gate_pass(&all, 2);
    enqueue_addition(work->ctx, between, between);
    enqueue_addition(work->ctx, x, z);
    enqueue_addition(work->ctx, between, z);
    TF_DeleteTensor(between);
    small_close(x, z);
    TF_DeleteStatus(status);
    TF_RunAsyncOpKernelDoneCallback(work->done);
}

static void nobody_gets_the_memory_of_a_kernel_that_is_at_work(void **state)
{
    (void)state;
    const float more[] = {5, 8};
    small_graph g = small_begin();
    const oribi_value_id x = plus(&g, small_input(&g, "x", 2, DIMS));
    const oribi_value_id y = async_node(&g, add_twice_when_all_else_is_enqueued, plus(&g, x));
    oribi_value_id value = x;
    for (int i = 0; i < 6; i++) { /* these want memory, and the input of y is used no more */
        value = plus(&g, value);
    }
    small_output(&g, y, "y");
    small_output(&g, meet(&g, value, 2), "value");
    oribi_session *session = device_session(g, "FAKE:0", NULL);

    run_some(session, 2, more);

    oribi_session_destroy(session);
}

static void a_stream_that_is_lent_keeps_its_blocks_whatever_is_waited_for(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    oribi_device *device = oribi_device_open(oribi_platform_find("FAKE"), 0, status);
    oribi_stream *own = oribi_stream_create(device, 1, NULL, status);
    oribi_stream *other = oribi_stream_create(device, 1, NULL, status);
    small_expect_ok(status);

    for (int is_lent = 1; is_lent >= 0; is_lent--) {
        oribi_buffer *block = oribi_device_allocate(device, own, NULL, 64, status);
        const void *data = block->data;
        oribi_stream_lend(own);
        if (!is_lent) {
            oribi_stream_take_back(own);
        }
        assert_true(oribi_stream_wait_all(own, status));
        oribi_stream_drain(own);
        oribi_buffer_release(block); /* what reads it was enqueued by somebody else */
        oribi_buffer *of_other = oribi_device_allocate(device, other, NULL, 64, status);
        oribi_buffer *of_own = oribi_device_allocate(device, own, NULL, 64, status);

        assert_true((of_other->data == data) == !is_lent);
        assert_true((of_own->data == data) == (is_lent != 0));

        oribi_buffer_release(of_other);
        oribi_buffer_release(of_own);
        if (is_lent) {
            oribi_stream_take_back(own);
        }
        oribi_stream_drain(own);
    }

    oribi_stream_destroy(own);
    oribi_stream_destroy(other);
    oribi_device_release(device);
    TF_DeleteStatus(status);
    assert_int_equal(fake_live_bytes(), 0);
}

static void from_the_third_run_on_no_memory_of_the_device_is_asked_for(void **state)
{
    (void)state;
    small_graph g = small_begin();
    const oribi_value_id x = plus(&g, small_input(&g, "x", 2, DIMS));
    small_output(&g, async_node(&g, add_twice_when_all_else_is_enqueued, x), "y");
    small_output(&g, meet(&g, x, 2), "value");
    oribi_session *session = device_session(g, "FAKE:0", NULL);
    oribi_run *run = small_run_of(session);
    int64_t live[4];

    small_bind(run, 0, small_tensor(2, DIMS, 1));
    for (int i = 0; i < 4; i++) {
        gate_open(&all);
        small_execute(run);
        join_all();
        live[i] = spy_calls("allocate");
    }

    assert_true(live[3] == live[2]);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

/* --- Ends ------------------------------------------------------------------------------------ */

static atomic_int n_posted;

static void post_late(void *arg)
{
    (void)arg;
    oribi_thread_sleep(50000000); /* a run that does not wait is over by then */
    n_posted++;
}

static void post_on_the_stream(flying *work)
{
    TF_Status *status = TF_NewStatus();
    gate_pass(&all, 2);
    spy_call(TF_GetStream(work->ctx, status), post_late, NULL);
    TF_DeleteStatus(status);
    TF_RunAsyncOpKernelDoneCallback(work->done);
}

static void a_run_ends_after_what_kernels_enqueued_that_nobody_reads(void **state)
{
    (void)state;
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, DIMS);
    const oribi_value_id y = plus(&g, x);
    char name[] = "post";
    oribi_node *node = oribi_graph_add_node(g.graph, "Test>Post", name, &y, 1, 0, g.status);
    small_expect_ok(g.status);
    for (int i = 0; i <= n_flying_fns; i++) {
        if (i == n_flying_fns) {
            flying_table[n_flying_fns++] = post_on_the_stream;
        }
        if (flying_table[i] == post_on_the_stream) {
            assert_true(oribi_attrs_set_int(&node->attrs, &g.graph->arena, "fn", i));
            break;
        }
    }
    assert_true(oribi_graph_resolve(g.graph, node, g.status));
    small_output(&g, pure_fn1(&g, tell_all, plus(&g, y)), "z");
    oribi_session *session = device_session(g, "FAKE:0", NULL);
    oribi_run *run = small_run_of(session);

    for (int i = 0; i < 3; i++) {
        gate_open(&all);
        small_bind(run, 0, small_tensor(2, DIMS, (float)i));
        small_execute(run);
        assert_int_equal(n_posted, i + 1);
        join_all();
    }

    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

static void fail_with(flying *work, TF_Code code)
{
    TF_Status *status = TF_NewStatus();
    TF_SetStatus(status, code, "planted");
    TF_OpKernelContext_Failure(work->ctx, status);
    TF_DeleteStatus(status);
    TF_RunAsyncOpKernelDoneCallback(work->done);
}

static void fail_at_once(flying *work)
{
    fail_with(work, TF_DATA_LOSS);
}

static void fail_after_the_other(flying *work)
{
    while (!TF_OpKernelContext_IsCancelled(work->ctx)) {
        sched_yield();
    }
    fail_with(work, TF_UNAVAILABLE);
}

static void the_failure_of_the_lowest_step_wins_on_a_device_too(void **state)
{
    (void)state;
    small_graph g = small_begin();
    TF_Status *status = TF_NewStatus();
    const oribi_value_id x = small_input(&g, "x", 2, DIMS);
    small_output(&g, async_node(&g, fail_after_the_other, x), "a");
    small_output(&g, async_node(&g, fail_at_once, x), "b");
    oribi_session *session = device_session(g, "FAKE:0", NULL);
    oribi_run *run = small_run_of(session);
    small_bind(run, 0, small_tensor(2, DIMS, 0));

    for (int i = 0; i < 3; i++) {
        oribi_run_execute(run, status);

        assert_int_equal(TF_GetCode(status), TF_UNAVAILABLE);
        assert_non_null(strstr(TF_Message(status), "'n0'"));
        join_all();
    }

    oribi_run_destroy(run);
    oribi_session_destroy(session);
    TF_DeleteStatus(status);
    assert_int_equal(fake_live_bytes(), 0);
}

static sem_t is_at_work;

static void give_up(void *object)
{
    TF_RunAsyncOpKernelDoneCallback(object);
}

static void until_cancelled(flying *work)
{
    add_on_device(work->ctx);
    if (!TF_OpKernelContext_OnCancel(work->ctx, give_up, work->done)) {
        give_up(work->done);
    }
    sem_post(&is_at_work);
}

static void cancel_at_work(void *arg)
{
    sem_wait(&is_at_work);
    oribi_run_cancel(arg);
}

static void a_cancel_ends_the_wait_for_a_kernel_of_a_device(void **state)
{
    (void)state;
    small_graph g = small_begin();
    TF_Status *status = TF_NewStatus();
    const oribi_value_id x = small_input(&g, "x", 2, DIMS);
    small_output(&g, plus(&g, async_node(&g, until_cancelled, x)), "a");
    oribi_session *session = device_session(g, "FAKE:0", NULL);
    oribi_run *run = small_run_of(session);
    sem_init(&is_at_work, 0, 0);
    small_bind(run, 0, small_tensor(2, DIMS, 0));

    for (int i = 0; i < 3; i++) {
        oribi_thread *thread = oribi_thread_start(cancel_at_work, run, "cancel", 0);
        oribi_run_execute(run, status);
        assert_int_equal(TF_GetCode(status), TF_CANCELLED);
        oribi_thread_join(thread);
        join_all();
    }

    oribi_run_destroy(run);
    oribi_session_destroy(session);
    TF_DeleteStatus(status);
    while (fake_live_bytes() > 0) { /* of a late one: on a thread made for it */
        oribi_thread_yield();
    }
}

/* --- Traces ---------------------------------------------------------------------------------- */

static int n_flights_traced, n_kernels_traced;

static void note_event(void *arg, const oribi_trace_event *event)
{
    (void)arg;
    n_flights_traced += event->lane >= 500 && event->lane < 1000;
    n_kernels_traced += event->lane >= 1000 && strcmp(event->kind, "kernel") == 0;
}

static void timers_of_the_device_are_for_steps_that_nothing_comes_between(void **state)
{
    (void)state;
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, DIMS);
    for (int i = 0; i < MANY; i++) {
        char name[8];
        snprintf(name, sizeof name, "z%d", i);
        small_output(&g, plus(&g, async_node(&g, after_all_have_started, plus(&g, x))), name);
    }
    oribi_session *session = device_session(g, "FAKE:0", NULL);
    oribi_run *run = small_run_of(session);
    oribi_run_set_trace(run, note_event, NULL);
    small_bind(run, 0, small_tensor(2, DIMS, 0));

    for (int i = 0; i < 3; i++) {
        n_flights_traced = 0;
        n_kernels_traced = 0;
        gate_open(&all);
        small_execute(run);
        join_all();

        for (int k = 0; k < MANY; k++) {
            small_expect(run, k, COUNT, 3);
        }
        assert_int_equal(n_flights_traced, MANY);
        assert_in_range(n_kernels_traced, 2 * MANY, 2 * MANY + 1); /* the last one is alone */
    }

    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eight_kernels_of_a_device_of_which_none_is_done_before_all_have_started),
        cmocka_unit_test(the_device_and_the_host_go_on_beside_one),
        cmocka_unit_test(nobody_gets_the_memory_of_a_kernel_that_is_at_work),
        cmocka_unit_test(a_stream_that_is_lent_keeps_its_blocks_whatever_is_waited_for),
        cmocka_unit_test(from_the_third_run_on_no_memory_of_the_device_is_asked_for),
        cmocka_unit_test(a_run_ends_after_what_kernels_enqueued_that_nobody_reads),
        cmocka_unit_test(the_failure_of_the_lowest_step_wins_on_a_device_too),
        cmocka_unit_test(a_cancel_ends_the_wait_for_a_kernel_of_a_device),
        cmocka_unit_test(timers_of_the_device_are_for_steps_that_nothing_comes_between),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
