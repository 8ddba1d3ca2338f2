// SPDX-License-Identifier: Apache-2.0
// How public kernel sources hand over their outputs: each way by name, in a kernel that computes at
// once and in one that answers later. The outputs are twice the input, or the input itself where
// the name of the way begins with "input".
#include <thread>

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace tensorflow
{

#define REGISTER_IDIOM(NAME)                                                                       \
    REGISTER_OP(NAME)                                                                              \
        .Attr("way: string")                                                                       \
        .Attr("N: int >= 1")                                                                       \
        .Input("x: int32")                                                                         \
        .Output("ys: N * int32")                                                                   \
        .SetShapeFn([](shape_inference::InferenceContext *c) {                                     \
            for (int i = 0; i < c->num_outputs(); i++) {                                           \
                c->set_output(i, c->UnknownShape());                                               \
            }                                                                                      \
            return OkStatus();                                                                     \
        })
REGISTER_IDIOM("Idiom");
REGISTER_IDIOM("IdiomLater");
REGISTER_OP("IdiomInPlace")
    .Input("x: int32")
    .Output("y: int32")
    .SetShapeFn(shape_inference::UnchangedShape);

namespace
{

/* out = factor * x, from element `from` of out on. */
void Fill(const Tensor &x, int32 factor, Tensor *out, int64 from = 0)
{
    for (int64 i = 0; i < x.NumElements(); i++) {
        out->flat<int32>()(from + i) = factor * x.flat<int32>()(i);
    }
}

Tensor Filled(const Tensor &x, int32 factor)
{
    Tensor out(DT_INT32, x.shape());
    Fill(x, factor, &out);
    return out;
}

/* One more element than x, as a vector. */
TensorShape Longer(const Tensor &x)
{
    return TensorShape({x.NumElements() + 1});
}

/* Ways that begin with an allocated output. */
Status HandOverAllocated(OpKernelContext *ctx, const string &way, int i, Tensor *y)
{
    const Tensor &x = ctx->input(0);
    Tensor twice = Filled(x, 2);
    if (way == "nothing else") {
        Fill(x, 2, y);
    } else if (way == "assigned") {
        *y = twice;
    } else if (way == "moved") {
        *y = std::move(twice);
    } else if (way == "swapped") {
        std::swap(*y, twice);
    } else if (way == "copied from") {
        return y->CopyFrom(twice, x.shape()) ? OkStatus() : errors::Internal("not copied");
    } else if (way == "copied from another shape") {
        Tensor row(DT_INT32, TensorShape({1, x.NumElements()}));
        Fill(x, 2, &row);
        return y->CopyFrom(row, x.shape()) ? OkStatus() : errors::Internal("not copied");
    } else if (way == "bitcast") {
        return y->BitcastFrom(twice, DT_INT32, x.shape());
    } else if (way == "mutable output") {
        *ctx->mutable_output(i) = twice;
    } else if (way == "temporary") {
        Tensor temp;
        TF_RETURN_IF_ERROR(ctx->allocate_temp(DT_INT32, x.shape(), &temp));
        Fill(x, 2, &temp);
        *y = temp;
    } else if (way == "temporary filled later") {
        Tensor temp;
        TF_RETURN_IF_ERROR(ctx->allocate_temp(DT_INT32, x.shape(), &temp));
        *y = temp;
        Fill(x, 2, &temp);
    } else if (way == "filled through the output") {
        *y = Filled(x, 5);
        Fill(x, 2, y);
    } else if (way == "assigned twice") {
        *y = Filled(x, 7);
        *y = twice;
    } else if (way == "assigned and back") {
        Tensor own = *y;
        *y = Filled(x, 7);
        *y = own;
        Fill(x, 2, &own);
    } else if (way == "slice of another") {
        Tensor longer(DT_INT32, Longer(x));
        Fill(x, 2, &longer, 1);
        const Tensor slice = longer.Slice(1, x.NumElements() + 1);
        return y->CopyFrom(slice, x.shape()) ? OkStatus() : errors::Internal("not copied");
    } else if (way == "set after all") {
        Fill(x, 9, y);
        ctx->set_output(i, twice);
    } else if (way == "set, then assigned") {
        ctx->set_output(i, Filled(x, 9));
        *ctx->mutable_output(i) = twice;
    } else if (way == "set, the pointer kept") {
        ctx->set_output(i, Filled(x, 9));
        Fill(x, 2, y);
    } else if (way == "input assigned") {
        *y = x;
    } else if (way == "input copied from") {
        return y->CopyFrom(x, x.shape()) ? OkStatus() : errors::Internal("not copied");
    } else if (way == "of another type") {
        *y = Tensor(DT_FLOAT, x.shape());
    } else if (way == "its bytes of another type") {
        return y->BitcastFrom(*y, DT_FLOAT, x.shape());
    } else if (way == "failed after") {
        *y = Tensor(DT_FLOAT, x.shape());
        return errors::DataLoss("this kernel gives up");
    } else {
        return errors::NotFound("no way '", way, "'");
    }
    return OkStatus();
}

/* Ways that begin with an output of another shape, in whose bytes the answer is. */
Status HandOverPart(OpKernelContext *ctx, const string &way, int i)
{
    const Tensor &x = ctx->input(0);
    const int64 n = x.NumElements();
    Tensor *y = nullptr;
    if (way == "itself, reshaped") {
        TF_RETURN_IF_ERROR(ctx->allocate_output(i, TensorShape({1, n}), &y));
        Fill(x, 2, y);
        return y->CopyFrom(*y, x.shape()) ? OkStatus() : errors::Internal("not copied");
    }
    TF_RETURN_IF_ERROR(ctx->allocate_output(i, Longer(x), &y));
    const int64 from = way == "itself, without its end" ? 0 : 1;
    Fill(x, 2, y, from);
    return y->CopyFrom(y->Slice(from, from + n), x.shape()) ? OkStatus()
                                                            : errors::Internal("not copied");
}

Status HandOver(OpKernelContext *ctx, const string &way, int i)
{
    const Tensor &x = ctx->input(0);
    Tensor *y = nullptr;
    if (way.compare(0, 6, "itself") == 0) {
        return HandOverPart(ctx, way, i);
    }
    if (way == "set") {
        ctx->set_output(i, Filled(x, 2));
    } else if (way == "set, then filled") {
        Tensor late(DT_INT32, x.shape());
        ctx->set_output(i, late);
        Fill(x, 2, &late);
    } else if (way == "temporary set, then filled") {
        Tensor late;
        TF_RETURN_IF_ERROR(ctx->allocate_temp(DT_INT32, x.shape(), &late));
        ctx->set_output(i, late);
        Fill(x, 2, ctx->mutable_output(i));
    } else if (way == "set twice") {
        ctx->set_output(i, Filled(x, 9));
        ctx->set_output(i, Filled(x, 2));
    } else if (way == "input set") {
        ctx->set_output(i, x);
    } else if (way == "forwarded, then assigned") {
        TF_RETURN_IF_ERROR(ctx->forward_input_or_allocate_output({0}, i, x.shape(), &y));
        *y = Filled(x, 2);
    } else if (way == "input forwarded, then assigned") {
        TF_RETURN_IF_ERROR(ctx->forward_input_or_allocate_output({0}, i, x.shape(), &y));
        *y = x;
    } else if (way == "list assigned" || way == "list set") {
        OpOutputList out;
        TF_RETURN_IF_ERROR(ctx->output_list("ys", &out));
        if (way == "list set") {
            out.set(i, Filled(x, 2));
            return OkStatus();
        }
        TF_RETURN_IF_ERROR(out.allocate(i, x.shape(), &y));
        *out[i] = Filled(x, 2);
    } else {
        TF_RETURN_IF_ERROR(ctx->allocate_output(i, x.shape(), &y));
        return HandOverAllocated(ctx, way, i, y);
    }
    return OkStatus();
}

/* All outputs; those of "shared" and "input shared" are one tensor. */
void Answer(OpKernelContext *ctx, const string &way)
{
    const bool is_input = way == "input shared";
    const Tensor one = is_input ? ctx->input(0) : Filled(ctx->input(0), 2);
    for (int i = 0; i < ctx->num_outputs(); i++) {
        if (is_input || way == "shared") {
            Tensor *y = nullptr;
            OP_REQUIRES_OK(ctx, ctx->allocate_output(i, one.shape(), &y));
            *y = one;
        } else {
            OP_REQUIRES_OK(ctx, HandOver(ctx, way, i));
        }
    }
}

} // namespace

class IdiomOp : public OpKernel
{
  public:
    explicit IdiomOp(OpKernelConstruction *ctx) : OpKernel(ctx)
    {
        OP_REQUIRES_OK(ctx, ctx->GetAttr("way", &way_));
    }
    void Compute(OpKernelContext *ctx) override
    {
        Answer(ctx, way_);
    }

  private:
    string way_;
};
REGISTER_KERNEL_BUILDER(Name("Idiom").Device(DEVICE_CPU), IdiomOp);

class IdiomLaterOp : public AsyncOpKernel
{
  public:
    explicit IdiomLaterOp(OpKernelConstruction *ctx) : AsyncOpKernel(ctx)
    {
        OP_REQUIRES_OK(ctx, ctx->GetAttr("way", &way_));
    }
    void ComputeAsync(OpKernelContext *ctx, DoneCallback done) override
    {
        std::thread([this, ctx, done] {
            Answer(ctx, way_);
            done();
        }).detach();
    }

  private:
    string way_;
};
REGISTER_KERNEL_BUILDER(Name("IdiomLater").Device(DEVICE_CPU), IdiomLaterOp);

/* x + 1, in the place of x where the host allows it. */
class IdiomInPlaceOp : public OpKernel
{
  public:
    using OpKernel::OpKernel;
    void Compute(OpKernelContext *ctx) override
    {
        const Tensor &x = ctx->input(0);
        Tensor *y = nullptr;
        OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output({0}, 0, x.shape(), &y));
        for (int64 i = 0; i < y->NumElements(); i++) {
            y->flat<int32>()(i) = x.flat<int32>()(i) + 1;
        }
    }
};
REGISTER_KERNEL_BUILDER(Name("IdiomInPlace").Device(DEVICE_CPU), IdiomInPlaceOp);

} // namespace tensorflow
