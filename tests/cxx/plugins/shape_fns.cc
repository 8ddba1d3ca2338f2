// SPDX-License-Identifier: Apache-2.0
// One op for each common shape function, and for parts of InferenceContext: tests/cxx/shape_fns.txt
// says what they infer. The same text compiles against TensorFlow's headers, whose answers those
// are (tests/peer/shape_fns.py). An op takes inputs of any number and type.
#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace tensorflow
{

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

#define SHAPE_OP(name)                                                                             \
    REGISTER_OP("Fn" name)                                                                         \
        .Attr("T: list(type) >= 0")                                                                \
        .Attr("O: int >= 0 = 1")                                                                   \
        .Input("args: T")                                                                          \
        .Output("ys: O * float")

SHAPE_OP("Unchanged").SetShapeFn(shape_inference::UnchangedShape);
SHAPE_OP("UnchangedWithRank").Attr("rank: int").SetShapeFn([](InferenceContext *c) {
    int32 rank = 0;
    TF_RETURN_IF_ERROR(c->GetAttr("rank", &rank));
    return shape_inference::UnchangedShapeWithRank(c, rank);
});
SHAPE_OP("UnchangedWithRankAtLeast").Attr("rank: int").SetShapeFn([](InferenceContext *c) {
    int32 rank = 0;
    TF_RETURN_IF_ERROR(c->GetAttr("rank", &rank));
    return shape_inference::UnchangedShapeWithRankAtLeast(c, rank);
});
SHAPE_OP("UnchangedWithRankAtMost").Attr("rank: int").SetShapeFn([](InferenceContext *c) {
    int32 rank = 0;
    TF_RETURN_IF_ERROR(c->GetAttr("rank", &rank));
    return shape_inference::UnchangedShapeWithRankAtMost(c, rank);
});
SHAPE_OP("NoOutputs").SetShapeFn(shape_inference::NoOutputs);
SHAPE_OP("Scalar").SetShapeFn(shape_inference::ScalarShape);
SHAPE_OP("Unknown").SetShapeFn(shape_inference::UnknownShape);
SHAPE_OP("MergeBothInputs").SetShapeFn(shape_inference::MergeBothInputsShapeFn);
SHAPE_OP("BroadcastBinary").SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);
SHAPE_OP("BroadcastOutput1").SetShapeFn([](InferenceContext *c) {
    return shape_inference::BroadcastBinaryOpOutputShapeFn(c, 1);
});
SHAPE_OP("BroadcastHelper").Attr("strict: bool").SetShapeFn([](InferenceContext *c) {
    bool strict = false;
    ShapeHandle out;
    TF_RETURN_IF_ERROR(c->GetAttr("strict", &strict));
    TF_RETURN_IF_ERROR(shape_inference::BroadcastBinaryOpOutputShapeFnHelper(
        c, c->input(0), c->input(1), strict, &out));
    c->set_output(0, out);
    return OkStatus();
});
SHAPE_OP("DatasetIterator")
    .Attr("output_shapes: list(shape)")
    .SetShapeFn(shape_inference::DatasetIteratorShape);
SHAPE_OP("ExplicitShape").Attr("shape: shape").SetShapeFn(shape_inference::ExplicitShape);
SHAPE_OP("ExplicitShapes").Attr("shapes: list(shape)").SetShapeFn(shape_inference::ExplicitShapes);
SHAPE_OP("Random").SetShapeFn(shape_inference::RandomShape);
SHAPE_OP("Slice").SetShapeFn(shape_inference::SliceShape);
SHAPE_OP("GatherNd").SetShapeFn(shape_inference::GatherNdShape);
SHAPE_OP("ScatterNd").SetShapeFn([](InferenceContext *c) {
    return shape_inference::ScatterNdShapeHelper(c, c->input(0), c->input(1), c->input(2));
});
SHAPE_OP("ValidateSparse").SetShapeFn([](InferenceContext *c) {
    TF_RETURN_IF_ERROR(
        shape_inference::ValidateSparseTensor(c, c->input(0), c->input(1), c->input(2)));
    return shape_inference::ScalarShape(c);
});
SHAPE_OP("ValidateVariable").Attr("dtype: type").SetShapeFn([](InferenceContext *c) {
    std::vector<shape_inference::ShapeAndType> parts;
    TF_RETURN_IF_ERROR(shape_inference::ValidateVariableResourceHandle(c, &parts));
    c->set_output(0, parts[0].shape);
    return OkStatus();
});
SHAPE_OP("Reduction").Attr("keep_dims: bool").SetShapeFn(shape_inference::ReductionShape);
SHAPE_OP("SparseReduce").Attr("keep_dims: bool").SetShapeFn(shape_inference::SparseReduceShapeFn);
SHAPE_OP("SegmentReductionWithNumSegments")
    .SetShapeFn(shape_inference::SegmentReductionWithNumSegmentsShapeFn);
SHAPE_OP("Concat").Attr("n: int").SetShapeFn([](InferenceContext *c) {
    int32 n = 0;
    TF_RETURN_IF_ERROR(c->GetAttr("n", &n));
    return shape_inference::ConcatShape(c, n);
});
SHAPE_OP("ConcatV2").SetShapeFn(shape_inference::ConcatV2Shape);
SHAPE_OP("QuantizedConcatV2").Attr("n: int").SetShapeFn([](InferenceContext *c) {
    int32 n = 0;
    TF_RETURN_IF_ERROR(c->GetAttr("n", &n));
    return shape_inference::QuantizedConcatV2Shape(c, n);
});

/* --- Products --- */
SHAPE_OP("MatMul")
    .Attr("transpose_a: bool = false")
    .Attr("transpose_b: bool = false")
    .SetShapeFn(shape_inference::MatMulShape);
SHAPE_OP("BatchMatMul")
    .Attr("adj_x: bool = false")
    .Attr("adj_y: bool = false")
    .SetShapeFn(shape_inference::BatchMatMulShape);
SHAPE_OP("BatchMatMulV2")
    .Attr("adj_x: bool = false")
    .Attr("adj_y: bool = false")
    .SetShapeFn(shape_inference::BatchMatMulV2Shape);
SHAPE_OP("Einsum").Attr("equation: string").SetShapeFn(shape_inference::EinsumShape);

/* --- Channels --- */
SHAPE_OP("BiasAdd").Attr("data_format: string = 'NHWC'").SetShapeFn(shape_inference::BiasAddShape);
SHAPE_OP("BiasAddWithoutFormat").SetShapeFn(shape_inference::BiasAddShape);
SHAPE_OP("BiasAddGrad")
    .Attr("data_format: string = 'NHWC'")
    .SetShapeFn(shape_inference::BiasAddGradShape);
#define NORM_OP(name)                                                                              \
    SHAPE_OP(name)                                                                                 \
        .Attr("data_format: string = 'NHWC'")                                                      \
        .Attr("is_training: bool = true")                                                          \
        .Attr("exponential_avg_factor: float = 1.0")
NORM_OP("FusedBatchNorm").SetShapeFn(shape_inference::FusedBatchNormShape);
NORM_OP("FusedBatchNormV3").SetShapeFn(shape_inference::FusedBatchNormV3Shape);
NORM_OP("FusedBatchNormEx")
    .Attr("num_side_inputs: int = 0")
    .SetShapeFn(shape_inference::FusedBatchNormExShape);
NORM_OP("FusedBatchNormGrad").SetShapeFn(shape_inference::FusedBatchNormGradShape);
NORM_OP("FusedBatchNormGradEx")
    .Attr("num_side_inputs: int = 0")
    .SetShapeFn(shape_inference::FusedBatchNormGradExShape);

/* --- Windows --- */
#define WINDOW_OP(name)                                                                            \
    SHAPE_OP(name)                                                                                 \
        .Attr("data_format: string = 'NHWC'")                                                      \
        .Attr("strides: list(int)")                                                                \
        .Attr("padding: string = 'VALID'")
#define CONV_OP(name) WINDOW_OP(name).Attr("dilations: list(int) = [1, 1, 1, 1]")
#define POOL_OP(name) WINDOW_OP(name).Attr("ksize: list(int)")
CONV_OP("Conv2D").SetShapeFn(shape_inference::Conv2DShape);
CONV_OP("Conv2DFilter")
    .Attr("filter_format: string = 'HWIO'")
    .SetShapeFn(shape_inference::Conv2DShape);
CONV_OP("Conv2DExplicit")
    .Attr("explicit_paddings: list(int) = []")
    .SetShapeFn(shape_inference::Conv2DShapeWithExplicitPadding);
SHAPE_OP("Conv")
    .Attr("data_format: string = 'CHANNELS_LAST'")
    .Attr("strides: list(int)")
    .Attr("padding: string = 'VALID'")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("dilations: list(int) = []")
    .Attr("batch_dims: int = 1")
    .Attr("groups: int = 1")
    .SetShapeFn(shape_inference::ConvShape);
WINDOW_OP("Conv3D")
    .Attr("dilations: list(int) = [1, 1, 1, 1, 1]")
    .SetShapeFn(shape_inference::Conv3DShape);
CONV_OP("Depthwise").SetShapeFn(shape_inference::DepthwiseConv2DNativeShape);
CONV_OP("DepthwiseExplicit")
    .Attr("explicit_paddings: list(int) = []")
    .SetShapeFn(shape_inference::DepthwiseConv2DNativeShapeWithExplicitPadding);
CONV_OP("Conv2DBackpropInput")
    .Attr("explicit_paddings: list(int) = []")
    .SetShapeFn(shape_inference::Conv2DBackpropInputShape);
SHAPE_OP("Conv2DBackpropFilterWithBias")
    .Attr("data_format: string = 'NHWC'")
    .SetShapeFn(shape_inference::Conv2DBackpropFilterWithBiasShape);
POOL_OP("AvgPool").SetShapeFn(shape_inference::AvgPoolShape);
SHAPE_OP("AvgPoolGrad").SetShapeFn(shape_inference::AvgPoolGradShape);
POOL_OP("MaxPool").SetShapeFn(shape_inference::MaxPoolShape);
POOL_OP("MaxPoolExplicit")
    .Attr("explicit_paddings: list(int) = []")
    .SetShapeFn(shape_inference::MaxPoolShapeWithExplicitPadding);
SHAPE_OP("MaxPoolV2")
    .Attr("data_format: string = 'NHWC'")
    .Attr("padding: string = 'VALID'")
    .Attr("n: int")
    .SetShapeFn([](InferenceContext *c) {
        int32 n = 0;
        TF_RETURN_IF_ERROR(c->GetAttr("n", &n));
        return shape_inference::MaxPoolV2Shape(c, n);
    });
SHAPE_OP("MaxPoolGrad").SetShapeFn(shape_inference::MaxPoolGradShape);
POOL_OP("Pool3D").SetShapeFn(shape_inference::Pool3DShape);
SHAPE_OP("MaxPool3DGrad").SetShapeFn(shape_inference::MaxPool3DGradShape);
SHAPE_OP("AvgPool3DGrad").SetShapeFn(shape_inference::AvgPool3DGradShape);
SHAPE_OP("WindowedSize")
    .Attr("window: int")
    .Attr("stride: int")
    .Attr("same: bool")
    .SetShapeFn([](InferenceContext *c) {
        int64_t window = 0, stride = 0;
        bool same = false;
        ShapeHandle x;
        DimensionHandle out;
        TF_RETURN_IF_ERROR(c->GetAttr("window", &window));
        TF_RETURN_IF_ERROR(c->GetAttr("stride", &stride));
        TF_RETURN_IF_ERROR(c->GetAttr("same", &same));
        TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &x));
        TF_RETURN_IF_ERROR(shape_inference::GetWindowedOutputSizeFromDims(
            c, c->Dim(x, 0), window, stride, same ? SAME : VALID, &out));
        c->set_output(0, c->Vector(out));
        return OkStatus();
    });
SHAPE_OP("WindowedSizeV2")
    .Attr("window: int")
    .Attr("stride: int")
    .Attr("dilation: int")
    .Attr("before: int")
    .Attr("after: int")
    .Attr("padding: string")
    .SetShapeFn([](InferenceContext *c) {
        int64_t window = 0, stride = 0, dilation = 0, before = 0, after = 0;
        string text;
        Padding padding;
        ShapeHandle x;
        DimensionHandle out;
        TF_RETURN_IF_ERROR(c->GetAttr("window", &window));
        TF_RETURN_IF_ERROR(c->GetAttr("stride", &stride));
        TF_RETURN_IF_ERROR(c->GetAttr("dilation", &dilation));
        TF_RETURN_IF_ERROR(c->GetAttr("before", &before));
        TF_RETURN_IF_ERROR(c->GetAttr("after", &after));
        TF_RETURN_IF_ERROR(c->GetAttr("padding", &text));
        TF_RETURN_IF_ERROR(GetPaddingFromString(text, &padding));
        TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &x));
        TF_RETURN_IF_ERROR(shape_inference::GetWindowedOutputSizeFromDimsV2(
            c, c->Dim(x, 0), window, dilation, stride, padding, before, after, &out));
        c->set_output(0, c->Vector(out));
        return OkStatus();
    });
SHAPE_OP("FromFormat").Attr("data_format: string").SetShapeFn([](InferenceContext *c) {
    string text;
    TensorFormat format;
    ShapeHandle x, out;
    TF_RETURN_IF_ERROR(c->GetAttr("data_format", &text));
    if (!FormatFromString(text, &format)) {
        return errors::InvalidArgument("no format: ", text);
    }
    TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &x));
    TF_RETURN_IF_ERROR(shape_inference::MakeShapeFromFormat(
        format, c->Dim(x, 0), {c->Dim(x, 1), c->Dim(x, 2)}, c->Dim(x, 3), &out, c));
    c->set_output(0, out);
    return OkStatus();
});

/* --- Quantised and others --- */
CONV_OP("QuantizedConv2D").SetShapeFn(shape_inference::QuantizedConv2DShape);
#define FUSED_OP(name)                                                                             \
    CONV_OP(name).Attr("explicit_paddings: list(int) = []").Attr("fused_ops: list(string) = []")
FUSED_OP("FusedQuantizedConv2D").SetShapeFn(shape_inference::FusedQuantizedConv2DShape);
FUSED_OP("FusedQuantizedDepthwise").SetShapeFn(shape_inference::FusedQuantizedDepthwiseConv2D);
POOL_OP("QuantizedAvgPool").SetShapeFn(shape_inference::QuantizedAvgPoolShape);
SHAPE_OP("QuantizeV2").Attr("axis: int = -1").SetShapeFn(shape_inference::QuantizeV2Shape);
SHAPE_OP("ReduceScatter").SetShapeFn(shape_inference::ReduceScatterShape);
SHAPE_OP("MatrixDiagPartV2").SetShapeFn(shape_inference::MatrixDiagPartV2Shape);
SHAPE_OP("MatrixDiagV2").SetShapeFn(shape_inference::MatrixDiagV2Shape);
SHAPE_OP("MatrixSetDiagV2").SetShapeFn(shape_inference::MatrixSetDiagV2Shape);

/* --- InferenceContext --- */
SHAPE_OP("Subshape")
    .Attr("start: int")
    .Attr("end: int")
    .Attr("stride: int")
    .SetShapeFn([](InferenceContext *c) {
        int64_t start = 0, end = 0, stride = 0;
        ShapeHandle out;
        TF_RETURN_IF_ERROR(c->GetAttr("start", &start));
        TF_RETURN_IF_ERROR(c->GetAttr("end", &end));
        TF_RETURN_IF_ERROR(c->GetAttr("stride", &stride));
        TF_RETURN_IF_ERROR(c->Subshape(c->input(0), start, end, stride, &out));
        c->set_output(0, out);
        return OkStatus();
    });
SHAPE_OP("SubshapePlain").Attr("start: int").Attr("end: int").SetShapeFn([](InferenceContext *c) {
    int64_t start = 0, end = 0;
    ShapeHandle out, tail;
    TF_RETURN_IF_ERROR(c->GetAttr("start", &start));
    TF_RETURN_IF_ERROR(c->GetAttr("end", &end));
    TF_RETURN_IF_ERROR(c->Subshape(c->input(0), start, end, &out));
    TF_RETURN_IF_ERROR(c->Subshape(c->input(0), start, &tail));
    c->set_output(0, out);
    c->set_output(1, tail);
    return OkStatus();
});
/* merged, front, replaced, joined, [elements] of inputs 0 and 1 */
SHAPE_OP("Whole").Attr("at: int").SetShapeFn([](InferenceContext *c) {
    int64_t at = 0;
    const ShapeHandle a = c->input(0), b = c->input(1);
    ShapeHandle merged, front, replaced, joined;
    TF_RETURN_IF_ERROR(c->GetAttr("at", &at));
    TF_RETURN_IF_ERROR(c->MergePrefix(a, b, &merged, &front));
    TF_RETURN_IF_ERROR(c->ReplaceDim(a, at, c->MakeDim(7), &replaced));
    TF_RETURN_IF_ERROR(c->Concatenate(a, b, &joined));
    c->set_output(0, merged);
    c->set_output(1, front);
    c->set_output(2, replaced);
    c->set_output(3, joined);
    c->set_output(4, c->Vector(c->NumElements(a)));
    return OkStatus();
});
/* which: an operation on the two dimensions of input 0, or on the first and the number */
SHAPE_OP("Dims").Attr("which: int").Attr("number: int").SetShapeFn([](InferenceContext *c) {
    int64_t number = 0;
    int32 which = 0;
    ShapeHandle x;
    DimensionHandle out;
    TF_RETURN_IF_ERROR(c->GetAttr("which", &which));
    TF_RETURN_IF_ERROR(c->GetAttr("number", &number));
    TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &x));
    const DimensionHandle a = c->Dim(x, 0), b = c->Dim(x, -1);
    switch (which) {
    case 0:
        TF_RETURN_IF_ERROR(c->Add(a, b, &out));
        break;
    case 1:
        TF_RETURN_IF_ERROR(c->Subtract(a, b, &out));
        break;
    case 2:
        TF_RETURN_IF_ERROR(c->Multiply(a, b, &out));
        break;
    case 3:
        TF_RETURN_IF_ERROR(c->Min(a, b, &out));
        break;
    case 4:
        TF_RETURN_IF_ERROR(c->Max(a, b, &out));
        break;
    case 5:
        TF_RETURN_IF_ERROR(c->Divide(a, number, false, &out));
        break;
    case 6:
        TF_RETURN_IF_ERROR(c->Divide(a, number, true, &out));
        break;
    case 7:
        TF_RETURN_IF_ERROR(c->WithValue(a, number, &out));
        break;
    case 8:
        TF_RETURN_IF_ERROR(c->Add(a, number, &out));
        break;
    case 9:
        TF_RETURN_IF_ERROR(c->Subtract(a, number, &out));
        break;
    case 10:
        TF_RETURN_IF_ERROR(c->Multiply(a, number, &out));
        break;
    case 11:
        TF_RETURN_IF_ERROR(c->Divide(a, b, true, &out));
        break;
    default:
        TF_RETURN_IF_ERROR(c->Merge(a, b, &out));
        break;
    }
    c->set_output(0, c->Vector(out));
    return OkStatus();
});
SHAPE_OP("FromTensor").SetShapeFn([](InferenceContext *c) {
    ShapeHandle out;
    TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &out));
    c->set_output(0, out);
    return OkStatus();
});
SHAPE_OP("FromTensorOrScalar").SetShapeFn([](InferenceContext *c) {
    ShapeHandle out;
    TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensorTreatScalarAsUnknownShape(0, &out));
    c->set_output(0, out);
    return OkStatus();
});
SHAPE_OP("ScalarDim").Attr("rank: int").SetShapeFn([](InferenceContext *c) {
    int32 rank = 0;
    DimensionHandle out;
    TF_RETURN_IF_ERROR(c->GetAttr("rank", &rank));
    if (rank == -2) {
        TF_RETURN_IF_ERROR(c->MakeDimForScalarInput(0, &out));
    } else {
        TF_RETURN_IF_ERROR(c->MakeDimForScalarInputWithNegativeIndexing(0, rank, &out));
    }
    c->set_output(0, c->Vector(out));
    return OkStatus();
});
SHAPE_OP("Element").Attr("at: int").SetShapeFn([](InferenceContext *c) {
    int64_t at = 0, value = 0;
    TF_RETURN_IF_ERROR(c->GetAttr("at", &at));
    if (c->input_tensor(0) == nullptr) {
        c->set_output(0, c->Vector(InferenceContext::kUnknownDim));
        return OkStatus();
    }
    if (at < -1) {
        TF_RETURN_IF_ERROR(c->GetScalarFromTensor(c->input_tensor(0), &value));
    } else {
        TF_RETURN_IF_ERROR(c->GetScalarFromTensor(c->input_tensor(0), at, &value));
    }
    c->set_output(0, c->Vector(value < 0 ? 1000 - value : value));
    return OkStatus();
});
/* What is the same as itself: 1 for yes. */
SHAPE_OP("Same").SetShapeFn([](InferenceContext *c) {
    const ShapeHandle a = c->input(0), b = c->input(1), none = c->UnknownShape();
    const DimensionHandle free = c->UnknownDim();
    const auto bit = [c](bool is_same) { return c->MakeDim(is_same ? 1 : 0); };
    DimensionHandle merged;
    std::vector<DimensionHandle> bits = {bit(a.SameHandle(c->input(0))), bit(none.SameHandle(none)),
                                         bit(none.SameHandle(c->UnknownShape())),
                                         bit(free.SameHandle(c->UnknownDim()))};
    const ShapeHandle made = c->MakeShape({free, c->UnknownDim()});
    bits.push_back(bit(c->Dim(made, 0).SameHandle(free)));
    bits.push_back(bit(c->Dim(made, 1).SameHandle(free)));
    if (InferenceContext::Rank(a) > 0 && InferenceContext::RankKnown(b) &&
        InferenceContext::Rank(b) > 0) {
        const DimensionHandle d = InferenceContext::DimKnownRank(a, -1), e = c->Dim(b, -1);
        bits.push_back(bit(d.SameHandle(c->Dim(a, InferenceContext::Rank(a) - 1))));
        if (!InferenceContext::ValueKnown(d)) {
            bits.push_back(bit(d.SameHandle(e)));
            TF_RETURN_IF_ERROR(c->Merge(d, e, &merged));
            bits.push_back(bit(merged.SameHandle(d)));
            bits.push_back(bit(merged.SameHandle(e)));
        }
    }
    c->set_output(0, c->MakeShape(bits));
    return OkStatus();
});
/* Input 0 after inputs 1 and 2 were taken into it. */
SHAPE_OP("Changed").SetShapeFn([](InferenceContext *c) {
    const bool merged = c->MergeInput(0, c->input(1));
    c->set_output(0, c->input(0));
    c->set_output(1, c->Vector(merged ? 1 : 0));
    const bool relaxed = c->RelaxInput(0, c->input(2));
    c->set_output(2, c->input(0));
    c->set_output(3, c->Vector(relaxed ? 1 : 0));
    c->set_output(4, c->output(0));
    return OkStatus();
});
/* The value of input 0 as a shape, where it is known in part. */
SHAPE_OP("AsShape").SetShapeFn([](InferenceContext *c) {
    ShapeHandle unused;
    TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &unused));
    const bool known = !c->input_tensors_as_shapes().empty() && c->input_tensor(0) == nullptr;
    c->set_output(0, known ? c->input_tensors_as_shapes()[0] : c->UnknownShape());
    c->set_output(1, c->Vector(c->graph_def_version()));
    return OkStatus();
});
SHAPE_OP("Attributes").Attr("f: func").Attr("shape: shape").SetShapeFn([](InferenceContext *c) {
    const AttrValue *value = nullptr;
    ShapeHandle out;
    TF_RETURN_IF_ERROR(c->GetAttr("f", &value));
    c->set_output(0, c->Vector(static_cast<int64_t>(value->func().name().size())));
    TF_RETURN_IF_ERROR(c->MakeShapeFromShapeProto(c->GetAttr("shape")->shape(), &out));
    c->set_output(1, out);
    return OkStatus();
});

} // namespace tensorflow
