/* SPDX-License-Identifier: Apache-2.0 */
/* tensor::DeepCopy, Concat, Split: tensors with bytes of their own. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_TENSOR_UTIL_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_TENSOR_UTIL_H_

#include <cstring>
#include <vector>

#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/variant/variant.h"

namespace tensorflow ORIBI_HIDDEN
{

namespace internal
{
/* n elements, each by its own assignment where bytes do not do. */
template <typename T> void CopyObjects(const void *from, void *to, int64 n)
{
    for (int64 i = 0; i < n; i++) {
        static_cast<T *>(to)[i] = static_cast<const T *>(from)[i];
    }
}
inline void CopyElements(DataType type, const void *from, void *to, int64 n)
{
    switch (type) {
    case DT_STRING:
        CopyObjects<tstring>(from, to, n);
        break;
    case DT_RESOURCE:
        CopyObjects<ResourceHandle>(from, to, n);
        break;
    case DT_VARIANT:
        CopyObjects<Variant>(from, to, n);
        break;
    default:
        if (n > 0) {
            std::memcpy(to, from, static_cast<size_t>(n) * ElementBytes(type));
        }
    }
}
} // namespace internal

namespace tensor
{

inline void DeepCopy(const Tensor &from, Tensor *to)
{
    CHECK_EQ(from.dtype(), to->dtype());
    CHECK_EQ(from.NumElements(), to->NumElements());
    internal::CopyElements(from.dtype(), from.data(), to->data(), from.NumElements());
}
inline Tensor DeepCopy(const Tensor &from)
{
    Tensor out(from.dtype(), from.shape());
    DeepCopy(from, &out);
    return out;
}
/* Along the first dimension; all others are the same. */
inline Status Concat(gtl::ArraySlice<Tensor> tensors, Tensor *out)
{
    if (tensors.empty()) {
        return errors::InvalidArgument("there are no tensors to concatenate");
    }
    TensorShape shape = tensors[0].shape();
    int64 rows = 0;
    for (const Tensor &tensor : tensors) {
        if (tensor.dims() < 1 || tensor.dims() != shape.dims() ||
            tensor.dtype() != tensors[0].dtype()) {
            return errors::InvalidArgument("tensors to concatenate have one type and rank, of at "
                                           "least 1; one is ",
                                           tensor.DeviceSafeDebugString());
        }
        shape.set_dim(0, tensor.dim_size(0));
        if (!(shape == tensor.shape())) {
            return errors::InvalidArgument("tensors to concatenate differ in more than their rows");
        }
        rows += tensor.dim_size(0);
    }
    shape.set_dim(0, rows);
    *out = Tensor(tensors[0].dtype(), shape);
    char *to = static_cast<char *>(out->data());
    for (const Tensor &tensor : tensors) {
        internal::CopyElements(tensor.dtype(), tensor.data(), to, tensor.NumElements());
        to += tensor.TotalBytes();
    }
    return Status();
}
/* Rows into pieces of those sizes. */
inline Status Split(const Tensor &tensor, gtl::ArraySlice<int64> sizes, std::vector<Tensor> *out)
{
    int64 at = 0;
    for (int64 size : sizes) {
        at += size;
    }
    if (tensor.dims() < 1 || at != tensor.dim_size(0)) {
        return errors::InvalidArgument("the sizes of the pieces add up to ", at,
                                       ", not to the rows");
    }
    at = 0;
    for (int64 size : sizes) {
        out->push_back(DeepCopy(tensor.Slice(at, at + size)));
        at += size;
    }
    return Status();
}

} // namespace tensor

} // namespace tensorflow

#endif
