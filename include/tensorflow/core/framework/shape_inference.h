/* SPDX-License-Identifier: Apache-2.0 */
/* shape_inference::InferenceContext: what a shape function may ask and make. Handles belong to the
 * context and live as long as it does. Ready-made shape functions: common_shape_fns.h. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_SHAPE_INFERENCE_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_SHAPE_INFERENCE_H_

#include <initializer_list>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "tensorflow/c/shape_inference.h"
#include "tensorflow/core/framework/attr_reader.h"
#include "tensorflow/core/framework/op_def_builder.h"
#include "tensorflow/core/framework/shape_handles.h"
#include "tensorflow/core/framework/shape_resource_handles.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace shape_inference
{

class InferenceContext : public UnknownValues<void>
{
  public:
    explicit InferenceContext(TF_ShapeInferenceContext *ctx)
        : ctx_(ctx), values_(static_cast<size_t>(num_inputs())),
          asked_(static_cast<size_t>(num_inputs())), outputs_(static_cast<size_t>(num_outputs()))
    {
    }
    ~InferenceContext()
    {
        for (TF_ShapeHandle *handle : shapes_) {
            TF_DeleteShapeHandle(handle);
        }
        for (TF_DimensionHandle *handle : dims_) {
            TF_DeleteDimensionHandle(handle);
        }
    }
    InferenceContext(const InferenceContext &) = delete;
    InferenceContext &operator=(const InferenceContext &) = delete;

    /* --- Node --- */
    int num_inputs() const
    {
        return static_cast<int>(TF_ShapeInferenceContextNumInputs(ctx_));
    }
    int num_outputs() const
    {
        return static_cast<int>(TF_ShapeInferenceContextNumOutputs(ctx_));
    }
    DataType input_type(int i) const
    {
        return static_cast<DataType>(TF_ShapeInferenceContextInputType(ctx_, i));
    }
    template <typename T> Status GetAttr(StringPiece name, T *value) const
    {
        return AttrReader<ShapeAttrApi>(ctx_, name).Get(value);
    }
    Status GetAttr(StringPiece name, PartialTensorShape *value)
    {
        ShapeHandle shape;
        TF_RETURN_IF_ERROR(
            Shape(&shape, &TF_ShapeInferenceContext_GetAttrShape, string(name).c_str()));
        ShapeHandleToPartial(shape, value);
        return Status();
    }
    Status GetAttr(StringPiece name, TensorShape *value)
    {
        PartialTensorShape shape;
        TF_RETURN_IF_ERROR(GetAttr(name, &shape));
        return shape.AsTensorShape(value)
                   ? Status()
                   : errors::InvalidArgument("attribute '", name, "' is not a whole shape");
    }
    Status GetAttr(StringPiece name, std::vector<PartialTensorShape> *value)
    {
        int32 count = 0;
        TF_RETURN_IF_ERROR(AttrReader<ShapeAttrApi>(ctx_, name).Size(&count, nullptr));
        std::vector<PartialTensorShape> out;
        for (int i = 0; i < count; i++) {
            ShapeHandle shape;
            out.emplace_back();
            TF_RETURN_IF_ERROR(Shape(&shape, &TF_ShapeInferenceContext_GetAttrShapeListItem,
                                     string(name).c_str(), i));
            ShapeHandleToPartial(shape, &out.back());
        }
        value->swap(out);
        return Status();
    }
    bool HasAttr(StringPiece name) const
    {
        return TF_ShapeInferenceContext_HasAttr(ctx_, string(name).c_str());
    }

    /* --- Inputs and outputs --- */
    ShapeHandle input(int i)
    {
        ShapeHandle out;
        Shape(&out, &TF_ShapeInferenceContextGetInput, i).IgnoreError();
        return out;
    }
    Status input(StringPiece name, std::vector<ShapeHandle> *out)
    {
        int start = 0, stop = 0;
        CStatus status;
        TF_ShapeInferenceContextInputRange(ctx_, string(name).c_str(), &start, &stop, status);
        out->clear();
        for (int i = start; status.ok() && i < stop; i++) {
            out->push_back(input(i));
        }
        return status.ToStatus();
    }
    /* Value of input i when it is known here, else nullptr. */
    const Tensor *input_tensor(int i)
    {
        const size_t at = static_cast<size_t>(i);
        if (!asked_[at]) {
            asked_[at] = true;
            TF_Tensor *handle = TF_ShapeInferenceContextInputTensor(ctx_, i);
            values_[at].reset(handle != nullptr ? new Tensor(Tensor::Adopt(handle)) : nullptr);
        }
        return values_[at].get();
    }
    void request_input_tensor(int)
    {
    }
    bool requested_input_tensor(int i) const
    {
        return asked_[static_cast<size_t>(i)];
    }
    void set_output(int i, ShapeHandle shape)
    {
        CStatus status;
        outputs_[static_cast<size_t>(i)] = shape;
        TF_ShapeInferenceContextSetOutput(ctx_, i, shape.handle_, status);
    }
    Status set_output(StringPiece name, const std::vector<ShapeHandle> &shapes)
    {
        int start = 0, stop = 0;
        CStatus status;
        TF_ShapeInferenceContextOutputRange(ctx_, string(name).c_str(), &start, &stop, status);
        TF_RETURN_IF_ERROR(status.ToStatus());
        if (static_cast<size_t>(stop - start) != shapes.size()) {
            return errors::InvalidArgument("Must have exactly ", stop - start,
                                           " shapes for output '", name, "', got ", shapes.size());
        }
        for (int i = start; i < stop; i++) {
            set_output(i, shapes[static_cast<size_t>(i - start)]);
        }
        return Status();
    }
    ShapeHandle output(int i)
    {
        ShapeHandle &shape = outputs_[static_cast<size_t>(i)];
        shape = shape.IsSet() ? shape : UnknownShape();
        return shape;
    }
    Status output(StringPiece name, std::vector<ShapeHandle> *out)
    {
        int start = 0, stop = 0;
        CStatus status;
        TF_ShapeInferenceContextOutputRange(ctx_, string(name).c_str(), &start, &stop, status);
        TF_RETURN_IF_ERROR(status.ToStatus());
        out->clear();
        for (int i = start; i < stop; i++) {
            out->push_back(output(i));
        }
        return Status();
    }
    /* --- Resource handles: null when nothing is known of what they lead to. Needs contract 1.1,
     * without it nothing ever is. A pointer lives until the next change of the same handle. --- */
    const ShapesAndTypes *input_handle_shapes_and_types(int i)
    {
        return handles_.Get(ctx_, true, i, [this]() { return NewShape(); });
    }
    const ShapesAndTypes *output_handle_shapes_and_types(int i)
    {
        return handles_.Get(ctx_, false, i, [this]() { return NewShape(); });
    }
    void set_output_handle_shapes_and_types(int i, const ShapesAndTypes &parts)
    {
        handles_.Set(ctx_, i, parts);
    }
    /* True when anything changed: merged, what either says; relaxed, what both say of a shape. */
    bool MergeInputHandleShapesAndTypes(int i, const ShapesAndTypes &parts)
    {
        return handles_.Change(ctx_, true, false, i, parts);
    }
    bool MergeOutputHandleShapesAndTypes(int i, const ShapesAndTypes &parts)
    {
        return handles_.Change(ctx_, false, false, i, parts);
    }
    bool RelaxInputHandleShapesAndMergeTypes(int i, const ShapesAndTypes &parts)
    {
        return handles_.Change(ctx_, true, true, i, parts);
    }
    bool RelaxOutputHandleShapesAndMergeTypes(int i, const ShapesAndTypes &parts)
    {
        return handles_.Change(ctx_, false, true, i, parts);
    }

    /* --- Shapes asked --- */
    int32 Rank(ShapeHandle shape) const
    {
        return static_cast<int32>(TF_ShapeInferenceContextRank(ctx_, shape.handle_));
    }
    bool RankKnown(ShapeHandle shape) const
    {
        return TF_ShapeInferenceContextRankKnown(ctx_, shape.handle_) != 0;
    }
    bool FullyDefined(ShapeHandle shape) const
    {
        return TF_ShapeInferenceContextFullyDefined(ctx_, shape.handle_) != 0;
    }
    DimensionHandle Dim(ShapeHandle shape, int64 i)
    {
        DimensionHandle out = NewDim();
        TF_ShapeInferenceContextDim(ctx_, shape.handle_, i, out.handle_);
        return out;
    }
    DimensionHandle DimKnownRank(ShapeHandle shape, int64 i)
    {
        return Dim(shape, i);
    }
    DimensionHandle NumElements(ShapeHandle shape)
    {
        DimensionHandle out = NewDim();
        TF_ShapeInferenceContextNumElements(ctx_, shape.handle_, out.handle_);
        return out;
    }
    int64 Value(DimensionOrConstant d) const
    {
        return d.dim.IsSet() ? TF_DimensionHandleValue(d.dim.handle_) : d.val;
    }
    bool ValueKnown(DimensionOrConstant d) const
    {
        return Value(d) != kUnknownDim;
    }
    Status WithRank(ShapeHandle shape, int64 rank, ShapeHandle *out)
    {
        return Shape(out, &TF_ShapeInferenceContextWithRank, shape.handle_, rank);
    }
    Status WithRankAtLeast(ShapeHandle shape, int64 rank, ShapeHandle *out)
    {
        return Shape(out, &TF_ShapeInferenceContextWithRankAtLeast, shape.handle_, rank);
    }
    Status WithRankAtMost(ShapeHandle shape, int64 rank, ShapeHandle *out)
    {
        return Shape(out, &TF_ShapeInferenceContextWithRankAtMost, shape.handle_, rank);
    }
    string DebugString(ShapeHandle shape)
    {
        PartialTensorShape whole;
        ShapeHandleToPartial(shape, &whole);
        return whole.DebugString();
    }
    string DebugString(DimensionHandle dim) const
    {
        return ValueKnown(dim) ? std::to_string(Value(dim)) : "?";
    }
    string DebugString() const
    {
        return "shape inference";
    }
    void ShapeHandleToPartial(ShapeHandle shape, PartialTensorShape *out)
    {
        std::vector<int64> sizes;
        for (int i = 0; i < Rank(shape); i++) {
            sizes.push_back(Value(Dim(shape, i)));
        }
        *out = RankKnown(shape) ? PartialTensorShape(gtl::ArraySlice<int64>(sizes))
                                : PartialTensorShape();
    }

    /* --- Shapes made --- */
    ShapeHandle MakeShape(const std::vector<DimensionHandle> &dims)
    {
        std::vector<TF_DimensionHandle *> handles;
        for (DimensionHandle dim : dims) {
            handles.push_back((dim.IsSet() ? dim : UnknownDim()).handle_);
        }
        ShapeHandle out;
        Shape(&out, &TF_ShapeInferenceContextMakeShape, handles.data(),
              static_cast<int64_t>(handles.size()))
            .IgnoreError();
        return out;
    }
    ShapeHandle MakeShape(std::initializer_list<DimensionOrConstant> dims)
    {
        std::vector<DimensionHandle> handles;
        for (const DimensionOrConstant &dim : dims) {
            handles.push_back(MakeDim(dim));
        }
        return MakeShape(handles);
    }
    ShapeHandle UnknownShape()
    {
        ShapeHandle out = NewShape();
        TF_ShapeInferenceContextUnknownShape(ctx_, out.handle_);
        return out;
    }
    ShapeHandle UnknownShapeOfRank(int64 rank)
    {
        ShapeHandle out;
        Shape(&out, &TF_ShapeInferenceContextUnknownShapeOfRank, rank).IgnoreError();
        return out;
    }
    ShapeHandle Scalar()
    {
        return MakeShape(std::vector<DimensionHandle>());
    }
    ShapeHandle Vector(DimensionOrConstant n)
    {
        return MakeShape({n});
    }
    ShapeHandle Matrix(DimensionOrConstant n, DimensionOrConstant m)
    {
        return MakeShape({n, m});
    }
    Status MakeShapeFromPartialTensorShape(const PartialTensorShape &shape, ShapeHandle *out)
    {
        if (shape.unknown_rank()) {
            *out = UnknownShape();
            return Status();
        }
        const gtl::InlinedVector<int64, 4> sizes = shape.dim_sizes();
        return Shape(out, &TF_ShapeInferenceContextMakeShapeFromDims, sizes.data(),
                     static_cast<int64_t>(sizes.size()));
    }
    Status MakeShapeFromTensorShape(const TensorShape &shape, ShapeHandle *out)
    {
        return MakeShapeFromPartialTensorShape(PartialTensorShape(shape), out);
    }
    Status MakeShapeFromShapeTensor(int input, ShapeHandle *out)
    {
        return Shape(out, &TF_ShapeInferenceContextMakeShapeFromInput, input);
    }
    Status MakeShapeFromShapeTensorTreatScalarAsUnknownShape(int input, ShapeHandle *out)
    {
        return Shape(out, &TF_ShapeInferenceContextMakeShapeFromInput, input);
    }
    /* The shape that the elements of a tensor are; -1 is an unknown dimension, or, as a scalar, an
     * unknown shape. Null: `shape` is that of the tensor, whose length is the rank. */
    Status MakeShapeFromTensor(const Tensor *tensor, ShapeHandle shape, ShapeHandle *out)
    {
        if (tensor == nullptr) {
            *out = RankKnown(shape) && Rank(shape) == 1 && ValueKnown(Dim(shape, 0))
                       ? UnknownShapeOfRank(Value(Dim(shape, 0)))
                       : UnknownShape();
            return Status();
        }
        const bool is_scalar = tensor->dims() == 0;
        if (tensor->dims() > 1 || (tensor->dtype() != DT_INT32 && tensor->dtype() != DT_INT64)) {
            return errors::InvalidArgument("Input tensor must be int32 or int64 of rank 1, is ",
                                           tensor->DebugString());
        }
        std::vector<DimensionHandle> dims;
        for (int64 i = 0; i < tensor->NumElements(); i++) {
            const int64 dim = tensor->dtype() == DT_INT32
                                  ? static_cast<const int32 *>(tensor->data())[i]
                                  : static_cast<const int64 *>(tensor->data())[i];
            if (dim < kUnknownDim || (is_scalar && dim != kUnknownDim)) {
                return errors::InvalidArgument("Invalid value in tensor used for shape: ", dim,
                                               is_scalar ? ", a scalar must be -1"
                                                         : ", at least -1");
            }
            dims.push_back(MakeDim(dim));
        }
        *out = is_scalar ? UnknownShape() : MakeShape(dims);
        return Status();
    }
    Status Merge(ShapeHandle a, ShapeHandle b, ShapeHandle *out)
    {
        return Shape(out, &TF_ShapeInferenceContextMerge, a.handle_, b.handle_);
    }
    Status MergePrefix(ShapeHandle shape, ShapeHandle prefix, ShapeHandle *out,
                       ShapeHandle *out_prefix)
    {
        CStatus status;
        ShapeHandle whole = NewShape(), front = NewShape();
        TF_ShapeInferenceContextMergePrefix(ctx_, shape.handle_, prefix.handle_, whole.handle_,
                                            front.handle_, status);
        *out = whole;
        *out_prefix = front;
        return status.ToStatus();
    }
    Status Concatenate(ShapeHandle a, ShapeHandle b, ShapeHandle *out)
    {
        return Shape(out, &TF_ShapeInferenceContextConcatenateShapes, a.handle_, b.handle_);
    }
    Status Subshape(ShapeHandle shape, int64 start, ShapeHandle *out)
    {
        return Subshape(shape, start, std::numeric_limits<int64>::max(), out);
    }
    Status Subshape(ShapeHandle shape, int64 start, int64 end, ShapeHandle *out)
    {
        return Shape(out, &TF_ShapeInferenceContextSubshape, shape.handle_, start, end);
    }
    Status Subshape(ShapeHandle shape, int64 start, int64 end, int64 stride, ShapeHandle *out)
    {
        if (stride == 1 || !RankKnown(shape)) {
            return Subshape(shape, start, end, out);
        }
        const int64 rank = Rank(shape);
        start = std::max<int64>(0, start < 0 ? start + rank : start);
        end = end < 0 ? end + rank : std::min(end, rank);
        std::vector<DimensionHandle> kept;
        for (int64 i = start; stride > 0 ? i < end : i > end; i += stride) {
            kept.push_back(Dim(shape, i));
        }
        *out = MakeShape(kept);
        return Status();
    }
    Status ReplaceDim(ShapeHandle shape, int64 i, DimensionHandle dim, ShapeHandle *out)
    {
        return Shape(out, &TF_ShapeInferenceContextReplaceDim, shape.handle_, i, dim.handle_);
    }

    /* --- Dimensions --- */
    DimensionHandle MakeDim(DimensionOrConstant d)
    {
        if (d.dim.IsSet()) {
            return d.dim;
        }
        DimensionHandle out = NewDim();
        if (d.val == kUnknownDim) {
            TF_ShapeInferenceContextUnknownDim(ctx_, out.handle_);
        } else {
            TF_ShapeInferenceContextMakeDim(ctx_, d.val, out.handle_);
        }
        return out;
    }
    DimensionHandle UnknownDim()
    {
        return MakeDim(kUnknownDim);
    }
    Status MakeDimForScalarInput(int i, DimensionHandle *out)
    {
        return Dimension(out, &TF_ShapeInferenceContextMakeDimFromInput, i);
    }
    /* An index that counts from the end when it is negative; rank -1: not known. */
    Status MakeDimForScalarInputWithNegativeIndexing(int i, int rank, DimensionHandle *out)
    {
        const Tensor *tensor = input_tensor(i);
        int64 value = 0;
        if (tensor == nullptr) {
            *out = UnknownDim();
            return Status();
        }
        TF_RETURN_IF_ERROR(GetScalarFromTensor(tensor, &value));
        if (value < 0 && rank < 0) {
            *out = UnknownDim();
            return Status();
        }
        if (value < 0 && value + rank < 0) {
            return errors::InvalidArgument("Dimension size, given by scalar input ", value,
                                           " must be in range [-", rank, ", ", rank, ")");
        }
        *out = MakeDim(value < 0 ? value + rank : value);
        return Status();
    }
    Status GetScalarFromTensor(const Tensor *tensor, int64 *value)
    {
        if (tensor->NumElements() != 1 ||
            (tensor->dtype() != DT_INT32 && tensor->dtype() != DT_INT64)) {
            return errors::InvalidArgument("Scalar input for dim size must be int32 or int64");
        }
        *value = tensor->dtype() == DT_INT32 ? *static_cast<const int32 *>(tensor->data())
                                             : *static_cast<const int64 *>(tensor->data());
        return Status();
    }
    Status Merge(DimensionHandle a, DimensionHandle b, DimensionHandle *out)
    {
        return Dimension(out, &TF_ShapeInferenceContextMergeDim, a.handle_, b.handle_);
    }
    Status WithValue(DimensionHandle dim, int64 value, DimensionHandle *out)
    {
        return Dimension(out, &TF_ShapeInferenceContextWithValue, dim.handle_, value);
    }
    Status Add(DimensionHandle a, DimensionOrConstant b, DimensionHandle *out)
    {
        return Dimension(out, &TF_ShapeInferenceContextAddDims, a.handle_, MakeDim(b).handle_);
    }
    Status Subtract(DimensionHandle a, DimensionOrConstant b, DimensionHandle *out)
    {
        return Dimension(out, &TF_ShapeInferenceContextSubtractDims, a.handle_, MakeDim(b).handle_);
    }
    Status Multiply(DimensionHandle a, DimensionOrConstant b, DimensionHandle *out)
    {
        return Dimension(out, &TF_ShapeInferenceContextMultiplyDims, a.handle_, MakeDim(b).handle_);
    }
    Status Divide(DimensionHandle a, DimensionOrConstant b, bool evenly, DimensionHandle *out)
    {
        if (!ValueKnown(b)) {
            *out = UnknownDim();
            return Status();
        }
        return Dimension(out, &TF_ShapeInferenceContextDivideDim, a.handle_, Value(b), evenly);
    }
    Status Min(DimensionHandle a, DimensionOrConstant b, DimensionHandle *out)
    {
        return Dimension(out, &TF_ShapeInferenceContextMinDims, a.handle_, MakeDim(b).handle_);
    }
    Status Max(DimensionHandle a, DimensionOrConstant b, DimensionHandle *out)
    {
        return Dimension(out, &TF_ShapeInferenceContextMaxDims, a.handle_, MakeDim(b).handle_);
    }

  private:
    ShapeHandle NewShape()
    {
        ShapeHandle out;
        out.handle_ = TF_NewShapeHandle();
        shapes_.push_back(out.handle_);
        return out;
    }
    DimensionHandle NewDim()
    {
        DimensionHandle out;
        out.handle_ = TF_NewDimensionHandle();
        dims_.push_back(out.handle_);
        return out;
    }
    /* Calls fn(ctx, args..., result, status); *out is set as the result, or unset on failure. */
    template <typename F, typename... A> Status Shape(ShapeHandle *out, F fn, A... args)
    {
        CStatus status;
        const ShapeHandle result = NewShape();
        fn(ctx_, args..., result.handle_, status);
        *out = status.ok() ? result : ShapeHandle();
        return status.ToStatus();
    }
    template <typename F, typename... A> Status Dimension(DimensionHandle *out, F fn, A... args)
    {
        CStatus status;
        const DimensionHandle result = NewDim();
        fn(ctx_, args..., result.handle_, status);
        *out = status.ok() ? result : DimensionHandle();
        return status.ToStatus();
    }

    TF_ShapeInferenceContext *ctx_;
    HandleShapes handles_;
    std::vector<TF_ShapeHandle *> shapes_;
    std::vector<TF_DimensionHandle *> dims_;
    std::vector<std::unique_ptr<Tensor>> values_;
    std::vector<bool> asked_;
    std::vector<ShapeHandle> outputs_;
};

inline void RunShapeFn(const OpShapeInferenceFn &fn, TF_ShapeInferenceContext *ctx,
                       TF_Status *status)
{
    InferenceContext inference(ctx);
    const Status result = fn(&inference);
    TF_SetStatus(status, static_cast<TF_Code>(static_cast<int>(result.code())),
                 string(result.message()).c_str());
}

} // namespace shape_inference
} // namespace tensorflow

#endif
