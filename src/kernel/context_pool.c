/* SPDX-License-Identifier: Apache-2.0 */
/* The thread pool as kernels see it (thread_pool.h), over src/device/pool.h. A loop stops taking
 * blocks once the run is cancelled, late or failed; blocks are timed while a trace is on.
 */
#include "tensorflow/c/thread_pool.h"

#include "base/alloc.h"
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

static void run_loop(loop *self, int64_t total, int64_t cost_per_unit)
{
    if (total > 0) {
        oribi_pool_parallel_for(self->ctx->pool, total, cost_per_unit > 0 ? cost_per_unit : 1,
                                run_block, self, self->ctx->stop);
    }
}

void TF_ThreadPool_ParallelFor(TF_OpKernelContext *ctx, int64_t total, int64_t cost_per_unit,
                               TF_RangeCallable fn)
{
    loop self = {ctx, fn.object, fn.call, NULL};
    if (fn.call != NULL) {
        run_loop(&self, total, cost_per_unit);
    }
    if (fn.delete_object != NULL) {
        fn.delete_object(fn.object);
    }
}

void TF_ThreadPool_ParallelForWithWorkerId(TF_OpKernelContext *ctx, int64_t total,
                                           int64_t cost_per_unit, TF_WorkerRangeCallable fn)
{
    loop self = {ctx, fn.object, NULL, fn.call};
    if (fn.call != NULL) {
        run_loop(&self, total, cost_per_unit);
    }
    if (fn.delete_object != NULL) {
        fn.delete_object(fn.object);
    }
}

int TF_ThreadPool_NumThreads(TF_OpKernelContext *ctx)
{
    return oribi_pool_threads(ctx->pool);
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

void TF_ThreadPool_Schedule(TF_OpKernelContext *ctx, TF_Callable fn)
{
    TF_Callable *copy = oribi_pool_threads(ctx->pool) > 1 ? oribi_alloc(sizeof(*copy)) : NULL;
    if (copy != NULL) {
        *copy = fn;
        if (oribi_pool_schedule(ctx->pool, run_scheduled, copy)) {
            return;
        }
        oribi_free(copy);
    }
    run_callable(&fn);
}
