/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor views for builds without Eigen: elements and dimensions, row major, no expressions. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_PLAIN_TENSOR_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_PLAIN_TENSOR_H_

#include <array>
#include <cstddef>
#include <type_traits>

#include "tensorflow/core/platform/macros.h"

namespace tensorflow ORIBI_HIDDEN
{

template <typename T, int N> class PlainTensor
{
  public:
    using Scalar = typename std::remove_const<T>::type;
    using Index = std::ptrdiff_t;
    using Dimensions = std::array<Index, static_cast<size_t>(N)>;
    static constexpr int NumIndices = N;

    PlainTensor(T *data, const Dimensions &dims) : data_(data), dims_(dims)
    {
    }
    template <typename U>
    PlainTensor(const PlainTensor<U, N> &other) : data_(other.data()), dims_(other.dimensions())
    {
    }
    T *data() const
    {
        return data_;
    }
    Index size() const
    {
        Index count = 1;
        for (Index d : dims_) {
            count *= d;
        }
        return count;
    }
    Index dimension(int i) const
    {
        return dims_[static_cast<size_t>(i)];
    }
    const Dimensions &dimensions() const
    {
        return dims_;
    }
    static constexpr int rank()
    {
        return N;
    }
    template <typename... I> T &operator()(I... indices) const
    {
        static_assert(sizeof...(I) == static_cast<size_t>(N) || sizeof...(I) == 1,
                      "one index for each dimension, or one for the flat element");
        const std::array<Index, sizeof...(I)> at{{static_cast<Index>(indices)...}};
        const Index *dims = dims_.data();
        Index flat = 0;
        for (size_t i = 0; i < sizeof...(I); i++) {
            flat = sizeof...(I) == 1 ? at[i] : flat * dims[i] + at[i];
        }
        return data_[flat];
    }
    T &operator()() const
    {
        static_assert(N == 0, "only a scalar has an element without an index");
        return *data_;
    }
    T &operator[](Index i) const
    {
        return data_[i];
    }
    const PlainTensor &setConstant(const Scalar &value) const
    {
        const Index count = size();
        for (Index i = 0; i < count; i++) {
            data_[i] = value;
        }
        return *this;
    }
    const PlainTensor &setZero() const
    {
        return setConstant(Scalar());
    }
    T *begin() const
    {
        return data_;
    }
    T *end() const
    {
        return data_ + size();
    }

  private:
    T *data_;
    Dimensions dims_;
};

} // namespace tensorflow

#endif
