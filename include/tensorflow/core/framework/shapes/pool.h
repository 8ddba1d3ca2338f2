/* SPDX-License-Identifier: Apache-2.0 */
/* Shape functions of pooling and of its gradients. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_SHAPES_POOL_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_SHAPES_POOL_H_

#include <vector>

#include "tensorflow/core/framework/shapes/broadcast.h"
#include "tensorflow/core/framework/shapes/windows.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace shape_inference
{

/* Windows `sizes`, in the order of the format, over input 0; over its channels too where the op
 * does that. */
inline Status PooledShape(InferenceContext *c, const WindowAttrs &window,
                          const std::vector<int64> &sizes, bool over_channels)
{
    ShapeHandle x, out;
    ImageDims image;
    const int n_spatial = static_cast<int>(sizes.size()) - 2;
    TF_RETURN_IF_ERROR(
        c->WithRank(c->input(0), GetTensorDimsFromSpatialDims(n_spatial, window.format), &x));
    TF_RETURN_IF_ERROR(CheckVectors(c, window.format, x));
    TF_RETURN_IF_ERROR(image.Read(c, x, window.format));
    for (int i = 0; i < n_spatial; i++) {
        const int at = window.SpatialAt(i);
        DimensionHandle &size = image.spatial[static_cast<size_t>(i)];
        TF_RETURN_IF_ERROR(window.Slide(c, size, sizes[static_cast<size_t>(at)], at, &size));
    }
    DimensionHandle groups = c->Dim(x, GetTensorFeatureDimIndex(c->Rank(x), window.format));
    if (over_channels) {
        const int at = window.ChannelsAt();
        TF_RETURN_IF_ERROR(window.Slide(c, groups, sizes[static_cast<size_t>(at)], at, &groups));
    }
    TF_RETURN_IF_ERROR(image.WriteGroups(c, window.format, groups, &out));
    c->set_output(0, out);
    return Status();
}
inline Status PoolShapeOf(InferenceContext *c, size_t dims, bool may_be_explicit,
                          bool over_channels)
{
    WindowAttrs window;
    std::vector<int64> sizes;
    TF_RETURN_IF_ERROR(FormatAttr(c, &window.format));
    TF_RETURN_IF_ERROR(SizesAttr(c, "strides", dims, &window.strides));
    TF_RETURN_IF_ERROR(SizesAttr(c, "ksize", dims, &sizes));
    TF_RETURN_IF_ERROR(PaddingAttr(c, &window.padding));
    TF_RETURN_IF_ERROR(window.ReadPads(c, may_be_explicit, static_cast<int>(dims)));
    return PooledShape(c, window, sizes, over_channels);
}
inline Status AvgPoolShape(InferenceContext *c)
{
    return PoolShapeOf(c, 4, false, false);
}
inline Status MaxPoolShape(InferenceContext *c)
{
    return PoolShapeOf(c, 4, false, true);
}
inline Status MaxPoolShapeWithExplicitPadding(InferenceContext *c)
{
    return PoolShapeOf(c, 4, true, true);
}
inline Status Pool3DShape(InferenceContext *c)
{
    return PoolShapeOf(c, 5, false, false);
}
/* ksize and strides are attributes, or the last two of num_inputs inputs. */
inline Status MaxPoolV2Shape(InferenceContext *c, int num_inputs)
{
    WindowAttrs window;
    std::vector<int64> sizes;
    TF_RETURN_IF_ERROR(FormatAttr(c, &window.format));
    TF_RETURN_IF_ERROR(PaddingAttr(c, &window.padding));
    TF_RETURN_IF_ERROR(window.ReadPads(c, false, 4));
    if (c->num_inputs() + 2 == num_inputs) {
        TF_RETURN_IF_ERROR(SizesAttr(c, "ksize", 4, &sizes));
        TF_RETURN_IF_ERROR(SizesAttr(c, "strides", 4, &window.strides));
        return PooledShape(c, window, sizes, true);
    }
    ShapeHandle x;
    TF_RETURN_IF_ERROR(
        c->WithRank(c->input(0), GetTensorDimsFromSpatialDims(2, window.format), &x));
    for (int i = num_inputs - 2; i < num_inputs; i++) {
        ShapeHandle vector;
        DimensionHandle unused;
        TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &vector));
        TF_RETURN_IF_ERROR(c->WithValue(c->Dim(vector, 0), 4, &unused));
    }
    for (int i = num_inputs - 2; i < num_inputs; i++) {
        const Tensor *value = c->input_tensor(i);
        if (value == nullptr) {
            c->set_output(0, c->UnknownShape());
            return Status();
        }
        for (int64 k = 0; k < 4; k++) {
            (i == num_inputs - 2 ? sizes : window.strides).push_back(IntegerAt(*value, k));
        }
    }
    return PooledShape(c, window, sizes, true);
}
/* Input 0 holds the shape of what was pooled. */
inline Status PoolGradShapeOf(InferenceContext *c, int64 rank)
{
    ShapeHandle out;
    TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &out));
    TF_RETURN_IF_ERROR(c->WithRank(out, rank, &out));
    c->set_output(0, out);
    return Status();
}
inline Status AvgPoolGradShape(InferenceContext *c)
{
    return PoolGradShapeOf(c, 4);
}
inline Status AvgPool3DGradShape(InferenceContext *c)
{
    return PoolGradShapeOf(c, 5);
}
/* Input 0 is what was pooled. */
inline Status MaxPoolGradShape(InferenceContext *c)
{
    ShapeHandle out;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &out));
    c->set_output(0, out);
    return Status();
}
inline Status MaxPool3DGradShape(InferenceContext *c)
{
    ShapeHandle out;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 5, &out));
    c->set_output(0, out);
    return Status();
}

} // namespace shape_inference
} // namespace tensorflow

#endif
