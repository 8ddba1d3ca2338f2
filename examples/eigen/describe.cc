/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that computes with Eigen on the host's threads: Com>Acme>Describe gives the Gram matrix
 * of the columns of x [n, d] (a contraction), their means (a reduction), and x smoothed along its
 * columns by three weights (a convolution: two rows fewer).
 *
 *     c++ -shared -fPIC $(pkg-config --cflags oribi-plugin eigen3) describe.cc -o describe.so
 *
 * The host's contract is C; the classes over it are header-only, so that this library's C++ and
 * Eigen are nobody else's business. Not here: GPUs. Read next: tensorflow/cc/eigen_cpu_device.h.
 */
#define EIGEN_USE_THREADS
#include <array>

#include "tensorflow/cc/eigen_cpu_device.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"
#include "tensorflow/c/plugin_note.h"

ORIBI_PLUGIN("describe", "1.0", "Apache-2.0");

namespace
{

using Matrix = Eigen::TensorMap<Eigen::Tensor<float, 2, Eigen::RowMajor>>;
using Vector = Eigen::TensorMap<Eigen::Tensor<float, 1, Eigen::RowMajor>>;
using Pair = Eigen::IndexPair<Eigen::Index>;

float *allocate(TF_OpKernelContext *ctx, int index, const int64_t *dims, int rank, TF_Tensor **out,
                TF_Status *status)
{
    size_t bytes = sizeof(float);
    for (int i = 0; i < rank; i++) {
        bytes *= static_cast<size_t>(dims[i]);
    }
    if (TF_GetCode(status) == TF_OK) {
        *out = TF_AllocateOutput(ctx, index, TF_FLOAT, dims, rank, bytes, status);
    }
    return *out != nullptr ? static_cast<float *>(TF_TensorData(*out)) : nullptr;
}

void describe(TF_OpKernelContext *ctx, TF_Tensor *x_tensor, TF_Tensor **outs, TF_Status *status)
{
    const int64_t n = TF_Dim(x_tensor, 0);
    const int64_t d = TF_Dim(x_tensor, 1);
    const int64_t gram_dims[] = {d, d};
    const int64_t smooth_dims[] = {n - 2, d};
    float *gram = allocate(ctx, 0, gram_dims, 2, &outs[0], status);
    float *means = allocate(ctx, 1, &d, 1, &outs[1], status);
    float *smooth = allocate(ctx, 2, smooth_dims, 2, &outs[2], status);
    if (TF_GetCode(status) != TF_OK) {
        return;
    }
    EigenCpuDevice device(ctx);
    Matrix x(static_cast<float *>(TF_TensorData(x_tensor)), n, d);
    Eigen::Tensor<float, 1, Eigen::RowMajor> weights(3);
    weights.setValues({0.25F, 0.5F, 0.25F});
    const std::array<Pair, 1> over_rows = {{Pair(0, 0)}};
    const std::array<int, 1> rows = {{0}};

    Matrix(gram, d, d).device(device.get()) = x.contract(x, over_rows);
    Vector(means, d).device(device.get()) = x.mean(rows);
    Matrix(smooth, n - 2, d).device(device.get()) = x.convolve(weights, rows);
}

void compute(void *, TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = nullptr;
    TF_Tensor *outs[3] = {};

    TF_GetInput(ctx, 0, &x, status);
    if (TF_GetCode(status) == TF_OK && (TF_NumDims(x) != 2 || TF_Dim(x, 0) < 3)) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT, "Describe wants x of shape [n, d], n at least 3");
    }
    if (TF_GetCode(status) == TF_OK) {
        describe(ctx, x, outs, status);
    }
    TF_OpKernelContext_Failure(ctx, status); /* does nothing when all is well */
    for (TF_Tensor *out : outs) {
        TF_DeleteTensor(out);
    }
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

} // namespace

extern "C" void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("Com>Acme>Describe");

    TF_OpDefinitionBuilderAddInput(op, "x: float");
    TF_OpDefinitionBuilderAddOutput(op, "gram: float");
    TF_OpDefinitionBuilderAddOutput(op, "means: float");
    TF_OpDefinitionBuilderAddOutput(op, "smooth: float");
    TF_RegisterOpDefinition(op, status);
    if (TF_GetCode(status) == TF_OK) {
        TF_RegisterKernelBuilder(
            "Describe", TF_NewKernelBuilder("Com>Acme>Describe", "CPU", nullptr, compute, nullptr),
            status);
    }
    TF_DeleteStatus(status); /* the host keeps a failure and refuses the plugin with it */
}
