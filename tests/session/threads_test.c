/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions shared by threads, kernels on the pool, asynchronous kernels, cancelling, deadlines. Run
 * it under the thread sanitizer (preset tsan).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/thread.h"
#include "session/small.h"
#include "tensorflow/c/thread_pool.h"

static const int64_t ANY[2] = {-1, 8};

/* --- Kernels --------------------------------------------------------------------------------- */

typedef struct block_work {
    TF_OpKernelContext *ctx;
    float *to;
    int n_threads;
    atomic_int *in_use; /* by worker */
    atomic_int clashes;
} block_work;

/* Each block opens the input for itself, as careless kernels do. */
static void add_block(void *object, int64_t begin, int64_t end, int worker)
{
    block_work *work = object;
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    if (worker < 0 || worker >= work->n_threads ||
        atomic_fetch_add(&work->in_use[worker], 1) != 0) {
        work->clashes++;
    }
    TF_GetInput(work->ctx, 0, &x, status);
    const float *from = TF_TensorData(x);
    for (int64_t i = begin; i < end; i++) {
        work->to[i] = from[i] + 1.0f;
    }
    atomic_fetch_sub(&work->in_use[worker], 1);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

static atomic_int n_deleted;

static void delete_work(void *object)
{
    (void)object;
    n_deleted++;
}

static void on_the_pool(TF_OpKernelContext *ctx)
{
    atomic_int in_use[16];
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    TF_GetInput(ctx, 0, &x, status);
    const int64_t dims[2] = {TF_Dim(x, 0), TF_Dim(x, 1)};
    const int64_t n = TF_TensorElementCount(x);
    TF_DeleteTensor(x);
    TF_Tensor *z = TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, 2, 0, status);
    block_work work = {ctx, TF_TensorData(z), TF_ThreadPool_NumThreads(ctx), in_use, 0};
    for (int i = 0; i < 16; i++) {
        atomic_init(&in_use[i], 0);
    }
    const TF_WorkerRangeCallable fn = {&work, add_block, delete_work};
    TF_ThreadPool_ParallelForWithWorkerId(ctx, n, 2000, fn);
    if (work.clashes > 0) {
        TF_SetStatus(status, TF_INTERNAL, "two blocks with one worker number");
        TF_OpKernelContext_Failure(ctx, status);
    }
    TF_DeleteTensor(z);
    TF_DeleteStatus(status);
}

/* --- Many threads ---------------------------------------------------------------------------- */

enum { THREADS = 8, SHAPES = 4, ROUNDS = 12 };

typedef struct worker {
    oribi_session *session;
    int index;
    int n_wrong;
} worker;

static bool check_result(oribi_run *run, int64_t count, float first)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *tensor = oribi_run_output(run, 0, status);
    bool ok = tensor != NULL && TF_TensorElementCount(tensor) == count;
    for (int64_t i = 0; ok && i < count; i++) {
        ok = ((float *)TF_TensorData(tensor))[i] == first + (float)i;
    }
    TF_DeleteTensor(tensor);
    TF_DeleteStatus(status);
    return ok;
}

static void run_shapes(void *arg)
{
    worker *self = arg;
    TF_Status *status = TF_NewStatus();
    oribi_run *run = oribi_run_create(self->session, status);
    for (int round = 0; round < ROUNDS; round++) {
        const int64_t rows = 1 + 5 * ((self->index + round / 3) % SHAPES);
        const int64_t dims[2] = {rows, 8};
        const float first = (float)(self->index * 100 + round);
        TF_Tensor *input = small_tensor(2, dims, first);
        oribi_run_set_input(run, 0, input, status);
        TF_DeleteTensor(input);
        oribi_run_execute(run, status);
        if (TF_GetCode(status) != TF_OK || !check_result(run, rows * 8, first + 6)) {
            self->n_wrong++;
        }
    }
    oribi_run_destroy(run);
    TF_DeleteStatus(status);
}

static oribi_session *shared_session(void)
{
    small_graph g = small_begin();
    oribi_value_id value = small_input(&g, "x", 2, ANY);
    for (int i = 0; i < 3; i++) {
        value = small_blind(&g, small_add_one, value); /* unknown shapes: plans improve */
        value = small_fn1(&g, on_the_pool, value);
    }
    small_output(&g, value, "z");
    oribi_options *options = small_options();
    oribi_options_set_threads(options, 3);
    oribi_session *session = oribi_session_from_graph(g.graph, options, g.status);
    small_expect_ok(g.status);
    oribi_options_destroy(options);
    TF_DeleteStatus(g.status);
    return session;
}

static void eight_threads_run_four_shapes_on_one_session(void **state)
{
    (void)state;
    oribi_session *session = shared_session();
    oribi_thread *threads[THREADS];
    worker workers[THREADS];

    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){session, i, 0};
        threads[i] = oribi_thread_start(run_shapes, &workers[i], "test", 0);
        assert_non_null(threads[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        oribi_thread_join(threads[i]);
    }

    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(workers[i].n_wrong, 0);
    }
    assert_int_equal(n_deleted, THREADS * ROUNDS * 3);
    oribi_session_destroy(session);
}

/* --- Asynchronous kernels -------------------------------------------------------------------- */

typedef struct later {
    TF_OpKernelContext *ctx;
    TF_AsyncOpKernelDoneCallback *done;
    bool fails;
} later;
static bool async_fails;
static oribi_thread *async_threads[64];
static int n_async;

static void finish_later(void *arg)
{
    later *work = arg;
    if (work->fails) {
        TF_Status *status = TF_NewStatus();
        TF_SetStatus(status, TF_UNAVAILABLE, "gone");
        TF_OpKernelContext_Failure(work->ctx, status);
        TF_DeleteStatus(status);
    } else {
        small_add_one(work->ctx); /* all of it on another thread than the run's */
    }
    TF_RunAsyncOpKernelDoneCallback(work->done);
    free(work);
}

static void compute_later(void *kernel, TF_OpKernelContext *ctx, TF_AsyncOpKernelDoneCallback *done)
{
    (void)kernel;
    later *work = malloc(sizeof *work);
    *work = (later){ctx, done, async_fails};
    async_threads[n_async++] = oribi_thread_start(finish_later, work, "async", 0);
}

static void compute_at_once(void *kernel, TF_OpKernelContext *ctx,
                            TF_AsyncOpKernelDoneCallback *done)
{
    (void)kernel;
    small_add_one(ctx);
    TF_RunAsyncOpKernelDoneCallback(done);
}

static int setup(void **state)
{
    static const char *const x[] = {"x: float", NULL};
    static const char *const z[] = {"z: float", NULL};
    static const char *const fn[] = {"fn: int", NULL};
    small_setup(state);
    small_define_op("Test>Later", x, z, fn, small_same_shape);
    small_define_op("Test>AtOnce", x, z, fn, small_same_shape);
    small_register(TF_NewAsyncKernelBuilder("Test>Later", "CPU", NULL, compute_later, NULL),
                   "later");
    small_register(TF_NewAsyncKernelBuilder("Test>AtOnce", "CPU", NULL, compute_at_once, NULL),
                   "at_once");
    return 0;
}

static void the_run_waits_for_asynchronous_kernels(void **state)
{
    (void)state;
    const int64_t dims[2] = {4, 8};
    small_graph g = small_begin();
    oribi_value_id value = small_input(&g, "x", 2, dims);
    value = small_node(&g, "Test>Later", NULL, &value, 1);
    value = small_node(&g, "Test>AtOnce", NULL, &value, 1);
    value = small_fn1(&g, small_add_one, value);
    value = small_node(&g, "Test>Later", NULL, &value, 1);
    small_output(&g, value, "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    TF_Status *status = TF_NewStatus();

    for (int i = 0; i < 6; i++) {
        async_fails = i == 3;
        small_bind(run, 0, small_tensor(2, dims, (float)i));
        oribi_run_execute(run, status);
        if (i == 3) {
            assert_int_equal(TF_GetCode(status), TF_UNAVAILABLE);
            assert_non_null(strstr(TF_Message(status), "n0"));
        } else {
            small_expect_ok(status);
            small_expect(run, 0, 32, (float)i + 4);
        }
    }

    while (n_async > 0) {
        oribi_thread_join(async_threads[--n_async]);
    }
    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

/* --- Deferred operations --------------------------------------------------------------------- */

typedef struct deferred {
    TF_OpKernelContext *ctx;
    float *to;
} deferred;
static deferred deferred_work;

static void finish_deferred(void *arg)
{
    deferred *work = arg;
    for (int i = 0; i < 32; i++) {
        work->to[i] = (float)i;
    }
    TF_DecNumDeferredOps(work->ctx);
}

static void compute_deferred(TF_OpKernelContext *ctx)
{
    TF_Tensor *x;
    TF_Tensor *z;
    assert_true(small_open(ctx, &x, &z));
    deferred_work = (deferred){ctx, TF_TensorData(z)};
    TF_IncNumDeferredOps(ctx);
    async_threads[n_async++] = oribi_thread_start(finish_deferred, &deferred_work, "deferred", 0);
    small_close(x, z);
}

static void the_run_waits_for_deferred_operations(void **state)
{
    (void)state;
    const int64_t dims[2] = {4, 8};
    small_graph g = small_begin();
    const oribi_value_id x = small_input(&g, "x", 2, dims);
    small_output(&g, small_fn1(&g, small_add_one, small_fn1(&g, compute_deferred, x)), "z");
    oribi_session *session = small_finish(&g);
    oribi_run *run = small_run_of(session);
    small_bind(run, 0, small_tensor(2, dims, 0));

    for (int i = 0; i < 3; i++) {
        small_execute(run);
        small_expect(run, 0, 32, 1);
    }

    while (n_async > 0) {
        oribi_thread_join(async_threads[--n_async]);
    }
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

/* --- Cancelling and deadlines ---------------------------------------------------------------- */

static atomic_bool has_started;

static void wait_for_cancel(TF_OpKernelContext *ctx)
{
    has_started = true;
    while (!TF_OpKernelContext_IsCancelled(ctx)) {
        sched_yield();
    }
    small_add_one(ctx);
}

static void wait_block(void *object, int64_t begin, int64_t end)
{
    (void)begin;
    (void)end;
    has_started = true;
    while (!TF_OpKernelContext_IsCancelled(object)) {
        sched_yield();
    }
}

static void wait_in_a_loop(TF_OpKernelContext *ctx)
{
    const TF_RangeCallable fn = {ctx, wait_block, NULL};
    TF_ThreadPool_ParallelFor(ctx, 1000000, 1000000, fn);
    small_add_one(ctx);
}

static void cancel_when_started(void *arg)
{
    while (!has_started) {
        sched_yield();
    }
    oribi_run_cancel(arg);
}

static small_fn waits[2] = {wait_for_cancel, wait_in_a_loop};

static oribi_session *waiting_session(small_fn fn)
{
    const int64_t dims[2] = {4, 8};
    small_graph g = small_begin();
    const oribi_value_id x = small_fn1(&g, small_add_one, small_input(&g, "x", 2, dims));
    small_output(&g, small_fn1(&g, small_add_one, small_fn1(&g, fn, x)), "z");
    return small_finish(&g);
}

static void a_run_is_cancelled_from_another_thread(void **state)
{
    (void)state;
    const int64_t dims[2] = {4, 8};
    for (int k = 0; k < 2; k++) {
        oribi_session *session = waiting_session(waits[k]);
        oribi_run *run = small_run_of(session);
        TF_Status *status = TF_NewStatus();
        small_bind(run, 0, small_tensor(2, dims, 0));
        for (int i = 0; i < 3; i++) {
            has_started = false;
            oribi_run_cancel(run); /* before the start: no effect */
            oribi_thread *thread = oribi_thread_start(cancel_when_started, run, "cancel", 0);
            oribi_run_execute(run, status);
            oribi_thread_join(thread);
            assert_int_equal(TF_GetCode(status), TF_CANCELLED);
        }
        assert_null(oribi_run_output(run, 0, status));
        TF_DeleteStatus(status);
        oribi_run_destroy(run);
        oribi_session_destroy(session);
    }
}

static void a_run_ends_at_its_deadline(void **state)
{
    (void)state;
    const int64_t dims[2] = {4, 8};
    for (int k = 0; k < 2; k++) {
        oribi_session *session = waiting_session(waits[k]);
        oribi_run *run = small_run_of(session);
        TF_Status *status = TF_NewStatus();
        small_bind(run, 0, small_tensor(2, dims, 0));
        oribi_run_set_time_limit(run, 5000000);

        oribi_run_execute(run, status);
        assert_int_equal(TF_GetCode(status), TF_DEADLINE_EXCEEDED);

        oribi_run_set_time_limit(run, 1);
        oribi_run_execute(run, status);
        assert_int_equal(TF_GetCode(status), TF_DEADLINE_EXCEEDED);
        TF_DeleteStatus(status);
        oribi_run_destroy(run);
        oribi_session_destroy(session);
    }
}

/* --- Failure inside a loop ------------------------------------------------------------------- */

static atomic_int n_blocks;

static void fail_block(void *object, int64_t begin, int64_t end)
{
    (void)begin;
    (void)end;
    n_blocks++;
    TF_Status *status = TF_NewStatus();
    TF_SetStatus(status, TF_DATA_LOSS, "in a block");
    TF_OpKernelContext_Failure(object, status);
    TF_OpKernelContext_UpdateStatus(object, status);
    TF_DeleteStatus(status);
}

static void fail_in_a_loop(TF_OpKernelContext *ctx)
{
    const TF_RangeCallable fn = {ctx, fail_block, delete_work};
    TF_ThreadPool_ParallelFor(ctx, 100000, 1000000, fn);
}

static void a_failure_in_a_block_skips_the_others(void **state)
{
    (void)state;
    const int64_t dims[2] = {4, 8};
    oribi_session *session = waiting_session(fail_in_a_loop);
    oribi_run *run = small_run_of(session);
    TF_Status *status = TF_NewStatus();
    small_bind(run, 0, small_tensor(2, dims, 0));
    n_blocks = 0;
    n_deleted = 0;

    oribi_run_execute(run, status);

    assert_int_equal(TF_GetCode(status), TF_DATA_LOSS);
    assert_true(n_blocks < 100);
    assert_int_equal(n_deleted, 1);
    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

/* --- Trace ----------------------------------------------------------------------------------- */

typedef struct trace_counts {
    int steps, blocks, allocs;
    bool in_order;
} trace_counts;

static void count_event(void *arg, const oribi_trace_event *event)
{
    trace_counts *counts = arg;
    counts->steps += strcmp(event->kind, "step") == 0;
    counts->blocks += strcmp(event->kind, "block") == 0;
    counts->allocs += strcmp(event->kind, "alloc") == 0;
    counts->in_order = counts->in_order && event->start_ns <= event->end_ns;
    assert_non_null(event->name);
    assert_non_null(event->detail);
}

static void a_trace_tells_steps_blocks_and_allocations(void **state)
{
    (void)state;
    const int64_t dims[2] = {64, 8};
    oribi_session *session = shared_session();
    oribi_run *run = small_run_of(session);
    trace_counts counts = {.in_order = true};
    oribi_run_set_trace(run, count_event, &counts);
    small_bind(run, 0, small_tensor(2, dims, 0));

    small_execute(run);
    assert_int_equal(counts.steps, 6);
    assert_true(counts.blocks >= 3);
    assert_true(counts.allocs >= 5);
    assert_true(counts.in_order);
    small_execute(run);
    small_execute(run);
    counts = (trace_counts){.in_order = true};
    small_execute(run);
    assert_int_equal(counts.steps, 6);
    assert_int_equal(counts.allocs, 0);
    oribi_run_set_trace(run, NULL, NULL);
    small_execute(run);
    assert_int_equal(counts.steps, 6);

    oribi_run_destroy(run);
    oribi_session_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eight_threads_run_four_shapes_on_one_session),
        cmocka_unit_test(the_run_waits_for_asynchronous_kernels),
        cmocka_unit_test(the_run_waits_for_deferred_operations),
        cmocka_unit_test(a_run_is_cancelled_from_another_thread),
        cmocka_unit_test(a_run_ends_at_its_deadline),
        cmocka_unit_test(a_failure_in_a_block_skips_the_others),
        cmocka_unit_test(a_trace_tells_steps_blocks_and_allocations),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
