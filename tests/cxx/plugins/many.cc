// SPDX-License-Identifier: Apache-2.0
// Kernels of each kind in the style of TensorFlow's C++ interface: elementwise, reduction over the
// worker threads, attributes of each kind, text, lists, many outputs, forwarding, an asynchronous
// one, a resource. Half of a plugin of two files; the shape functions are in many_shapes.cc. PREFIX
// is the beginning of the op names.
#include <thread>

#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/lib/core/refcount.h"
#include "tensorflow/core/lib/strings/strcat.h"
#include "tensorflow/core/util/work_sharder.h"

namespace tensorflow
{

template <typename T> class SquareOp : public OpKernel
{
  public:
    using OpKernel::OpKernel;
    void Compute(OpKernelContext *ctx) override
    {
        const Tensor &x = ctx->input(0);
        Tensor *y = nullptr;
        OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output({0}, 0, x.shape(), &y));
        const auto in = x.flat<T>();
        auto out = y->flat<T>();
#ifdef ORIBI_HAS_EIGEN
        out.device(ctx->eigen_device<Eigen::ThreadPoolDevice>()) = in.square();
#else
        for (int64 i = 0; i < in.size(); i++) {
            out(i) = static_cast<T>(in(i)*in(i));
        }
#endif
    }
};
#define REGISTER_SQUARE(T)                                                                         \
    REGISTER_KERNEL_BUILDER(Name(PREFIX "Square").Device(DEVICE_CPU).TypeConstraint<T>("T"),       \
                            SquareOp<T>)
TF_CALL_float(REGISTER_SQUARE);
TF_CALL_double(REGISTER_SQUARE);
TF_CALL_int64(REGISTER_SQUARE);
#undef REGISTER_SQUARE

/* Sums of rows, each by one thread, with half the threads at most. */
class RowSumOp : public OpKernel
{
  public:
    explicit RowSumOp(OpKernelConstruction *ctx) : OpKernel(ctx)
    {
        OP_REQUIRES_OK(ctx, ctx->GetAttr("scale", &scale_));
        OP_REQUIRES(ctx, scale_ > 0.0f, errors::InvalidArgument("scale must be > 0, is ", scale_));
    }
    void Compute(OpKernelContext *ctx) override
    {
        const Tensor &x = ctx->input(0);
        OP_REQUIRES(ctx, TensorShapeUtils::IsMatrix(x.shape()),
                    errors::InvalidArgument("x must be a matrix, is ", x.shape()));
        Tensor *y = nullptr;
        OP_REQUIRES_OK(ctx, ctx->allocate_output("y", TensorShape({x.dim_size(0)}), &y));
        const auto in = x.matrix<float>();
        auto out = y->vec<float>();
        const auto workers = ctx->device()->tensorflow_cpu_worker_threads();
        Shard(std::max(1, workers->num_threads / 2), workers->workers, x.dim_size(0), 1000,
              [&](int64 begin, int64 end) {
                  for (int64 r = begin; r < end; r++) {
                      double sum = 0;
                      for (int64 c = 0; c < x.dim_size(1); c++) {
                          sum += static_cast<double>(in(r, c));
                      }
                      out(r) = static_cast<float>(sum) * scale_;
                  }
              });
    }

  private:
    float scale_ = 0.0f;
};
REGISTER_KERNEL_BUILDER(Name(PREFIX "RowSum").Device(DEVICE_CPU), RowSumOp);

/* Says what it was made with. */
class DescribeOp : public OpKernel
{
  public:
    explicit DescribeOp(OpKernelConstruction *ctx) : OpKernel(ctx)
    {
        int32 i = 0;
        int64 wide = 0;
        float f = 0;
        bool b = false;
        string s;
        DataType type = DT_INVALID;
        TensorShape shape;
        PartialTensorShape partial;
        Tensor tensor;
        std::vector<int32> is;
        std::vector<float> fs;
        std::vector<bool> bs;
        std::vector<string> ss;
        std::vector<DataType> types;
        std::vector<TensorShape> shapes;
        OP_REQUIRES_OK(ctx, ctx->GetAttr("i", &i));
        OP_REQUIRES_OK(ctx, ctx->GetAttr("wide", &wide));
        OP_REQUIRES_OK(ctx, ctx->GetAttr("f", &f));
        OP_REQUIRES_OK(ctx, ctx->GetAttr("b", &b));
        OP_REQUIRES_OK(ctx, ctx->GetAttr("s", &s));
        OP_REQUIRES_OK(ctx, ctx->GetAttr("type", &type));
        OP_REQUIRES_OK(ctx, ctx->GetAttr("shape", &shape));
        OP_REQUIRES_OK(ctx, ctx->GetAttr("partial", &partial));
        OP_REQUIRES_OK(ctx, ctx->GetAttr("tensor", &tensor));
        OP_REQUIRES_OK(ctx, ctx->GetAttr("is", &is));
        OP_REQUIRES_OK(ctx, ctx->GetAttr("fs", &fs));
        OP_REQUIRES_OK(ctx, ctx->GetAttr("bs", &bs));
        OP_REQUIRES_OK(ctx, ctx->GetAttr("ss", &ss));
        OP_REQUIRES_OK(ctx, ctx->GetAttr("types", &types));
        OP_REQUIRES_OK(ctx, ctx->GetAttr("shapes", &shapes));
        OP_REQUIRES(ctx, ctx->GetAttr("none", &i).code() == error::NOT_FOUND,
                    errors::Internal("an attribute that is not there was found"));
        OP_REQUIRES(ctx,
                    SameInDef("i", i) && SameInDef("wide", wide) && SameInDef("f", f) &&
                        SameInDef("b", b) && SameInDef("s", s) && SameInDef("type", type) &&
                        SameInDef("shape", shape) && SameInDef("is", is) && SameInDef("fs", fs) &&
                        SameInDef("bs", bs) && SameInDef("ss", ss) && SameInDef("types", types) &&
                        SameInDef("shapes", shapes) && !TryGetNodeAttr(def(), "none", &i) &&
                        !TryGetNodeAttr(def(), "s", &f),
                    errors::Internal("the NodeDef and the attributes differ"));
        text_ =
            strings::StrCat(i, "|", wide, "|", f, "|", b, "|", s, "|", DataTypeString(type), "|");
        strings::StrAppend(&text_, shape.DebugString(), "|", partial.DebugString(), "|",
                           tensor.SummarizeValue(3), "|", str_util::Join(is, ","), "|",
                           str_util::Join(fs, ","), "|", bs.size(), "|", str_util::Join(ss, ","),
                           "|", DataTypeSliceString(types), "|",
                           TensorShapeUtils::ShapeListString(shapes));
        strings::StrAppend(&text_, "|", name(), "|", type_string());
    }
    void Compute(OpKernelContext *ctx) override
    {
        Tensor *y = nullptr;
        OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &y));
        y->scalar<tstring>()() = text_;
    }

  private:
    template <typename T> bool SameInDef(StringPiece attr, const T &value) const
    {
        T in_def{};
        return GetNodeAttr(def(), attr, &in_def).ok() && in_def == value;
    }
    string text_;
};
REGISTER_KERNEL_BUILDER(Name(PREFIX "Describe").Device(DEVICE_CPU), DescribeOp);

/* Words of texts, and how many: text in and out, two outputs. */
class WordsOp : public OpKernel
{
  public:
    using OpKernel::OpKernel;
    void Compute(OpKernelContext *ctx) override
    {
        const auto texts = ctx->input(0).flat<tstring>();
        std::vector<string> words;
        Tensor *counts = nullptr;
        OP_REQUIRES_OK(ctx, ctx->allocate_output(1, ctx->input(0).shape(), &counts));
        auto count = counts->flat<int32>();
        for (int64 i = 0; i < texts.size(); i++) {
            const auto some = str_util::Split(texts(i), ' ', str_util::SkipEmpty());
            count(i) = static_cast<int32>(some.size());
            words.insert(words.end(), some.begin(), some.end());
        }
        Tensor *out = nullptr;
        OP_REQUIRES_OK(
            ctx, ctx->allocate_output(0, TensorShape({static_cast<int64>(words.size())}), &out));
        for (size_t i = 0; i < words.size(); i++) {
            out->vec<tstring>()(static_cast<int64>(i)) = words[i];
        }
    }
};
REGISTER_KERNEL_BUILDER(Name(PREFIX "Words").Device(DEVICE_CPU), WordsOp);

/* Each input plus the one before it: lists in and out, by name. */
class RunningSumOp : public OpKernel
{
  public:
    using OpKernel::OpKernel;
    void Compute(OpKernelContext *ctx) override
    {
        OpInputList in;
        OpOutputList out;
        OP_REQUIRES_OK(ctx, ctx->input_list("xs", &in));
        OP_REQUIRES_OK(ctx, ctx->output_list("ys", &out));
        Tensor sum(DT_INT32, in[0].shape());
        sum.flat<int32>().setZero();
        for (int i = 0; i < in.size(); i++) {
            Tensor *y = nullptr;
            OP_REQUIRES_OK(ctx, out.allocate(i, in[i].shape(), &y));
            for (int64 k = 0; k < sum.NumElements(); k++) {
                sum.flat<int32>()(k) += in[i].flat<int32>()(k);
                y->flat<int32>()(k) = sum.flat<int32>()(k);
            }
        }
        OP_REQUIRES_OK(ctx, ctx->set_output("last", sum));
    }
};
REGISTER_KERNEL_BUILDER(Name(PREFIX "RunningSum").Device(DEVICE_CPU), RunningSumOp);

/* A row of x, sharing its bytes. */
class RowOp : public OpKernel
{
  public:
    using OpKernel::OpKernel;
    void Compute(OpKernelContext *ctx) override
    {
        const int64 row = ctx->input(1).scalar<int32>()();
        OP_REQUIRES(ctx, row >= 0 && row < ctx->input(0).dim_size(0),
                    errors::OutOfRange("no row ", row));
        ctx->set_output(0, ctx->input(0).SubSlice(row));
    }
};
REGISTER_KERNEL_BUILDER(Name(PREFIX "Row").Device(DEVICE_CPU).HostMemory("row"), RowOp);

/* Answers from a thread of its own. */
class LaterOp : public AsyncOpKernel
{
  public:
    using AsyncOpKernel::AsyncOpKernel;
    void ComputeAsync(OpKernelContext *ctx, DoneCallback done) override
    {
        std::thread([ctx, done] {
            Tensor *y = nullptr;
            OP_REQUIRES_OK_ASYNC(ctx, ctx->allocate_output(0, ctx->input(0).shape(), &y), done);
            y->scalar<int32>()() = ctx->input(0).scalar<int32>()() + 1;
            done();
        }).detach();
    }
};
REGISTER_KERNEL_BUILDER(Name(PREFIX "Later").Device(DEVICE_CPU), LaterOp);

/* Counts its calls, in an object that all nodes with one shared_name see. */
class Counter : public ResourceBase
{
  public:
    int64 Next()
    {
        mutex_lock held(mutex_);
        return ++count_;
    }

  private:
    mutex mutex_;
    int64 count_ TF_GUARDED_BY(mutex_) = 0;
};
class CountOp : public OpKernel
{
  public:
    using OpKernel::OpKernel;
    void Compute(OpKernelContext *ctx) override
    {
        ContainerInfo where;
        Counter *counter = nullptr;
        OP_REQUIRES_OK(ctx, where.Init(ctx->resource_manager(), def()));
        OP_REQUIRES_OK(ctx, ctx->resource_manager()->LookupOrCreate<Counter>(
                                where.container(), where.name(), &counter, [](Counter **out) {
                                    *out = new Counter;
                                    return Status();
                                }));
        core::ScopedUnref unref(counter);
        Tensor *y = nullptr;
        OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &y));
        y->scalar<int64>()() = counter->Next();
    }
};
REGISTER_KERNEL_BUILDER(Name(PREFIX "Count").Device(DEVICE_CPU), CountOp);

} // namespace tensorflow
