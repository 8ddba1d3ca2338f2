/* SPDX-License-Identifier: Apache-2.0 */
/* ShapeMaker: shapes and dimensions asked, made, merged and counted with, by handles that it owns.
 * What a shape function knows of its node stands on it: InferenceContext in shape_inference.h. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_SHAPES_SHAPE_MAKER_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_SHAPES_SHAPE_MAKER_H_

#include <initializer_list>
#include <limits>
#include <vector>

#include "tensorflow/c/shape_inference.h"
#include "tensorflow/core/framework/partial_tensor_shape.h"
#include "tensorflow/core/framework/shapes/shape_handles.h"
#include "tensorflow/core/framework/tensor.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace shape_inference
{

class ShapeMaker : public UnknownValues<void>
{
  public:
    ShapeMaker(const ShapeMaker &) = delete;
    ShapeMaker &operator=(const ShapeMaker &) = delete;

    /* --- Shapes asked --- */
    static int32 Rank(ShapeHandle shape) /* the host reads no context here */
    {
        return static_cast<int32>(TF_ShapeInferenceContextRank(nullptr, shape.handle_));
    }
    static bool RankKnown(ShapeHandle shape)
    {
        return Rank(shape) >= 0;
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
    static DimensionHandle DimKnownRank(ShapeHandle shape, int64 i)
    {
        return shape.maker_->Dim(shape, i);
    }
    DimensionHandle NumElements(ShapeHandle shape)
    {
        DimensionHandle out = NewDim();
        TF_ShapeInferenceContextNumElements(ctx_, shape.handle_, out.handle_);
        return out;
    }
    static int64 Value(DimensionOrConstant d)
    {
        return d.dim.IsSet() ? TF_DimensionHandleValue(d.dim.handle_) : d.val;
    }
    static bool ValueKnown(DimensionOrConstant d)
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
    string DebugString(const ShapeAndType &part)
    {
        return DebugString(part.shape) + ":" + DataTypeString(part.dtype);
    }
    string DebugString(gtl::ArraySlice<ShapeAndType> parts)
    {
        string out = "[";
        for (const ShapeAndType &part : parts) {
            out += (out.size() > 1 ? "," : "") + DebugString(part);
        }
        return out + "]";
    }
    void ShapeHandleToProto(ShapeHandle shape, TensorShapeProto *out)
    {
        PartialTensorShape whole;
        ShapeHandleToPartial(shape, &whole);
        whole.AsProto(out);
    }
    TensorShapeProto ShapeHandleToProto(ShapeHandle shape)
    {
        TensorShapeProto out;
        ShapeHandleToProto(shape, &out);
        return out;
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
    Status MakeShapeFromShapeProto(const TensorShapeProto &proto, ShapeHandle *out)
    {
        return MakeShapeFromPartialTensorShape(PartialTensorShape(proto), out);
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
#if ORIBI_HAS_CONTRACT(1, 3)
        return Shape(out, &TF_ShapeInferenceContextStridedSubshape, shape.handle_, start, end,
                     stride);
#else
        return stride == 1 ? Subshape(shape, start, end, out)
                           : errors::Unimplemented("Subshape with a stride needs contract 1.3");
#endif
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
    static Status GetScalarFromTensor(const Tensor *tensor, int64 *value)
    {
        if (tensor->dims() != 0) {
            return errors::InvalidArgument("Input must be scalar but has rank ", tensor->dims());
        }
        return Element(tensor, 0, value);
    }
    static Status GetScalarFromTensor(const Tensor *tensor, int64 i, int64 *value)
    {
        if (tensor->dims() != 1) {
            return errors::InvalidArgument("Input must be 1D but has rank ", tensor->dims());
        }
        if (i < 0 || i >= tensor->NumElements()) {
            return errors::InvalidArgument("Element ", i, " of a tensor of ", tensor->NumElements(),
                                           " was asked for");
        }
        return Element(tensor, i, value);
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
        if (!ValueKnown(a) || (b.dim.IsSet() && !ValueKnown(b))) {
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

  protected:
    explicit ShapeMaker(TF_ShapeInferenceContext *ctx) : ctx_(ctx)
    {
    }
    ~ShapeMaker()
    {
        for (TF_ShapeHandle *handle : shapes_) {
            TF_DeleteShapeHandle(handle);
        }
        for (TF_DimensionHandle *handle : dims_) {
            TF_DeleteDimensionHandle(handle);
        }
    }
    ShapeHandle NewShape()
    {
        ShapeHandle out;
        out.handle_ = TF_NewShapeHandle();
        out.maker_ = this;
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
    static Status Element(const Tensor *tensor, int64 i, int64 *value)
    {
        if (tensor->dtype() != DT_INT32 && tensor->dtype() != DT_INT64) {
            return errors::InvalidArgument("Scalar input for dim size must be int32 or int64");
        }
        *value = tensor->dtype() == DT_INT32 ? static_cast<const int32 *>(tensor->data())[i]
                                             : static_cast<const int64 *>(tensor->data())[i];
        return Status();
    }

    TF_ShapeInferenceContext *ctx_;

  private:
    std::vector<TF_ShapeHandle *> shapes_;
    std::vector<TF_DimensionHandle *> dims_;
};

} // namespace shape_inference
} // namespace tensorflow

#endif
