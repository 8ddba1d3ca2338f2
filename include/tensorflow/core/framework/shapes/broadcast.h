/* SPDX-License-Identifier: Apache-2.0 */
/* Shape functions of ops whose inputs merge, broadcast, are joined or reduced. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_SHAPES_BROADCAST_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_SHAPES_BROADCAST_H_

#include <algorithm>
#include <set>
#include <vector>

#include "tensorflow/core/framework/shape_inference.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace shape_inference
{

inline Status MergeBothInputsShapeFn(InferenceContext *c)
{
    ShapeHandle out;
    TF_RETURN_IF_ERROR(c->Merge(c->input(0), c->input(1), &out));
    c->set_output(0, out);
    return Status();
}

/* One dimension of two that broadcast. *settled: without an error for what is incompatible, the
 * whole shape is settled here. */
inline Status BroadcastDims(InferenceContext *c, DimensionHandle a, DimensionHandle b, bool strict,
                            DimensionHandle *out, bool *settled)
{
    const int64 va = c->Value(a), vb = c->Value(b);
    if (va == 1 || vb == 1) {
        *out = va == 1 ? b : a;
        return Status();
    }
    if (va >= 0 && vb >= 0) {
        const Status status = c->Merge(a, b, out);
        *settled = !status.ok() && !strict;
        return *settled ? Status() : status;
    }
    /* beside an unknown dimension: one greater than 1 wins, as a program that works has it so */
    *out = va > 1 ? a : vb > 1 ? b : a.SameHandle(b) ? a : c->UnknownDim();
    *settled = !strict && (va >= 0 || vb >= 0);
    return Status();
}

/* The shape that both broadcast to. Without incompatible_error it is unknown where it depends on
 * what is not known, and a scalar where both cannot broadcast. */
inline Status BroadcastBinaryOpOutputShapeFnHelper(InferenceContext *c, ShapeHandle a,
                                                   ShapeHandle b, bool incompatible_error,
                                                   ShapeHandle *out)
{
    if (!c->RankKnown(a) || !c->RankKnown(b)) {
        *out = c->UnknownShape();
        return Status();
    }
    const int32 rank_a = c->Rank(a), rank_b = c->Rank(b), rank = std::max(rank_a, rank_b);
    std::vector<DimensionHandle> dims(static_cast<size_t>(rank));
    for (int32 i = 0; i < rank; i++) {
        const int32 at_a = i - (rank - rank_a), at_b = i - (rank - rank_b);
        const DimensionHandle da = at_a < 0 ? c->MakeDim(1) : c->Dim(a, at_a);
        const DimensionHandle db = at_b < 0 ? c->MakeDim(1) : c->Dim(b, at_b);
        bool settled = false;
        TF_RETURN_IF_ERROR(
            BroadcastDims(c, da, db, incompatible_error, &dims[static_cast<size_t>(i)], &settled));
        if (settled) {
            *out = c->ValueKnown(da) && c->ValueKnown(db) ? c->Scalar() : c->UnknownShape();
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

/* Inputs [begin, end) put together along the axis that input `at` holds, each of another size along
 * it. Axis unknown: the rank alone. */
inline Status JoinedShape(InferenceContext *c, int begin, int end, int at, ShapeHandle *out)
{
    ShapeHandle unused, before, after;
    DimensionHandle sum;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(at), 0, &unused));
    const Tensor *axis_value = c->input_tensor(at);
    if (axis_value == nullptr) {
        int32 rank = InferenceContext::kUnknownRank;
        for (int i = begin; i < end && rank < 0; i++) {
            rank = c->Rank(c->input(i));
        }
        if (rank == 0) {
            return errors::InvalidArgument("Can't concatenate scalars (use tf.stack instead)");
        }
        for (int i = begin; i < end && rank > 0; i++) {
            TF_RETURN_IF_ERROR(c->WithRank(c->input(i), rank, &unused));
        }
        *out = rank < 0 ? c->UnknownShape() : c->UnknownShapeOfRank(rank);
        return Status();
    }
    int64 axis = 0;
    TF_RETURN_IF_ERROR(c->GetScalarFromTensor(axis_value, &axis));
    for (int i = end - 1; i >= begin; i--) {
        ShapeHandle part, part_before, part_after = c->Scalar();
        TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(i), axis < 0 ? -axis : axis + 1, &part));
        TF_RETURN_IF_ERROR(c->Subshape(part, 0, axis, &part_before));
        if (axis != -1) {
            TF_RETURN_IF_ERROR(c->Subshape(part, axis + 1, &part_after));
        }
        if (i == end - 1) {
            before = part_before;
            sum = c->Dim(part, axis);
            after = part_after;
            continue;
        }
        TF_RETURN_IF_ERROR(c->Merge(before, part_before, &before));
        TF_RETURN_IF_ERROR(c->Add(sum, c->Dim(part, axis), &sum));
        TF_RETURN_IF_ERROR(c->Merge(after, part_after, &after));
    }
    TF_RETURN_IF_ERROR(c->Concatenate(before, c->Vector(sum), out));
    return c->Concatenate(*out, after, out);
}
/* Input 0 is the axis. */
inline Status ConcatShape(InferenceContext *c, int num_inputs_to_concat)
{
    ShapeHandle out;
    TF_RETURN_IF_ERROR(JoinedShape(c, 1, 1 + num_inputs_to_concat, 0, &out));
    c->set_output(0, out);
    return Status();
}
/* The last input is the axis. */
inline Status ConcatV2Shape(InferenceContext *c)
{
    ShapeHandle out;
    const int axis = c->num_inputs() - 1;
    TF_RETURN_IF_ERROR(JoinedShape(c, 0, axis, axis, &out));
    c->set_output(0, out);
    return Status();
}
/* Parts, axis, then their minimums and maximums. */
inline Status QuantizedConcatV2Shape(InferenceContext *c, int num_inputs_to_concat)
{
    ShapeHandle out;
    TF_RETURN_IF_ERROR(JoinedShape(c, 0, num_inputs_to_concat, num_inputs_to_concat, &out));
    c->set_output(0, out);
    return Status();
}

/* The dimensions of `dims` without those at `axes`, or with 1 in their places. */
inline ShapeHandle ReducedShape(InferenceContext *c, const std::vector<DimensionHandle> &dims,
                                const std::set<int64> &axes, bool keep)
{
    std::vector<DimensionHandle> left;
    for (size_t i = 0; i < dims.size(); i++) {
        if (axes.count(static_cast<int64>(i)) == 0) {
            left.push_back(dims[i]);
        } else if (keep) {
            left.push_back(c->MakeDim(1));
        }
    }
    return c->MakeShape(left);
}
/* Element i of a tensor of int32 or int64; other types are read as int64, as their author said. */
inline int64 IntegerAt(const Tensor &tensor, int64 i)
{
    return tensor.dtype() == DT_INT32 ? static_cast<const int32 *>(tensor.data())[i]
                                      : static_cast<const int64 *>(tensor.data())[i];
}
/* Input 1 names the dimensions that go; the attribute keep_dims leaves them as 1. */
inline Status ReductionShape(InferenceContext *c)
{
    const ShapeHandle input = c->input(0);
    ShapeHandle indices;
    bool keep = false;
    TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(1), 1, &indices));
    TF_RETURN_IF_ERROR(c->GetAttr("keep_dims", &keep));
    const Tensor *axes = c->input_tensor(1);
    const int32 rank = c->Rank(input);
    if (axes == nullptr || rank < 0) {
        c->set_output(0, keep && rank >= 0 ? c->UnknownShapeOfRank(rank) : c->UnknownShape());
        return Status();
    }
    if (axes->dtype() != DT_INT32 && axes->dtype() != DT_INT64) {
        return errors::InvalidArgument("reduction_indices can only be int32 or int64");
    }
    std::set<int64> goes;
    for (int64 i = 0; i < axes->NumElements(); i++) {
        const int64 axis = IntegerAt(*axes, i);
        if (axis < -rank || axis >= rank) {
            return errors::InvalidArgument("Invalid reduction dimension ", axis, " for input with ",
                                           rank, " dimensions.");
        }
        goes.insert(axis < 0 ? axis + rank : axis);
    }
    std::vector<DimensionHandle> dims;
    for (int32 i = 0; i < rank; i++) {
        dims.push_back(c->Dim(input, i));
    }
    c->set_output(0, ReducedShape(c, dims, goes, keep));
    return Status();
}
/* Inputs: indices and values of a sparse tensor, its shape, the axes that go. */
inline Status SparseReduceShapeFn(InferenceContext *c)
{
    bool keep = false;
    TF_RETURN_IF_ERROR(c->GetAttr("keep_dims", &keep));
    const Tensor *shape = c->input_tensor(2), *axes = c->input_tensor(3);
    if (shape == nullptr || axes == nullptr) {
        for (int i = 0; i < c->num_outputs(); i++) {
            c->set_output(i, c->UnknownShape());
        }
        return Status();
    }
    const int64 rank = shape->NumElements();
    std::vector<DimensionHandle> dims;
    std::set<int64> goes;
    for (int64 i = 0; i < rank; i++) {
        dims.push_back(c->MakeDim(IntegerAt(*shape, i)));
    }
    if (rank == 0) {
        return errors::InvalidArgument("Number of dims in shape tensor must not be 0");
    }
    for (int64 i = 0; i < axes->NumElements(); i++) {
        goes.insert((IntegerAt(*axes, i) + rank) % rank);
    }
    c->set_output(0, ReducedShape(c, dims, goes, keep));
    return Status();
}
/* Inputs: data, the segment of each of its first dimensions, how many segments there are. */
inline Status SegmentReductionWithNumSegmentsShapeFn(InferenceContext *c)
{
    ShapeHandle data = c->input(0), segments = c->input(1), unused, rest, out;
    DimensionHandle count;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
    if (!c->RankKnown(segments)) {
        c->set_output(0, c->UnknownShape());
        return Status();
    }
    TF_RETURN_IF_ERROR(c->MergePrefix(data, segments, &data, &segments));
    TF_RETURN_IF_ERROR(c->MakeDimForScalarInput(2, &count));
    TF_RETURN_IF_ERROR(c->Subshape(data, c->Rank(segments), &rest));
    TF_RETURN_IF_ERROR(c->Concatenate(c->Vector(count), rest, &out));
    c->set_output(0, out);
    return Status();
}

} // namespace shape_inference
} // namespace tensorflow

#endif
