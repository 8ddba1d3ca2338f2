/* SPDX-License-Identifier: Apache-2.0 */
/* The host's thread pool for kernels. A callable crosses the border as {object, call, delete}.
 * Since 1.0.
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

/* Calls fn over [0, total) in blocks, on the pool and on the calling thread; returns when all
 * blocks are done. Units    cost_per_unit: processor cycles that one unit takes, at least 1; sizes
 * the blocks. Owns     fn.object is deleted exactly once, before the call returns, whatever
 * happens. Context  inside compute, also nested; any number at a time. Allocates nothing. Errors
 * total <= 0 calls nothing. After TF_OpKernelContext_Failure or a cancellation blocks that have not
 * started are skipped.
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

/* Threads that a loop may use, the caller included; at least 1. */
TF_CAPI_EXPORT extern int TF_ThreadPool_NumThreads(TF_OpKernelContext *ctx);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_TENSORFLOW_C_THREAD_POOL_H_ */
