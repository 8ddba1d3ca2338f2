/* SPDX-License-Identifier: Apache-2.0 */
/* sparse::SparseTensor: rows of indices and a value for each, on tensors that somebody else made;
 * checks, another order, groups of entries, a dense tensor. Not here: Concat, Split, Slice.
 */
#ifndef ORIBI_TENSORFLOW_CORE_UTIL_SPARSE_SPARSE_TENSOR_H_
#define ORIBI_TENSORFLOW_CORE_UTIL_SPARSE_SPARSE_TENSOR_H_

#include <algorithm>
#include <iterator>
#include <numeric>
#include <vector>

#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/lib/core/errors.h"
#include "tensorflow/core/lib/gtl/array_slice.h"
#include "tensorflow/core/lib/gtl/inlined_vector.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace sparse
{

/* Neighbouring entries that agree in some dimensions. */
class Group
{
  public:
    Group(const Tensor &indices, const Tensor &values, gtl::ArraySlice<int64> dims, int64 begin,
          int64 end)
        : indices_(&indices), values_(&values), dims_(dims), begin_(begin), end_(end)
    {
    }
    /* What they agree in. */
    std::vector<int64> group() const
    {
        std::vector<int64> at;
        const auto rows = indices_->matrix<int64>();
        for (int64 d : dims_) {
            at.push_back(rows(begin_, d));
        }
        return at;
    }
    TTypes<int64>::UnalignedConstMatrix indices() const
    {
        const int64 width = indices_->dim_size(1);
        const int64 *rows = static_cast<const int64 *>(indices_->data()) + begin_ * width;
#ifdef ORIBI_HAS_EIGEN
        return {rows, static_cast<Eigen::DenseIndex>(end_ - begin_),
                static_cast<Eigen::DenseIndex>(width)};
#else
        return {rows,
                {{static_cast<std::ptrdiff_t>(end_ - begin_), static_cast<std::ptrdiff_t>(width)}}};
#endif
    }
    template <typename T> typename TTypes<T>::UnalignedVec values() const
    {
        T *first = static_cast<T *>(values_->data()) + begin_;
#ifdef ORIBI_HAS_EIGEN
        return {first, static_cast<Eigen::DenseIndex>(end_ - begin_)};
#else
        return {first, {{static_cast<std::ptrdiff_t>(end_ - begin_)}}};
#endif
    }

  private:
    const Tensor *indices_, *values_;
    gtl::ArraySlice<int64> dims_;
    int64 begin_, end_;
};

/* for (const auto &group : tensor.group({0})): the tensor must be in that order. */
class GroupIterable
{
  public:
    typedef gtl::ArraySlice<int64> VarDimArray;
    GroupIterable(Tensor indices, Tensor values, int, VarDimArray group_dims)
        : indices_(std::move(indices)), values_(std::move(values)),
          group_dims_(group_dims.begin(), group_dims.end())
    {
    }
    class IteratorStep
    {
      public:
        IteratorStep(const GroupIterable *of, int64 begin) : of_(of), begin_(begin)
        {
            end_ = of->EndOf(begin);
        }
        IteratorStep &operator++()
        {
            begin_ = end_;
            end_ = of_->EndOf(begin_);
            return *this;
        }
        bool operator==(const IteratorStep &other) const
        {
            return begin_ == other.begin_;
        }
        bool operator!=(const IteratorStep &other) const
        {
            return begin_ != other.begin_;
        }
        Group operator*() const
        {
            return Group(of_->indices_, of_->values_, of_->group_dims_, begin_, end_);
        }
        int64 loc() const
        {
            return begin_;
        }

      private:
        const GroupIterable *of_;
        int64 begin_, end_;
    };
    IteratorStep begin() const
    {
        return IteratorStep(this, 0);
    }
    IteratorStep end() const
    {
        return IteratorStep(this, indices_.dim_size(0));
    }

  private:
    int64 EndOf(int64 begin) const
    {
        const auto rows = indices_.matrix<int64>();
        int64 end = std::min(begin + 1, indices_.dim_size(0));
        const auto agrees = [&](int64 d) { return rows(begin, d) == rows(end, d); };
        while (end < indices_.dim_size(0) &&
               std::all_of(group_dims_.begin(), group_dims_.end(), agrees)) {
            end++;
        }
        return end;
    }
    Tensor indices_, values_;
    gtl::InlinedVector<int64, 8> group_dims_;
};

class SparseTensor
{
  public:
    typedef gtl::ArraySlice<int64> VarDimArray;
    typedef gtl::InlinedVector<int64, 8> ShapeArray;

    SparseTensor() : dims_(0)
    {
    }
    /* indices: int64 [n, dims]; values: [n]; order: which dimension counts first, or empty for
     * none.
     */
    static Status Create(Tensor indices, Tensor values, const VarDimArray shape,
                         const VarDimArray order, SparseTensor *result)
    {
        if (indices.dtype() != DT_INT64 || indices.dims() != 2) {
            return errors::InvalidArgument("indices must be a matrix of int64, not ",
                                           indices.DeviceSafeDebugString());
        }
        if (values.dims() != 1 || values.dim_size(0) != indices.dim_size(0)) {
            return errors::InvalidArgument(
                "values must be a vector of one element for each of the ", indices.dim_size(0),
                " rows of indices, not ", values.DeviceSafeDebugString());
        }
        const size_t dims = static_cast<size_t>(indices.dim_size(1));
        if (shape.size() != dims || order.size() != dims) {
            return errors::InvalidArgument("indices have ", dims, " columns, but the shape has ",
                                           shape.size(), " dimensions and the order ",
                                           order.size());
        }
        std::vector<bool> is_seen(dims, false);
        for (int64 d : order) {
            if (d < -1 || d >= static_cast<int64>(dims) ||
                (d >= 0 && is_seen[static_cast<size_t>(d)])) {
                return errors::InvalidArgument("the order is no permutation of the dimensions");
            }
            if (d >= 0) {
                is_seen[static_cast<size_t>(d)] = true;
            }
        }
        result->indices_ = std::move(indices);
        result->values_ = std::move(values);
        result->shape_.assign(shape.begin(), shape.end());
        result->order_.assign(order.begin(), order.end());
        result->dims_ = static_cast<int>(dims);
        return Status();
    }
    static Status Create(Tensor indices, Tensor values, const VarDimArray shape,
                         SparseTensor *result)
    {
        return Create(std::move(indices), std::move(values), shape, ShapeArray(shape.size(), -1),
                      result);
    }
    static Status Create(Tensor indices, Tensor values, const TensorShape &shape,
                         const VarDimArray order, SparseTensor *result)
    {
        return Create(std::move(indices), std::move(values), ArrayOf(shape), order, result);
    }
    static Status Create(Tensor indices, Tensor values, const TensorShape &shape,
                         SparseTensor *result)
    {
        return Create(std::move(indices), std::move(values), ArrayOf(shape), result);
    }

    std::size_t num_entries() const
    {
        return static_cast<std::size_t>(indices_.dims() == 2 ? indices_.dim_size(0) : 0);
    }
    int dims() const
    {
        return dims_;
    }
    const Tensor &indices() const
    {
        return indices_;
    }
    const Tensor &values() const
    {
        return values_;
    }
    DataType dtype() const
    {
        return values_.dtype();
    }
    VarDimArray shape() const
    {
        return shape_;
    }
    VarDimArray order() const
    {
        return order_;
    }

    /* Is each row inside the shape, and behind the one before, in the order where there is one? */
    Status IndicesValid() const
    {
        const auto rows = indices_.matrix<int64>();
        for (int64 i = 0; i < static_cast<int64>(num_entries()); i++) {
            for (int d = 0; d < dims_; d++) {
                if (rows(i, d) < 0 || rows(i, d) >= shape_[static_cast<size_t>(d)]) {
                    return errors::InvalidArgument("indices", RowText(i),
                                                   " is out of bounds: dimension ", d, " has ",
                                                   shape_[static_cast<size_t>(d)]);
                }
            }
            if (i > 0 && HasOrder() && !IsBefore(i - 1, i)) {
                return errors::InvalidArgument("indices", RowText(i),
                                               IsBefore(i, i - 1) ? " is out of order"
                                                                  : " is repeated");
            }
        }
        return Status();
    }

    GroupIterable group(const VarDimArray group_dims) const
    {
        return GroupIterable(indices_, values_, dims_, group_dims);
    }

    /* Sorts rows and values in place; equal rows stay as they come. */
    template <typename T> void Reorder(const VarDimArray order)
    {
        CHECK_EQ(order.size(), order_.size());
        order_.assign(order.begin(), order.end());
        std::vector<int64> from(num_entries());
        std::iota(from.begin(), from.end(), 0);
        std::stable_sort(from.begin(), from.end(),
                         [this](int64 a, int64 b) { return IsBefore(a, b); });
        auto rows = indices_.matrix<int64>();
        auto values = values_.vec<T>();
        std::vector<int64> sorted;
        std::vector<T> sorted_values;
        for (int64 i : from) {
            for (int d = 0; d < dims_; d++) {
                sorted.push_back(rows(i, d));
            }
            sorted_values.push_back(values(i));
        }
        for (size_t i = 0; i < from.size(); i++) {
            for (size_t d = 0; d < static_cast<size_t>(dims_); d++) {
                rows(static_cast<int64>(i), static_cast<int64>(d)) =
                    sorted[i * static_cast<size_t>(dims_) + d];
            }
            values(static_cast<int64>(i)) = sorted_values[i];
        }
    }

    /* False: out has another type or shape, or a row is outside it; then some may be written. */
    template <typename T> bool ToDense(Tensor *out, bool initialize = true) const
    {
        if (out->dtype() != values_.dtype() || out->dims() != dims_) {
            return false;
        }
        for (int d = 0; d < dims_; d++) {
            if (out->dim_size(d) != shape_[static_cast<size_t>(d)]) {
                return false;
            }
        }
        auto flat = out->flat<T>();
        for (int64 i = 0; initialize && i < out->NumElements(); i++) {
            flat(i) = T();
        }
        const auto rows = indices_.matrix<int64>();
        const auto values = values_.vec<T>();
        for (int64 i = 0; i < static_cast<int64>(num_entries()); i++) {
            int64 at = 0;
            for (int d = 0; d < dims_; d++) {
                if (rows(i, d) < 0 || rows(i, d) >= out->dim_size(d)) {
                    return false;
                }
                at = at * out->dim_size(d) + rows(i, d);
            }
            flat(at) = values(i);
        }
        return true;
    }

  private:
    static ShapeArray ArrayOf(const TensorShape &shape)
    {
        ShapeArray dims;
        for (int d = 0; d < shape.dims(); d++) {
            dims.push_back(shape.dim_size(d));
        }
        return dims;
    }
    bool HasOrder() const
    {
        return std::all_of(order_.begin(), order_.end(), [](int64 d) { return d >= 0; });
    }
    bool IsBefore(int64 a, int64 b) const
    {
        const auto rows = indices_.matrix<int64>();
        for (int64 d : order_) {
            if (rows(a, d) != rows(b, d)) {
                return rows(a, d) < rows(b, d);
            }
        }
        return false;
    }
    string RowText(int64 i) const
    {
        const auto rows = indices_.matrix<int64>();
        string text = "[" + std::to_string(i) + "] = [";
        for (int d = 0; d < dims_; d++) {
            text += (d > 0 ? "," : "") + std::to_string(rows(i, d));
        }
        return text + "]";
    }
    Tensor indices_, values_;
    ShapeArray shape_, order_;
    int dims_;
};

} // namespace sparse
} // namespace ORIBI_HIDDEN

#endif
