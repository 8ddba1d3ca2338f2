/* SPDX-License-Identifier: Apache-2.0 */
/* Shape functions of convolutions and of their gradients. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_SHAPES_CONV_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_SHAPES_CONV_H_

#include <vector>

#include "tensorflow/core/framework/shapes/windows.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace shape_inference
{

/* A convolution in groups: the channels of x are a multiple of those of a filter. */
inline Status CheckGroups(InferenceContext *c, DimensionHandle x, DimensionHandle filter,
                          DimensionHandle out)
{
    if (!c->ValueKnown(x) || !c->ValueKnown(filter)) {
        return Status();
    }
    const int64 depth = c->Value(x), filter_depth = c->Value(filter);
    if (filter_depth == 0) {
        return errors::InvalidArgument("Depth of filter must not be 0");
    }
    if (depth % filter_depth != 0) {
        return errors::InvalidArgument("Depth of input (", depth,
                                       ") is not a multiple of input depth of filter (",
                                       filter_depth, ")");
    }
    const int64 groups = depth / filter_depth;
    if (groups == 1 || !c->ValueKnown(out)) {
        return Status();
    }
    if (groups == 0) {
        return errors::InvalidArgument("Number of groups must not be 0");
    }
    if (c->Value(out) % groups != 0) {
        return errors::InvalidArgument("Depth of output (", c->Value(out),
                                       ") is not a multiple of the number of groups (", groups,
                                       ")");
    }
    return Status();
}
inline Status ReadFilterFormat(InferenceContext *c, TensorFormat format, FilterTensorFormat *out)
{
    string text = format == FORMAT_NCHW_VECT_C ? "OIHW_VECT_I" : "HWIO";
    c->GetAttr("filter_format", &text).IgnoreError();
    return FilterFormatFromString(text, out)
               ? Status()
               : errors::InvalidArgument("Invalid filter format string: ", text);
}
/* Inputs: images, filters. */
inline Status Conv2DShapeOf(InferenceContext *c, bool may_be_explicit)
{
    WindowAttrs window;
    FilterTensorFormat order;
    ShapeHandle x, filter, out;
    ImageDims image;
    TF_RETURN_IF_ERROR(FormatAttr(c, &window.format));
    TF_RETURN_IF_ERROR(ReadFilterFormat(c, window.format, &order));
    const int rank = GetTensorDimsFromSpatialDims(2, window.format);
    TF_RETURN_IF_ERROR(c->WithRank(c->input(0), rank, &x));
    TF_RETURN_IF_ERROR(CheckVectors(c, window.format, x));
    TF_RETURN_IF_ERROR(c->WithRank(c->input(1), rank, &filter));
    TF_RETURN_IF_ERROR(CheckVectors(c, window.format, filter));
    TF_RETURN_IF_ERROR(SizesAttr(c, "dilations", 4, &window.dilations));
    TF_RETURN_IF_ERROR(SizesAttr(c, "strides", 4, &window.strides));
    TF_RETURN_IF_ERROR(image.Read(c, x, window.format));

    const auto filter_dim = [&](char name) {
        return c->Dim(filter, GetFilterDimIndex(order, name, rank));
    };
    DimensionHandle depth = filter_dim('I');
    if (order == FORMAT_OIHW_VECT_I) {
        TF_RETURN_IF_ERROR(c->Multiply(depth, c->Dim(filter, -1), &depth));
    }
    TF_RETURN_IF_ERROR(CheckGroups(c, image.channels, depth, filter_dim('O')));
    TF_RETURN_IF_ERROR(PaddingAttr(c, &window.padding));
    TF_RETURN_IF_ERROR(window.ReadPads(c, may_be_explicit, 4));
    for (int i = 0; i < 2; i++) {
        DimensionHandle &size = image.spatial[static_cast<size_t>(i)];
        TF_RETURN_IF_ERROR(
            window.Slide(c, size, filter_dim(i == 0 ? 'H' : 'W'), window.SpatialAt(i), &size));
    }
    image.channels = filter_dim('O');
    TF_RETURN_IF_ERROR(image.Write(c, window.format, &out));
    c->set_output(0, out);
    return Status();
}
inline Status Conv2DShapeWithExplicitPadding(InferenceContext *c)
{
    return Conv2DShapeOf(c, true);
}
inline Status Conv2DShape(InferenceContext *c)
{
    return Conv2DShapeOf(c, false);
}
inline Status Conv3DShape(InferenceContext *c)
{
    WindowAttrs window;
    ShapeHandle x, filter, out;
    ImageDims image;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 5, &x));
    TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 5, &filter));
    TF_RETURN_IF_ERROR(FormatAttr(c, &window.format));
    TF_RETURN_IF_ERROR(SizesAttr(c, "dilations", 5, &window.dilations));
    TF_RETURN_IF_ERROR(SizesAttr(c, "strides", 5, &window.strides));
    TF_RETURN_IF_ERROR(image.Read(c, x, window.format));
    TF_RETURN_IF_ERROR(CheckGroups(c, image.channels, c->Dim(filter, 3), c->Dim(filter, 4)));
    TF_RETURN_IF_ERROR(PaddingAttr(c, &window.padding));
    TF_RETURN_IF_ERROR(window.ReadPads(c, false, 5));
    for (int i = 0; i < 3; i++) {
        DimensionHandle &size = image.spatial[static_cast<size_t>(i)];
        TF_RETURN_IF_ERROR(window.Slide(c, size, c->Dim(filter, i), window.SpatialAt(i), &size));
    }
    image.channels = c->Dim(filter, 4);
    TF_RETURN_IF_ERROR(image.Write(c, window.format, &out));
    c->set_output(0, out);
    return Status();
}
/* Each channel has filters of its own: [rows, columns, channels, filters of each]. */
inline Status DepthwiseShapeOf(InferenceContext *c, bool may_be_explicit)
{
    WindowAttrs window;
    ShapeHandle x, filter, out;
    ImageDims image;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &x));
    TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 4, &filter));
    TF_RETURN_IF_ERROR(SizesAttr(c, "strides", 4, &window.strides));
    if (c->HasAttr("dilations")) {
        TF_RETURN_IF_ERROR(SizesAttr(c, "dilations", 4, &window.dilations));
    }
    TF_RETURN_IF_ERROR(FormatAttr(c, &window.format));
    TF_RETURN_IF_ERROR(image.Read(c, x, window.format));
    TF_RETURN_IF_ERROR(c->Merge(image.channels, c->Dim(filter, 2), &image.channels));
    TF_RETURN_IF_ERROR(c->Multiply(image.channels, c->Dim(filter, 3), &image.channels));
    TF_RETURN_IF_ERROR(PaddingAttr(c, &window.padding));
    TF_RETURN_IF_ERROR(window.ReadPads(c, may_be_explicit, 4));
    for (int i = 0; i < 2; i++) {
        DimensionHandle &size = image.spatial[static_cast<size_t>(i)];
        TF_RETURN_IF_ERROR(window.Slide(c, size, c->Dim(filter, i), window.SpatialAt(i), &size));
    }
    TF_RETURN_IF_ERROR(image.Write(c, window.format, &out));
    c->set_output(0, out);
    return Status();
}
inline Status DepthwiseConv2DNativeShapeWithExplicitPadding(InferenceContext *c)
{
    return DepthwiseShapeOf(c, true);
}
inline Status DepthwiseConv2DNativeShape(InferenceContext *c)
{
    return DepthwiseShapeOf(c, false);
}
/* A convolution of 2 or 3 spatial dimensions, with any number of batch dimensions before. The lists
 * are in the order of one batch dimension. */
inline Status ConvShape(InferenceContext *c)
{
    WindowAttrs window;
    string text;
    int32 batch_dims = 1, groups = 1;
    ShapeHandle x, filter, batch, rest, out;
    ImageDims image;
    x = c->input(0);
    if (!c->RankKnown(x) || !c->RankKnown(c->input(1))) {
        c->set_output(0, c->UnknownShape());
        return Status();
    }
    TF_RETURN_IF_ERROR(c->GetAttr("data_format", &text));
    TF_RETURN_IF_ERROR(c->GetAttr("batch_dims", &batch_dims));
    TF_RETURN_IF_ERROR(c->GetAttr("groups", &groups));
    if (text != "CHANNELS_LAST" && text != "CHANNELS_FIRST") {
        return errors::InvalidArgument("Invalid data format: ", text);
    }
    window.format = text == "CHANNELS_LAST" ? FORMAT_NHWC : FORMAT_NCHW;
    if (groups <= 0) {
        return errors::InvalidArgument("Groups attribute should be a positive integer");
    }
    const int n_spatial = c->Rank(x) - batch_dims - 1;
    if (n_spatial != 2 && n_spatial != 3) {
        return errors::InvalidArgument("Input tensor must be rank ", batch_dims + 3, " or ",
                                       batch_dims + 4, " for a convolution, but is rank ",
                                       c->Rank(x));
    }
    const size_t dims = static_cast<size_t>(n_spatial + 2);
    TF_RETURN_IF_ERROR(c->WithRank(c->input(1), n_spatial + 2, &filter));
    TF_RETURN_IF_ERROR(SizesAttr(c, "strides", dims, &window.strides));
    TF_RETURN_IF_ERROR(c->GetAttr("dilations", &window.dilations));
    if (!window.dilations.empty() && window.dilations.size() != dims) {
        return errors::InvalidArgument("attribute dilations must contain ", dims,
                                       " values, but got: ", window.dilations.size());
    }
    TF_RETURN_IF_ERROR(PaddingAttr(c, &window.padding));
    if (window.padding == EXPLICIT && n_spatial == 3) {
        return errors::InvalidArgument("Explicit padding not supported for 3D Convolution");
    }
    TF_RETURN_IF_ERROR(window.ReadPads(c, true, static_cast<int>(dims)));
    TF_RETURN_IF_ERROR(c->Subshape(x, 0, batch_dims, &batch));
    TF_RETURN_IF_ERROR(c->Subshape(x, batch_dims - 1, &rest));
    TF_RETURN_IF_ERROR(image.Read(c, rest, window.format));
    const DimensionHandle depth = c->Dim(filter, n_spatial), count = c->Dim(filter, n_spatial + 1);
    TF_RETURN_IF_ERROR(CheckGroups(c, image.channels, depth, count));
    if (c->ValueKnown(image.channels) && c->ValueKnown(depth) &&
        c->Value(image.channels) / c->Value(depth) != groups) {
        return errors::InvalidArgument("Input depth divided by filter input depth does not match "
                                       "with groups parameter (",
                                       groups, ")");
    }
    if (c->ValueKnown(count) && c->Value(count) % groups != 0) {
        return errors::InvalidArgument("Number of groups should divide output depth");
    }
    for (int i = 0; i < n_spatial; i++) {
        DimensionHandle &size = image.spatial[static_cast<size_t>(i)];
        TF_RETURN_IF_ERROR(window.Slide(c, size, c->Dim(filter, i), window.SpatialAt(i), &size));
    }
    image.channels = count;
    TF_RETURN_IF_ERROR(image.Write(c, window.format, &out));
    TF_RETURN_IF_ERROR(c->Subshape(out, 1, &out));
    TF_RETURN_IF_ERROR(c->Concatenate(batch, out, &out));
    c->set_output(0, out);
    return Status();
}
/* Inputs: sizes of the images (all four or the spatial two), filters, gradient of the output. */
inline Status Conv2DBackpropInputShape(InferenceContext *c)
{
    TensorFormat format;
    ShapeHandle gradient, filter, sizes, out;
    ImageDims image, wanted;
    DimensionHandle unused;
    TF_RETURN_IF_ERROR(FormatAttr(c, &format));
    TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 4, &gradient));
    TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 4, &filter));
    TF_RETURN_IF_ERROR(image.Read(c, gradient, format));
    TF_RETURN_IF_ERROR(c->Merge(image.channels, c->Dim(filter, 3), &unused));
    TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &sizes));
    if (!c->RankKnown(sizes)) {
        TF_RETURN_IF_ERROR(c->WithRank(sizes, 4, &sizes));
    }
    if (c->Rank(sizes) == 4) {
        TF_RETURN_IF_ERROR(wanted.Read(c, sizes, format));
        TF_RETURN_IF_ERROR(c->Merge(wanted.n, image.n, &unused));
        wanted.n = image.n;
    } else if (c->Rank(sizes) == 2) {
        wanted.n = image.n;
        wanted.spatial = {c->Dim(sizes, 0), c->Dim(sizes, 1)};
        wanted.channels = c->Dim(filter, 2);
    } else {
        return errors::InvalidArgument("Conv2DBackpropInput requires input_sizes to contain 4 "
                                       "values or 2 values, but got: ",
                                       c->Rank(sizes));
    }
    TF_RETURN_IF_ERROR(wanted.Write(c, format, &out));
    c->set_output(0, out);
    return Status();
}
/* Inputs: images, sizes of the filters, gradient of the output. Outputs: filters, and a bias as
 * long as the channels of the images. */
inline Status Conv2DBackpropFilterWithBiasShape(InferenceContext *c)
{
    ShapeHandle x, sizes;
    string format;
    const bool has_format = c->GetAttr("data_format", &format).ok();
    TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &sizes));
    TF_RETURN_IF_ERROR(c->WithRank(sizes, 4, &sizes));
    TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &x));
    c->set_output(0, sizes);
    c->set_output(1, c->Vector(c->Dim(x, has_format && format == "NCHW" ? 1 : 3)));
    return Status();
}

} // namespace shape_inference
} // namespace tensorflow

#endif
