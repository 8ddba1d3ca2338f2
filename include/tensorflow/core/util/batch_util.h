/* SPDX-License-Identifier: Apache-2.0 */
/* batch_util::Copy*: elements of a batch, which are the slices of its first dimension. */
#ifndef ORIBI_TENSORFLOW_CORE_UTIL_BATCH_UTIL_H_
#define ORIBI_TENSORFLOW_CORE_UTIL_BATCH_UTIL_H_

#include "tensorflow/core/framework/tensor_util.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace batch_util
{

namespace internal
{
inline Status CheckSlice(const Tensor &parent, const Tensor &element, int64 index)
{
    if (parent.dims() < 1 || index < 0 || index >= parent.dim_size(0)) {
        return errors::InvalidArgument("a tensor of shape ", parent.shape().DebugString(),
                                       " has no slice ", index);
    }
    if (parent.dtype() != element.dtype() ||
        element.NumElements() != parent.NumElements() / parent.dim_size(0)) {
        return errors::InvalidArgument("a slice of ", parent.DeviceSafeDebugString(),
                                       " and the element ", element.DeviceSafeDebugString(),
                                       " have not as many elements of one type");
    }
    return Status();
}
inline char *Place(const Tensor &parent, int64 index)
{
    return static_cast<char *>(parent.data()) +
           static_cast<size_t>(index * (parent.NumElements() / parent.dim_size(0))) *
               ElementBytes(parent.dtype());
}
} // namespace internal

inline Status CopyElementToSlice(const Tensor &element, Tensor *parent, int64 index)
{
    TF_RETURN_IF_ERROR(internal::CheckSlice(*parent, element, index));
    tensorflow::internal::CopyElements(parent->dtype(), element.data(),
                                       internal::Place(*parent, index), element.NumElements());
    return Status();
}
inline Status CopySliceToElement(const Tensor &parent, Tensor *element, int64 index)
{
    TF_RETURN_IF_ERROR(internal::CheckSlice(parent, *element, index));
    tensorflow::internal::CopyElements(parent.dtype(), internal::Place(parent, index),
                                       element->data(), element->NumElements());
    return Status();
}
inline Status MaybeMoveSliceToElement(Tensor *parent, Tensor *element, int64 index)
{
    return CopySliceToElement(*parent, element, index);
}
/* `count` slices from src_offset to dst_offset. */
inline Status CopyContiguousSlices(const Tensor &src, int64 src_offset, int64 dst_offset,
                                   int64 count, Tensor *dst)
{
    if (count == 0) {
        return Status();
    }
    TF_RETURN_IF_ERROR(internal::CheckSlice(src, dst->SubSlice(0), src_offset));
    TF_RETURN_IF_ERROR(internal::CheckSlice(*dst, src.SubSlice(0), dst_offset));
    if (count < 0 || src_offset + count > src.dim_size(0) ||
        dst_offset + count > dst->dim_size(0)) {
        return errors::InvalidArgument("there are no ", count, " slices to copy from ", src_offset,
                                       " to ", dst_offset);
    }
    tensorflow::internal::CopyElements(src.dtype(), internal::Place(src, src_offset),
                                       internal::Place(*dst, dst_offset),
                                       count * (src.NumElements() / src.dim_size(0)));
    return Status();
}
/* Into the corner of a slice that is larger in any dimension. */
template <typename T>
Status HandleElementToLargerSlice(const Tensor &element, Tensor *parent, int64 index)
{
    Tensor slice = parent->SubSlice(index);
    if (slice.dims() != element.dims()) {
        return errors::InvalidArgument("the element's rank is not that of a slice");
    }
    int64 step = 1, at = 0;
    std::vector<int64> steps(static_cast<size_t>(slice.dims()));
    for (int i = slice.dims() - 1; i >= 0; i--) {
        if (element.dim_size(i) > slice.dim_size(i)) {
            return errors::InvalidArgument("the element is larger than a slice");
        }
        steps[static_cast<size_t>(i)] = step;
        step *= slice.dim_size(i);
    }
    for (int64 e = 0; e < element.NumElements(); e++) {
        int64 rest = e;
        at = 0;
        for (int i = slice.dims() - 1; i >= 0; i--) {
            at += rest % element.dim_size(i) * steps[static_cast<size_t>(i)];
            rest /= element.dim_size(i);
        }
        slice.flat<T>()(at) = element.flat<T>()(e);
    }
    return Status();
}

} // namespace batch_util
} // namespace tensorflow

#endif
