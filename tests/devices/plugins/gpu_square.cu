/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled only: Eigen's GPU device on the stream of a computation. */
#define EIGEN_USE_GPU
#include "tensorflow/cc/eigen_gpu_device.h"

void square(TF_OpKernelContext *ctx, float *from, float *to, long n)
{
    EigenGpuDevice device(ctx);
    if (device.is_good()) {
        Eigen::TensorMap<Eigen::Tensor<float, 1>> x(from, n), z(to, n);
        z.device(device.get()) = x.square();
    }
}
