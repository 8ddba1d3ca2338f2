/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that are written once for TensorFlow and TensorFlow Lite: what such a class sees of its host,
 * and the kernel and the op that are made of it. Here there is one host, so the contexts are plain
 * classes. C++17, as the sources that include it. */
#ifndef ORIBI_TENSORFLOW_LITE_KERNELS_SHIM_TF_OP_SHIM_H_
#define ORIBI_TENSORFLOW_LITE_KERNELS_SHIM_TF_OP_SHIM_H_

#include <deque>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace tflite ORIBI_HIDDEN
{
namespace shim
{

enum class Runtime { kTf, kTfLite };

/* Dims, each of which may be unknown, or nothing known at all. */
class Shape
{
  public:
    using ValueType = std::vector<int>;
    static constexpr int kUnknownDim = -1, kUnknownRank = -1;
    Shape() = default;
    Shape(std::initializer_list<int> dims) : dims_(dims), has_value_(true)
    {
    }
    explicit Shape(ValueType dims) : dims_(std::move(dims)), has_value_(true)
    {
    }
    explicit Shape(absl::Span<const int> dims) : Shape(ValueType(dims.begin(), dims.end()))
    {
    }
    Shape(size_t rank, int dim) : Shape(ValueType(rank, dim))
    {
    }
    bool has_value() const
    {
        return has_value_;
    }
    const ValueType &value() const
    {
        return dims_;
    }
    ValueType &value()
    {
        return dims_;
    }
    const ValueType *operator->() const
    {
        return &dims_;
    }
    ValueType *operator->()
    {
        return &dims_;
    }
    const ValueType &operator*() const
    {
        return dims_;
    }
    ValueType &operator*()
    {
        return dims_;
    }
    int Rank() const
    {
        return has_value_ ? static_cast<int>(dims_.size()) : kUnknownRank;
    }
    int Dim(int i) const
    {
        return i >= 0 && i < Rank() ? dims_[static_cast<size_t>(i)] : kUnknownDim;
    }
    bool FullyDefined() const
    {
        bool all = has_value_;
        for (int dim : dims_) {
            all = all && dim != kUnknownDim;
        }
        return all;
    }
    /* Unknown when one of them is. */
    static int AddDims(int a, int b)
    {
        return a == kUnknownDim || b == kUnknownDim ? kUnknownDim : a + b;
    }
    bool Compatible(const Shape &other) const
    {
        bool all = !has_value_ || !other.has_value_ || Rank() == other.Rank();
        for (int i = 0; all && i < Rank() && i < other.Rank(); i++) {
            all = Dim(i) == other.Dim(i) || Dim(i) == kUnknownDim || other.Dim(i) == kUnknownDim;
        }
        return all;
    }
    bool operator==(const Shape &other) const
    {
        return has_value_ == other.has_value_ && dims_ == other.dims_;
    }
    bool operator!=(const Shape &other) const
    {
        return !(*this == other);
    }
    std::string ToString() const
    {
        std::string out;
        for (int dim : dims_) {
            out += (out.empty() ? "" : " ") + (dim < 0 ? "?" : std::to_string(dim));
        }
        return has_value_ ? "[ " + out + (out.empty() ? "]" : " ]") : "?";
    }

  private:
    ValueType dims_;
    bool has_value_ = false;
};

/* A tensor of the host, shared. Its type must be the one that is asked for, or the process ends. */
class TensorView
{
  public:
    /* Elements by their indices. */
    template <typename T, int kRank> class Elements
    {
      public:
        Elements(T *data, const std::vector<int> &dims) : data_(data), dims_(dims)
        {
            CHECK_EQ(static_cast<int>(dims.size()), kRank) << "the rank of a tensor";
        }
        template <typename... I> T &operator()(I... at) const
        {
            const size_t indices[] = {0, static_cast<size_t>(at)...};
            size_t flat = 0;
            for (size_t i = 0; i < dims_.size(); i++) {
                flat = flat * static_cast<size_t>(dims_[i]) + indices[i + 1];
            }
            return data_[flat];
        }
        T *Ptr() const
        {
            return data_;
        }
        /* Counted from the end when i is negative. */
        int Dim(int i) const
        {
            return dims_[static_cast<size_t>(i < 0 ? i + kRank : i)];
        }
        size_t Rank() const
        {
            return kRank;
        }

      private:
        T *data_;
        std::vector<int> dims_;
    };

    explicit TensorView(const ::tensorflow::Tensor &tensor) : tensor_(tensor)
    {
        for (int i = 0; i < tensor.dims(); i++) {
            dims_.push_back(static_cast<int>(tensor.dim_size(i)));
        }
    }
    absl::Span<const int> Shape() const
    {
        return dims_;
    }
    /* The span is the view's, as code that binds a reference to it expects. */
    template <typename T> absl::Span<T> &Data()
    {
        const auto span =
            std::make_shared<absl::Span<T>>(Place<T>(), static_cast<size_t>(tensor_.NumElements()));
        span_ = span;
        return *span;
    }
    template <typename T> absl::Span<T> Data() const
    {
        return absl::Span<T>(Place<T>(), static_cast<size_t>(tensor_.NumElements()));
    }
    template <typename T, int kRank> Elements<T, kRank> As()
    {
        return Elements<T, kRank>(Place<T>(), dims_);
    }
    template <typename T, int kRank> Elements<const T, kRank> As() const
    {
        return Elements<const T, kRank>(Place<T>(), dims_);
    }
    template <typename T> T &AsScalar()
    {
        CHECK_EQ(tensor_.NumElements(), 1);
        return *Place<T>();
    }
    template <typename T> const T &AsScalar() const
    {
        CHECK_EQ(tensor_.NumElements(), 1);
        return *Place<T>();
    }

  private:
    template <typename T> T *Place() const
    {
        CHECK_EQ(static_cast<int>(::tensorflow::DataTypeToEnum<T>::value),
                 static_cast<int>(tensor_.dtype()))
            << "the type of a tensor";
        return static_cast<T *>(tensor_.data());
    }
    ::tensorflow::Tensor tensor_;
    std::vector<int> dims_;
    std::shared_ptr<void> span_;
};

using ShapeOr = absl::StatusOr<Shape>;
using TensorViewOr = absl::StatusOr<std::unique_ptr<TensorView>>;
using ConstTensorViewOr = absl::StatusOr<std::unique_ptr<const TensorView>>;

/* Attributes of either context. A text that is only viewed lives as long as the context. */
template <typename Context> class AttrContext
{
  public:
    explicit AttrContext(Context *context) : context_(context)
    {
    }
    template <typename T> absl::Status GetAttr(const std::string &name, T *value) const
    {
        return context_->GetAttr(name, value);
    }
    absl::Status GetAttr(const std::string &name, absl::string_view *value) const
    {
        texts_.emplace_back();
        const absl::Status status = context_->GetAttr(name, &texts_.back());
        *value = texts_.back();
        return status;
    }

  protected:
    Context *context_;

  private:
    mutable std::deque<std::string> texts_;
};

using InitContext = AttrContext<::tensorflow::OpKernelConstruction>;

class InvokeContext
{
  public:
    explicit InvokeContext(::tensorflow::OpKernelContext *context) : context_(context)
    {
    }
    ConstTensorViewOr GetInput(int i) const
    {
        if (i < 0 || i >= NumInputs()) {
            return ::tensorflow::errors::Internal("there is no input ", i);
        }
        return std::unique_ptr<const TensorView>(new TensorView(context_->input(i)));
    }
    TensorViewOr GetOutput(int i, const Shape &shape) const
    {
        if (i < 0 || i >= NumOutputs() || !shape.FullyDefined()) {
            return ::tensorflow::errors::Internal("output ", i, " of shape ", shape.ToString(),
                                                  " cannot be had");
        }
        ::tensorflow::TensorShape dims;
        for (int dim : *shape) {
            TF_RETURN_IF_ERROR(dims.AddDimWithStatus(dim));
        }
        ::tensorflow::Tensor *tensor = nullptr;
        TF_RETURN_IF_ERROR(context_->allocate_output(i, dims, &tensor));
        return std::unique_ptr<TensorView>(new TensorView(*tensor));
    }
    int NumInputs() const
    {
        return context_->num_inputs();
    }
    int NumOutputs() const
    {
        return context_->num_outputs();
    }

  private:
    ::tensorflow::OpKernelContext *context_;
};

class ShapeInferenceContext : public AttrContext<::tensorflow::shape_inference::InferenceContext>
{
  public:
    using AttrContext::AttrContext;
    ShapeOr GetInputShape(int i) const
    {
        const auto shape = context_->input(i);
        if (!context_->RankKnown(shape)) {
            return Shape();
        }
        Shape out(static_cast<size_t>(context_->Rank(shape)), Shape::kUnknownDim);
        for (int k = 0; k < out.Rank(); k++) {
            out.value()[static_cast<size_t>(k)] =
                static_cast<int>(context_->Value(context_->Dim(shape, k)));
        }
        return out;
    }
    absl::Status SetOutputShape(int i, const Shape &shape)
    {
        std::vector<::tensorflow::shape_inference::DimensionHandle> dims;
        for (int dim : *shape) {
            dims.push_back(dim < 0 ? context_->UnknownDim() : context_->MakeDim(dim));
        }
        context_->set_output(i, shape.has_value() ? context_->MakeShape(dims)
                                                  : context_->UnknownShape());
        return absl::OkStatus();
    }
    ConstTensorViewOr GetInputTensor(int i) const
    {
        const ::tensorflow::Tensor *tensor = context_->input_tensor(i);
        if (tensor == nullptr) {
            return ::tensorflow::errors::InvalidArgument("input ", i, " is no constant");
        }
        return std::unique_ptr<const TensorView>(new TensorView(*tensor));
    }
    int NumInputs() const
    {
        return context_->num_inputs();
    }
    int NumOutputs() const
    {
        return context_->num_outputs();
    }
};

/* What an op's class is derived from. */
template <template <Runtime, typename...> class Op, Runtime kRuntime, typename... T>
class OpKernelShim
{
  public:
    using Shape = ::tflite::shim::Shape;
    using InitContext = ::tflite::shim::InitContext;
    using InvokeContext = ::tflite::shim::InvokeContext;
    using ShapeInferenceContext = ::tflite::shim::ShapeInferenceContext;

  protected:
    /* An output of one dimension. */
    template <typename Value, typename Element>
    absl::Status FillOutputTensor(const std::vector<Value> &values, int i,
                                  InvokeContext *context) const
    {
        auto output = context->GetOutput(i, Shape({static_cast<int>(values.size())}));
        if (!output.ok()) {
            return output.status();
        }
        const auto elements = (*output)->template As<Element, 1>();
        for (size_t k = 0; k < values.size(); k++) {
            elements(k) = values[k];
        }
        return absl::OkStatus();
    }
};

/* The kernel of such a class. */
template <template <Runtime, typename...> class Op, typename... T>
class TfOpKernel : public ::tensorflow::OpKernel
{
  public:
    using ImplType = Op<Runtime::kTf, T...>;
    explicit TfOpKernel(::tensorflow::OpKernelConstruction *ctx)
        : OpKernel(ctx), impl_(new ImplType)
    {
        InitContext context(ctx);
        ctx->SetStatus(impl_->Init(&context));
    }
    void Compute(::tensorflow::OpKernelContext *ctx) override
    {
        InvokeContext context(ctx);
        OP_REQUIRES_OK(ctx, impl_->Invoke(&context));
    }
    static const char *OpName()
    {
        return ImplType::OpName();
    }
    static ::tensorflow::OpDefBuilder OpDef()
    {
        ::tensorflow::OpDefBuilder out(OpName());
        for (const std::string &spec : ImplType::Attrs()) {
            out.Attr(spec);
        }
        for (const std::string &spec : ImplType::Inputs()) {
            out.Input(spec);
        }
        for (const std::string &spec : ImplType::Outputs()) {
            out.Output(spec);
        }
        return out.Doc(ImplType::Doc())
            .SetShapeFn([](::tensorflow::shape_inference::InferenceContext *c) {
                ShapeInferenceContext context(c);
                return ImplType::ShapeInference(&context);
            });
    }

  protected:
    std::unique_ptr<ImplType> impl_;
};

} // namespace shim
} // namespace ORIBI_HIDDEN

#define REGISTER_TF_OP_SHIM(...)                                                                   \
    static const ::tensorflow::register_op::OpDefBuilderReceiver ORIBI_UNIQUE(oribi_shim_op_)      \
        TF_ATTRIBUTE_UNUSED(__VA_ARGS__::OpDef())

#define SH_RETURN_IF_ERROR(...) TF_RETURN_IF_ERROR(__VA_ARGS__)
#define SH_RETURN_WITH_CONTEXT_IF_ERROR(expr, ...)                                                 \
    TF_RETURN_WITH_CONTEXT_IF_ERROR(expr, __VA_ARGS__)
#define SH_ASSIGN_OR_RETURN(lhs, rexpr) TF_ASSIGN_OR_RETURN(lhs, rexpr)

#endif
