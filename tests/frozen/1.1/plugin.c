/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin of contract 1.1: Frozen>Row copies the first row of a matrix. Its shape function reads
 * what came in 1.1, what an input's handle leads to, which for floats is nothing.
 */
#include <string.h>

#include "tensorflow/c/kernels.h"
#include "tensorflow/c/plugin_note.h"
#include "tensorflow/c/shape_inference.h"

ORIBI_PLUGIN("row", "1.1", "Apache-2.0");
ORIBI_PLUGIN_CASES("{\"cases\": [{\"op\": \"Frozen>Row\", \"inputs\": [{\"shape\": [2, 3], "
                   "\"values\": [1, 2, 3, 4, 5, 6]}], \"outputs\": [{\"shape\": [3], "
                   "\"values\": [1, 2, 3]}]}]}");

static void infer_shape(TF_ShapeInferenceContext *ctx, TF_Status *status)
{
    TF_ShapeHandle *shape = TF_NewShapeHandle();
    TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContextWithRank(ctx, shape, 2, shape, status);
    }
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContextSubshape(ctx, shape, 1, 2, shape, status);
    }
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
    }
    if (TF_GetCode(status) == TF_OK &&
        (TF_ShapeInferenceContextNumInputHandleShapesAndTypes(ctx, 0) != 0 ||
         TF_ShapeInferenceContextNumOutputHandleShapesAndTypes(ctx, 0) != 0)) {
        TF_SetStatus(status, TF_INTERNAL, "a float leads somewhere");
    }
    TF_DeleteShapeHandle(shape);
}

static void compute(void *kernel, TF_OpKernelContext *context)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL, *y = NULL;
    (void)kernel;
    TF_GetInput(context, 0, &x, status);
    if (TF_GetCode(status) == TF_OK && (TF_NumDims(x) != 2 || TF_Dim(x, 0) == 0)) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT, "x must be a matrix of at least one row");
    }
    if (TF_GetCode(status) == TF_OK) {
        int64_t width = TF_Dim(x, 1);
        y = TF_AllocateOutput(context, 0, TF_FLOAT, &width, 1, (size_t)width * sizeof(float),
                              status);
    }
    if (TF_GetCode(status) == TF_OK && TF_TensorByteSize(y) > 0) {
        memcpy(TF_TensorData(y), TF_TensorData(x), TF_TensorByteSize(y));
    }
    if (TF_GetCode(status) != TF_OK) {
        TF_OpKernelContext_Failure(context, status);
    }
    TF_DeleteTensor(y);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("Frozen>Row");
    TF_OpDefinitionBuilderAddInput(op, "x: float");
    TF_OpDefinitionBuilderAddOutput(op, "y: float");
    TF_OpDefinitionBuilderSetShapeInferenceFunction(op, infer_shape);
    TF_RegisterOpDefinition(op, status);
    if (TF_GetCode(status) == TF_OK) {
        TF_RegisterKernelBuilder(
            "Frozen>Row", TF_NewKernelBuilder("Frozen>Row", "CPU", NULL, compute, NULL), status);
    }
    TF_DeleteStatus(status);
}
