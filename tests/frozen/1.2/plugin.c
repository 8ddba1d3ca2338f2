/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin of contract 1.2: Frozen>Sums gives the sum of each row, by what came for the CPU in 1.2:
 * loops of blocks of a size, work with a hint, a handle of the pool and memory for Eigen.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "tensorflow/c/eigen_device.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/kernels_extension.h"
#include "tensorflow/c/plugin_note.h"
#include "tensorflow/c/shape_inference.h"
#include "tensorflow/c/thread_pool.h"

ORIBI_PLUGIN("sums", "1.2", "Apache-2.0");
ORIBI_PLUGIN_CASES("{\"cases\": [{\"op\": \"Frozen>Sums\", \"inputs\": [{\"shape\": [2, 3], "
                   "\"values\": [1, 2, 3, 4, 5, 6]}], \"outputs\": [{\"shape\": [2], "
                   "\"values\": [6, 15]}]}]}");

typedef struct sums {
    const float *x;
    float *copy, *y;
    int64_t width;
    atomic_int n_copied;
    atomic_int n_deleted;
} sums;

static void copy_elements(void *object, int64_t begin, int64_t end)
{
    sums *s = object;
    for (int64_t i = begin; i < end; i++) {
        s->copy[i] = s->x[i];
    }
    atomic_fetch_add(&s->n_copied, (int)(end - begin));
}

static void sum_rows(void *object, int64_t begin, int64_t end)
{
    sums *s = object;
    for (int64_t row = begin; row < end; row++) {
        float sum = 0;
        for (int64_t i = 0; i < s->width; i++) {
            sum += s->copy[row * s->width + i];
        }
        s->y[row] = sum;
    }
}

static void sum_rows_as(void *object, int64_t begin, int64_t end, int worker)
{
    (void)worker;
    sum_rows(object, begin, end);
}

static void nothing(void *object)
{
    (void)object;
}

static void deleted(void *object)
{
    atomic_fetch_add(&((sums *)object)->n_deleted, 1);
}

static bool has_numbers(TF_OpKernelContext *ctx, const TF_ThreadPool *pool)
{
    return TF_ThreadPool_CurrentThreadId(ctx) < TF_ThreadPool_NumThreads(ctx) &&
           TF_ThreadPoolHandle_NumThreads(pool) == TF_ThreadPool_NumThreads(ctx) &&
           TF_ThreadPoolHandle_CurrentThreadId(pool) == TF_ThreadPool_CurrentThreadId(ctx);
}

static void compute_sums(TF_OpKernelContext *ctx, TF_Tensor *x, TF_Tensor *y, TF_Status *status)
{
    TF_EigenAllocator *memory = TF_GetEigenAllocatorHandle(ctx);
    TF_ThreadPool *pool = TF_GetThreadPoolHandle(ctx);
    const int64_t rows = TF_Dim(x, 0), n = TF_TensorElementCount(x);
    sums s = {.x = TF_TensorData(x), .y = TF_TensorData(y), .width = TF_Dim(x, 1)};
    s.copy = TF_EigenAllocator_Allocate(memory, TF_TensorByteSize(x) + 1);
    if (s.copy != NULL && has_numbers(ctx, pool)) {
        TF_ThreadPool_ScheduleWithHint(ctx, (TF_Callable){&s, nothing, deleted}, 0, 1);
        TF_ThreadPoolHandle_Schedule(pool, (TF_Callable){&s, nothing, deleted});
        TF_ThreadPoolHandle_ScheduleWithHint(pool, (TF_Callable){&s, nothing, deleted}, 0, 1);
        TF_ThreadPool_TransformRangeConcurrently(ctx, 2, n / 2,
                                                 (TF_RangeCallable){&s, copy_elements, NULL});
        sums rest = s; /* with its own count */
        rest.x += n / 2;
        rest.copy += n / 2;
        TF_ThreadPoolHandle_TransformRangeConcurrently(
            pool, 3, n - n / 2, (TF_RangeCallable){&rest, copy_elements, NULL});
        TF_ThreadPoolHandle_ParallelFor(pool, rows, 100, (TF_RangeCallable){&s, sum_rows, NULL});
        TF_ThreadPoolHandle_ParallelForWithWorkerId(
            pool, rows, 100, (TF_WorkerRangeCallable){&s, sum_rows_as, NULL});
        while (atomic_load(&s.n_deleted) < 3) { /* s is theirs until then */
        }
        TF_OpKernelContext_UpdateStatus(ctx, status);
    } else {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "no memory, or threads without numbers");
    }
    TF_EigenAllocator_Deallocate(memory, s.copy);
    TF_DeleteThreadPoolHandle(pool);
    TF_DeleteEigenAllocatorHandle(memory);
}

static void compute(void *kernel, TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL, *y = NULL;
    (void)kernel;
    TF_GetInput(ctx, 0, &x, status);
    if (TF_GetCode(status) == TF_OK && TF_NumDims(x) != 2) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT, "x must be a matrix");
    }
    if (TF_GetCode(status) == TF_OK) {
        const int64_t rows = TF_Dim(x, 0);
        y = TF_AllocateOutput(ctx, 0, TF_FLOAT, &rows, 1, (size_t)rows * sizeof(float), status);
    }
    if (TF_GetCode(status) == TF_OK) {
        compute_sums(ctx, x, y, status);
    }
    TF_OpKernelContext_Failure(ctx, status);
    TF_DeleteTensor(y);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

static void infer_shape(TF_ShapeInferenceContext *ctx, TF_Status *status)
{
    TF_ShapeHandle *shape = TF_NewShapeHandle();
    TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContextWithRank(ctx, shape, 2, shape, status);
    }
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContextSubshape(ctx, shape, 0, 1, shape, status);
    }
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
    }
    TF_DeleteShapeHandle(shape);
}

void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("Frozen>Sums");
    TF_OpDefinitionBuilderAddInput(op, "x: float");
    TF_OpDefinitionBuilderAddOutput(op, "y: float");
    TF_OpDefinitionBuilderSetShapeInferenceFunction(op, infer_shape);
    TF_RegisterOpDefinition(op, status);
    if (TF_GetCode(status) == TF_OK) {
        TF_RegisterKernelBuilder(
            "Frozen>Sums", TF_NewKernelBuilder("Frozen>Sums", "CPU", NULL, compute, NULL), status);
    }
    TF_DeleteStatus(status);
}
