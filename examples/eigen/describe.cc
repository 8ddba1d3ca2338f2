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
#include "oribi/kernel_kit.h"

ORIBI_PLUGIN("describe", "1.0", "Apache-2.0");

namespace
{

using Matrix = Eigen::TensorMap<Eigen::Tensor<float, 2, Eigen::RowMajor>>;
using Vector = Eigen::TensorMap<Eigen::Tensor<float, 1, Eigen::RowMajor>>;
using Pair = Eigen::IndexPair<Eigen::Index>;

bool describe(oribi_kit_run *run)
{
    const TF_Tensor *input = run->in[0];
    if (TF_NumDims(input) != 2 || TF_Dim(input, 0) < 3) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "Describe wants x of shape [n, d], n at least 3");
    }
    const int64_t n = TF_Dim(input, 0);
    const int64_t d = TF_Dim(input, 1);
    const int64_t gram_dims[] = {d, d};
    const int64_t smooth_dims[] = {n - 2, d};
    auto *gram = static_cast<float *>(oribi_kit_output(run, 0, gram_dims, 2));
    auto *means = static_cast<float *>(oribi_kit_output(run, 1, &d, 1));
    auto *smooth = static_cast<float *>(oribi_kit_output(run, 2, smooth_dims, 2));
    if (!oribi_kit_is_ok(run)) {
        return false;
    }
    EigenCpuDevice device(run->context);
    Matrix x(static_cast<float *>(TF_TensorData(input)), n, d);
    Eigen::Tensor<float, 1, Eigen::RowMajor> weights(3);
    weights.setValues({0.25F, 0.5F, 0.25F});
    const std::array<Pair, 1> over_rows = {{Pair(0, 0)}};
    const std::array<int, 1> rows = {{0}};

    Matrix(gram, d, d).device(device.get()) = x.contract(x, over_rows);
    Vector(means, d).device(device.get()) = x.mean(rows);
    Matrix(smooth, n - 2, d).device(device.get()) = x.convolve(weights, rows);
    return true;
}

void compute(void *, TF_OpKernelContext *context)
{
    oribi_kit_run run;
    if (oribi_kit_begin(&run, context, 1)) {
        (void)describe(&run);
    }
    oribi_kit_end(&run);
}

} // namespace

extern "C" void TF_InitKernel(void)
{
    oribi_kit_register_op("Com>Acme>Describe", "x: float",
                          "gram: float; means: float; smooth: float", nullptr, nullptr, nullptr);
    oribi_kit_register_kernel("Com>Acme>Describe", "CPU", nullptr, compute, nullptr);
}
