// SPDX-License-Identifier: Apache-2.0
// Ops that hold state in a session: a resource that one op makes and others reach by its handle, a
// resource by name whose manager the constructor keeps, temporary memory, inputs taken over.
#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/framework/resource_op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace tensorflow
{

REGISTER_OP("HeldCounter")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("start: int = 0")
    .Output("handle: resource")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape);
// Handles that tell what they lead to: one value whose shape is known in part, read and refined.
REGISTER_OP("HeldTold")
    .Output("handle: resource")
    .SetShapeFn([](shape_inference::InferenceContext *c) {
        shape_inference::ShapesAndTypes told = {{c->Matrix(2, c->UnknownDim()), DT_FLOAT}};
        if (c->output_handle_shapes_and_types(0) != nullptr) {
            return errors::Internal("an output that leads somewhere before it is set");
        }
        c->set_output(0, c->Scalar());
        c->set_output_handle_shapes_and_types(0, told);
        told[0].shape = c->Matrix(c->UnknownDim(), 5);
        if (!c->MergeOutputHandleShapesAndTypes(0, told) ||
            c->MergeOutputHandleShapesAndTypes(0, told) ||
            c->DebugString((*c->output_handle_shapes_and_types(0))[0].shape) != "[2,5]") {
            return errors::Internal("merged another shape");
        }
        told[0].shape = c->Matrix(3, 5);
        return c->RelaxOutputHandleShapesAndMergeTypes(0, told) ? OkStatus()
                                                                : errors::Internal("not relaxed");
    });
REGISTER_OP("HeldAsk")
    .Input("handle: resource")
    .Output("y: float")
    .SetShapeFn([](shape_inference::InferenceContext *c) {
        using shape_inference::ShapesAndTypes;
        const ShapesAndTypes *known = c->input_handle_shapes_and_types(0);
        if (known == nullptr) {
            c->set_output(0, c->UnknownShape());
            return OkStatus();
        }
        if (known->size() != 1 || (*known)[0].dtype != DT_FLOAT) {
            return errors::InvalidArgument("the handle leads to something else");
        }
        const ShapesAndTypes more = {{c->Matrix(7, 5), DT_FLOAT}}, other = {{c->Scalar(), DT_BOOL}};
        if (c->MergeInputHandleShapesAndTypes(0, other) ||
            !c->MergeInputHandleShapesAndTypes(0, more)) {
            return errors::Internal("merged otherwise");
        }
        c->set_output(0, (*c->input_handle_shapes_and_types(0))[0].shape);
        if (!c->RelaxInputHandleShapesAndMergeTypes(0, {{c->Vector(7), DT_FLOAT}}) ||
            c->RankKnown((*c->input_handle_shapes_and_types(0))[0].shape)) {
            return errors::Internal("relaxed otherwise");
        }
        return OkStatus();
    });
// Doubles x in a temporary of another shape; tells whether that was x's own memory.
REGISTER_OP("HeldScratch")
    .Input("x: float")
    .Output("y: float")
    .Output("in_place: int32")
    .SetShapeFn([](shape_inference::InferenceContext *c) {
        c->set_output(0, c->input(0));
        c->set_output(1, c->Scalar());
        return OkStatus();
    });
REGISTER_OP("HeldPass")
    .Input("handle: resource")
    .Output("same: resource")
    .SetShapeFn(shape_inference::UnchangedShape);
REGISTER_OP("HeldNext")
    .Input("handle: resource")
    .Input("x: float")
    .Output("y: float")
    .Output("in_place: int32")
    .SetIsStateful()
    .SetShapeFn([](shape_inference::InferenceContext *c) {
        c->set_output(0, c->input(1));
        c->set_output(1, c->Scalar());
        return OkStatus();
    });
REGISTER_OP("HeldByName")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Output("count: int64")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape);
REGISTER_OP("HeldClear")
    .Output("done: int64")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape);
REGISTER_OP("HeldLive")
    .Output("count: int64")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape);

namespace
{
std::atomic<int64> live{0};
} // namespace

class HeldNumber : public ResourceBase
{
  public:
    explicit HeldNumber(int64 start) : value_(start)
    {
        live++;
    }
    ~HeldNumber() override
    {
        live--;
    }
    int64 Next()
    {
        return ++value_;
    }

  private:
    std::atomic<int64> value_;
};

class HeldCounterOp : public ResourceOpKernel<HeldNumber>
{
  public:
    explicit HeldCounterOp(OpKernelConstruction *ctx) : ResourceOpKernel(ctx)
    {
        OP_REQUIRES_OK(ctx, ctx->GetAttr("start", &start_));
    }

  private:
    Status CreateResource(HeldNumber **out) override
    {
        if (start_ < 0) {
            return errors::InvalidArgument("start must not be below 0, is ", start_);
        }
        *out = new HeldNumber(start_);
        return OkStatus();
    }
    int64 start_ = 0;
};
class HeldScratchOp : public OpKernel
{
  public:
    using OpKernel::OpKernel;
    void Compute(OpKernelContext *ctx) override
    {
        const Tensor &x = ctx->input(0);
        const void *where = x.data();
        const int64 n = x.NumElements();
        Tensor twice, *y = nullptr, *in_place = nullptr;
        OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_temp({0}, DT_FLOAT, TensorShape({1, n}),
                                                                AllocatorAttributes(), &twice));
        OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
        OP_REQUIRES(ctx, y->data() != twice.data(),
                    errors::Internal("the temporary is the output"));
        for (int64 i = 0; i < n; i++) {
            static_cast<float *>(twice.data())[i] = 2 * static_cast<const float *>(x.data())[i];
        }
        std::memset(y->data(), 0, y->TotalBytes());
        for (int64 i = 0; i < n; i++) {
            static_cast<float *>(y->data())[i] = static_cast<const float *>(twice.data())[i];
        }
        Tensor other;
        OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_temp({0}, DT_FLOAT, TensorShape({n}),
                                                                AllocatorAttributes(), &other));
        OP_REQUIRES(ctx, other.data() != twice.data(), errors::Internal("two in one place"));
        OP_REQUIRES_OK(ctx, ctx->allocate_output(1, TensorShape({}), &in_place));
        in_place->scalar<int32>()() = twice.data() == where;
    }
};
REGISTER_KERNEL_BUILDER(Name("HeldScratch").Device(DEVICE_CPU), HeldScratchOp);

REGISTER_KERNEL_BUILDER(Name("HeldCounter").Device(DEVICE_CPU), HeldCounterOp);

/* x and the next number, by way of a temporary; in the place of x where the host allows it. */
class HeldNextOp : public OpKernel
{
  public:
    using OpKernel::OpKernel;
    void Compute(OpKernelContext *ctx) override
    {
        core::RefCountPtr<HeldNumber> number;
        OP_REQUIRES_OK(ctx, LookupResource(ctx, HandleFromInput(ctx, 0), &number));
        const TensorShape shape = ctx->input(1).shape();
        Tensor sum, *y = nullptr, *in_place = nullptr;
        OP_REQUIRES_OK(ctx, ctx->allocate_temp(DT_FLOAT, shape, &sum));
        const float next = static_cast<float>(number->Next());
        for (int64 i = 0; i < shape.num_elements(); i++) {
            sum.flat<float>()(i) = ctx->input(1).flat<float>()(i) + next;
        }
        int taken = -1;
        OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output({1}, 0, shape, &y, &taken));
        for (int64 i = 0; i < shape.num_elements(); i++) {
            y->flat<float>()(i) = sum.flat<float>()(i);
        }
        OP_REQUIRES_OK(ctx, ctx->allocate_output(1, TensorShape({}), &in_place));
        in_place->scalar<int32>()() = taken == 1;
    }
};
REGISTER_KERNEL_BUILDER(Name("HeldNext").Device(DEVICE_CPU).HostMemory("handle"), HeldNextOp);

/* Keeps the manager that its constructor was given. */
class HeldByNameOp : public OpKernel
{
  public:
    explicit HeldByNameOp(OpKernelConstruction *ctx) : OpKernel(ctx)
    {
        OP_REQUIRES_OK(ctx, where_.Init(ctx->resource_manager(), def()));
    }
    void Compute(OpKernelContext *ctx) override
    {
        HeldNumber *number = nullptr;
        OP_REQUIRES_OK(ctx, where_.resource_manager()->LookupOrCreate<HeldNumber>(
                                where_.container(), where_.name(), &number, [](HeldNumber **out) {
                                    *out = new HeldNumber(0);
                                    return OkStatus();
                                }));
        core::ScopedUnref unref(number);
        Tensor *y = nullptr;
        OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &y));
        y->scalar<int64>()() = number->Next();
    }

  private:
    ContainerInfo where_;
};
REGISTER_KERNEL_BUILDER(Name("HeldByName").Device(DEVICE_CPU), HeldByNameOp);

/* Drops what the container "box" holds. */
class HeldClearOp : public OpKernel
{
  public:
    using OpKernel::OpKernel;
    void Compute(OpKernelContext *ctx) override
    {
        OP_REQUIRES_OK(ctx, ctx->resource_manager()->Cleanup("box"));
        Tensor *y = nullptr;
        OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &y));
        y->scalar<int64>()() = 1;
    }
};
REGISTER_KERNEL_BUILDER(Name("HeldClear").Device(DEVICE_CPU), HeldClearOp);

class HeldLiveOp : public OpKernel
{
  public:
    using OpKernel::OpKernel;
    void Compute(OpKernelContext *ctx) override
    {
        Tensor *y = nullptr;
        OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &y));
        y->scalar<int64>()() = live;
    }
};
REGISTER_KERNEL_BUILDER(Name("HeldLive").Device(DEVICE_CPU), HeldLiveOp);

} // namespace tensorflow
