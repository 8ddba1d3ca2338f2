/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about how rows of a tensor lie in memory. */
#ifndef ORIBI_TENSORFLOW_CORE_KERNELS_OPS_UTIL_H_
#define ORIBI_TENSORFLOW_CORE_KERNELS_OPS_UTIL_H_

#include <cstdint>

#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_types.h"

namespace tensorflow ORIBI_HIDDEN
{

/* Are the rows [begin, end) of the first dimension at an address that is aligned for Eigen? */
template <typename T>
bool IsDim0SliceAligned(const TensorShape &shape, int64 begin, int64 end_or_size)
{
    constexpr int64 kAlignment = 64;
    if (shape.dims() == 1) {
        return begin * static_cast<int64>(sizeof(T)) % kAlignment == 0 &&
               end_or_size * static_cast<int64>(sizeof(T)) % kAlignment == 0;
    }
    const int64 rows = shape.dim_size(0);
    return rows > 0 &&
           shape.num_elements() / rows * static_cast<int64>(sizeof(T)) % kAlignment == 0;
}
/* Has each slice of the first dimension a size that keeps the next one aligned? */
template <typename T> bool IsInnerDimsSizeAligned(const TensorShape &shape)
{
    const int64 rows = shape.dims() > 0 ? shape.dim_size(0) : 0;
    return rows > 0 && shape.num_elements() / rows * static_cast<int64>(sizeof(T)) % 64 == 0;
}

} // namespace tensorflow

#endif
