/* SPDX-License-Identifier: Apache-2.0 */
/* An op of a GPU as public sources write it: a kernel that is launched, a sum by atomic functions,
 * and an expression of Eigen on the device of the computation. */
#define EIGEN_USE_GPU
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/kernels/fill_functor.h"
#include "tensorflow/core/util/gpu_kernel_helper.h"

using namespace tensorflow;
using GPUDevice = Eigen::GpuDevice;

REGISTER_OP("GpuScale").Input("x: float").Output("y: float").Output("sum: float").Attr("by: float");

__global__ void ScaleKernel(int n, const float *x, float by, float *y, float *sum)
{
    GPU_1D_KERNEL_LOOP(i, n)
    {
        y[i] = ldg(x + i) * by;
        GpuAtomicAdd(sum, y[i]);
        GpuAtomicMax(sum + 1, y[i]);
    }
}

class GpuScale : public OpKernel
{
  public:
    explicit GpuScale(OpKernelConstruction *ctx) : OpKernel(ctx)
    {
        OP_REQUIRES_OK(ctx, ctx->GetAttr("by", &by_));
    }
    void Compute(OpKernelContext *ctx) override
    {
        const Tensor &x = ctx->input(0);
        Tensor *y = nullptr, *sum = nullptr;
        OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
        OP_REQUIRES_OK(ctx, ctx->allocate_output(1, TensorShape({2}), &sum));
        const GPUDevice &device = ctx->eigen_device<GPUDevice>();
        functor::SetZeroFunctor<GPUDevice, float>()(device, sum->flat<float>());
        const int n = static_cast<int>(x.NumElements());
        if (n > 0) {
            const GpuLaunchConfig config = GetGpuLaunchConfig(n, device);
            OP_REQUIRES_OK(ctx,
                           GpuLaunchKernel(ScaleKernel, config.block_count, config.thread_per_block,
                                           0, device.stream(), config.virtual_thread_count,
                                           x.flat<float>().data(), by_, y->flat<float>().data(),
                                           sum->flat<float>().data()));
        }
        y->flat<float>().device(device) = y->flat<float>() + 1.0f;
    }

  private:
    float by_;
};
REGISTER_KERNEL_BUILDER(Name("GpuScale").Device(DEVICE_GPU), GpuScale);
