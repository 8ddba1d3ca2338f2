/* SPDX-License-Identifier: Apache-2.0 */
/* What windows share: sizes after a window went over a dimension, the attributes that say how, and
 * shapes in the order of a tensor format. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_SHAPES_WINDOWS_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_SHAPES_WINDOWS_H_

#include <algorithm>
#include <vector>

#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/util/padding.h"
#include "tensorflow/core/util/tensor_format.h"

namespace tensorflow ORIBI_HIDDEN
{

/* Size of one spatial dimension after a window went over it, and the padding before and after. */
inline Status GetWindowedOutputSizeVerbose(int64 input, int64 filter, int64 dilation, int64 stride,
                                           Padding padding, int64 *output, int64 *before,
                                           int64 *after)
{
    if (stride <= 0 || dilation < 1) {
        return errors::InvalidArgument("Stride and dilation must be > 0, but got ", stride, " and ",
                                       dilation);
    }
    const int64 reach = (filter - 1) * dilation + 1;
    if (padding == VALID) {
        *output = (input - reach + stride) / stride;
        *before = *after = 0;
    } else if (padding == SAME) {
        *output = (input + stride - 1) / stride;
        const int64 needed = std::max<int64>(0, (*output - 1) * stride + reach - input);
        *before = needed / 2;
        *after = needed - *before;
    } else {
        *output = (input + *before + *after - reach + stride) / stride;
    }
    return *output < 0
               ? errors::InvalidArgument(
                     "Computed output size would be negative: ", *output, " [input_size: ", input,
                     ", effective_filter_size: ", reach, ", stride: ", stride, "]")
               : Status();
}
inline Status GetWindowedOutputSize(int64 input, int64 filter, int64 stride, Padding padding,
                                    int64 *output, int64 *padded)
{
    int64 after = 0;
    return GetWindowedOutputSizeVerbose(input, filter, 1, stride, padding, output, padded, &after);
}
inline Status GetWindowedOutputSize(int64 input, int64 filter, int64 dilation, int64 stride,
                                    Padding padding, int64 *output, int64 *padded)
{
    int64 after = 0;
    return GetWindowedOutputSizeVerbose(input, filter, dilation, stride, padding, output, padded,
                                        &after);
}

namespace shape_inference
{

/* The same of dimensions, of which some may be unknown. padding_before and padding_after count for
 * EXPLICIT alone. */
inline Status GetWindowedOutputSizeFromDimsV2(InferenceContext *c, DimensionHandle input_size,
                                              DimensionOrConstant filter_size, int64 dilation_rate,
                                              int64 stride, Padding padding, int64 padding_before,
                                              int64 padding_after, DimensionHandle *output_size)
{
    if (stride <= 0 || dilation_rate < 1) {
        return errors::InvalidArgument("Stride must be > 0 and dilation rate >= 1, but got ",
                                       stride, " and ", dilation_rate);
    }
    DimensionHandle size = input_size;
    if (padding == SAME) {
        TF_RETURN_IF_ERROR(c->Add(size, stride - 1, &size));
    } else {
        DimensionHandle reach = c->MakeDim(filter_size);
        if (dilation_rate > 1) {
            TF_RETURN_IF_ERROR(c->Subtract(reach, 1, &reach));
            TF_RETURN_IF_ERROR(c->Multiply(reach, dilation_rate, &reach));
            TF_RETURN_IF_ERROR(c->Add(reach, 1, &reach));
        }
        if (padding == EXPLICIT) {
            TF_RETURN_IF_ERROR(c->Add(size, padding_before + padding_after, &size));
        }
        TF_RETURN_IF_ERROR(c->Subtract(size, reach, &size));
        TF_RETURN_IF_ERROR(c->Add(size, stride, &size));
    }
    return c->Divide(size, stride, false, output_size);
}
inline Status GetWindowedOutputSizeFromDims(InferenceContext *c, DimensionHandle input_size,
                                            DimensionOrConstant filter_size, int64 stride,
                                            Padding padding, DimensionHandle *output_size)
{
    return padding == EXPLICIT
               ? errors::Internal("GetWindowedOutputSizeFromDims does not handle EXPLICIT padding; "
                                  "call GetWindowedOutputSizeFromDimsV2 instead")
               : GetWindowedOutputSizeFromDimsV2(c, input_size, filter_size, 1, stride, padding, 0,
                                                 0, output_size);
}

/* n, spatial and channels in the order of the format; of VECT_C channels are the groups of four. */
inline Status MakeShapeFromFormat(TensorFormat format, DimensionOrConstant n,
                                  const std::vector<DimensionOrConstant> &spatial,
                                  DimensionOrConstant channels, ShapeHandle *out,
                                  InferenceContext *c)
{
    const int dims = GetTensorDimsFromSpatialDims(static_cast<int>(spatial.size()), format);
    std::vector<DimensionHandle> sizes(static_cast<size_t>(dims));
    const auto at = [&sizes](int i) -> DimensionHandle & { return sizes[static_cast<size_t>(i)]; };
    at(GetTensorBatchDimIndex(dims, format)) = c->MakeDim(n);
    for (size_t i = 0; i < spatial.size(); i++) {
        at(GetTensorSpatialDimIndex(dims, format, static_cast<int>(i))) = c->MakeDim(spatial[i]);
    }
    at(GetTensorFeatureDimIndex(dims, format)) = c->MakeDim(channels);
    if (format == FORMAT_NCHW_VECT_C) {
        at(GetTensorInnerFeatureDimIndex(dims, format)) = c->MakeDim(4);
    } else if (format == FORMAT_NHWC_VECT_W) {
        at(GetTensorInnerWidthDimIndex(dims, format)) = c->MakeDim(4);
    }
    *out = c->MakeShape(sizes);
    return Status();
}

/* An image of known format: batch, spatial sizes and all channels. */
struct ImageDims {
    DimensionHandle n, channels;
    std::vector<DimensionHandle> spatial;

    Status Read(InferenceContext *c, ShapeHandle shape, TensorFormat format)
    {
        const int rank = c->Rank(shape);
        n = c->Dim(shape, GetTensorBatchDimIndex(rank, format));
        spatial.clear();
        for (int i = 0; i < GetTensorSpatialDims(rank, format); i++) {
            spatial.push_back(c->Dim(shape, GetTensorSpatialDimIndex(rank, format, i)));
        }
        channels = c->Dim(shape, GetTensorFeatureDimIndex(rank, format));
        return format == FORMAT_NCHW_VECT_C
                   ? c->Multiply(channels,
                                 c->Dim(shape, GetTensorInnerFeatureDimIndex(rank, format)),
                                 &channels)
                   : Status();
    }
    Status Write(InferenceContext *c, TensorFormat format, ShapeHandle *out) const
    {
        DimensionHandle groups = channels;
        if (format == FORMAT_NCHW_VECT_C) {
            TF_RETURN_IF_ERROR(c->Divide(channels, 4, true, &groups));
        }
        return WriteGroups(c, format, groups, out);
    }
    /* groups: what stands where the channels are. */
    Status WriteGroups(InferenceContext *c, TensorFormat format, DimensionHandle groups,
                       ShapeHandle *out) const
    {
        std::vector<DimensionOrConstant> sizes;
        for (DimensionHandle size : spatial) {
            sizes.push_back(size);
        }
        return MakeShapeFromFormat(format, n, sizes, groups, out, c);
    }
};

/* The attribute data_format; NHWC where the op has none. */
inline Status FormatAttr(InferenceContext *c, TensorFormat *format)
{
    string text = "NHWC";
    c->GetAttr("data_format", &text).IgnoreError();
    return FormatFromString(text, format)
               ? Status()
               : errors::InvalidArgument("Invalid data format string: ", text);
}
inline Status PaddingAttr(InferenceContext *c, Padding *padding)
{
    string text;
    TF_RETURN_IF_ERROR(c->GetAttr("padding", &text));
    return GetPaddingFromString(text, padding);
}
/* A list of `count` numbers. */
inline Status SizesAttr(InferenceContext *c, const char *name, size_t count,
                        std::vector<int64> *sizes)
{
    TF_RETURN_IF_ERROR(c->GetAttr(name, sizes));
    return sizes->size() == count
               ? Status()
               : errors::InvalidArgument("attribute ", name, " must contain ", count,
                                         " values, but got: ", sizes->size());
}
/* What is inside a vector are 4 channels, or 32. */
inline Status CheckVectors(InferenceContext *c, TensorFormat format, ShapeHandle shape)
{
    const int64 size = c->Value(c->Dim(shape, -1));
    return format != FORMAT_NCHW_VECT_C || size == 4 || size == 32
               ? Status()
               : errors::InvalidArgument("VECT_C dimension must be 4 or 32, but is ", size);
}

/* How a window goes over dimensions: by attributes, in the order of the format. */
struct WindowAttrs {
    TensorFormat format = FORMAT_NHWC;
    Padding padding = VALID;
    std::vector<int64> strides, dilations, pads;

    /* The pads of dimension i of `count`. */
    int64 Pad(size_t i, bool after) const
    {
        return padding == EXPLICIT ? pads[2 * i + (after ? 1 : 0)] : 0;
    }
    /* explicit_paddings, where the op may have it. */
    Status ReadPads(InferenceContext *c, bool may_be_explicit, int dims)
    {
        if (!may_be_explicit) {
            return padding != EXPLICIT
                       ? Status()
                       : errors::InvalidArgument("Padding EXPLICIT is not supported by this op");
        }
        const Status found = c->GetAttr("explicit_paddings", &pads);
        if (!found.ok() && !errors::IsNotFound(found)) {
            return found;
        }
        return CheckValidPadding(padding, pads, dims,
                                 format == FORMAT_NCHW_VECT_C ? FORMAT_NCHW : format);
    }
    /* One dimension, whose place in strides and pads is i. */
    Status Slide(InferenceContext *c, DimensionHandle size, DimensionOrConstant window, int i,
                 DimensionHandle *out) const
    {
        const size_t at = static_cast<size_t>(i);
        return GetWindowedOutputSizeFromDimsV2(c, size, window,
                                               dilations.empty() ? 1 : dilations[at], strides[at],
                                               padding, Pad(at, false), Pad(at, true), out);
    }
    /* Places of the spatial dimensions and of the channels in the lists. */
    int SpatialAt(int i) const
    {
        return GetTensorSpatialDimIndex(static_cast<int>(strides.size()), plain(), i);
    }
    int ChannelsAt() const
    {
        return GetTensorFeatureDimIndex(static_cast<int>(strides.size()), plain());
    }
    TensorFormat plain() const
    {
        return format == FORMAT_NCHW_VECT_C   ? FORMAT_NCHW
               : format == FORMAT_NHWC_VECT_W ? FORMAT_NHWC
                                              : format;
    }
};

} // namespace shape_inference
} // namespace tensorflow

#endif
