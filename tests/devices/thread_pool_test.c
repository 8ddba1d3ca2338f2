/* SPDX-License-Identifier: Apache-2.0 */
/* thread_pool.h inside a run, on threads of the session and of the application: ranges covered
 * once, objects deleted once whatever happens, handles that outlive the session, applications whose
 * threads are busy. Run it under TSan too. The pool itself: tests/device/pool_test.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "devices/app_pool.h"
#include "base/alloc.h"
#include "session/small.h"
#include "tensorflow/c/thread_pool.h"

enum { UNITS = 1000 };
static const int64_t DIMS[1] = {4};

static atomic_int units[UNITS], n_blocks, n_wrong, n_deleted, n_called;
static TF_ThreadPool *kept;
static int64_t wanted_block;

static void reset(void)
{
    for (int i = 0; i < UNITS; i++) {
        atomic_store(&units[i], 0);
    }
    atomic_store(&n_blocks, 0);
    atomic_store(&n_wrong, 0);
    atomic_store(&n_deleted, 0);
    atomic_store(&n_called, 0);
}

static void count_deleted(void *object)
{
    (void)object;
    atomic_fetch_add(&n_deleted, 1);
}

static void count_range(void *object, int64_t begin, int64_t end)
{
    (void)object;
    atomic_fetch_add(&n_blocks, 1);
    for (int64_t i = begin; i < end; i++) {
        atomic_fetch_add(&units[i], 1);
    }
    if (wanted_block > 0 &&
        (begin % wanted_block != 0 || (end - begin != wanted_block && end != UNITS))) {
        atomic_fetch_add(&n_wrong, 1);
    }
}

static void expect_each_unit(int times)
{
    for (int i = 0; i < UNITS; i++) {
        assert_int_equal(atomic_load(&units[i]), times);
    }
    assert_int_equal(atomic_load(&n_wrong), 0);
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

static oribi_run *run_once(oribi_session *session)
{
    oribi_run *run = small_run_of(session);
    small_bind(run, 0, small_tensor(1, DIMS, 5));
    small_execute(run);
    small_expect(run, 0, 4, 6);
    return run;
}

/* --- What a kernel may call ---------------------------------------------------------------------
 */

static void transform(TF_OpKernelContext *ctx)
{
    TF_ThreadPool_TransformRangeConcurrently(ctx, wanted_block, UNITS,
                                             (TF_RangeCallable){NULL, count_range, count_deleted});
    small_add_one(ctx);
}

static void blocks_of_a_transformed_range_have_the_size_asked_for(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        reset();
        wanted_block = 7;
        oribi_session *session = session_with(transform, NULL, threads);
        oribi_run_destroy(run_once(session));
        oribi_session_destroy(session);
        wanted_block = 0;
        expect_each_unit(1);
        assert_int_equal(atomic_load(&n_blocks), (UNITS + 6) / 7);
        assert_int_equal(atomic_load(&n_deleted), 1);
    }
}

static void note_thread(void *object)
{
    const int id = TF_ThreadPoolHandle_CurrentThreadId(object);
    atomic_fetch_add(&n_wrong, id < 1 || id >= TF_ThreadPoolHandle_NumThreads(object));
    atomic_fetch_add(&n_called, 1);
}

static void ask_thread_ids(TF_OpKernelContext *ctx)
{
    TF_ThreadPool *pool = TF_GetThreadPoolHandle(ctx);
    atomic_fetch_add(&n_wrong, TF_ThreadPool_CurrentThreadId(ctx) != -1);
    for (int i = 0; i < 50; i++) {
        TF_ThreadPool_ScheduleWithHint(ctx, (TF_Callable){pool, note_thread, count_deleted}, i % 3,
                                       i % 3 + 1);
    }
    /* Some time, but not never: what is not scheduled at all must not hang the test. */
    for (uint64_t until = oribi_now_ns() + UINT64_C(10000000000);
         atomic_load(&n_deleted) < 50 && oribi_now_ns() < until;) {
        oribi_thread_yield();
    }
    TF_DeleteThreadPoolHandle(pool);
    small_add_one(ctx);
}

static void threads_of_the_pool_know_their_number(void **state)
{
    (void)state;
    reset();
    oribi_session *session = session_with(ask_thread_ids, NULL, 3);
    oribi_run_destroy(run_once(session));
    oribi_session_destroy(session);
    assert_int_equal(atomic_load(&n_wrong), 0);
    assert_int_equal(atomic_load(&n_called), 50);
}

static int n_threads_seen;

static void ask_how_many(TF_OpKernelContext *ctx)
{
    n_threads_seen = TF_ThreadPool_NumThreads(ctx);
    small_add_one(ctx);
}

/* One of these is not the number of processors, which a session takes by itself. */
static void a_session_has_the_threads_that_it_was_told(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        oribi_session *session = session_with(ask_how_many, NULL, threads);
        oribi_run_destroy(run_once(session));
        oribi_session_destroy(session);
        assert_int_equal(n_threads_seen, threads);
    }
}

static void fail_early(void *object, int64_t begin, int64_t end)
{
    TF_OpKernelContext *ctx = object;
    count_range(NULL, begin, end);
    TF_Status *status = TF_NewStatus();
    TF_SetStatus(status, TF_DATA_LOSS, "the first block says no");
    TF_OpKernelContext_Failure(ctx, status);
    TF_DeleteStatus(status);
}

static void fail_in_a_block(TF_OpKernelContext *ctx)
{
    TF_ThreadPool_TransformRangeConcurrently(ctx, 1, UNITS,
                                             (TF_RangeCallable){ctx, fail_early, count_deleted});
}

static void a_failure_skips_what_has_not_begun(void **state)
{
    (void)state;
    app_pool app = {0};
    app_pool_start(&app, 2);
    const oribi_thread_pool pool = {sizeof pool, &app, 2, app_pool_schedule};
    for (int on_app = 0; on_app <= 1; on_app++) {
        reset();
        oribi_session *session = session_with(fail_in_a_block, on_app ? &pool : NULL, 3);
        oribi_run *run = small_run_of(session);
        TF_Status *status = TF_NewStatus();
        small_bind(run, 0, small_tensor(1, DIMS, 5));
        oribi_run_execute(run, status);
        assert_int_equal(TF_GetCode(status), TF_DATA_LOSS);
        assert_in_range(atomic_load(&n_blocks), 1, 3); /* one for each thread at most */
        assert_int_equal(atomic_load(&n_deleted), 1);
        TF_DeleteStatus(status);
        oribi_run_destroy(run);
        oribi_session_destroy(session);
    }
    app_pool_end(&app);
}

/* --- Handles ------------------------------------------------------------------------------------
 */

static void keep_handle(TF_OpKernelContext *ctx)
{
    if (kept == NULL) {
        kept = TF_GetThreadPoolHandle(ctx);
    }
    small_add_one(ctx);
}

static void drop_kept(void *object)
{
    TF_DeleteThreadPoolHandle(object);
    atomic_fetch_add(&n_called, 1);
}

/* One that ends on a thread of the pool, and with it the pool. */
static void a_handle_outlives_its_session(void **state)
{
    (void)state;
    app_pool app = {0};
    app_pool_start(&app, 2);
    const oribi_thread_pool pool = {sizeof pool, &app, 2, app_pool_schedule};
    for (int on_app = 0; on_app <= 1; on_app++) {
        reset();
        kept = NULL;
        oribi_session *session = session_with(keep_handle, on_app ? &pool : NULL, 3);
        oribi_run_destroy(run_once(session));
        oribi_session_destroy(session);

        assert_int_equal(TF_ThreadPoolHandle_NumThreads(kept), 3);
        assert_int_equal(TF_ThreadPoolHandle_CurrentThreadId(kept), -1);
        TF_ThreadPoolHandle_ParallelFor(kept, UNITS, 1000000,
                                        (TF_RangeCallable){NULL, count_range, count_deleted});
        TF_ThreadPoolHandle_TransformRangeConcurrently(
            kept, 3, UNITS, (TF_RangeCallable){NULL, count_range, count_deleted});
        expect_each_unit(2);
        assert_int_equal(atomic_load(&n_deleted), 2);
        TF_ThreadPoolHandle_Schedule(kept, (TF_Callable){kept, drop_kept, count_deleted});
        while (atomic_load(&n_deleted) < 3) {
            oribi_thread_yield();
        }
        assert_int_equal(atomic_load(&n_called), 1);
    }
    app_pool_end(&app);
}

static void count_worker_range(void *object, int64_t begin, int64_t end, int worker)
{
    atomic_fetch_add(&n_wrong, worker != 0);
    count_range(object, begin, end);
}

static void no_handle_runs_on_the_caller(void **state)
{
    (void)state;
    reset();
    TF_ThreadPoolHandle_ParallelForWithWorkerId(
        NULL, UNITS, 1, (TF_WorkerRangeCallable){NULL, count_worker_range, count_deleted});
    TF_ThreadPoolHandle_ScheduleWithHint(NULL, (TF_Callable){NULL, count_deleted, count_deleted}, 1,
                                         2);
    expect_each_unit(1);
    assert_int_equal(atomic_load(&n_deleted), 3);
    assert_int_equal(TF_ThreadPoolHandle_NumThreads(NULL), 1);
    TF_DeleteThreadPoolHandle(NULL);
}

/* --- Threads of the application -----------------------------------------------------------------
 */

static void inner_loop(void *object, int64_t begin, int64_t end)
{
    TF_OpKernelContext *ctx = object;
    for (int64_t i = begin; i < end; i++) {
        TF_ThreadPool_ParallelFor(ctx, UNITS, 100,
                                  (TF_RangeCallable){NULL, count_range, count_deleted});
    }
}

static void nest(TF_OpKernelContext *ctx)
{
    TF_ThreadPool_TransformRangeConcurrently(ctx, 1, 20, (TF_RangeCallable){ctx, inner_loop, NULL});
    small_add_one(ctx);
}

static void loops_run_on_threads_of_the_application(void **state)
{
    (void)state;
    app_pool app = {0};
    app_pool_start(&app, 3);
    const oribi_thread_pool pool = {sizeof pool, &app, 3, app_pool_schedule};
    oribi_session *sessions[2] = {session_with(nest, &pool, 0), session_with(nest, &pool, 2)};
    for (int i = 0; i < 100; i++) {
        reset();
        oribi_run_destroy(run_once(sessions[i % 2]));
        expect_each_unit(20);
        assert_int_equal(atomic_load(&n_deleted), 20);
    }
    oribi_session_destroy(sessions[0]);
    oribi_session_destroy(sessions[1]);
    app_pool_end(&app); /* whose threads may count until here */
    assert_true(app.n_run > 0);
    assert_int_equal(app.n_run, app.n_scheduled);
}

static void a_pool_that_is_busy_makes_nobody_wait(void **state)
{
    (void)state;
    const int64_t live = oribi_alloc_live();
    app_pool app = {0};
    app_pool_start(&app, 2);
    app_pool_hold(&app, true);
    const oribi_thread_pool pool = {sizeof pool, &app, 2, app_pool_schedule};
    oribi_session *session = session_with(nest, &pool, 0);
    reset();
    oribi_run_destroy(run_once(session));
    expect_each_unit(20);
    oribi_session_destroy(session);
    assert_in_range(app.n_scheduled, 1, 2); /* helpers, however many loops there were */
    app_pool_hold(&app, false);             /* late: they find nothing, and the last one frees */
    app_pool_end(&app);
    assert_int_equal(app.n_run, app.n_scheduled);
    assert_int_equal(oribi_alloc_live(), live);
}

static void loops_on_the_application_allocate_nothing(void **state)
{
    (void)state;
    app_pool app = {0};
    app_pool_start(&app, 2);
    const oribi_thread_pool pool = {sizeof pool, &app, 2, app_pool_schedule};
    oribi_session *session = session_with(nest, &pool, 0);
    oribi_run *run = run_once(session);
    TF_Tensor *input = small_tensor(1, DIMS, 5);
    TF_Status *status = TF_NewStatus();
    uint64_t before = 0;
    for (int i = 0; i < 12; i++) {
        before = i == 2 ? oribi_alloc_count() : before; /* the third run is the steady one */
        oribi_run_set_input(run, 0, input, status);
        oribi_run_execute(run, status);
        small_expect_ok(status);
    }
    assert_int_equal(oribi_alloc_count(), before);
    TF_DeleteTensor(input);
    TF_DeleteStatus(status);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    app_pool_end(&app);
}

static void a_bad_pool_is_refused(void **state)
{
    (void)state;
    oribi_options *options = small_options();
    TF_Status *status = TF_NewStatus();
    const oribi_thread_pool bad[] = {{0, NULL, 1, app_pool_schedule},
                                     {sizeof bad[0], NULL, -1, app_pool_schedule},
                                     {sizeof bad[0], NULL, 1, NULL}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        oribi_options_set_thread_pool(options, &bad[i], status);
        assert_int_equal(TF_GetCode(status), TF_INVALID_ARGUMENT);
    }
    oribi_options_set_thread_pool(options, NULL, status);
    assert_int_equal(TF_GetCode(status), TF_OK);
    TF_DeleteStatus(status);
    oribi_options_destroy(options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_a_transformed_range_have_the_size_asked_for),
        cmocka_unit_test(threads_of_the_pool_know_their_number),
        cmocka_unit_test(a_session_has_the_threads_that_it_was_told),
        cmocka_unit_test(a_failure_skips_what_has_not_begun),
        cmocka_unit_test(no_handle_runs_on_the_caller),
        cmocka_unit_test(loops_run_on_threads_of_the_application),
        cmocka_unit_test(a_pool_that_is_busy_makes_nobody_wait),
        cmocka_unit_test(loops_on_the_application_allocate_nothing),
        cmocka_unit_test(a_bad_pool_is_refused),
        /* Last: a pool that ends on its own thread ends some time. */
        cmocka_unit_test(a_handle_outlives_its_session),
    };
    return cmocka_run_group_tests(tests, small_setup, NULL);
}
