/* SPDX-License-Identifier: Apache-2.0 */
/* Planted bug: its shape function refuses an input of unknown rank. */
#define SHAPE known_shape
#include "tensorflow/c/ops.h"
static void known_shape(TF_ShapeInferenceContext *ctx, TF_Status *status);
#include "bug.h"

static void known_shape(TF_ShapeInferenceContext *ctx, TF_Status *status)
{
    TF_ShapeHandle *shape = TF_NewShapeHandle();
    TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
    if (TF_GetCode(status) == TF_OK && !TF_ShapeInferenceContextRankKnown(ctx, shape)) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT, "x has no rank");
    }
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
    }
    TF_DeleteShapeHandle(shape);
}

static void compute(void *state, TF_OpKernelContext *ctx)
{
    io p;
    (void)state;
    if (io_input(ctx, &p) && io_output(ctx, &p)) {
        for (int64_t i = 0; i < p.n; i++) {
            p.y[i] = p.x[i] + 1;
        }
    }
    io_close(ctx, &p);
}
