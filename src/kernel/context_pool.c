/* SPDX-License-Identifier: Apache-2.0 */
/* The thread pool as kernels see it (thread_pool.h), over src/device/pool.h. A loop stops taking
 * blocks once the run is cancelled, late or failed; blocks are timed while a trace is on.
 */
#include "tensorflow/c/thread_pool.h"

#include "device/pool.h"
#include "kernel/context.h"

typedef struct loop {
    TF_OpKernelContext *ctx;
    void *object;
    void (*call)(void *object, int64_t begin, int64_t end);
    void (*call_worker)(void *object, int64_t begin, int64_t end, int worker);
} loop;

static void note_block(oribi_block_trace *trace, uint64_t start_ns, int worker)
{
    const int index = atomic_fetch_add_explicit(&trace->count, 1, memory_order_relaxed);
    if (index < trace->capacity) { /* more are counted and not kept */
        trace->events[index] = (oribi_block_event){start_ns, oribi_now_ns(), worker};
    }
}

static void run_block(void *object, int64_t begin, int64_t end, int worker)
{
    const loop *self = object;
    if (oribi_context_should_stop(self->ctx)) {
        return;
    }
    oribi_block_trace *trace = self->ctx->trace;
    const uint64_t start_ns = trace != NULL ? oribi_now_ns() : 0;
    if (self->call != NULL) {
        self->call(self->object, begin, end);
    } else {
        self->call_worker(self->object, begin, end, worker);
    }
    if (trace != NULL) {
        note_block(trace, start_ns, worker);
    }
}

/* Blocks of block_size units, or sized from cost_per_unit where that is 0. */
static void run_loop(loop *self, int64_t total, int64_t cost_per_unit, int64_t block_size)
{
    oribi_pool *pool = self->ctx->pool;
    const atomic_int *stop = self->ctx->stop;
    if (self->call == NULL && self->call_worker == NULL) {
        return;
    }
    if (block_size > 0) {
        oribi_pool_parallel_blocks(pool, total, block_size, run_block, self, stop);
    } else {
        oribi_pool_parallel_for(pool, total, cost_per_unit, run_block, self, stop);
    }
}

static void delete_object(void *object, void (*delete_it)(void *object))
{
    if (delete_it != NULL) {
        delete_it(object);
    }
}

void TF_ThreadPool_ParallelFor(TF_OpKernelContext *ctx, int64_t total, int64_t cost_per_unit,
                               TF_RangeCallable fn)
{
    loop self = {ctx, fn.object, fn.call, NULL};
    run_loop(&self, total, cost_per_unit, 0);
    delete_object(fn.object, fn.delete_object);
}

void TF_ThreadPool_ParallelForWithWorkerId(TF_OpKernelContext *ctx, int64_t total,
                                           int64_t cost_per_unit, TF_WorkerRangeCallable fn)
{
    loop self = {ctx, fn.object, NULL, fn.call};
    run_loop(&self, total, cost_per_unit, 0);
    delete_object(fn.object, fn.delete_object);
}

void TF_ThreadPool_TransformRangeConcurrently(TF_OpKernelContext *ctx, int64_t block_size,
                                              int64_t total, TF_RangeCallable fn)
{
    loop self = {ctx, fn.object, fn.call, NULL};
    run_loop(&self, total, 0, block_size > 0 ? block_size : 1);
    delete_object(fn.object, fn.delete_object);
}

static TF_ThreadPool *handle_of(TF_OpKernelContext *ctx)
{
    return (TF_ThreadPool *)ctx->pool;
}

int TF_ThreadPool_NumThreads(TF_OpKernelContext *ctx)
{
    return TF_ThreadPoolHandle_NumThreads(handle_of(ctx));
}

int TF_ThreadPool_CurrentThreadId(TF_OpKernelContext *ctx)
{
    return TF_ThreadPoolHandle_CurrentThreadId(handle_of(ctx));
}

void TF_ThreadPool_Schedule(TF_OpKernelContext *ctx, TF_Callable fn)
{
    TF_ThreadPoolHandle_Schedule(handle_of(ctx), fn);
}

void TF_ThreadPool_ScheduleWithHint(TF_OpKernelContext *ctx, TF_Callable fn, int start, int limit)
{
    TF_ThreadPoolHandle_ScheduleWithHint(handle_of(ctx), fn, start, limit);
}

TF_ThreadPool *TF_GetThreadPoolHandle(TF_OpKernelContext *ctx)
{
    oribi_pool_retain(ctx->pool);
    return handle_of(ctx);
}
