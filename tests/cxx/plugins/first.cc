// SPDX-License-Identifier: Apache-2.0
// The smallest plugin in the style of TensorFlow's custom ops: one op, one kernel.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"

#ifndef FIRST_OP
#define FIRST_OP "CxxKeepFirst"
#endif

using namespace tensorflow;

REGISTER_OP(FIRST_OP)
    .Input("x: int32")
    .Output("y: int32")
    .SetShapeFn([](shape_inference::InferenceContext *c) {
        c->set_output(0, c->input(0));
        return Status::OK();
    })
    .Doc("Keeps the first element and clears the others.");

class KeepFirstOp : public OpKernel
{
  public:
    explicit KeepFirstOp(OpKernelConstruction *ctx) : OpKernel(ctx)
    {
    }
    void Compute(OpKernelContext *ctx) override
    {
        const Tensor &x = ctx->input(0);
        const auto in = x.flat<int32>();
        Tensor *y = nullptr;
        OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
        auto out = y->flat<int32>();
        for (int64 i = 0; i < in.size(); i++) {
            out(i) = i == 0 ? in(0) : 0;
        }
    }
};

REGISTER_KERNEL_BUILDER(Name(FIRST_OP).Device(DEVICE_CPU), KeepFirstOp);
