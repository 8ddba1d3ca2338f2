/* SPDX-License-Identifier: Apache-2.0 */
/* A well-behaved plugin with one op, y = x + 1, and its kernel; the including file gives OP_NAME. C
 * and C++. Not a model of style: see examples/ for that.
 */
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"
#include "tensorflow/c/tf_status.h"
#include "tensorflow/c/tf_tensor.h"

#ifdef __cplusplus
#define EXPORT extern "C" __attribute__((visibility("default")))
#else
#define EXPORT __attribute__((visibility("default")))
#endif
EXPORT void TF_InitKernel(void);

static void compute(void *kernel, TF_OpKernelContext *ctx)
{
    TF_Tensor *x = NULL;
    int64_t dims[8];
    TF_Status *status = TF_NewStatus();
    (void)kernel;
    TF_GetInput(ctx, 0, &x, status);
    if (TF_GetCode(status) == TF_OK && TF_NumDims(x) <= 8) {
        for (int i = 0; i < TF_NumDims(x); i++) {
            dims[i] = TF_Dim(x, i);
        }
        TF_Tensor *y =
            TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, TF_NumDims(x), TF_TensorByteSize(x), status);
        if (TF_GetCode(status) == TF_OK) {
            const float *from = (const float *)TF_TensorData(x);
            float *to = (float *)TF_TensorData(y);
            for (int64_t i = 0; i < TF_TensorElementCount(x); i++) {
                to[i] = from[i] + 1;
            }
        }
        TF_DeleteTensor(y);
    }
    if (TF_GetCode(status) != TF_OK) {
        TF_OpKernelContext_Failure(ctx, status);
    }
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

static void register_add_one(const char *name, TF_Status *status)
{
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder(name);
    if (op) {
        TF_OpDefinitionBuilderAddInput(op, "x: float");
        TF_OpDefinitionBuilderAddOutput(op, "y: float");
        TF_RegisterOpDefinition(op, status);
    }
    TF_KernelBuilder *kernel = TF_NewKernelBuilder(name, "CPU", NULL, compute, NULL);
    if (kernel && TF_GetCode(status) == TF_OK) {
        TF_RegisterKernelBuilder(name, kernel, status);
    }
}

#ifdef OP_NAME
EXPORT void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    if (status) {
        register_add_one(OP_NAME, status);
    }
    TF_DeleteStatus(status);
}
#endif
