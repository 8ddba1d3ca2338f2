/* SPDX-License-Identifier: Apache-2.0 */
/* TensorFormat: where the channels of an image tensor are. */
#ifndef ORIBI_TENSORFLOW_CORE_UTIL_TENSOR_FORMAT_H_
#define ORIBI_TENSORFLOW_CORE_UTIL_TENSOR_FORMAT_H_

#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/platform/types.h"

namespace tensorflow ORIBI_HIDDEN
{

enum TensorFormat { FORMAT_NHWC = 0, FORMAT_NCHW = 1 };

inline bool FormatFromString(StringPiece text, TensorFormat *format)
{
    if (text == "NHWC" || text == "NDHWC" || text == "channels_last") {
        *format = FORMAT_NHWC;
        return true;
    }
    if (text == "NCHW" || text == "NCDHW" || text == "channels_first") {
        *format = FORMAT_NCHW;
        return true;
    }
    return false;
}
inline string ToString(TensorFormat format)
{
    return format == FORMAT_NHWC ? "NHWC" : "NCHW";
}
inline string GetConvnetDataFormatAttrString()
{
    return "data_format: { 'NHWC', 'NCHW' } = 'NHWC' ";
}
/* Index of dimension 'N', 'H', 'W' or 'C' ('0', '1' are the spatial ones) among `dims`. */
inline int GetTensorDimIndex(TensorFormat format, char dimension, int dims = 4)
{
    const int first = format == FORMAT_NHWC ? 1 : 2;
    switch (dimension) {
    case 'N':
        return 0;
    case 'C':
        return format == FORMAT_NHWC ? dims - 1 : 1;
    case 'D':
        return first;
    case 'H':
        return first + dims - 4;
    case 'W':
        return first + dims - 3;
    default:
        return first + (dimension - '0');
    }
}
template <int N = 2> int GetTensorDimIndex(TensorFormat format, char dimension)
{
    return GetTensorDimIndex(format, dimension, N + 2);
}
inline int64 GetTensorDim(const TensorShape &shape, TensorFormat format, char dimension)
{
    return shape.dim_size(GetTensorDimIndex(format, dimension, shape.dims()));
}
inline int64 GetTensorDim(const Tensor &tensor, TensorFormat format, char dimension)
{
    return GetTensorDim(tensor.shape(), format, dimension);
}
template <typename T> T GetTensorDim(gtl::ArraySlice<T> sizes, TensorFormat format, char dimension)
{
    return sizes[static_cast<size_t>(
        GetTensorDimIndex(format, dimension, static_cast<int>(sizes.size())))];
}
template <typename T>
T GetTensorDim(const std::vector<T> &sizes, TensorFormat format, char dimension)
{
    return GetTensorDim(gtl::ArraySlice<T>(sizes), format, dimension);
}
inline TensorShape ShapeFromFormat(TensorFormat format, int64 n, int64 h, int64 w, int64 c)
{
    return format == FORMAT_NHWC ? TensorShape({n, h, w, c}) : TensorShape({n, c, h, w});
}

} // namespace tensorflow

#endif
