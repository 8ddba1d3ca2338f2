/* SPDX-License-Identifier: Apache-2.0 */
/* Shape functions that many ops share. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_COMMON_SHAPE_FNS_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_COMMON_SHAPE_FNS_H_

#include "tensorflow/core/framework/op_def_builder.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/util/padding.h"
#include "tensorflow/core/util/tensor_format.h"

namespace tensorflow ORIBI_HIDDEN
{

/* Size of one spatial dimension after a window went over it, and the padding before and after. */
inline Status GetWindowedOutputSizeVerbose(int64 input, int64 filter, int64 dilation, int64 stride,
                                           Padding padding, int64 *output, int64 *before,
                                           int64 *after)
{
    if (stride <= 0 || dilation < 1) {
        return errors::InvalidArgument("Stride and dilation must be > 0, but got ", stride, " and ",
                                       dilation);
    }
    const int64 reach = (filter - 1) * dilation + 1;
    if (padding == VALID) {
        *output = (input - reach + stride) / stride;
        *before = *after = 0;
    } else if (padding == SAME) {
        *output = (input + stride - 1) / stride;
        const int64 needed = std::max<int64>(0, (*output - 1) * stride + reach - input);
        *before = needed / 2;
        *after = needed - *before;
    } else {
        *output = (input + *before + *after - reach + stride) / stride;
    }
    return *output < 0
               ? errors::InvalidArgument(
                     "Computed output size would be negative: ", *output, " [input_size: ", input,
                     ", effective_filter_size: ", reach, ", stride: ", stride, "]")
               : Status();
}
inline Status GetWindowedOutputSize(int64 input, int64 filter, int64 stride, Padding padding,
                                    int64 *output, int64 *padded)
{
    int64 after = 0;
    return GetWindowedOutputSizeVerbose(input, filter, 1, stride, padding, output, padded, &after);
}
inline Status GetWindowedOutputSize(int64 input, int64 filter, int64 dilation, int64 stride,
                                    Padding padding, int64 *output, int64 *padded)
{
    int64 after = 0;
    return GetWindowedOutputSizeVerbose(input, filter, dilation, stride, padding, output, padded,
                                        &after);
}

namespace shape_inference
{

inline Status UnchangedShape(InferenceContext *c)
{
    c->set_output(0, c->input(0));
    const std::vector<ShapeAndType> *behind = c->input_handle_shapes_and_types(0);
    if (behind != nullptr) {
        c->set_output_handle_shapes_and_types(0, *behind);
    }
    return Status();
}
inline Status UnchangedShapeWithRank(InferenceContext *c, int32 rank)
{
    ShapeHandle out;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(0), rank, &out));
    c->set_output(0, out);
    return Status();
}
inline Status UnchangedShapeWithRankAtLeast(InferenceContext *c, int32 rank)
{
    ShapeHandle out;
    TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), rank, &out));
    c->set_output(0, out);
    return Status();
}
inline Status UnchangedShapeWithRankAtMost(InferenceContext *c, int32 rank)
{
    ShapeHandle out;
    TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(0), rank, &out));
    c->set_output(0, out);
    return Status();
}
inline Status NoOutputs(InferenceContext *)
{
    return Status();
}
inline Status ScalarShape(InferenceContext *c)
{
    c->set_output(0, c->Scalar());
    return Status();
}
inline Status UnknownShape(InferenceContext *c)
{
    for (int i = 0; i < c->num_outputs(); i++) {
        c->set_output(i, c->UnknownShape());
    }
    return Status();
}
inline Status ScalarInputsAndOutputs(InferenceContext *c)
{
    ShapeHandle unused;
    for (int i = 0; i < c->num_inputs(); i++) {
        TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
    }
    for (int i = 0; i < c->num_outputs(); i++) {
        c->set_output(i, c->Scalar());
    }
    return Status();
}
/* The attribute "shape". */
inline Status ExplicitShape(InferenceContext *c)
{
    PartialTensorShape shape;
    ShapeHandle out;
    TF_RETURN_IF_ERROR(c->GetAttr("shape", &shape));
    TF_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(shape, &out));
    c->set_output(0, out);
    return Status();
}
inline Status MergeBothInputsShapeFn(InferenceContext *c)
{
    ShapeHandle out;
    TF_RETURN_IF_ERROR(c->Merge(c->input(0), c->input(1), &out));
    c->set_output(0, out);
    return Status();
}

/* The shape that both broadcast to. */
inline Status BroadcastBinaryOpOutputShapeFnHelper(InferenceContext *c, ShapeHandle a,
                                                   ShapeHandle b, bool incompatible_error,
                                                   ShapeHandle *out)
{
    if (!c->RankKnown(a) || !c->RankKnown(b)) {
        *out = c->UnknownShape();
        return Status();
    }
    const int32 rank_a = c->Rank(a), rank_b = c->Rank(b), rank = std::max(rank_a, rank_b);
    std::vector<DimensionHandle> dims;
    for (int32 i = 0; i < rank; i++) {
        const int32 at_a = i - (rank - rank_a), at_b = i - (rank - rank_b);
        DimensionHandle da = at_a < 0 ? c->MakeDim(1) : c->Dim(a, at_a);
        DimensionHandle db = at_b < 0 ? c->MakeDim(1) : c->Dim(b, at_b);
        const int64 va = c->Value(da), vb = c->Value(db);
        if (va == 1 || vb == 1) {
            dims.push_back(va == 1 ? db : da);
        } else if (va == InferenceContext::kUnknownDim || vb == InferenceContext::kUnknownDim) {
            dims.push_back(va > 1 ? da : vb > 1 ? db : c->UnknownDim());
        } else if (va == vb) {
            dims.push_back(da);
        } else if (incompatible_error) {
            return errors::InvalidArgument("Dimensions must be equal, but are ", va, " and ", vb);
        } else {
            *out = c->MakeShape(std::vector<DimensionHandle>());
            return Status();
        }
    }
    *out = c->MakeShape(dims);
    return Status();
}
inline Status BroadcastBinaryOpOutputShapeFn(InferenceContext *c, int output)
{
    ShapeHandle out;
    TF_RETURN_IF_ERROR(
        BroadcastBinaryOpOutputShapeFnHelper(c, c->input(0), c->input(1), true, &out));
    c->set_output(output, out);
    return Status();
}
inline Status BroadcastBinaryOpShapeFn(InferenceContext *c)
{
    return BroadcastBinaryOpOutputShapeFn(c, 0);
}
inline Status MatMulShape(InferenceContext *c)
{
    ShapeHandle a, b;
    bool ta = false, tb = false;
    DimensionHandle inner;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &a));
    TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &b));
    TF_RETURN_IF_ERROR(c->GetAttr("transpose_a", &ta));
    TF_RETURN_IF_ERROR(c->GetAttr("transpose_b", &tb));
    TF_RETURN_IF_ERROR(c->Merge(c->Dim(a, ta ? 0 : 1), c->Dim(b, tb ? 1 : 0), &inner));
    c->set_output(0, c->Matrix(c->Dim(a, ta ? 1 : 0), c->Dim(b, tb ? 0 : 1)));
    return Status();
}
inline Status BiasAddShape(InferenceContext *c)
{
    ShapeHandle input, bias;
    DimensionHandle merged;
    string format = "NHWC";
    c->GetAttr("data_format", &format).IgnoreError();
    const bool first = format == "NCHW";
    TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), first ? 3 : 2, &input));
    TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &bias));
    if (!c->RankKnown(input)) {
        c->set_output(0, c->UnknownShape());
        return Status();
    }
    const int64 at = first ? 1 : c->Rank(input) - 1;
    TF_RETURN_IF_ERROR(c->Merge(c->Dim(input, at), c->Dim(bias, 0), &merged));
    TF_RETURN_IF_ERROR(c->ReplaceDim(input, at, merged, &input));
    c->set_output(0, input);
    return Status();
}
/* Inputs [begin, end) put together along an axis; the axis may be unknown (kUnknownDim + no value:
 * pass nullptr). */
inline Status ConcatShapeOf(InferenceContext *c, int begin, int end, const Tensor *axis)
{
    ShapeHandle first = c->input(begin);
    int64 at = 0;
    if (axis == nullptr || !c->RankKnown(first)) {
        c->set_output(0, c->RankKnown(first) ? c->UnknownShapeOfRank(c->Rank(first))
                                             : c->UnknownShape());
        return Status();
    }
    TF_RETURN_IF_ERROR(c->GetScalarFromTensor(axis, &at));
    at += at < 0 ? c->Rank(first) : 0;
    if (at < 0 || at >= c->Rank(first)) {
        return errors::InvalidArgument("concatenation along axis ", at, " of ", c->Rank(first));
    }
    DimensionHandle sum = c->Dim(first, at);
    for (int i = begin + 1; i < end; i++) {
        ShapeHandle next;
        TF_RETURN_IF_ERROR(c->WithRank(c->input(i), c->Rank(first), &next));
        TF_RETURN_IF_ERROR(c->Add(sum, c->Dim(next, at), &sum));
        TF_RETURN_IF_ERROR(c->ReplaceDim(next, at, c->UnknownDim(), &next));
        TF_RETURN_IF_ERROR(c->ReplaceDim(first, at, c->UnknownDim(), &first));
        TF_RETURN_IF_ERROR(c->Merge(first, next, &first));
    }
    TF_RETURN_IF_ERROR(c->ReplaceDim(first, at, sum, &first));
    c->set_output(0, first);
    return Status();
}
inline Status ConcatShape(InferenceContext *c, int)
{
    return ConcatShapeOf(c, 1, c->num_inputs(), c->input_tensor(0));
}
inline Status ConcatV2Shape(InferenceContext *c)
{
    const int axis = c->num_inputs() - 1;
    return ConcatShapeOf(c, 0, axis, c->input_tensor(axis));
}
/* Input 1 names the dimensions that go; the attribute keep_dims leaves them as 1. */
inline Status ReductionShape(InferenceContext *c)
{
    const ShapeHandle input = c->input(0);
    const Tensor *axes = c->input_tensor(1);
    bool keep = false;
    TF_RETURN_IF_ERROR(c->GetAttr("keep_dims", &keep));
    if (axes == nullptr || !c->RankKnown(input)) {
        c->set_output(0, keep && c->RankKnown(input) ? c->UnknownShapeOfRank(c->Rank(input))
                                                     : c->UnknownShape());
        return Status();
    }
    const int32 rank = c->Rank(input);
    std::vector<bool> goes(static_cast<size_t>(rank), false);
    for (int64 i = 0; i < axes->NumElements(); i++) {
        const int64 axis =
            axes->dtype() == DT_INT32 ? axes->flat<int32>()(i) : axes->flat<int64>()(i);
        if (axis < -rank || axis >= rank) {
            return errors::InvalidArgument("Invalid reduction dimension ", axis, " for input with ",
                                           rank, " dimensions.");
        }
        goes[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
    }
    std::vector<DimensionHandle> dims;
    for (int32 i = 0; i < rank; i++) {
        if (!goes[static_cast<size_t>(i)]) {
            dims.push_back(c->Dim(input, i));
        } else if (keep) {
            dims.push_back(c->MakeDim(1));
        }
    }
    c->set_output(0, c->MakeShape(dims));
    return Status();
}

} // namespace shape_inference
} // namespace tensorflow

#endif
