/* SPDX-License-Identifier: Apache-2.0 */
/* thread_pool.h on each way out: a run that fails, is cancelled or late, a callable without a
 * function, an empty range, no memory, a thread that is nobody's. Whatever happens the object is
 * deleted once. Run it under TSan and ASan too. The healthy ways: thread_pool_test.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "devices/app_pool.h"
#include "session/small.h"
#include "tensorflow/c/thread_pool.h"

enum { UNITS = 600, HEAVY = 3000000 /* cycles: a block for each unit or two */ };
enum { LIMIT_NS = 50000000 };
static const int64_t DIMS[1] = {4};

static atomic_int n_entered, n_blocks, n_units, n_called, n_deleted, n_wrong;
static atomic_int in_use[8];
static oribi_run *current_run;

static void reset(void)
{
    atomic_int *const all[] = {&n_entered, &n_blocks, &n_units, &n_called, &n_deleted, &n_wrong};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        atomic_store(all[i], 0);
    }
}

static void count_deleted(void *object)
{
    (void)object;
    atomic_fetch_add(&n_deleted, 1);
}

static oribi_session *session_with(small_fn fn, const oribi_thread_pool *pool, int threads)
{
    small_graph g = small_begin();
    small_output(&g, small_fn1(&g, fn, small_input(&g, "x", 1, DIMS)), "z");
    oribi_options *options = small_options();
    oribi_options_set_threads(options, threads);
    if (pool != NULL) {
        oribi_options_set_thread_pool(options, pool, g.status);
        small_expect_ok(g.status);
    }
    oribi_session *session = oribi_session_from_graph(g.graph, options, g.status);
    small_expect_ok(g.status);
    oribi_options_destroy(options);
    TF_DeleteStatus(g.status);
    return session;
}

/* One run on each kind of pool: no thread but the caller's, threads of the session, of the
 * application. */
static void run_everywhere(small_fn fn, uint64_t limit_ns, TF_Code code, void (*check)(int threads))
{
    app_pool app = {0};
    app_pool_start(&app, 2);
    const oribi_thread_pool outside = {sizeof outside, &app, 2, app_pool_schedule};
    for (int kind = 0; kind < 3; kind++) {
        reset();
        const int64_t live = oribi_alloc_live();
        oribi_session *session = session_with(fn, kind == 2 ? &outside : NULL, kind == 0 ? 1 : 3);
        oribi_run *run = small_run_of(session);
        TF_Status *status = TF_NewStatus();
        small_bind(run, 0, small_tensor(1, DIMS, 5));
        oribi_run_set_time_limit(run, limit_ns);
        current_run = run;
        oribi_run_execute(run, status);
        assert_int_equal(TF_GetCode(status), code);
        TF_DeleteStatus(status);
        oribi_run_destroy(run);
        oribi_session_destroy(session);
        check(kind == 0 ? 1 : 3);
        if (kind != 2) { /* there a late helper may hold the pool's memory until app_pool_end */
            assert_int_equal(oribi_alloc_live(), live);
        }
    }
    app_pool_end(&app);
}

/* --- A run that ends while a loop is under way --------------------------------------------------
 */

static void end_by_failure(TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_SetStatus(status, TF_DATA_LOSS, "a block says no");
    TF_OpKernelContext_Failure(ctx, status);
    TF_DeleteStatus(status);
}

static void end_by_cancellation(TF_OpKernelContext *ctx)
{
    (void)ctx;
    oribi_run_cancel(current_run);
}

static void end_by_time(TF_OpKernelContext *ctx)
{
    (void)ctx;
    oribi_thread_sleep(LIMIT_NS + LIMIT_NS / 5);
}

static void (*end_run)(TF_OpKernelContext *ctx);

static void count_and_end(void *object, int64_t begin, int64_t end)
{
    (void)begin;
    (void)end;
    atomic_fetch_add(&n_blocks, 1);
    end_run(object);
}

static void count_and_end_worker(void *object, int64_t begin, int64_t end, int worker)
{
    (void)worker;
    count_and_end(object, begin, end);
}

static void loop_by_cost(TF_OpKernelContext *ctx)
{
    atomic_fetch_add(&n_entered, 1);
    TF_ThreadPool_ParallelFor(ctx, UNITS, HEAVY,
                              (TF_RangeCallable){ctx, count_and_end, count_deleted});
}

static void loop_with_workers(TF_OpKernelContext *ctx)
{
    atomic_fetch_add(&n_entered, 1);
    TF_ThreadPool_ParallelForWithWorkerId(
        ctx, UNITS, HEAVY, (TF_WorkerRangeCallable){ctx, count_and_end_worker, count_deleted});
}

static void loop_in_blocks(TF_OpKernelContext *ctx)
{
    atomic_fetch_add(&n_entered, 1);
    TF_ThreadPool_TransformRangeConcurrently(ctx, 1, UNITS,
                                             (TF_RangeCallable){ctx, count_and_end, count_deleted});
}

/* A loop within a block of another one: the inner one's object goes, too. */
static void enter_inner(void *object, int64_t begin, int64_t end)
{
    (void)begin;
    (void)end;
    loop_in_blocks(object);
}

static void loop_in_a_loop(TF_OpKernelContext *ctx)
{
    TF_ThreadPool_TransformRangeConcurrently(ctx, 1, UNITS,
                                             (TF_RangeCallable){ctx, enter_inner, NULL});
}

static void expect_skipped(int threads)
{
    assert_in_range(atomic_load(&n_blocks), 1, threads); /* those that had begun */
    assert_in_range(atomic_load(&n_entered), 1, threads);
    assert_int_equal(atomic_load(&n_deleted), atomic_load(&n_entered));
}

static const small_fn LOOPS[] = {loop_by_cost, loop_with_workers, loop_in_blocks, loop_in_a_loop};
enum { N_LOOPS = sizeof LOOPS / sizeof LOOPS[0] };

static void a_failure_ends_each_loop(void **state)
{
    (void)state;
    end_run = end_by_failure;
    for (int i = 0; i < N_LOOPS; i++) {
        run_everywhere(LOOPS[i], 0, TF_DATA_LOSS, expect_skipped);
    }
}

static void a_cancellation_ends_each_loop(void **state)
{
    (void)state;
    end_run = end_by_cancellation;
    for (int i = 0; i < N_LOOPS; i++) {
        run_everywhere(LOOPS[i], 0, TF_CANCELLED, expect_skipped);
    }
}

static void a_time_limit_ends_each_loop(void **state)
{
    (void)state;
    end_run = end_by_time;
    for (int i = 0; i < N_LOOPS; i++) {
        run_everywhere(LOOPS[i], LIMIT_NS, TF_DEADLINE_EXCEEDED, expect_skipped);
    }
}

/* --- Nothing to do ------------------------------------------------------------------------------
 */

static void count_range(void *object, int64_t begin, int64_t end)
{
    (void)object;
    atomic_fetch_add(&n_called, 1);
    atomic_fetch_add(&n_units, (int)(end - begin));
}

static void count_worker_range(void *object, int64_t begin, int64_t end, int worker)
{
    (void)worker;
    count_range(object, begin, end);
}

static void leave_empty(TF_OpKernelContext *ctx)
{
    TF_ThreadPool *pool = TF_GetThreadPoolHandle(ctx);
    const TF_RangeCallable none = {NULL, NULL, count_deleted};
    const TF_WorkerRangeCallable no_worker = {NULL, NULL, count_deleted};
    const TF_RangeCallable range = {NULL, count_range, count_deleted};
    const TF_WorkerRangeCallable worker_range = {NULL, count_worker_range, count_deleted};
    TF_ThreadPool_ParallelFor(ctx, UNITS, 1, none);
    TF_ThreadPool_ParallelForWithWorkerId(ctx, UNITS, 1, no_worker);
    TF_ThreadPool_TransformRangeConcurrently(ctx, 1, UNITS, none);
    TF_ThreadPoolHandle_ParallelFor(pool, UNITS, 1, none);
    TF_ThreadPoolHandle_ParallelForWithWorkerId(pool, UNITS, 1, no_worker);
    TF_ThreadPoolHandle_TransformRangeConcurrently(pool, 1, UNITS, none);
    for (int64_t total = 0; total >= -1; total--) {
        TF_ThreadPool_ParallelFor(ctx, total, 1, range);
        TF_ThreadPool_ParallelForWithWorkerId(ctx, total, 1, worker_range);
        TF_ThreadPool_TransformRangeConcurrently(ctx, 1, total, range);
        TF_ThreadPoolHandle_ParallelFor(pool, total, 1, range);
        TF_ThreadPoolHandle_ParallelForWithWorkerId(pool, total, 1, worker_range);
        TF_ThreadPoolHandle_TransformRangeConcurrently(pool, 1, total, range);
    }
    const int before = atomic_load(&n_deleted);
    TF_ThreadPool_Schedule(ctx, (TF_Callable){NULL, NULL, count_deleted});
    TF_ThreadPoolHandle_ScheduleWithHint(pool, (TF_Callable){NULL, NULL, count_deleted}, -5, 99);
    while (atomic_load(&n_deleted) < before + 2) {
        oribi_thread_yield();
    }
    TF_DeleteThreadPoolHandle(pool);
    small_add_one(ctx);
}

static void expect_twenty_deleted(int threads)
{
    (void)threads;
    assert_int_equal(atomic_load(&n_called), 0);
    assert_int_equal(atomic_load(&n_deleted), 20);
}

static void objects_without_work_are_deleted(void **state)
{
    (void)state;
    run_everywhere(leave_empty, 0, TF_OK, expect_twenty_deleted);
}

/* --- No memory ----------------------------------------------------------------------------------
 */

static void note_foreign(void *object)
{
    atomic_fetch_add(&n_wrong, TF_ThreadPool_CurrentThreadId(object) != -1);
    atomic_fetch_add(&n_called, 1);
}

/* Work that cannot be remembered is done at once, by the caller; loops need no memory. */
static void run_without_memory(TF_OpKernelContext *ctx)
{
    for (uint64_t nth = 1; nth <= 2; nth++) {
        oribi_alloc_fail_at(nth, true);
        TF_ThreadPool_Schedule(ctx, (TF_Callable){ctx, note_foreign, count_deleted});
        atomic_fetch_add(&n_wrong, atomic_load(&n_deleted) != (int)nth * 3 - 2);
        oribi_alloc_fail_at(nth, true);
        TF_ThreadPool_ScheduleWithHint(ctx, (TF_Callable){ctx, note_foreign, count_deleted}, 1, 2);
        TF_ThreadPool_ParallelFor(ctx, UNITS, HEAVY,
                                  (TF_RangeCallable){NULL, count_range, count_deleted});
        oribi_alloc_fail_at(0, false);
    }
    small_add_one(ctx);
}

static void expect_all_done(int threads)
{
    (void)threads;
    assert_int_equal(atomic_load(&n_wrong), 0);
    assert_int_equal(atomic_load(&n_units), 2 * UNITS);
    assert_int_equal(atomic_load(&n_deleted), 6);
}

static void without_memory_everything_is_done_here(void **state)
{
    (void)state;
    run_everywhere(run_without_memory, 0, TF_OK, expect_all_done);
}

/* --- Threads of a kernel's own, and worker numbers ----------------------------------------------
 */

static void claim_worker(void *object, int64_t begin, int64_t end, int worker)
{
    atomic_fetch_add(&n_wrong, worker < 0 || worker >= TF_ThreadPoolHandle_NumThreads(object));
    atomic_fetch_add(&n_wrong, atomic_fetch_add(&in_use[worker & 7], 1) != 0);
    for (volatile int i = 0; i < 2000; i++) {
    }
    atomic_fetch_sub(&in_use[worker & 7], 1);
    atomic_fetch_add(&n_units, (int)(end - begin));
}

static void numbers_of_a_loop(TF_OpKernelContext *ctx)
{
    TF_ThreadPool *pool = TF_GetThreadPoolHandle(ctx);
    const TF_WorkerRangeCallable fn = {pool, claim_worker, count_deleted};
    for (int i = 0; i < 20; i++) {
        TF_ThreadPool_ParallelForWithWorkerId(ctx, UNITS, HEAVY, fn);
        TF_ThreadPoolHandle_ParallelForWithWorkerId(pool, UNITS, HEAVY, fn);
    }
    TF_DeleteThreadPoolHandle(pool);
    small_add_one(ctx);
}

static void expect_numbers(int threads)
{
    (void)threads;
    assert_int_equal(atomic_load(&n_wrong), 0);
    assert_int_equal(atomic_load(&n_units), 40 * UNITS);
    assert_int_equal(atomic_load(&n_deleted), 40);
}

static void a_worker_number_is_one_blocks_at_a_time(void **state)
{
    (void)state;
    run_everywhere(numbers_of_a_loop, 0, TF_OK, expect_numbers);
}

static void loop_from_outside(void *arg)
{
    TF_OpKernelContext *ctx = arg;
    const TF_RangeCallable fn = {NULL, count_range, count_deleted};
    atomic_fetch_add(&n_wrong, TF_ThreadPool_CurrentThreadId(ctx) != -1);
    for (int i = 0; i < 10; i++) {
        TF_ThreadPool_ParallelFor(ctx, UNITS, HEAVY, fn);
        TF_ThreadPool_TransformRangeConcurrently(ctx, 7, UNITS, fn);
    }
}

static void start_threads(TF_OpKernelContext *ctx)
{
    oribi_thread *own[3];
    for (int i = 0; i < 3; i++) {
        own[i] = oribi_thread_start(loop_from_outside, ctx, "kernel", 0);
    }
    for (int i = 0; i < 3; i++) {
        atomic_fetch_add(&n_wrong, own[i] == NULL);
        oribi_thread_join(own[i]);
    }
    small_add_one(ctx);
}

static void expect_loops_of_three(int threads)
{
    (void)threads;
    assert_int_equal(atomic_load(&n_wrong), 0);
    assert_int_equal(atomic_load(&n_units), 60 * UNITS);
    assert_int_equal(atomic_load(&n_deleted), 60);
}

static void threads_of_a_kernels_own_may_loop(void **state)
{
    (void)state;
    run_everywhere(start_threads, 0, TF_OK, expect_loops_of_three);
}

/* What a process allocates once and keeps is there before anything is counted. */
static int set_up(void **state)
{
    const int result = small_setup(state);
    oribi_session *session = session_with(small_add_one, NULL, 3);
    oribi_run *run = small_run_of(session);
    TF_Status *status = TF_NewStatus();
    small_bind(run, 0, small_tensor(1, DIMS, 5));
    oribi_run_execute(run, status);
    TF_SetStatus(status, TF_UNKNOWN, "a message");
    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    return result;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_ends_each_loop),
        cmocka_unit_test(a_cancellation_ends_each_loop),
        cmocka_unit_test(a_time_limit_ends_each_loop),
        cmocka_unit_test(objects_without_work_are_deleted),
        cmocka_unit_test(without_memory_everything_is_done_here),
        cmocka_unit_test(a_worker_number_is_one_blocks_at_a_time),
        cmocka_unit_test(threads_of_a_kernels_own_may_loop),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
