/* SPDX-License-Identifier: Apache-2.0 */
/* Shape functions of matrix products, and of matrices with diagonals. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_SHAPES_PRODUCTS_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_SHAPES_PRODUCTS_H_

#include <algorithm>
#include <map>
#include <vector>

#include "tensorflow/core/framework/shapes/broadcast.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace shape_inference
{

/* [rows, columns] of the product of the last two dimensions, each side transposed or not. */
inline Status MatrixProduct(InferenceContext *c, ShapeHandle a, ShapeHandle b, bool ta, bool tb,
                            ShapeHandle *out)
{
    DimensionHandle inner;
    TF_RETURN_IF_ERROR(c->Merge(c->Dim(a, ta ? -2 : -1), c->Dim(b, tb ? -1 : -2), &inner));
    *out = c->Matrix(c->Dim(a, ta ? -1 : -2), c->Dim(b, tb ? -2 : -1));
    return Status();
}
inline Status MatMulShape(InferenceContext *c)
{
    ShapeHandle a, b, out;
    bool ta = false, tb = false;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &a));
    TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &b));
    TF_RETURN_IF_ERROR(c->GetAttr("transpose_a", &ta));
    TF_RETURN_IF_ERROR(c->GetAttr("transpose_b", &tb));
    TF_RETURN_IF_ERROR(MatrixProduct(c, a, b, ta, tb, &out));
    c->set_output(0, out);
    return Status();
}
/* The dimensions before the matrices broadcast, or are equal. */
inline Status BatchProductShape(InferenceContext *c, bool broadcasts)
{
    ShapeHandle a, b, batch_a, batch_b, batch, out;
    bool ta = false, tb = false;
    TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &a));
    TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 2, &b));
    TF_RETURN_IF_ERROR(c->GetAttr("adj_x", &ta));
    TF_RETURN_IF_ERROR(c->GetAttr("adj_y", &tb));
    TF_RETURN_IF_ERROR(MatrixProduct(c, a, b, ta, tb, &out));
    TF_RETURN_IF_ERROR(c->Subshape(a, 0, -2, &batch_a));
    TF_RETURN_IF_ERROR(c->Subshape(b, 0, -2, &batch_b));
    TF_RETURN_IF_ERROR(broadcasts
                           ? BroadcastBinaryOpOutputShapeFnHelper(c, batch_a, batch_b, true, &batch)
                           : c->Merge(batch_a, batch_b, &batch));
    TF_RETURN_IF_ERROR(c->Concatenate(batch, out, &out));
    c->set_output(0, out);
    return Status();
}
inline Status BatchMatMulShape(InferenceContext *c)
{
    return BatchProductShape(c, false);
}
inline Status BatchMatMulV2Shape(InferenceContext *c)
{
    return BatchProductShape(c, true);
}

/* The labels of one operand of an Einsum equation: those before an ellipsis and those after it. */
struct EinsumLabels {
    string before, after;
    bool has_ellipsis = false;

    Status Parse(const string &text)
    {
        const size_t dots = text.find("...");
        has_ellipsis = dots != string::npos;
        before = text.substr(0, dots);
        after = has_ellipsis ? text.substr(dots + 3) : string();
        return (before + after).find('.') == string::npos
                   ? Status()
                   : errors::InvalidArgument("Expected at most one ellipsis (...), and no other "
                                             "periods (.), in the subscript: ",
                                             text);
    }
    int64 size() const
    {
        return static_cast<int64>(before.size() + after.size());
    }
};
/* What an equation says of each label, found while its operands are gone through. */
class EinsumDims
{
  public:
    explicit EinsumDims(InferenceContext *c) : c_(c)
    {
    }
    /* batch: what stands for the ellipsis. */
    Status Add(const EinsumLabels &labels, ShapeHandle shape, ShapeHandle *batch)
    {
        TF_RETURN_IF_ERROR(labels.has_ellipsis && c_->RankKnown(shape)
                               ? c_->WithRankAtLeast(shape, labels.size(), &shape)
                           : c_->RankKnown(shape) ? c_->WithRank(shape, labels.size(), &shape)
                                                  : Status());
        const int64 n_before = static_cast<int64>(labels.before.size());
        const int64 n_after = static_cast<int64>(labels.after.size());
        *batch = c_->Scalar();
        if (labels.has_ellipsis) {
            const int64 rank = c_->Rank(shape);
            *batch = c_->UnknownShape();
            if (rank >= 0) {
                TF_RETURN_IF_ERROR(c_->Subshape(shape, n_before, rank - n_after, batch));
            }
        }
        for (int64 i = 0; i < n_before; i++) {
            TF_RETURN_IF_ERROR(Meet(labels.before[static_cast<size_t>(i)], c_->Dim(shape, i)));
        }
        for (int64 i = 0; i < n_after; i++) {
            TF_RETURN_IF_ERROR(
                Meet(labels.after[static_cast<size_t>(i)], c_->Dim(shape, i - n_after)));
        }
        return Status();
    }
    Status Append(const string &labels, std::vector<DimensionHandle> *out) const
    {
        for (char label : labels) {
            const auto found = dims_.find(label);
            if (found == dims_.end()) {
                return errors::InvalidArgument("Einsum output subscripts have label '",
                                               string(1, label),
                                               "' which is not present in the input subscripts");
            }
            out->push_back(found->second);
        }
        return Status();
    }

  private:
    Status Meet(char label, DimensionHandle dim)
    {
        const auto found = dims_.find(label);
        if (found != dims_.end()) {
            TF_RETURN_IF_ERROR(c_->Merge(found->second, dim, &dim));
        }
        dims_[label] = dim;
        return Status();
    }
    InferenceContext *c_;
    std::map<char, DimensionHandle> dims_;
};
/* The attribute equation: "ij,jk->ik", with one ellipsis in an operand at most. */
inline Status EinsumShape(InferenceContext *c)
{
    string equation;
    TF_RETURN_IF_ERROR(c->GetAttr("equation", &equation));
    const size_t arrow = equation.find("->");
    if (arrow == string::npos || equation.find("->", arrow + 2) != string::npos) {
        return errors::InvalidArgument("Expecting exactly one '->' in einsum equation: ", equation);
    }
    std::vector<string> operands(1);
    for (char label : equation.substr(0, arrow)) {
        if (label == ',') {
            operands.emplace_back();
        } else {
            operands.back() += label;
        }
    }
    const int count = static_cast<int>(operands.size());
    if (count > 2 || count != c->num_inputs()) {
        return errors::InvalidArgument("Expected 1 or 2 inputs for equation ", equation,
                                       ", as many as it has, but got: ", c->num_inputs());
    }
    EinsumDims known(c);
    EinsumLabels labels;
    ShapeHandle batch;
    for (int i = 0; i < count; i++) {
        ShapeHandle other;
        TF_RETURN_IF_ERROR(labels.Parse(operands[static_cast<size_t>(i)]));
        TF_RETURN_IF_ERROR(known.Add(labels, c->input(i), &other));
        if (i == 0) {
            batch = other;
        } else {
            TF_RETURN_IF_ERROR(BroadcastBinaryOpOutputShapeFnHelper(c, batch, other, true, &batch));
        }
    }
    std::vector<DimensionHandle> dims;
    TF_RETURN_IF_ERROR(labels.Parse(equation.substr(arrow + 2)));
    if (labels.has_ellipsis && !c->RankKnown(batch)) {
        c->set_output(0, batch);
        return Status();
    }
    if (!labels.has_ellipsis) {
        TF_RETURN_IF_ERROR(c->WithRankAtMost(batch, 0, &batch));
    }
    TF_RETURN_IF_ERROR(known.Append(labels.before, &dims));
    for (int i = 0; i < c->Rank(batch); i++) {
        dims.push_back(c->Dim(batch, i));
    }
    TF_RETURN_IF_ERROR(known.Append(labels.after, &dims));
    c->set_output(0, c->MakeShape(dims));
    return Status();
}

/* One diagonal, or the range of them that a matrix takes or gives: [low, high] of a value. */
struct DiagonalRange {
    int64 low = 0, high = 0;

    Status Read(const Tensor &value)
    {
        const int64 n = value.NumElements();
        if (value.dims() > 1 || n < 1 || n > 2) {
            return errors::InvalidArgument(
                "diag_index must have one or two elements, received tensor with ", n);
        }
        low = IntegerAt(value, 0);
        high = IntegerAt(value, n - 1);
        return low <= high ? Status()
                           : errors::InvalidArgument("lower_diag_index is greater than "
                                                     "upper_diag_index: ",
                                                     low, " > ", high);
    }
    /* Each lies inside a matrix whose sizes are known (not -1). */
    Status Check(int64 rows, int64 columns) const
    {
        if (rows < 0 || columns < 0) {
            return Status();
        }
        for (int64 k : {low, high}) {
            if (k != 0 && (-k >= rows || k >= columns)) {
                return errors::InvalidArgument("diagonal ", k, " is out of bound: the matrix has ",
                                               rows, " rows and ", columns, " columns");
            }
        }
        return Status();
    }
    int64 count() const
    {
        return high - low + 1;
    }
    /* Elements of the longest of them. */
    int64 longest(int64 rows, int64 columns) const
    {
        return std::min(rows + std::min<int64>(high, 0), columns - std::max<int64>(low, 0));
    }
};
/* Inputs: matrices, diagonal range, padding value. */
inline Status MatrixDiagPartV2Shape(InferenceContext *c)
{
    ShapeHandle x, unused, out;
    TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &x));
    TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(1), 1, &unused));
    TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
    const Tensor *value = c->input_tensor(1);
    if (!c->RankKnown(x) || value == nullptr) {
        c->set_output(0, c->UnknownShape());
        return Status();
    }
    DiagonalRange range;
    TF_RETURN_IF_ERROR(range.Read(*value));
    const int64 rows = c->Value(c->Dim(x, -2)), columns = c->Value(c->Dim(x, -1));
    TF_RETURN_IF_ERROR(range.Check(rows, columns));
    TF_RETURN_IF_ERROR(c->Subshape(x, 0, -2, &out));
    if (range.low < range.high) {
        TF_RETURN_IF_ERROR(c->Concatenate(out, c->Vector(range.count()), &out));
    }
    const int64 length =
        rows >= 0 && columns >= 0 ? range.longest(rows, columns) : InferenceContext::kUnknownDim;
    TF_RETURN_IF_ERROR(c->Concatenate(out, c->Vector(length), &out));
    c->set_output(0, out);
    return Status();
}
/* The value of a scalar input, -1 where it is not known. */
inline Status ScalarOrUnknown(InferenceContext *c, int i, int64 *out)
{
    const Tensor *value = c->input_tensor(i);
    *out = -1;
    return value != nullptr ? c->GetScalarFromTensor(value, out) : Status();
}
/* Inputs: diagonals, their range, rows and columns (-1: as few as fit), padding value. */
inline Status MatrixDiagV2Shape(InferenceContext *c)
{
    ShapeHandle x, unused, out;
    int64 rows = -1, columns = -1;
    TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &x));
    TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(1), 1, &unused));
    for (int i = 2; i < 5; i++) {
        TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
    }
    const Tensor *value = c->input_tensor(1);
    if (!c->RankKnown(x) || value == nullptr) {
        c->set_output(0, c->UnknownShape());
        return Status();
    }
    DiagonalRange range;
    TF_RETURN_IF_ERROR(range.Read(*value));
    TF_RETURN_IF_ERROR(ScalarOrUnknown(c, 2, &rows));
    TF_RETURN_IF_ERROR(ScalarOrUnknown(c, 3, &columns));
    const bool many = range.low < range.high;
    if (many) {
        TF_RETURN_IF_ERROR(c->WithRankAtLeast(x, 2, &x));
        const int64 given = c->Value(c->Dim(x, -2));
        if (given >= 0 && given != range.count()) {
            return errors::InvalidArgument(
                "The number of diagonals provided in the input does not "
                "match the lower_diag_index and upper_diag_index range: ",
                given, " for ", range.count());
        }
    }
    const int64 longest = c->Value(c->Dim(x, -1));
    if (longest >= 0) {
        const int64 least_rows = longest - std::min<int64>(range.high, 0);
        const int64 least_columns = longest + std::max<int64>(range.low, 0);
        if (rows < 0 && columns < 0) {
            rows = columns = std::max(least_rows, least_columns);
        } else if (rows < 0) {
            rows = least_rows;
        } else if (columns < 0) {
            columns = least_columns;
        } else if (rows < least_rows || columns < least_columns) {
            return errors::InvalidArgument("num_rows ", rows, " and num_cols ", columns,
                                           " are too small for the diagonals");
        }
        if (rows < least_rows || columns < least_columns ||
            (rows != least_rows && columns != least_columns)) {
            return errors::InvalidArgument("num_rows ", rows, " and num_cols ", columns,
                                           " do not fit diagonals of ", longest);
        }
    }
    TF_RETURN_IF_ERROR(c->Subshape(x, 0, many ? -2 : -1, &out));
    TF_RETURN_IF_ERROR(c->Concatenate(out, c->Matrix(rows, columns), &out));
    c->set_output(0, out);
    return Status();
}
/* Matrices that are known in part: the rest from diagonals, of which one or many are set. */
inline Status MatricesOfDiagonals(InferenceContext *c, ShapeHandle x, ShapeHandle diagonals,
                                  bool many, ShapeHandle *out)
{
    ShapeHandle front;
    TF_RETURN_IF_ERROR(c->Subshape(diagonals, 0, many ? -2 : -1, &front));
    TF_RETURN_IF_ERROR(c->Concatenate(front, c->UnknownShapeOfRank(2), &front));
    return c->Merge(x, front, out);
}
/* Inputs: matrices, diagonals to be set in them, their range. */
inline Status MatrixSetDiagV2Shape(InferenceContext *c)
{
    ShapeHandle x, diagonals, k;
    TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &x));
    TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &diagonals));
    TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(2), 1, &k));
    const Tensor *value = c->input_tensor(2);
    DiagonalRange range;
    if (value != nullptr) {
        TF_RETURN_IF_ERROR(range.Read(*value));
    }
    const bool many = range.low < range.high;
    const bool is_single = value != nullptr ? !many : c->Value(c->NumElements(k)) == 1;
    if (c->RankKnown(x)) {
        TF_RETURN_IF_ERROR(c->WithRankAtMost(diagonals, c->Rank(x), &diagonals));
        if (value != nullptr) {
            TF_RETURN_IF_ERROR(range.Check(c->Value(c->Dim(x, -2)), c->Value(c->Dim(x, -1))));
            TF_RETURN_IF_ERROR(c->WithRank(diagonals, c->Rank(x) - (many ? 0 : 1), &diagonals));
        }
    }
    if (c->RankKnown(diagonals) && !c->FullyDefined(x) && (value != nullptr || is_single)) {
        TF_RETURN_IF_ERROR(MatricesOfDiagonals(c, x, diagonals, !is_single, &x));
    }
    c->set_output(0, x);
    return Status();
}

} // namespace shape_inference
} // namespace tensorflow

#endif
