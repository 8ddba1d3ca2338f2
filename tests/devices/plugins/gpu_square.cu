/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin whose kernel computes by Eigen's GPU device on the stream of the computation:
 * Com>Acme>EigenSquare gives x * x on CUDA. Built by eigen_gpu.sh wherever nvcc is, run where a GPU
 * is (devices.eigen_gpu_run).
 */
#define EIGEN_USE_GPU
#include "tensorflow/cc/eigen_gpu_device.h"

#include "tensorflow/c/ops.h"
#include "tensorflow/c/plugin_note.h"

ORIBI_PLUGIN("gpu_square", "1.0", "Apache-2.0");

static void square(TF_OpKernelContext *ctx, float *from, float *to, long n)
{
    EigenGpuDevice device(ctx);
    if (device.is_good() && n > 0) {
        Eigen::TensorMap<Eigen::Tensor<float, 1>> x(from, n), z(to, n);
        z.device(device.get()) = x.square();
    }
}

static void compute(void *, TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = nullptr, *z = nullptr;
    int64_t dims[8];
    TF_GetInput(ctx, 0, &x, status);
    if (TF_GetCode(status) == TF_OK && TF_NumDims(x) > 8) {
        TF_SetStatus(status, TF_UNIMPLEMENTED, "EigenSquare takes a rank of at most 8");
    }
    if (TF_GetCode(status) == TF_OK) {
        for (int i = 0; i < TF_NumDims(x); i++) {
            dims[i] = TF_Dim(x, i);
        }
        z = TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, TF_NumDims(x), TF_TensorByteSize(x), status);
    }
    if (TF_GetCode(status) == TF_OK) {
        square(ctx, static_cast<float *>(TF_TensorData(x)), static_cast<float *>(TF_TensorData(z)),
               static_cast<long>(TF_TensorElementCount(x)));
    }
    TF_OpKernelContext_Failure(ctx, status);
    TF_DeleteTensor(x);
    TF_DeleteTensor(z);
    TF_DeleteStatus(status);
}

static void infer_shape(TF_ShapeInferenceContext *ctx, TF_Status *status)
{
    TF_ShapeHandle *shape = TF_NewShapeHandle();
    TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
    TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
    TF_DeleteShapeHandle(shape);
}

extern "C" __attribute__((visibility("default"))) void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("Com>Acme>EigenSquare");
    TF_OpDefinitionBuilderAddInput(op, "x: float");
    TF_OpDefinitionBuilderAddOutput(op, "z: float");
    TF_OpDefinitionBuilderSetShapeInferenceFunction(op, infer_shape);
    TF_RegisterOpDefinition(op, status);
    TF_KernelBuilder *kernel =
        TF_NewKernelBuilder("Com>Acme>EigenSquare", "CUDA", nullptr, compute, nullptr);
    TF_RegisterKernelBuilder("EigenSquare", kernel, status);
    TF_DeleteStatus(status);
}
