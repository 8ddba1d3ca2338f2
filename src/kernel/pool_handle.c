/* SPDX-License-Identifier: Apache-2.0 */
/* Handles of a thread pool (thread_pool.h): a TF_ThreadPool is an oribi_pool, retained. Loops of a
 * context, which stop when the run does, are in context_pool.c.
 */
#include "tensorflow/c/thread_pool.h"

#include "base/alloc.h"
#include "device/pool.h"

#include <limits.h>

static oribi_pool *pool_of(TF_ThreadPool *handle)
{
    return (oribi_pool *)handle;
}

void TF_DeleteThreadPoolHandle(TF_ThreadPool *pool)
{
    oribi_pool_release(pool_of(pool));
}

int TF_ThreadPoolHandle_NumThreads(const TF_ThreadPool *pool)
{
    return oribi_pool_threads((const oribi_pool *)pool);
}

int TF_ThreadPoolHandle_CurrentThreadId(const TF_ThreadPool *pool)
{
    const int worker = oribi_pool_current_worker((const oribi_pool *)pool);
    return worker > 0 ? worker : -1;
}

static void run_range(void *object, int64_t begin, int64_t end, int worker)
{
    const TF_RangeCallable *fn = object;
    (void)worker;
    fn->call(fn->object, begin, end);
}

static void run_worker_range(void *object, int64_t begin, int64_t end, int worker)
{
    const TF_WorkerRangeCallable *fn = object;
    fn->call(fn->object, begin, end, worker);
}

void TF_ThreadPoolHandle_ParallelFor(TF_ThreadPool *pool, int64_t total, int64_t cost_per_unit,
                                     TF_RangeCallable fn)
{
    if (fn.call != NULL) {
        oribi_pool_parallel_for(pool_of(pool), total, cost_per_unit, run_range, &fn, NULL);
    }
    if (fn.delete_object != NULL) {
        fn.delete_object(fn.object);
    }
}

void TF_ThreadPoolHandle_ParallelForWithWorkerId(TF_ThreadPool *pool, int64_t total,
                                                 int64_t cost_per_unit, TF_WorkerRangeCallable fn)
{
    if (fn.call != NULL) {
        oribi_pool_parallel_for(pool_of(pool), total, cost_per_unit, run_worker_range, &fn, NULL);
    }
    if (fn.delete_object != NULL) {
        fn.delete_object(fn.object);
    }
}

void TF_ThreadPoolHandle_TransformRangeConcurrently(TF_ThreadPool *pool, int64_t block_size,
                                                    int64_t total, TF_RangeCallable fn)
{
    if (fn.call != NULL) {
        oribi_pool_parallel_blocks(pool_of(pool), total, block_size, run_range, &fn, NULL);
    }
    if (fn.delete_object != NULL) {
        fn.delete_object(fn.object);
    }
}

static void run_callable(const TF_Callable *fn)
{
    if (fn->call != NULL) {
        fn->call(fn->object);
    }
    if (fn->delete_object != NULL) {
        fn->delete_object(fn->object);
    }
}

static void run_scheduled(void *object)
{
    const TF_Callable fn = *(const TF_Callable *)object;
    oribi_free(object);
    run_callable(&fn);
}

void TF_ThreadPoolHandle_ScheduleWithHint(TF_ThreadPool *pool, TF_Callable fn, int start, int limit)
{
    TF_Callable *copy = oribi_pool_threads(pool_of(pool)) > 1 ? oribi_alloc(sizeof(*copy)) : NULL;
    if (copy != NULL) {
        *copy = fn;
        if (oribi_pool_schedule_near(pool_of(pool), run_scheduled, copy, start, limit)) {
            return;
        }
        oribi_free(copy);
    }
    run_callable(&fn);
}

void TF_ThreadPoolHandle_Schedule(TF_ThreadPool *pool, TF_Callable fn)
{
    TF_ThreadPoolHandle_ScheduleWithHint(pool, fn, 1, INT_MAX);
}
