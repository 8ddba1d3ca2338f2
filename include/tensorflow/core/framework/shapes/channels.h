/* SPDX-License-Identifier: Apache-2.0 */
/* Shape functions of ops with one number for each channel: biases, batch norms, quantised ops. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_SHAPES_CHANNELS_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_SHAPES_CHANNELS_H_

#include <algorithm>
#include <vector>

#include "tensorflow/core/framework/shapes/conv.h"
#include "tensorflow/core/framework/shapes/pool.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace shape_inference
{

/* Input 0 of a bias op, and where its channels are: 1 or -1. */
inline Status BiasedInput(InferenceContext *c, ShapeHandle *out, int64 *at)
{
    string format = "NHWC";
    c->GetAttr("data_format", &format).IgnoreError();
    *at = format == "NCHW" ? 1 : -1;
    return c->WithRankAtLeast(c->input(0), *at == 1 ? 3 : 2, out);
}
inline Status BiasAddShape(InferenceContext *c)
{
    ShapeHandle x, bias;
    DimensionHandle channels;
    int64 at = 0;
    TF_RETURN_IF_ERROR(BiasedInput(c, &x, &at));
    TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &bias));
    if (!c->RankKnown(x)) {
        c->set_output(0, c->UnknownShape());
        return Status();
    }
    TF_RETURN_IF_ERROR(c->Merge(c->Dim(x, at), c->Dim(bias, 0), &channels));
    TF_RETURN_IF_ERROR(c->ReplaceDim(x, at, channels, &x));
    c->set_output(0, x);
    return Status();
}
inline Status BiasAddGradShape(InferenceContext *c)
{
    ShapeHandle x;
    int64 at = 0;
    TF_RETURN_IF_ERROR(BiasedInput(c, &x, &at));
    c->set_output(0, c->Vector(c->Dim(x, at)));
    return Status();
}

/* Where the channels of an image of 2 or 3 spatial dimensions are, by data_format. */
inline Status NormAttrs(InferenceContext *c, int *rank, int *at, bool *is_training)
{
    string text;
    TensorFormat format;
    TF_RETURN_IF_ERROR(c->GetAttr("is_training", is_training));
    TF_RETURN_IF_ERROR(c->GetAttr("data_format", &text));
    if (!FormatFromString(text, &format)) {
        return errors::InvalidArgument("Invalid data format string: ", text);
    }
    *rank = text == "NDHWC" || text == "NCDHW" ? 5 : 4;
    *at = GetTensorFeatureDimIndex(*rank, format);
    return Status();
}
/* *channels, merged with the length of each vector among the inputs [begin, end). */
inline Status MergeVectors(InferenceContext *c, int begin, int end, DimensionHandle *channels)
{
    for (int i = begin; i < end; i++) {
        ShapeHandle vector;
        TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &vector));
        TF_RETURN_IF_ERROR(c->Merge(*channels, c->Dim(vector, 0), channels));
    }
    return Status();
}
/* Inputs: x, scale, offset and, unless they are computed here, mean and variance. */
inline Status FusedBatchNormShape(InferenceContext *c)
{
    int rank = 0, at = 0;
    bool is_training = false;
    float factor = 1;
    ShapeHandle x;
    TF_RETURN_IF_ERROR(NormAttrs(c, &rank, &at, &is_training));
    c->GetAttr("exponential_avg_factor", &factor).IgnoreError();
    TF_RETURN_IF_ERROR(c->WithRank(c->input(0), rank, &x));
    DimensionHandle channels = c->Dim(x, at);
    TF_RETURN_IF_ERROR(MergeVectors(c, 1, is_training && factor >= 1 ? 3 : 5, &channels));
    TF_RETURN_IF_ERROR(c->ReplaceDim(x, at, channels, &x));
    c->set_output(0, x);
    for (int i = 1; i < 5; i++) {
        c->set_output(i, c->Vector(channels));
    }
    return Status();
}
inline Status FusedBatchNormV3Shape(InferenceContext *c)
{
    TF_RETURN_IF_ERROR(FusedBatchNormShape(c));
    c->set_output(5, c->UnknownShape());
    return Status();
}
/* What an activation may follow: four dimensions, and channels in groups of four. */
inline Status FusedBatchNormExShape(InferenceContext *c)
{
    int rank = 0, at = 0;
    bool is_training = false;
    ShapeHandle x;
    TF_RETURN_IF_ERROR(FusedBatchNormV3Shape(c));
    TF_RETURN_IF_ERROR(NormAttrs(c, &rank, &at, &is_training));
    TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &x));
    const int64 channels = c->Value(c->Dim(x, at));
    return channels < 0 || channels % 4 == 0
               ? Status()
               : errors::InvalidArgument(
                     "_FusedBatchNormEx channel dimension must be divisible by 4.");
}
/* Inputs: gradient of y, x, scale, mean, variance. */
inline Status FusedBatchNormGradShape(InferenceContext *c)
{
    int rank = 0, at = 0;
    bool is_training = false;
    ShapeHandle gradient, x;
    DimensionHandle channels;
    TF_RETURN_IF_ERROR(NormAttrs(c, &rank, &at, &is_training));
    TF_RETURN_IF_ERROR(c->WithRank(c->input(0), rank, &gradient));
    TF_RETURN_IF_ERROR(c->WithRank(c->input(1), rank, &x));
    TF_RETURN_IF_ERROR(c->Merge(c->Dim(gradient, at), c->Dim(x, at), &channels));
    TF_RETURN_IF_ERROR(MergeVectors(c, 2, 5, &channels));
    TF_RETURN_IF_ERROR(c->ReplaceDim(gradient, at, channels, &gradient));
    c->set_output(0, gradient);
    for (int i = 1; i < 5; i++) {
        c->set_output(i, i < 3 ? c->Vector(channels) : c->Vector(0));
    }
    return Status();
}
/* Output 5 is the gradient of what was added, where something was. */
inline Status FusedBatchNormGradExShape(InferenceContext *c)
{
    int rank = 0, at = 0;
    int32 count = 0;
    bool is_training = false;
    ShapeHandle gradient, x;
    DimensionHandle channels;
    TF_RETURN_IF_ERROR(FusedBatchNormGradShape(c));
    TF_RETURN_IF_ERROR(c->GetAttr("num_side_inputs", &count));
    if (count == 0) {
        return Status();
    }
    TF_RETURN_IF_ERROR(NormAttrs(c, &rank, &at, &is_training));
    TF_RETURN_IF_ERROR(c->WithRank(c->input(0), rank, &gradient));
    TF_RETURN_IF_ERROR(c->WithRank(c->input(1), rank, &x));
    TF_RETURN_IF_ERROR(c->Merge(c->Dim(gradient, at), c->Dim(x, at), &channels));
    TF_RETURN_IF_ERROR(c->ReplaceDim(gradient, at, channels, &gradient));
    c->set_output(5, gradient);
    return Status();
}

/* The inputs [begin, end) are scalars, and so are the ranges of the output. */
inline Status ScalarRanges(InferenceContext *c, int begin, int end)
{
    ShapeHandle unused;
    for (int i = begin; i < end; i++) {
        TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
    }
    c->set_output(1, c->Scalar());
    c->set_output(2, c->Scalar());
    return Status();
}
/* After images and filters: minimum and maximum of each. */
inline Status QuantizedConv2DShape(InferenceContext *c)
{
    TF_RETURN_IF_ERROR(Conv2DShape(c));
    return ScalarRanges(c, 2, 6);
}
inline Status QuantizedAvgPoolShape(InferenceContext *c)
{
    TF_RETURN_IF_ERROR(AvgPoolShape(c));
    return ScalarRanges(c, 1, 3);
}
/* A fused convolution: after images and filters a bias and a summand, where it has them, then the
 * ranges. Requantised, those of the output are scalars, else as those of the filters. */
inline Status FusedRanges(InferenceContext *c)
{
    std::vector<string> fused;
    ShapeHandle unused;
    TF_RETURN_IF_ERROR(c->GetAttr("fused_ops", &fused));
    const auto has = [&fused](const char *name) {
        return std::find(fused.begin(), fused.end(), name) != fused.end();
    };
    int first = 2;
    if (has("BiasAdd")) {
        TF_RETURN_IF_ERROR(c->WithRank(c->input(first++), 1, &unused));
    }
    if (has("Sum")) {
        TF_RETURN_IF_ERROR(c->WithRank(c->input(first++), 4, &unused));
    }
    for (int i = first; i < first + 4; i++) {
        TF_RETURN_IF_ERROR(i < first + 2 ? c->WithRank(c->input(i), 0, &unused)
                                         : c->WithRankAtMost(c->input(i), 1, &unused));
    }
    const ShapeHandle range = has("Requantize") ? c->Scalar() : c->input(first + 3);
    c->set_output(1, range);
    c->set_output(2, range);
    return Status();
}
inline Status FusedQuantizedConv2DShape(InferenceContext *c)
{
    TF_RETURN_IF_ERROR(Conv2DShapeWithExplicitPadding(c));
    return FusedRanges(c);
}
inline Status FusedQuantizedDepthwiseConv2D(InferenceContext *c)
{
    TF_RETURN_IF_ERROR(DepthwiseConv2DNativeShapeWithExplicitPadding(c));
    return FusedRanges(c);
}
/* Inputs: x, minimum, maximum; for each slice along the attribute axis, where it is not -1. */
inline Status QuantizeV2Shape(InferenceContext *c)
{
    int32 axis = -1;
    ShapeHandle low, high, x;
    DimensionHandle unused;
    const Status found = c->GetAttr("axis", &axis);
    if (!found.ok() && !errors::IsNotFound(found)) {
        return found;
    }
    if (axis < -1) {
        return errors::InvalidArgument("axis should be at least -1, got ", axis);
    }
    const int64 rank = axis == -1 ? 0 : 1;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(1), rank, &low));
    TF_RETURN_IF_ERROR(c->WithRank(c->input(2), rank, &high));
    if (axis != -1) {
        TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), axis + 1, &x));
        TF_RETURN_IF_ERROR(c->Merge(c->Dim(high, 0), c->Dim(x, axis), &unused));
    }
    c->set_output(0, c->input(0));
    c->set_output(1, high);
    c->set_output(2, high);
    return Status();
}

} // namespace shape_inference
} // namespace tensorflow

#endif
