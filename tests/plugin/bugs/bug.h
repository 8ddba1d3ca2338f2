/* SPDX-License-Identifier: Apache-2.0 */
/* What the planted bugs share: an elementwise op "Bug" of floats whose kernel is the function
 * `compute` of the file. PLANTED tells its line apart for readers. */
#ifndef TEST_BUG_H_
#define TEST_BUG_H_

#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"
#include "tensorflow/c/plugin_note.h"
#include "tensorflow/c/thread_pool.h"

#ifndef INPUTS
#define INPUTS 1
#endif
#ifndef STATEFUL
#define STATEFUL 0
#endif
#ifndef SHAPE
#define SHAPE same_shape
#endif
#ifndef CREATE
#define CREATE NULL
#define DELETE NULL
#endif

ORIBI_PLUGIN("bug", "1.0", "Apache-2.0");

typedef struct io {
    TF_Status *status;
    TF_Tensor *in, *out;
    const float *x;
    float *y;
    int64_t dims[8], n;
    int rank;
} io;

static inline void io_close(TF_OpKernelContext *ctx, io *p)
{
    if (TF_GetCode(p->status) != TF_OK) {
        TF_OpKernelContext_Failure(ctx, p->status);
    }
    TF_DeleteTensor(p->in);
    TF_DeleteTensor(p->out);
    TF_DeleteStatus(p->status);
}

static inline int io_input(TF_OpKernelContext *ctx, io *p)
{
    memset(p, 0, sizeof *p);
    p->status = TF_NewStatus();
    TF_GetInput(ctx, 0, &p->in, p->status);
    if (TF_GetCode(p->status) != TF_OK || TF_NumDims(p->in) > 8) {
        return 0;
    }
    p->rank = TF_NumDims(p->in);
    for (int i = 0; i < p->rank; i++) {
        p->dims[i] = TF_Dim(p->in, i);
    }
    p->n = TF_TensorElementCount(p->in);
    p->x = TF_TensorData(p->in);
    return 1;
}

static inline int io_output(TF_OpKernelContext *ctx, io *p)
{
    p->out = TF_AllocateOutput(ctx, 0, TF_FLOAT, p->dims, p->rank, 0, p->status);
    p->y = p->out ? TF_TensorData(p->out) : NULL;
    return p->y != NULL;
}

static void compute(void *state, TF_OpKernelContext *ctx);

static void same_shape(TF_ShapeInferenceContext *ctx, TF_Status *status)
{
    TF_ShapeHandle *shape = TF_NewShapeHandle();
    TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
    }
    TF_DeleteShapeHandle(shape);
}

void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("Bug");
    TF_OpDefinitionBuilderAddInput(op, "x: float");
    if (INPUTS > 1) {
        TF_OpDefinitionBuilderAddInput(op, "more: float");
    }
    TF_OpDefinitionBuilderAddOutput(op, "y: float");
    if (STATEFUL) {
        TF_OpDefinitionBuilderSetIsStateful(op, true);
    }
    TF_OpDefinitionBuilderSetShapeInferenceFunction(op, SHAPE);
    TF_RegisterOpDefinition(op, status);
    TF_RegisterKernelBuilder("Bug", TF_NewKernelBuilder("Bug", "CPU", CREATE, compute, DELETE),
                             status);
    TF_DeleteStatus(status);
}

#endif
