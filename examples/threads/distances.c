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

#include "oribi/kernel_kit.h"

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

static bool distances_run(const void *state, oribi_kit_run *run)
{
    const TF_Tensor *x = run->in[0];
    (void)state;
    if (TF_NumDims(x) != 2) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "Distances wants rows: x of shape [n, d]");
    }
    const int64_t dims[2] = {TF_Dim(x, 0), TF_Dim(x, 0)};
    job work = {TF_TensorData(x), oribi_kit_output(run, 0, dims, 2), TF_Dim(x, 0), TF_Dim(x, 1)};
    if (work.out != NULL) {
        const int64_t cycles_of_a_row = work.n / 2 * (work.d + 20);
        oribi_kit_parallel(run, work.n, cycles_of_a_row + 1, &work, do_rows);
    }
    return work.out != NULL;
}
ORIBI_KIT_COMPUTE(distances, 1)

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
    oribi_kit_register_op("Com>Acme>Distances", "x: float", "distances: float", NULL, NULL,
                          infer_shape);
    oribi_kit_register_kernel("Com>Acme>Distances", "CPU", NULL, distances_compute, NULL);
}
