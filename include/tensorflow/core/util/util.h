/* SPDX-License-Identifier: Apache-2.0 */
/* SliceDebugString: how a part of a tensor is called in messages. */
#ifndef ORIBI_TENSORFLOW_CORE_UTIL_UTIL_H_
#define ORIBI_TENSORFLOW_CORE_UTIL_UTIL_H_

#include "tensorflow/core/framework/tensor_shape.h"

namespace tensorflow ORIBI_HIDDEN
{

/* "[1,2]": the index that a flat place has in a tensor of that shape; "" in a scalar. */
inline string SliceDebugString(const TensorShape &shape, const int64 flat)
{
    string out;
    int64 left = flat;
    for (int i = shape.dims() - 1; i >= 0 && shape.dim_size(i) > 0; i--) {
        out = strings::StrCat(left % shape.dim_size(i), out.empty() ? "" : ",", out);
        left /= shape.dim_size(i);
    }
    return shape.dims() == 0 ? "" : strings::StrCat("[", out, "]");
}

} // namespace tensorflow

#endif
