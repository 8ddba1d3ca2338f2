/* SPDX-License-Identifier: Apache-2.0 */
/* Shape functions of ops that take parts by index, of sparse tensors, resources and datasets, and
 * of shapes that attributes and values give. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_SHAPES_INDEXED_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_SHAPES_INDEXED_H_

#include <vector>

#include "tensorflow/core/framework/shapes/broadcast.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace shape_inference
{

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
/* The attribute "shapes", one for each output. */
inline Status ExplicitShapes(InferenceContext *c)
{
    std::vector<PartialTensorShape> shapes;
    TF_RETURN_IF_ERROR(c->GetAttr("shapes", &shapes));
    if (shapes.empty()) {
        return errors::Internal("shapes attribute is empty");
    }
    for (size_t i = 0; i < shapes.size(); i++) {
        ShapeHandle out;
        TF_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(shapes[i], &out));
        c->set_output(static_cast<int>(i), out);
    }
    return Status();
}
/* What a dataset or an iterator gives: the attribute "output_shapes", behind the handle. */
inline Status DatasetIteratorShape(InferenceContext *c)
{
    ShapeHandle unused;
    std::vector<PartialTensorShape> shapes;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
    TF_RETURN_IF_ERROR(c->GetAttr("output_shapes", &shapes));
    if (static_cast<int>(shapes.size()) != c->num_outputs()) {
        return errors::InvalidArgument(
            "`output_shapes` must be the same length as `output_types` (", shapes.size(), " vs. ",
            c->num_outputs());
    }
    for (size_t i = 0; i < shapes.size(); i++) {
        ShapeHandle out;
        TF_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(shapes[i], &out));
        c->set_output(static_cast<int>(i), out);
    }
    return Status();
}
/* Input 0 holds the shape. */
inline Status RandomShape(InferenceContext *c)
{
    ShapeHandle out;
    TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &out));
    c->set_output(0, out);
    return Status();
}
/* Inputs: x, where the block begins, its size, of which -1 is the rest. */
inline Status SliceShape(InferenceContext *c)
{
    ShapeHandle input = c->input(0), begins, sizes, first;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &begins));
    TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &sizes));
    TF_RETURN_IF_ERROR(c->Merge(begins, sizes, &begins));
    const DimensionHandle count = c->Dim(begins, 0);
    if (c->ValueKnown(count)) {
        TF_RETURN_IF_ERROR(c->WithRank(input, c->Value(count), &input));
    }
    TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &first));
    const Tensor *size = c->input_tensor(2);
    if (size == nullptr) { /* perhaps it is known in part */
        TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(2, &sizes));
        TF_RETURN_IF_ERROR(c->RankKnown(input) ? c->WithRank(sizes, c->Rank(input), &sizes)
                                               : Status());
        c->set_output(0, sizes);
        return Status();
    }
    TF_RETURN_IF_ERROR(c->WithRank(first, size->NumElements(), &first));
    std::vector<DimensionHandle> dims;
    for (int64 i = 0; i < size->NumElements(); i++) {
        DimensionHandle dim;
        const int64 wanted = IntegerAt(*size, i);
        if (wanted == -1) {
            TF_RETURN_IF_ERROR(c->Subtract(c->Dim(input, i), c->Dim(first, i), &dim));
        } else if (wanted < -1) {
            return errors::InvalidArgument("Slice size must be at least -1, is ", wanted);
        } else {
            dim = c->MakeDim(wanted);
        }
        dims.push_back(dim);
    }
    c->set_output(0, c->MakeShape(dims));
    return Status();
}
/* The last dimension of input 1 has indices of the first ones of input 0. */
inline Status GatherNdShape(InferenceContext *c)
{
    const ShapeHandle x = c->input(0);
    ShapeHandle indices, front, rest, out;
    TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &indices));
    const DimensionHandle depth = c->Dim(indices, -1);
    if (!c->RankKnown(x) || !c->ValueKnown(depth)) {
        c->set_output(0, c->UnknownShape());
        return Status();
    }
    if (c->Value(depth) > c->Rank(x)) {
        return errors::InvalidArgument("indices.shape[-1] must be <= params.rank, but saw indices "
                                       "shape: ",
                                       c->DebugString(indices),
                                       " and params shape: ", c->DebugString(x));
    }
    TF_RETURN_IF_ERROR(c->Subshape(indices, 0, -1, &front));
    TF_RETURN_IF_ERROR(c->Subshape(x, c->Value(depth), &rest));
    TF_RETURN_IF_ERROR(c->Concatenate(front, rest, &out));
    c->set_output(0, out);
    return Status();
}
/* Updates written by index into a tensor of the shape `input`, which is the output's too. */
inline Status ScatterNdShapeHelper(InferenceContext *c, ShapeHandle indices, ShapeHandle updates,
                                   ShapeHandle input)
{
    const bool is_empty = c->Value(c->NumElements(input)) == 0;
    if (is_empty &&
        (c->Value(c->NumElements(indices)) > 0 || c->Value(c->NumElements(updates)) > 0)) {
        return errors::InvalidArgument(
            "Indices and updates specified for empty output, indices shape: ",
            c->DebugString(indices), ", updates shape: ", c->DebugString(updates));
    }
    if (c->RankKnown(indices) && c->RankKnown(updates) && c->Rank(updates) != 0) {
        const int64 outer = c->Rank(indices) - 1;
        const DimensionHandle depth = c->Dim(indices, -1);
        if (c->ValueKnown(depth)) {
            ShapeHandle front, front_updates, rest, rest_updates, unused;
            TF_RETURN_IF_ERROR(c->Subshape(indices, 0, outer, &front));
            TF_RETURN_IF_ERROR(c->Subshape(updates, 0, outer, &front_updates));
            TF_RETURN_IF_ERROR(c->Merge(front, front_updates, &unused));
            TF_RETURN_IF_ERROR(c->Subshape(input, c->Value(depth), &rest));
            TF_RETURN_IF_ERROR(c->Subshape(updates, outer, &rest_updates));
            TF_RETURN_IF_ERROR(c->Merge(rest, rest_updates, &unused));
        }
    }
    if (c->input_handle_shapes_and_types(0) == nullptr && c->num_outputs() > 0) {
        c->set_output(0, input);
    }
    return Status();
}
/* The parts of a sparse tensor fit one another. */
inline Status ValidateSparseTensor(InferenceContext *c, ShapeHandle indices, ShapeHandle values,
                                   ShapeHandle shape)
{
    ShapeHandle matrix, vector, sizes;
    DimensionHandle unused;
    TF_RETURN_IF_ERROR(c->WithRank(indices, 2, &matrix));
    TF_RETURN_IF_ERROR(c->WithRank(values, 1, &vector));
    TF_RETURN_IF_ERROR(c->WithRank(shape, 1, &sizes));
    TF_RETURN_IF_ERROR(c->Merge(c->Dim(matrix, 0), c->Dim(vector, 0), &unused));
    return c->Merge(c->Dim(matrix, 1), c->Dim(sizes, 0), &unused);
}
/* What input 0, a variable's handle, leads to; of the type that the attribute dtype says. */
inline Status ValidateVariableResourceHandle(InferenceContext *c,
                                             std::vector<ShapeAndType> *shape_and_type)
{
    const std::vector<ShapeAndType> *behind = c->input_handle_shapes_and_types(0);
    if (behind == nullptr || behind->empty()) {
        shape_and_type->emplace_back(c->UnknownShape(), DT_INVALID);
        return Status();
    }
    DataType dtype = DT_INVALID;
    *shape_and_type = *behind;
    TF_RETURN_IF_ERROR(c->GetAttr("dtype", &dtype));
    return behind->at(0).dtype == dtype
               ? Status()
               : errors::InvalidArgument("Trying to read variable with wrong dtype. Expected ",
                                         DataTypeString(behind->at(0).dtype), " got ",
                                         DataTypeString(dtype));
}
/* Inputs: x, groups [number, size], the dimension that each group shares out among its members. */
inline Status ReduceScatterShape(InferenceContext *c)
{
    const ShapeHandle x = c->input(0), groups = c->input(1);
    ShapeHandle out;
    DimensionHandle part;
    int64 axis = 0;
    if (!c->RankKnown(x)) {
        c->set_output(0, x);
        return Status();
    }
    if (c->Rank(groups) != 2) {
        return errors::InvalidArgument("ReduceScatter group_assignment should be rank 2");
    }
    const Tensor *value = c->input_tensor(2);
    if (value == nullptr) {
        c->set_output(0, c->UnknownShape());
        return Status();
    }
    TF_RETURN_IF_ERROR(c->GetScalarFromTensor(value, &axis));
    if (axis < 0 || axis >= c->Rank(x)) { /* the kernel refuses it */
        c->set_output(0, x);
        return Status();
    }
    TF_RETURN_IF_ERROR(c->Divide(c->Dim(x, axis), c->Dim(groups, 1), true, &part));
    TF_RETURN_IF_ERROR(c->ReplaceDim(x, axis, part, &out));
    c->set_output(0, out);
    return Status();
}

} // namespace shape_inference
} // namespace tensorflow

#endif
