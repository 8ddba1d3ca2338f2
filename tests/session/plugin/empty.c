/* SPDX-License-Identifier: Apache-2.0 */
/* The cheapest op with two inputs and one output: its kernel gets both, allocates the output, gives
 * the handles back and computes nothing. For dispatch_cost.py. */
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

static void same_shape(TF_ShapeInferenceContext *ctx, TF_Status *status)
{
    TF_ShapeHandle *shape = TF_NewShapeHandle();
    TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
    TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
    TF_DeleteShapeHandle(shape);
}

static void compute(void *kernel, TF_OpKernelContext *ctx)
{
    (void)kernel;
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    TF_Tensor *y = NULL;
    const int64_t dims[1] = {1};
    TF_GetInput(ctx, 0, &x, status);
    TF_GetInput(ctx, 1, &y, status);
    TF_Tensor *z = TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, 1, sizeof(float), status);
#ifdef PLANTED_COST /* what the gate must notice */
    for (volatile int i = 0; i < PLANTED_COST; i++) {
    }
#endif
    TF_DeleteTensor(z);
    TF_DeleteTensor(y);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("Com>Acme>Empty");
    TF_OpDefinitionBuilderAddInput(op, "x: float");
    TF_OpDefinitionBuilderAddInput(op, "y: float");
    TF_OpDefinitionBuilderAddOutput(op, "z: float");
    TF_OpDefinitionBuilderSetShapeInferenceFunction(op, same_shape);
    TF_OpDefinitionBuilderSetIsStateful(op, true);
    TF_RegisterOpDefinition(op, status);
    TF_RegisterKernelBuilder(
        "Empty", TF_NewKernelBuilder("Com>Acme>Empty", "CPU", NULL, compute, NULL), status);
    TF_DeleteStatus(status);
}
