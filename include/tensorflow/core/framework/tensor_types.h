/* SPDX-License-Identifier: Apache-2.0 */
/* TTypes: how a tensor's elements are seen. Eigen maps, or plain_tensor.h where Eigen is not. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_TENSOR_TYPES_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_TENSOR_TYPES_H_

#include "tensorflow/core/framework/plain_tensor.h"
#include "tensorflow/core/platform/eigen.h"
#include "tensorflow/core/platform/types.h"

namespace tensorflow ORIBI_HIDDEN
{

#ifdef ORIBI_HAS_EIGEN
template <typename T, int NDIMS = 1, typename IndexType = Eigen::DenseIndex> struct TTypes {
    template <typename E, int N, int Align, typename I = IndexType>
    using Map = Eigen::TensorMap<Eigen::Tensor<E, N, Eigen::RowMajor, I>, Align>;
    template <typename E, int Align>
    using Fixed =
        Eigen::TensorMap<Eigen::TensorFixedSize<E, Eigen::Sizes<>, Eigen::RowMajor, IndexType>,
                         Align>;

    using Tensor = Map<T, NDIMS, Eigen::Aligned>;
    using ConstTensor = Map<const T, NDIMS, Eigen::Aligned>;
    using UnalignedTensor = Map<T, NDIMS, Eigen::Unaligned>;
    using UnalignedConstTensor = Map<const T, NDIMS, Eigen::Unaligned>;
    using Tensor32Bit = Map<T, NDIMS, Eigen::Aligned, int>;
    using Scalar = Fixed<T, Eigen::Aligned>;
    using ConstScalar = Fixed<const T, Eigen::Aligned>;
    using UnalignedScalar = Fixed<T, Eigen::Unaligned>;
    using UnalignedConstScalar = Fixed<const T, Eigen::Unaligned>;
    using Flat = Map<T, 1, Eigen::Aligned>;
    using ConstFlat = Map<const T, 1, Eigen::Aligned>;
    using UnalignedFlat = Map<T, 1, Eigen::Unaligned>;
    using UnalignedConstFlat = Map<const T, 1, Eigen::Unaligned>;
    using Vec = Flat;
    using ConstVec = ConstFlat;
    using UnalignedVec = UnalignedFlat;
    using UnalignedConstVec = UnalignedConstFlat;
    using Matrix = Map<T, 2, Eigen::Aligned>;
    using ConstMatrix = Map<const T, 2, Eigen::Aligned>;
    using UnalignedMatrix = Map<T, 2, Eigen::Unaligned>;
    using UnalignedConstMatrix = Map<const T, 2, Eigen::Unaligned>;
};

/* The same elements, indexed with int. */
template <typename M>
typename TTypes<typename M::Scalar, M::NumIndices>::template Map<
    typename std::remove_reference<decltype(*std::declval<M>().data())>::type, M::NumIndices,
    Eigen::Aligned, int>
To32Bit(M in)
{
    Eigen::DSizes<int, M::NumIndices> dims;
    for (int i = 0; i < M::NumIndices; i++) {
        dims[i] = static_cast<int>(in.dimension(i));
    }
    return {in.data(), dims};
}
#else
template <typename T, int NDIMS = 1, typename IndexType = std::ptrdiff_t> struct TTypes {
    using Tensor = PlainTensor<T, NDIMS>;
    using ConstTensor = PlainTensor<const T, NDIMS>;
    using UnalignedTensor = Tensor;
    using UnalignedConstTensor = ConstTensor;
    using Scalar = PlainTensor<T, 0>;
    using ConstScalar = PlainTensor<const T, 0>;
    using UnalignedScalar = Scalar;
    using UnalignedConstScalar = ConstScalar;
    using Flat = PlainTensor<T, 1>;
    using ConstFlat = PlainTensor<const T, 1>;
    using UnalignedFlat = Flat;
    using UnalignedConstFlat = ConstFlat;
    using Vec = Flat;
    using ConstVec = ConstFlat;
    using UnalignedVec = Flat;
    using UnalignedConstVec = ConstFlat;
    using Matrix = PlainTensor<T, 2>;
    using ConstMatrix = PlainTensor<const T, 2>;
    using UnalignedMatrix = Matrix;
    using UnalignedConstMatrix = ConstMatrix;
};
#endif

} // namespace tensorflow

#endif
