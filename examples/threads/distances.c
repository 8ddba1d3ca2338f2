/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel on the host's threads: Com>Acme>Distances gives the Euclidean distances between the rows
 * of x [n, d], as [n, n].
 *
 *     cc -shared -fPIC $(pkg-config --cflags oribi-plugin) distances.c -o distances.so -lm
 *
 * Rows differ in how much there is to do (only what is right of the diagonal is computed), which is
 * the pool's to even out: it cuts the rows into blocks by the cost of one. Not here: scratch per
 * thread (TF_ThreadPool_ParallelForWithWorkerId), threads outside of compute
 * (TF_GetThreadPoolHandle). Read next: ../eigen/describe.cc.
 */
#include <math.h>

#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"
#include "tensorflow/c/plugin_note.h"
#include "tensorflow/c/thread_pool.h"

ORIBI_PLUGIN("distances", "1.0", "Apache-2.0");

typedef struct job {
    const float *x;
    float *out;
    int64_t n, d;
} job;

/* Rows begin to end - 1: row i writes (i, j) and (j, i) for j >= i, which no other row writes. */
static void do_rows(void *object, int64_t begin, int64_t end)
{
    const job *self = object;
    for (int64_t i = begin; i < end; i++) {
        for (int64_t j = i; j < self->n; j++) {
            float sum = 0;
            for (int64_t k = 0; k < self->d; k++) {
                const float difference = self->x[i * self->d + k] - self->x[j * self->d + k];
                sum += difference * difference;
            }
            self->out[i * self->n + j] = self->out[j * self->n + i] = sqrtf(sum);
        }
    }
}

static void compute(void *kernel, TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL, *out = NULL;

    (void)kernel;
    TF_GetInput(ctx, 0, &x, status);
    if (TF_GetCode(status) == TF_OK && TF_NumDims(x) != 2) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT, "Distances wants rows: x of shape [n, d]");
    }
    if (TF_GetCode(status) == TF_OK) {
        const int64_t dims[2] = {TF_Dim(x, 0), TF_Dim(x, 0)};
        const size_t bytes = (size_t)(dims[0] * dims[1]) * sizeof(float);
        out = TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, 2, bytes, status);
    }
    if (TF_GetCode(status) == TF_OK) {
        job work = {TF_TensorData(x), TF_TensorData(out), TF_Dim(x, 0), TF_Dim(x, 1)};
        const int64_t cycles_of_a_row = work.n / 2 * (work.d + 20);
        TF_ThreadPool_ParallelFor(ctx, work.n, cycles_of_a_row + 1,
                                  (TF_RangeCallable){&work, do_rows, NULL});
    } else {
        TF_OpKernelContext_Failure(ctx, status);
    }
    TF_DeleteTensor(out);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

static void infer_shape(TF_ShapeInferenceContext *ctx, TF_Status *status)
{
    TF_ShapeHandle *x = TF_NewShapeHandle();
    TF_ShapeHandle *rows = TF_NewShapeHandle();

    TF_ShapeInferenceContextGetInput(ctx, 0, x, status);
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContextWithRank(ctx, x, 2, x, status);
    }
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContextSubshape(ctx, x, 0, 1, rows, status);
    }
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContextConcatenateShapes(ctx, rows, rows, x, status);
    }
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContextSetOutput(ctx, 0, x, status);
    }
    TF_DeleteShapeHandle(rows);
    TF_DeleteShapeHandle(x);
}

void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("Com>Acme>Distances");

    TF_OpDefinitionBuilderAddInput(op, "x: float");
    TF_OpDefinitionBuilderAddOutput(op, "distances: float");
    TF_OpDefinitionBuilderSetShapeInferenceFunction(op, infer_shape);
    TF_RegisterOpDefinition(op, status);
    if (TF_GetCode(status) == TF_OK) {
        TF_RegisterKernelBuilder(
            "Distances", TF_NewKernelBuilder("Com>Acme>Distances", "CPU", NULL, compute, NULL),
            status);
    }
    TF_DeleteStatus(status); /* the host keeps a failure and refuses the plugin with it */
}
