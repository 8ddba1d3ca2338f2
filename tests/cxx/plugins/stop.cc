/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that never end unless their run stops: by the callbacks of CancellationManager. */
#include <atomic>
#include <condition_variable>
#include <mutex>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"

using namespace tensorflow; // NOLINT

static std::atomic<int> n_called(0), n_wrong(0);

REGISTER_OP("StopBlocks").Input("x: float").Output("z: float").SetIsStateful();
REGISTER_OP("StopLater").Input("x: float").Output("z: float").SetIsStateful();
REGISTER_OP("StopCounts")
    .Input("x: float")
    .Output("called: int32")
    .Output("wrong: int32")
    .SetIsStateful();

class StopBlocksOp : public OpKernel
{
  public:
    using OpKernel::OpKernel;
    void Compute(OpKernelContext *ctx) override
    {
        CancellationManager *manager = ctx->cancellation_manager();
        const CancellationToken gone = manager->get_cancellation_token();
        const CancellationToken token = manager->get_cancellation_token();
        std::mutex mutex;
        std::condition_variable changed;
        bool is_stopped = false;
        const bool had = manager->RegisterCallback(gone, [] {});
        const bool took = manager->TryDeregisterCallback(gone);
        n_wrong += !(had && took) && !manager->IsCancelled(); /* it may stop at any moment */
        n_wrong += manager->TryDeregisterCallback(gone);
        const bool registered = manager->RegisterCallback(token, [&] {
            std::lock_guard<std::mutex> lock(mutex);
            is_stopped = true;
            n_called++;
            changed.notify_all();
        });
        if (registered) {
            std::unique_lock<std::mutex> lock(mutex);
            changed.wait(lock, [&] { return is_stopped; });
        } else {
            n_called++;
        }
        n_wrong += manager->DeregisterCallback(token); /* it was called, and is over now */
        n_wrong += !manager->IsCancelled();
        n_wrong += manager->RegisterCallback(gone, [] { n_wrong++; });
        ctx->SetStatus(errors::Cancelled("gave up"));
    }
};
REGISTER_KERNEL_BUILDER(Name("StopBlocks").Device(DEVICE_CPU), StopBlocksOp);

/* Its callback ends the node, and with that the manager that calls it. */
class StopLaterOp : public AsyncOpKernel
{
  public:
    using AsyncOpKernel::AsyncOpKernel;
    void ComputeAsync(OpKernelContext *ctx, DoneCallback done) override
    {
        CancellationManager *manager = ctx->cancellation_manager();
        const auto give_up = [ctx, done] {
            n_called++;
            ctx->SetStatus(errors::Cancelled("gave up"));
            done();
        };
        if (!manager->RegisterCallback(manager->get_cancellation_token(), give_up)) {
            give_up();
        }
    }
};
REGISTER_KERNEL_BUILDER(Name("StopLater").Device(DEVICE_CPU), StopLaterOp);

class StopCountsOp : public OpKernel
{
  public:
    using OpKernel::OpKernel;
    void Compute(OpKernelContext *ctx) override
    {
        for (int i = 0; i < 2; i++) {
            Tensor *out = nullptr;
            OP_REQUIRES_OK(ctx, ctx->allocate_output(i, TensorShape({}), &out));
            out->scalar<int32>()() = i == 0 ? n_called.load() : n_wrong.load();
        }
    }
};
REGISTER_KERNEL_BUILDER(Name("StopCounts").Device(DEVICE_CPU), StopCountsOp);
