/* SPDX-License-Identifier: Apache-2.0 */
/* The host's thread pool for kernels. A callable crosses the border as {object, call, delete}.
 * Source   the design's "ThreadPool API" and its first appendix; docs/reference/device-contract.md
 * has what differs. Since 1.0.
 */
#ifndef ORIBI_TENSORFLOW_C_THREAD_POOL_H_
#define ORIBI_TENSORFLOW_C_THREAD_POOL_H_

#include "tensorflow/c/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Function object over a half-open range of units. delete_object may be NULL. */
typedef struct TF_RangeCallable {
    void *object;
    void (*call)(void *object, int64_t begin, int64_t end);
    void (*delete_object)(void *object);
} TF_RangeCallable;

/* The same, told which worker runs it: 0 <= worker < TF_ThreadPool_NumThreads, and no two blocks
 * with one worker number at a time. For scratch memory per worker. */
typedef struct TF_WorkerRangeCallable {
    void *object;
    void (*call)(void *object, int64_t begin, int64_t end, int worker);
    void (*delete_object)(void *object);
} TF_WorkerRangeCallable;

/* Calls fn over [0, total) in blocks, on the pool and on the caller; returns when all are done.
 * Units    cost_per_unit: processor cycles that one unit takes, at least 1; sizes the blocks.
 * Owns     fn.object is deleted exactly once, before the call returns, whatever happens.
 * Context  inside compute, also nested; any number at a time. Allocates nothing.
 * Errors   total <= 0 calls nothing. After TF_OpKernelContext_Failure or a cancellation blocks that
 *          have not started are skipped.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern void TF_ThreadPool_ParallelFor(TF_OpKernelContext *ctx, int64_t total,
                                                     int64_t cost_per_unit, TF_RangeCallable fn);
TF_CAPI_EXPORT extern void TF_ThreadPool_ParallelForWithWorkerId(TF_OpKernelContext *ctx,
                                                                 int64_t total,
                                                                 int64_t cost_per_unit,
                                                                 TF_WorkerRangeCallable fn);

/* Function object without arguments. delete_object may be NULL. */
typedef struct TF_Callable {
    void *object;
    void (*call)(void *object);
    void (*delete_object)(void *object);
} TF_Callable;

/* Calls fn once, later, on a thread of the pool; at once on the calling thread where the pool has
 * no other or memory is short. The caller waits for what it scheduled before compute (or the done
 * callback of an asynchronous kernel) ends.
 * Owns    fn.object is deleted exactly once, after the call.
 */
TF_CAPI_EXPORT extern void TF_ThreadPool_Schedule(TF_OpKernelContext *ctx, TF_Callable fn);

/* Threads that a loop may use, the caller included; at least 1.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern int TF_ThreadPool_NumThreads(TF_OpKernelContext *ctx);

#if ORIBI_HAS_CONTRACT(1, 2)

/* As Schedule. A thread of start <= number < limit is woken for it where one sleeps; any may take
 * it. Numbers are those of CurrentThreadId. */
TF_CAPI_EXPORT extern void TF_ThreadPool_ScheduleWithHint(TF_OpKernelContext *ctx, TF_Callable fn,
                                                          int start, int limit);

/* As ParallelFor, in blocks of exactly block_size units (at least 1; the last one may be shorter),
 * each a call of its own.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern void TF_ThreadPool_TransformRangeConcurrently(TF_OpKernelContext *ctx,
                                                                    int64_t block_size,
                                                                    int64_t total,
                                                                    TF_RangeCallable fn);

/* 1 to NumThreads - 1 on a thread of the pool; -1 on any other, that which called run included.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern int TF_ThreadPool_CurrentThreadId(TF_OpKernelContext *ctx);

/* --- The pool beyond compute -------------------------------------------------------------------
 *
 * A handle of the pool: for an asynchronous kernel's own threads, or kept by a kernel between two
 * computes. It keeps the pool's threads alive, also when the session has gone. NULL is a handle,
 * too: of no threads, on which everything runs on the caller.
 * Errors   none: no cancellation and no failure of a context reaches these loops.
 */
typedef struct TF_ThreadPool TF_ThreadPool;

/* Owns   the caller, who deletes it: the last one may be deleted on a thread of the pool. */
TF_CAPI_EXPORT extern TF_ThreadPool *TF_GetThreadPoolHandle(TF_OpKernelContext *ctx);
TF_CAPI_EXPORT extern void TF_DeleteThreadPoolHandle(TF_ThreadPool *pool);

/* Each as its namesake above. Context   any thread. */
TF_CAPI_EXPORT extern void TF_ThreadPoolHandle_Schedule(TF_ThreadPool *pool, TF_Callable fn);
TF_CAPI_EXPORT extern void TF_ThreadPoolHandle_ScheduleWithHint(TF_ThreadPool *pool, TF_Callable fn,
                                                                int start, int limit);
TF_CAPI_EXPORT extern void TF_ThreadPoolHandle_ParallelFor(TF_ThreadPool *pool, int64_t total,
                                                           int64_t cost_per_unit,
                                                           TF_RangeCallable fn);
TF_CAPI_EXPORT extern void TF_ThreadPoolHandle_ParallelForWithWorkerId(TF_ThreadPool *pool,
                                                                       int64_t total,
                                                                       int64_t cost_per_unit,
                                                                       TF_WorkerRangeCallable fn);
TF_CAPI_EXPORT extern void TF_ThreadPoolHandle_TransformRangeConcurrently(TF_ThreadPool *pool,
                                                                          int64_t block_size,
                                                                          int64_t total,
                                                                          TF_RangeCallable fn);
TF_CAPI_EXPORT extern int TF_ThreadPoolHandle_NumThreads(const TF_ThreadPool *pool);
TF_CAPI_EXPORT extern int TF_ThreadPoolHandle_CurrentThreadId(const TF_ThreadPool *pool);

#endif /* 1.2 */

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_TENSORFLOW_C_THREAD_POOL_H_ */
