/* SPDX-License-Identifier: Apache-2.0 */
/* TensorFormat and FilterTensorFormat: where the channels of an image tensor and of a filter are.
 */
#ifndef ORIBI_TENSORFLOW_CORE_UTIL_TENSOR_FORMAT_H_
#define ORIBI_TENSORFLOW_CORE_UTIL_TENSOR_FORMAT_H_

#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/platform/types.h"

namespace tensorflow ORIBI_HIDDEN
{

/* VECT_C: channels in groups of four, which are a last dimension; VECT_W: columns so. */
enum TensorFormat {
    FORMAT_NHWC = 0,
    FORMAT_NCHW = 1,
    FORMAT_NCHW_VECT_C = 2,
    FORMAT_NHWC_VECT_W = 3,
    FORMAT_HWNC = 4,
    FORMAT_HWCN = 5
};
enum FilterTensorFormat {
    FORMAT_HWIO = 0,
    FORMAT_OIHW = 1,
    FORMAT_OHWI = 2,
    FORMAT_OIHW_VECT_I = 3
};

inline bool FormatFromString(StringPiece text, TensorFormat *format)
{
    static const struct {
        const char *name;
        TensorFormat format;
    } rows[] = {{"NHWC", FORMAT_NHWC},
                {"NDHWC", FORMAT_NHWC},
                {"NCHW", FORMAT_NCHW},
                {"NCDHW", FORMAT_NCHW},
                {"NCHW_VECT_C", FORMAT_NCHW_VECT_C},
                {"NHWC_VECT_W", FORMAT_NHWC_VECT_W},
                {"HWNC", FORMAT_HWNC},
                {"HWCN", FORMAT_HWCN}};
    for (const auto &row : rows) {
        if (text == row.name) {
            *format = row.format;
            return true;
        }
    }
    return false;
}
inline string ToString(TensorFormat format)
{
    static const char *const names[] = {"NHWC",        "NCHW", "NCHW_VECT_C",
                                        "NHWC_VECT_W", "HWNC", "HWCN"};
    return names[format];
}
/* OHWI has no text, as in TensorFlow. */
inline bool FilterFormatFromString(StringPiece text, FilterTensorFormat *format)
{
    if (text == "HWIO" || text == "DHWIO") {
        *format = FORMAT_HWIO;
        return true;
    }
    if (text == "OIHW" || text == "OIDHW" || text == "OIHW_VECT_I") {
        *format = text == "OIHW_VECT_I" ? FORMAT_OIHW_VECT_I : FORMAT_OIHW;
        return true;
    }
    return false;
}
inline string ToString(FilterTensorFormat format)
{
    static const char *const names[] = {"HWIO", "OIHW", "OHWI", "OIHW_VECT_I"};
    return names[format];
}
inline string GetConvnetDataFormatAttrString()
{
    return "data_format: { 'NHWC', 'NCHW' } = 'NHWC' ";
}
inline string GetConvnet3dDataFormatAttrString()
{
    return "data_format: { 'NDHWC', 'NCDHW' } = 'NDHWC' ";
}
inline string GetConvnetDataFormat2D3DAttrString()
{
    return "data_format: { 'NHWC', 'NCHW', 'NDHWC', 'NCDHW' } = 'NHWC' ";
}
inline bool IsVectFormat(TensorFormat format)
{
    return format == FORMAT_NCHW_VECT_C || format == FORMAT_NHWC_VECT_W;
}
inline int GetTensorSpatialDims(int dims, TensorFormat format)
{
    return dims - (IsVectFormat(format) ? 3 : 2);
}
inline int GetTensorDimsFromSpatialDims(int spatial, TensorFormat format)
{
    return spatial + (IsVectFormat(format) ? 3 : 2);
}
inline int GetFilterTensorSpatialDims(int dims, FilterTensorFormat format)
{
    return dims - (format == FORMAT_OIHW_VECT_I ? 3 : 2);
}
inline int GetFilterTensorDimsFromSpatialDims(int spatial, FilterTensorFormat format)
{
    return spatial + (format == FORMAT_OIHW_VECT_I ? 3 : 2);
}
inline int GetTensorBatchDimIndex(int dims, TensorFormat format)
{
    return format == FORMAT_HWNC ? dims - 2 : format == FORMAT_HWCN ? dims - 1 : 0;
}
/* Of VECT_C the groups; GetTensorInnerFeatureDimIndex: the channels of a group. */
inline int GetTensorFeatureDimIndex(int dims, TensorFormat format)
{
    switch (format) {
    case FORMAT_NCHW:
    case FORMAT_NCHW_VECT_C:
        return 1;
    case FORMAT_HWCN:
    case FORMAT_NHWC_VECT_W:
        return dims - 2;
    default:
        return dims - 1;
    }
}
inline int GetTensorInnerFeatureDimIndex(int dims, TensorFormat)
{
    return dims - 1;
}
inline int GetTensorInnerWidthDimIndex(int dims, TensorFormat)
{
    return dims - 1;
}
inline int GetTensorSpatialDimIndex(int, TensorFormat format, int spatial)
{
    const bool is_first = format == FORMAT_HWNC || format == FORMAT_HWCN;
    const bool has_channels = format == FORMAT_NCHW || format == FORMAT_NCHW_VECT_C;
    return spatial + (is_first ? 0 : has_channels ? 2 : 1);
}
/* Index of dimension 'N', 'H', 'W' or 'C' ('0', '1' are the spatial ones) among `dims`. */
inline int GetTensorDimIndex(TensorFormat format, char dimension, int dims = 4)
{
    const int spatial = GetTensorSpatialDims(dims, format);
    switch (dimension) {
    case 'N':
        return GetTensorBatchDimIndex(dims, format);
    case 'C':
        return GetTensorFeatureDimIndex(dims, format);
    case 'D':
        return GetTensorSpatialDimIndex(dims, format, 0);
    case 'H':
        return GetTensorSpatialDimIndex(dims, format, spatial - 2);
    case 'W':
        return GetTensorSpatialDimIndex(dims, format, spatial - 1);
    default:
        return GetTensorSpatialDimIndex(dims, format, dimension - '0');
    }
}
template <int N = 2> int GetTensorDimIndex(TensorFormat format, char dimension)
{
    return GetTensorDimIndex(format, dimension, GetTensorDimsFromSpatialDims(N, format));
}
inline int GetFilterDimIndex(FilterTensorFormat format, char dimension, int dims = 4)
{
    const int spatial = GetFilterTensorSpatialDims(dims, format);
    const int first = format == FORMAT_HWIO ? 0 : format == FORMAT_OHWI ? 1 : 2;
    switch (dimension) {
    case 'O':
        return format == FORMAT_HWIO ? dims - 1 : 0;
    case 'I':
        return format == FORMAT_HWIO ? dims - 2 : format == FORMAT_OHWI ? dims - 1 : 1;
    case 'H':
        return first + spatial - 2;
    case 'W':
        return first + spatial - 1;
    default:
        return first + (dimension - '0');
    }
}
template <int N = 2> int GetFilterDimIndex(FilterTensorFormat format, char dimension)
{
    return GetFilterDimIndex(format, dimension, GetFilterTensorDimsFromSpatialDims(N, format));
}
inline int64 GetTensorDim(const TensorShape &shape, TensorFormat format, char dimension)
{
    return shape.dim_size(GetTensorDimIndex(format, dimension, shape.dims()));
}
inline int64 GetTensorDim(const Tensor &tensor, TensorFormat format, char dimension)
{
    return GetTensorDim(tensor.shape(), format, dimension);
}
/* Of attributes such as strides, which have no dimension for what is inside a vector. */
template <typename T> T GetTensorDim(gtl::ArraySlice<T> sizes, TensorFormat format, char dimension)
{
    const TensorFormat plain = format == FORMAT_NCHW_VECT_C   ? FORMAT_NCHW
                               : format == FORMAT_NHWC_VECT_W ? FORMAT_NHWC
                                                              : format;
    return sizes[static_cast<size_t>(
        GetTensorDimIndex(plain, dimension, static_cast<int>(sizes.size())))];
}
template <typename T>
T GetTensorDim(const std::vector<T> &sizes, TensorFormat format, char dimension)
{
    return GetTensorDim(gtl::ArraySlice<T>(sizes), format, dimension);
}
inline int64 GetFilterDim(const TensorShape &shape, FilterTensorFormat format, char dimension)
{
    return shape.dim_size(GetFilterDimIndex(format, dimension, shape.dims()));
}
/* Padding before and after one dimension, of a list of pairs in the order of the format. */
inline void GetExplicitPaddingForDim(gtl::ArraySlice<int64> paddings, TensorFormat format,
                                     char dimension, int64 *before, int64 *after)
{
    const size_t at =
        static_cast<size_t>(GetTensorDimIndex(format == FORMAT_NCHW_VECT_C ? FORMAT_NCHW : format,
                                              dimension, static_cast<int>(paddings.size() / 2)));
    *before = paddings[2 * at];
    *after = paddings[2 * at + 1];
}
inline TensorShape ShapeFromFormat(TensorFormat format, int64 n, gtl::ArraySlice<int64> spatial,
                                   int64 c)
{
    const int dims = GetTensorDimsFromSpatialDims(static_cast<int>(spatial.size()), format);
    std::vector<int64> sizes(static_cast<size_t>(dims), 4); /* 4: what a vector holds */
    sizes[static_cast<size_t>(GetTensorBatchDimIndex(dims, format))] = n;
    for (size_t i = 0; i < spatial.size(); i++) {
        sizes[static_cast<size_t>(GetTensorSpatialDimIndex(dims, format, static_cast<int>(i)))] =
            spatial[i];
    }
    if (format == FORMAT_NHWC_VECT_W) {
        sizes[static_cast<size_t>(GetTensorDimIndex(format, 'W', dims))] /= 4;
    }
    sizes[static_cast<size_t>(GetTensorFeatureDimIndex(dims, format))] =
        format == FORMAT_NCHW_VECT_C ? c / 4 : c;
    return TensorShape(gtl::ArraySlice<int64>(sizes));
}
inline TensorShape ShapeFromFormat(TensorFormat format, int64 n, int64 h, int64 w, int64 c)
{
    return ShapeFromFormat(format, n, {h, w}, c);
}

} // namespace tensorflow

#include "tensorflow/core/util/padding.h"

#endif
