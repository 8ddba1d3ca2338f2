/* SPDX-License-Identifier: Apache-2.0 */
/* What bindings read of tables of text. Data alone: the shared library has it in a file of its own
 * (binding_texts.h). The words of a formula: binding_gradient.h.
 * Source   TensorFlow 2.16.1, cc/gradients; tests/binding/gradients.npz has its results.
 */
#define ORIBI_BINDING_TEXTS_HERE
#include "binding/binding_texts.h"

#include <stddef.h>

/* clang-format off */
/* With dimensions of size 1 where the operation reduces; WIDE: repeated along them. */
#define KEPT(x) "Reshape(" x ", Shape(Sum{keep_dims=1}($0, $1)))"
#define WIDE(x) "BroadcastTo(" KEPT(x) ", Shape($0))"
#define MOST                                                                                       \
    "e = cast(Equal(" KEPT("y") ", $0), d); "                                                      \
                                "Mul(RealDiv(e, Sum{keep_dims=1}(e, $1)), " KEPT("d") "), -"
#define CHOSEN "z = ZerosLike(d); fit(SelectV2(m, d, z), $0), fit(SelectV2(m, z, d), $1)"
#define RATIO  "fit(RealDiv(d, $1), $0), fit(Mul(d, RealDiv(RealDiv(Neg($0), $1), $1)), $1)"
#define BATCHES(x, y) "\tfit(BatchMatMulV2" x ", $0), fit(BatchMatMulV2" y ", $1)"
#define BATCH_MATMUL(op) \
    op "?adj_x?adj_y" BATCHES("{adj_x=1, adj_y=1}($1, d)", "{adj_x=1, adj_y=1}(d, $0)"), \
    op "?adj_x" BATCHES("{adj_y=1}($1, d)", "($0, d)"), \
    op "?adj_y" BATCHES("(d, $1)", "{adj_x=1}(d, $0)"), \
    op BATCHES("{adj_y=1}(d, $1)", "{adj_x=1}($0, d)"),
/* h: how far each number is from the mean, in deviations r; k: the shape of a mean. Of a batch's own
 * mean the other numbers of the batch are part. */
#define NORM_ENDS(axes) "Sum(Mul(d, h), " axes "), Sum(d, " axes ")"
#define TRAINED_NORM(axes) \
    "\tm = Mean{keep_dims=1}($0, " axes "); c = Sub($0, m); " \
    "r = Rsqrt(AddV2(Mean{keep_dims=1}(Square(c), " axes "), @epsilon)); h = Mul(c, r); " \
    "Mul(Mul(Reshape($1, Shape(m)), r), Sub(Sub(d, Mean{keep_dims=1}(d, " axes ")), " \
    "Mul(h, Mean{keep_dims=1}(Mul(d, h), " axes ")))), " NORM_ENDS(axes)
#define FROZEN_NORM(axes) \
    "\tk = Shape(Sum{keep_dims=1}($0, " axes ")); r = Rsqrt(AddV2(Reshape($4, k), @epsilon)); " \
    "h = Mul(Sub($0, Reshape($3, k)), r); Mul(Mul(Reshape($1, k), r), d), " NORM_ENDS(axes)
#define BATCH_NORM(op) \
    op "?is_training?data_format" TRAINED_NORM("[0, 2, 3]"), \
    op "?is_training" TRAINED_NORM("[0, 1, 2]"), \
    op "?data_format" FROZEN_NORM("[0, 2, 3]"), \
    op FROZEN_NORM("[0, 1, 2]"),
/* A filter of all channels, nought but where an output is of its own input channel (e): as much to
 * compute as for a convolution of so many channels. c: how many there are, k: its rows and columns */
#define DEPTHWISE \
    "\tf = Shape($1); k = Slice(f, [0], [2]); c = GatherV2(f, 2, 0); m = GatherV2(f, 3, 0); " \
    "e = ExpandDims(cast(Equal(ExpandDims(Range(0, c, 1), 1), Range(0, c, 1)), d), 2); " \
    "w = Reshape(Mul(ExpandDims($1, 3), e), ConcatV2(k, Pack{N=2}(c, Mul(c, m)), 0)); " \
    "Conv2DBackpropInput{*}(Shape($0), w, d), " \
    "Sum(Mul(Reshape(Conv2DBackpropFilter{*}($0, Shape(w), d), " \
    "ConcatV2(k, Pack{N=3}(c, c, m), 0)), e), [3])"
/* Both axes are resized alone, by a matrix that is what becomes of the unit's: a, b, which are
 * i by h and j by w. `by`: what follows the size of a picture of one column, along each axis. */
#define RESIZED(op, along_y, along_x) \
    "s = Shape($0); o = Shape(d); h = GatherV2(s, 1, 0); w = GatherV2(s, 2, 0); " \
    "i = GatherV2(o, 1, 0); j = GatherV2(o, 2, 0); c = GatherV2(s, 3, 0); " \
    "e = cast(Equal(ExpandDims(Range(0, h, 1), 1), Range(0, h, 1)), d); " \
    "f = cast(Equal(ExpandDims(Range(0, w, 1), 1), Range(0, w, 1)), d); " \
    "a = Reshape(" op "(Reshape(e, Pack{N=4}(1, h, 1, h)), Pack{N=2}(i, 1)" along_y "), Pack{N=2}(i, h)); " \
    "b = Reshape(" op "(Reshape(f, Pack{N=4}(1, w, 1, w)), Pack{N=2}(j, 1)" along_x "), Pack{N=2}(j, w)); " \
    "t = BatchMatMulV2{adj_x=1}(a, Reshape(d, Pack{N=3}(-1, i, Mul(j, c)))); " \
    "cast(Reshape(BatchMatMulV2{adj_x=1}(b, Reshape(t, Pack{N=3}(-1, j, c))), s), $0)"
#define SAMPLED(op) RESIZED(op "{align_corners=#, half_pixel_centers=#}", "", "")
/* m: which elements are in a segment; i: in which. */
#define SEGMENTS \
    "z = ZerosLike($1); i = Maximum($1, z); m = Reshape(GreaterEqual($1, z), " \
    "ConcatV2(Shape($1), Fill(Reshape(Sub(Rank($0), Rank($1)), [1]), 1), 0)); "
#define MOST_OF_SEGMENT \
    SEGMENTS "e = LogicalAnd(m, Equal($0, GatherV2(y, i, 0))); " \
    "n = UnsortedSegmentSum(cast(e, d), $1, $2); SelectV2(e, GatherV2(RealDiv(d, n), i, 0), ZerosLike($0))"
#define FLAT(op) op "\t-",
/* Back to the numbers that r has the places of. */
#define PLACED(r) "Reshape(UnsortedSegmentSum(Reshape(d, [-1]), Reshape(" r ", [-1]), Size($0)), Shape($0))"
#define PLACES "Reshape(Range(0, Size($0), 1), Shape($0))"

/* Of each op the formula behind a tab, of the first row whose attributes, each behind a ?, are true or NCHW. */
static const char *const formulas[] = {
    "Abs\tMul(d, Sign($0))",
    "Acos\tNeg(RealDiv(d, Sqrt(Sub(1.0, Square($0)))))",
    "Acosh\tRealDiv(d, Sinh(y))",
    "Add\tfit(d, $0), fit(d, $1)",
    "AddV2\tfit(d, $0), fit(d, $1)",
    "Angle\tr = Real($0); i = Imag($0); n = AddV2(Square(r), Square(i)); Complex(Neg(Mul(d, RealDiv(i, n))), Mul(d, RealDiv(r, n)))",
    "Asin\tRealDiv(d, Sqrt(Sub(1.0, Square($0))))",
    "Asinh\tRealDiv(d, Cosh(y))",
    "Atan\tRealDiv(d, Add(1.0, Square($0)))",
    "Atan2\tq = RealDiv(d, Add(Square($0), Square($1))); fit(Mul($1, q), $0), fit(Neg(Mul($0, q)), $1)",
    "Atanh\tRealDiv(d, Sub(1.0, Square($0)))",
    "AvgPool\tAvgPoolGrad{*}(Shape($0), d)",
    BATCH_MATMUL("BatchMatMul")
    BATCH_MATMUL("BatchMatMulV2")
    BATCH_MATMUL("BatchMatMulV3")
    "BatchToSpace\tSpaceToBatchND(d, Pack{N=2}(@block_size, @block_size), $1)",
    "BatchToSpaceND\tSpaceToBatchND(d, $1, $2)",
    "BiasAdd?data_format\td, Sum(d, ConcatV2([0], Range(2, Rank(d), 1), 0))",
    "BiasAdd\td, Sum(d, Range(0, Sub(Rank(d), 1), 1))",
    "BroadcastTo\tfit(d, $0), -",
    "Cast\tcast(d, $0)",
    "CheckNumerics\td",
    "ClipByValue\tl = Less($0, $1); h = Greater($0, $2); z = ZerosLike(d); "
        "SelectV2(LogicalOr(l, h), z, d), fit(SelectV2(l, d, z), $1), fit(SelectV2(h, d, z), $2)",
    "Complex\tReal{Tout=1}(d), Imag{Tout=1}(d)",
    "Conj\tConj(d)",
    "Conv2D\tConv2DBackpropInput{*}(Shape($0), $1, d), Conv2DBackpropFilter{*}($0, Shape($1), d)",
    "Conv2DBackpropInput\t-, Conv2DBackpropFilter{*}(d, Shape($1), $2), Conv2D{*}(d, $1)",
    "Cos\tNeg(Mul(d, Sin($0)))",
    "Cosh\tMul(d, Sinh($0))",
    "Cumsum\tCumsum{exclusive=#, reverse=!}(d, $1), -",
    "DepthToSpace\tSpaceToDepth{block_size=#, data_format=#}(d)",
    "DepthwiseConv2dNative" DEPTHWISE,
    "Diag\tDiagPart(d)",
    "DiagPart\tDiag(d)",
    "Div\t" RATIO,
    "DivNoNan\tfit(DivNoNan(d, $1), $0), fit(Mul(d, DivNoNan(DivNoNan(Neg($0), $1), $1)), $1)",
    "Elu\tSelectV2(Less(y, 0.0), Mul(d, Add(y, 1.0)), d)",
    "Erf\tMul(Mul(d, 1.1283791670955126), Exp(Neg(Square($0))))",
    "Erfinv\tMul(d, Mul(0.886226925452758, Exp(Square(y))))",
    "Exp\tMul(d, y)",
    "ExpandDims\tReshape(d, Shape($0)), -",
    "Expm1\tMul(d, Exp($0))",
    "Fill\t-, Sum(d, Range(0, Rank(d), 1))",
    BATCH_NORM("FusedBatchNorm")
    BATCH_NORM("FusedBatchNormV2")
    BATCH_NORM("FusedBatchNormV3")
    "GatherNd\tScatterNd($1, d, cast(Shape($0), $1))",
    "GatherV2\ts = Shape($0); r = Rank($0); a = Reshape(FloorMod(cast($2, r), r), [1]); b = Reshape(@batch_dims, [1]); "
        "m = Prod(Slice(s, [0], b), 0); l = Prod(Slice(s, b, Sub(a, b)), 0); t = Prod(Slice(s, AddV2(a, 1), [-1]), 0); "
        "n = GatherV2(s, Reshape(a, []), 0); k = FloorDiv(Size($1), Maximum(m, 1)); "
        "i = AddV2(cast(Reshape($1, Pack{N=2}(m, k)), r), Mul(ExpandDims(Range(0, m, 1), 1), n)); "
        "e = Reshape(Transpose(Reshape(d, Pack{N=4}(m, l, k, t)), [0, 2, 1, 3]), Pack{N=2}(Mul(m, k), Mul(l, t))); "
        "u = UnsortedSegmentSum(e, Reshape(i, [-1]), Mul(m, n)); "
        "Reshape(Transpose(Reshape(u, Pack{N=4}(m, n, l, t)), [0, 2, 1, 3]), s)",
    "Identity\td",
    "Imag\tComplex(ZerosLike(d), d)",
    "Inv\tNeg(Mul(d, Square(y)))",
    "L2Loss\tMul($0, d)",
    "LeakyRelu\tSelectV2(Greater($0, 0.0), d, Mul(d, Neg(LeakyRelu{alpha=#}(-1.0))))",
    "LeakyReluGrad\tLeakyReluGrad{alpha=#}(d, $1)",
    "Lgamma\tMul(d, Digamma($0))",
    "Log\tRealDiv(d, $0)",
    "Log1p\tRealDiv(d, Add(1.0, $0))",
    "LogSoftmax\tSub(d, Mul(Exp(y), Sum{keep_dims=1}(d, [-1])))",
    "LRN\tc = GatherV2(Shape($0), 3, 0); m = MatrixBandPart(Fill(Pack{N=2}(c, c), 1.0), @depth_radius, @depth_radius); "
        "k = Pack{N=2}(-1, c); x = Reshape($0, k); e = Reshape(d, k); n = AddV2(@bias, Mul(@alpha, MatMul(Square(x), m))); "
        "p = Pow(n, Neg(@beta)); r = MatMul(RealDiv(Mul(Mul(e, x), p), n), m); "
        "Reshape(Sub(Mul(e, p), Mul(Mul(x, r), Mul(Mul(@alpha, @beta), 2.0))), Shape($0))",
    "MatMul?transpose_a?transpose_b\tMatMul{transpose_a=1, transpose_b=1}($1, d), MatMul{transpose_a=1, transpose_b=1}(d, $0)",
    "MatMul?transpose_a\tMatMul{transpose_b=1}($1, d), MatMul($0, d)",
    "MatMul?transpose_b\tMatMul(d, $1), MatMul{transpose_a=1}(d, $0)",
    "MatMul\tMatMul{transpose_b=1}(d, $1), MatMul{transpose_a=1}($0, d)",
    "MatrixBandPart\tMatrixBandPart(d, $1, $2)",
    "MatrixDiag\tMatrixDiagPart(d)",
    "Max\t" MOST,
    "Maximum\tm = GreaterEqual($0, $1); " CHOSEN,
    "MaxPool\tMaxPoolGrad{*}($0, y, d)",
    "Mean\tRealDiv(" WIDE("d") ", cast(FloorDiv(Size($0), Maximum(Size(y), 1)), d)), -",
    "Min\t" MOST,
    "Minimum\tm = LessEqual($0, $1); " CHOSEN,
    "MirrorPad\t" PLACED("MirrorPad{mode=#}(" PLACES ", $1)"),
    "Mul\tfit(Mul(d, $1), $0), fit(Mul($0, d), $1)",
    "Ndtri\tMul(d, Mul(2.506628274631, Exp(Mul(Square(y), 0.5))))",
    "Neg\tNeg(d)",
    "Pad\tSlice(d, Reshape(Slice($1, [0, 0], Pack{N=2}(Rank($0), 1)), [-1]), cast(Shape($0), $1)), -",
    "PadV2\tSlice(d, Reshape(Slice($1, [0, 0], Pack{N=2}(Rank($0), 1)), [-1]), cast(Shape($0), $1))",
    "Pow\tp = Greater($0, 0.0); l = SelectV2(p, Log(SelectV2(p, $0, OnesLike($0))), ZerosLike($0)); "
        "fit(Mul(d, Mul($1, Pow($0, Sub($1, 1.0)))), $0), fit(Mul(d, Mul(y, l)), $1)",
    "Prod\tr = Rank($0); a = FloorMod(cast(Reshape($1, [-1]), r), r); "
        "p = TopKV2.1(Cast{DstT=3}(Any(Equal(ExpandDims(Range(0, r, 1), 1), a), [1])), r); t = Transpose($0, p); "
        "f = Reshape(t, Pack{N=2}(Prod(GatherV2(Shape($0), a, 0), 0), -1)); "
        "q = Mul(Cumprod{exclusive=1}(f, 0), Cumprod{exclusive=1, reverse=1}(f, 0)); "
        "Mul(" WIDE("d") ", Transpose(Reshape(q, Shape(t)), TopKV2.1(Neg(p), r)))",
    "QuantizeAndDequantize\td",
    "QuantizeAndDequantizeV2\td",
    "QuantizeAndDequantizeV3\td",
    "ReadVariableOp\td",
    "Real\tComplex(d, ZerosLike(d))",
    "RealDiv\t" RATIO,
    "Reciprocal\tNeg(Mul(d, Square(y)))",
    "Relu\tSelectV2(Greater(y, 0.0), d, ZerosLike(d))",
    "Relu6\tSelectV2(LogicalAnd(Greater(y, 0.0), Less(y, 6.0)), d, ZerosLike(d))",
    "Reshape\tReshape(d, Shape($0)), -",
    "ResizeBicubic\t" SAMPLED("ResizeBicubic"),
    "ResizeBilinear\t" SAMPLED("ResizeBilinear"),
    "ResizeNearestNeighbor\t" SAMPLED("ResizeNearestNeighbor"),
    "ReverseSequence\tReverseSequence{seq_dim=#, batch_dim=#}(d, $1)",
    "ReverseV2\tReverseV2(d, $1), -",
    "Roll\tRoll(d, Neg($1), $2)",
    "Rsqrt\tMul(Mul(d, -0.5), Mul(y, Square(y)))",
    "ScaleAndTranslate\tg = Slice($2, [0], [1]); p = OnesLike(g); " RESIZED("ScaleAndTranslate{kernel_type=#, antialias=#}",
        ", ConcatV2(g, p, 0), ConcatV2(Slice($3, [0], [1]), ZerosLike(p), 0)",
        ", ConcatV2(Slice($2, [1], [1]), p, 0), ConcatV2(Slice($3, [1], [1]), ZerosLike(p), 0)"),
    "ScatterNd\t-, GatherNd(d, $0)",
    "ScatterNdNonAliasingAdd\td, -, GatherNd(d, $1)",
    "SegmentSum\tGatherV2(d, $1, 0)",
    "Select\tz = ZerosLike(d); -, Select($0, d, z), Select($0, z, d)",
    "SelectV2\tz = ZerosLike(d); -, fit(SelectV2($0, d, z), $1), fit(SelectV2($0, z, d), $2)",
    "Selu\tSelectV2(Less(y, 0.0), Mul(d, Add(y, 1.7580993408473768)), Mul(d, 1.0507009873554805))",
    "Sigmoid\tMul(d, Mul(y, Sub(1.0, y)))",
    "Sign\tZerosLike(d)",
    "Sin\tMul(d, Cos($0))",
    "Sinh\tMul(d, Cosh($0))",
    "Slice\tb = cast($1, Rank($0)); "
        "Pad(d, Pack{N=2, axis=1}(b, Sub(Sub(Shape($0), b), Shape(y)))), -, -",
    "Softmax\tMul(Sub(d, Sum{keep_dims=1}(Mul(d, y), [-1])), y)",
    "SoftmaxCrossEntropyWithLogits\te = ExpandDims(d, -1); Mul(e, y.1), Neg(Mul(e, LogSoftmax($0)))",
    "Softplus\tMul(d, Sigmoid($0))",
    "Softsign\tRealDiv(d, Square(Add(1.0, Abs($0))))",
    "SpaceToBatch\tBatchToSpaceND(d, Pack{N=2}(@block_size, @block_size), $1)",
    "SpaceToBatchND\tBatchToSpaceND(d, $1, $2)",
    "SpaceToDepth\tDepthToSpace{block_size=#, data_format=#}(d)",
    "SparseSoftmaxCrossEntropyWithLogits\tMul(ExpandDims(d, -1), y.1), -",
    "Sqrt\tRealDiv(Mul(d, 0.5), y)",
    "Square\tMul(d, Mul($0, 2.0))",
    "SquaredDifference\tt = Mul(d, Mul(Sub($0, $1), 2.0)); fit(t, $0), fit(Neg(t), $1)",
    "Squeeze\tReshape(d, Shape($0))",
    "StridedSlice\t" PLACED("StridedSlice{begin_mask=#, end_mask=#, ellipsis_mask=#, new_axis_mask=#, shrink_axis_mask=#}("
        PLACES ", $1, $2, $3)"),
    "Sub\tfit(d, $0), fit(Neg(d), $1)",
    "Sum\t" WIDE("d") ", -",
    "Tan\tRealDiv(d, Square(Cos($0)))",
    "Tanh\tMul(d, Sub(1.0, Square(y)))",
    "Tile\ts = Shape($0); r = Rank($0); Reshape(Sum(Reshape(d, "
        "Reshape(Pack{N=2, axis=1}(cast($1, r), s), [-1])), Range(0, Mul(r, 2), 2)), s), -",
    "Transpose\tTranspose(d, TopKV2.1(Neg($1), Size($1))), -",
    "UnsortedSegmentMax\t" MOST_OF_SEGMENT,
    "UnsortedSegmentMin\t" MOST_OF_SEGMENT,
    "UnsortedSegmentSum\t" SEGMENTS "SelectV2(m, GatherV2(d, i, 0), ZerosLike($0))",
    /* Those whose results do not move with their inputs, as TensorFlow has it. */
    FLAT("ApproximateEqual") FLAT("ArgMax") FLAT("ArgMin") FLAT("BroadcastGradientArgs") FLAT("Ceil") FLAT("ConcatOffset")
    FLAT("Const") FLAT("EditDistance") FLAT("Equal") FLAT("Floor") FLAT("Greater") FLAT("GreaterEqual")
    FLAT("InvertPermutation") FLAT("Less") FLAT("LessEqual") FLAT("LogicalAnd") FLAT("LogicalNot") FLAT("LogicalOr")
    FLAT("NonMaxSuppression") FLAT("NonMaxSuppressionV2") FLAT("NonMaxSuppressionV3") FLAT("NonMaxSuppressionV4") FLAT("NonMaxSuppressionV5") FLAT("NotEqual")
    FLAT("OneHot") FLAT("OnesLike") FLAT("Rank") FLAT("Rint") FLAT("Round") FLAT("Shape")
    FLAT("ShapeN") FLAT("Size") FLAT("StopGradient") FLAT("ZerosLike")
    NULL,
};

/* Outputs of ops that the importer makes of others, and of ones that graphs have beside what is run: the words of
 * binding_unknown.c behind a tab. */
static const char *const made[] = {
    "AdjustContrastv2\t=T @1=1",
    "AdjustHue\t=T @1=1",
    "AdjustSaturation\t=T @1=1",
    "Angle\t=Tout/1",
    "ApproximateEqual\t10:z",
    "AudioSpectrogram\t1:spectrogram @0=1",
    "BatchMatMul\tT",
    "BatchMatMulV3\tTout/0",
    "BatchMatrixBandPart\tT:band @1=9 @2=9",
    "BatchMatrixDeterminant\tT",
    "BatchMatrixDiag\tT",
    "BatchMatrixDiagPart\tT:diagonal",
    "BatchMatrixSetDiag\tT",
    "BatchNormWithGlobalNormalization\tT:result",
    "BatchToSpace\tT",
    "BesselI0\t=T:y",
    "BesselI0e\t=T:y",
    "BesselI1\t=T:y",
    "BesselI1e\t=T:y",
    "BiasAddV1\t=T",
    "BlockLSTM\tT/0:i T/0:cs T/0:f T/0:o T/0:ci T/0:co T/0:h @0=9",
    "BlockLSTMV2\tT/0:i T/0:cs T/0:f T/0:o T/0:ci T/0:co T/0:h @0=9",
    "BroadcastArgs\tT:r0",
    "BroadcastGradientArgs\tT:r0 T:r1",
    "Bucketize\t=3",
    "CombinedNonMaxSuppression\t1:nmsed_boxes 1:nmsed_scores 1:nmsed_classes 3:valid_detections @0=1 @1=1 @2=3 @3=3 @4=1 @5=1",
    "Complex\tTout/8:out",
    "ConcatOffset\t%N,shape_type:offset",
    "Conj\t=T",
    "Conv3DBackpropInputV2\tT/0",
    "CropAndResize\t1:crops @1=1 @2=3 @3=3",
    "Cross\tT:product",
    "CTCGreedyDecoder\t9:decoded_indices 9:decoded_values 9:decoded_shape T:log_probability @1=3",
    "DebugGradientIdentity\tT",
    "Diag\tT",
    "DiagPart\tT:diagonal",
    "Digamma\t=T:y",
    "Dilation2D\tT",
    "DynamicPartition\t%num_partitions,T:outputs",
    "DynamicStitch\tT/0:merged",
    "EluGrad\t=T:backprops",
    "EmptyTensorList\t21:handle @1=3",
    "Erfinv\t=T:y",
    "ExtractImagePatches\tT:patches",
    "ExtractVolumePatches\tT:patches",
    "FakeQuantWithMinMaxArgs\t=1:outputs @0=1",
    "FakeQuantWithMinMaxVars\t=1:outputs @0=1 @1=1 @2=1",
    "FakeQuantWithMinMaxVarsPerChannel\t=1:outputs @0=1 @1=1 @2=1",
    "FFT\t=Tcomplex",
    "FFT2D\t=Tcomplex",
    "FFT3D\t=Tcomplex",
    "FusedBatchNormGrad\tT:x_backprop T:scale_backprop T:offset_backprop T:reserve_space_3 T:reserve_space_4",
    "FusedBatchNormGradV2\tT:x_backprop U/1:scale_backprop U/1:offset_backprop U/1:reserve_space_3 U/1:reserve_space_4 @2=1",
    "FusedBatchNormGradV3\tT:x_backprop U/1:scale_backprop U/1:offset_backprop U/1:reserve_space_4 U/1:reserve_space_5 @2=1",
    "FusedBatchNormV2\tT:y U/0:batch_mean U/0:batch_variance U/0:reserve_space_1 U/0:reserve_space_2",
    "GRUBlockCell\tT:r T:u T:c T:h",
    "HistogramFixedWidth\tdtype/3:out @2=3",
    "HistogramSummary\t!7:summary @0=7",
    "HSVToRGB\t=T",
    "IFFT\t=Tcomplex",
    "IFFT2D\t=Tcomplex",
    "IFFT3D\t=Tcomplex",
    "InplaceAdd\t=T:y @1=3",
    "InplaceSub\t=T:y @1=3",
    "InplaceUpdate\t=T:y @1=3",
    "InTopK\t10:precision @0=1",
    "InTopKV2\t10:precision @0=1",
    "Inv\t=T:y",
    "InvertPermutation\t=T:y",
    "InvGrad\t=T:z",
    "IRFFT\tTreal/1 @1=3",
    "IRFFT2D\tTreal/1 @1=3",
    "LeakyReluGrad\t=T:backprops",
    "LinSpace\tT",
    "ListDiff\tT:out out_idx/3:idx",
    "LogMatrixDeterminant\tT:sign T:log_abs_determinant",
    "LowerBound\tout_type/3",
    "LSTMBlockCell\tT:i T:cs T:f T:o T:ci T:co T:h",
    "MatrixDiag\tT",
    "MatrixDiagPart\tT:diagonal",
    "MatrixDiagPartV2\tT:diagonal @1=3",
    "MatrixDiagPartV3\tT:diagonal @1=3",
    "MatrixDiagV2\tT @1=3 @2=3 @3=3",
    "MatrixDiagV3\tT @1=3 @2=3 @3=3",
    "MatrixSetDiag\t=T",
    "MatrixSetDiagV2\t=T @2=3",
    "MatrixSetDiagV3\t=T @2=3",
    "MaxPoolV2\tT @1=3 @2=3",
    "MaxPoolWithArgmax\tT Targmax/9:argmax",
    "MergeSummary\t!7:summary",
    "Mfcc\t1 @0=1 @1=3",
    "Multinomial\toutput_dtype/9 @1=3",
    "Ndtri\t=T:y",
    "NonMaxSuppression\t3:selected_indices @0=1 @1=1 @2=3",
    "NonMaxSuppressionV2\t3:selected_indices @2=3",
    "NonMaxSuppressionV3\t3:selected_indices @2=3",
    "NonMaxSuppressionV4\t3:selected_indices 3:valid_outputs @2=3",
    "NonMaxSuppressionV5\t3:selected_indices T:selected_scores 3:valid_outputs @2=3",
    "NthElement\tT:values @1=3",
    "ParallelDynamicStitch\tT/0:merged",
    "PlaceholderV2\tdtype/0",
    "Print\tT",
    "PrintV2\t",
    "QuantizeAndDequantizeV2\t=T",
    "QuantizeAndDequantizeV3\t=T @3=3",
    "QuantizeAndDequantizeV4\t=T",
    "RaggedBincount\tT/0 @0=9",
    "RaggedRange\tTsplits/9:rt_nested_splits T:rt_dense_values",
    "RandomStandardNormal\tdtype/0",
    "RandomUniform\tdtype/0",
    "RandomUniformInt\tTout/0",
    "ReciprocalGrad\t=T:z",
    "Relu6Grad\t=T:backprops",
    "ReluGrad\t=T:backprops",
    "ResizeArea\t1:resized_images @1=3",
    "ResizeBicubic\t1:resized_images @1=3",
    "ResizeBilinearGrad\tT/0 @0=1",
    "Reverse\t=T @1=10",
    "RGBToHSV\t=T",
    "Roll\t=T",
    "RsqrtGrad\t=T:z",
    "ScalarSummary\t!7:summary @0=7",
    "ScaleAndTranslate\t1:resized_images @1=3 @2=1 @3=1",
    "ScatterNdNonAliasingAdd\t=T",
    "SegmentMax\tT",
    "SegmentMean\tT",
    "SegmentMin\tT",
    "SegmentProd\tT",
    "SeluGrad\t=T:backprops",
    "SigmoidGrad\t=T:z",
    "SoftplusGrad\t=T:backprops",
    "SoftsignGrad\t=T:backprops",
    "SpaceToBatch\tT",
    "SparseConcat\t9:output_indices T/0:output_values 9:output_shape",
    "SparseDenseCwiseAdd\tT/0 @0=9 @2=9",
    "SparseDenseCwiseDiv\tT/0 @0=9 @2=9",
    "SparseDenseCwiseMul\tT/0 @0=9 @2=9",
    "SparseFillEmptyRows\t9:output_indices T/0:output_values 10:empty_row_indicator 9:reverse_index_map @0=9 @2=9",
    "SparseReduceSum\tT/0 @0=9 @2=9 @3=3",
    "SparseReorder\t9:output_indices T/0:output_values @0=9 @2=9",
    "SparseReshape\t9:output_indices 9:output_shape @0=9 @1=9 @2=9",
    "SparseSegmentMean\tT",
    "SparseSegmentMeanWithNumSegments\tT",
    "SparseSegmentSqrtN\tT",
    "SparseSegmentSqrtNWithNumSegments\tT",
    "SparseSegmentSum\tT",
    "SparseSegmentSumWithNumSegments\tT",
    "SparseSlice\t9:output_indices T/0:output_values 9:output_shape @0=9 @2=9 @3=9 @4=9",
    "SparseTensorDenseAdd\tT/0",
    "SparseTensorDenseMatMul\tT/0:product @2=9",
    "SqrtGrad\t=T:z",
    "StridedSliceGrad\tT/0",
    "TanhGrad\t=T:z",
    "TensorListConcat\telement_dtype/0:tensor 9:lengths @0=21",
    "TensorListConcatLists\t21 @0=21 @1=21",
    "TensorListConcatV2\telement_dtype/0:tensor 9:lengths @0=21 @2=9",
    "TensorListElementShape\tshape_type/0:element_shape @0=21",
    "TensorListGather\telement_dtype/0:values @0=21 @1=3 @2=3",
    "TensorListPopBack\t21:output_handle element_dtype/0:tensor @0=21 @1=3",
    "TensorListPushBack\t21:output_handle @0=21",
    "TensorListResize\t21:output_handle @0=21 @1=3",
    "TensorListScatter\t21:output_handle @1=3",
    "TensorListScatterIntoExistingList\t21:output_handle @0=21 @2=3",
    "TensorListScatterV2\t21:output_handle @1=3 @3=3",
    "TensorListSplit\t21:output_handle @2=9",
    "TensorScatterAdd\t=T",
    "TensorScatterMax\t=T",
    "TensorScatterMin\t=T",
    "TensorScatterSub\t=T",
    "TensorStridedSliceUpdate\t=T",
    "TensorSummary\t!7:summary",
    "TensorSummaryV2\t!7:summary @0=7 @2=7",
    "TopK\tT:values 3:indices",
    "TruncatedNormal\tdtype/0",
    "Unique\tT:y out_idx/3:idx",
    "UniqueV2\tT:y out_idx/3:idx",
    "UniqueWithCounts\tT:y out_idx/3:idx out_idx/3:count",
    "UniqueWithCountsV2\tT:y out_idx/3:idx out_idx/3:count",
    "UnravelIndex\tTidx",
    "UpperBound\tout_type/3",
    "Xdivy\tT:z",
    "Xlog1py\tT:z",
    "Xlogy\tT:z",
    NULL,
};
/* clang-format on */

const oribi_binding_texts oribi_binding_text_table = {formulas, made};
