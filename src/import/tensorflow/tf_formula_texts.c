/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that a formula makes of others: tf_formula.c. Data alone, which the shared library leaves to
 * oribi_kernel_texts.so.
 */
#define ORIBI_TF_FORMULAS_HERE
#include "import/tensorflow/tf_emit.h"

/* How far elements of a tensor of this shape are apart. */
#define STEPS(shape) "Cumprod{exclusive=1, reverse=1}(" shape ", 0)"

#define COLOUR(i)  "GatherV2($0, " i ", -1)"
#define PART_OF(i) "GatherV2(a, " i ", -1)"
#define SHARE(x)   "ClipByValue(" x ", 0.0, 1.0)"
#define FROM(at)   "Abs(Sub(h, " at "))"

/* t: the prediction of the target; c: how many are higher. */
#define AMONG_HIGHEST(k)                                                                           \
    "t = GatherV2{batch_dims=1}($0, ExpandDims($1, 1), 1); "                                       \
    "c = Sum(Cast{DstT=3}(Greater($0, t)), 1); LogicalAnd(All(IsFinite($0), 1), Less(c, " k "))"

/* How many segments there are, where the last number says it; how many rows each has, which
 * broadcasts against its reduction. */
#define N_OF(i) "AddV2(Maximum(Cast{DstT=3}(Max(" i ", 0)), -1), 1)"
#define N       N_OF("$1")
#define ROWS(n)                                                                                    \
    "Reshape(UnsortedSegmentSum(Fill(Shape($1), like(1)), $1, " n "), "                            \
    "ConcatV2([-1], Fill(Reshape(Sub(Rank($0), 1), [1]), 1), 0))"
#define SOME "GatherV2($0, $1, 0), $2"

/* The places of what a strided slice takes of a tensor of this shape. */
#define SLICED(shape, n)                                                                           \
    "p = StridedSlice{begin_mask=#begin_mask:0, end_mask=#end_mask:0, "                            \
    "ellipsis_mask=#ellipsis_mask:0, new_axis_mask=#new_axis_mask:0, "                             \
    "shrink_axis_mask=#shrink_axis_mask:0}(Reshape(Range(0, " n ", 1), " shape "), $1, $2, $3); "  \
    "q = ExpandDims(Reshape(p, [-1]), 1); "
/* $0, back through the matrices that pictures of the size of $1 are resized by (a, b). */
#define RESIZED_BACK(op)                                                                           \
    "s = Shape($1); o = Shape($0); h = GatherV2(s, 1, 0); w = GatherV2(s, 2, 0); "                 \
    "i = GatherV2(o, 1, 0); j = GatherV2(o, 2, 0); c = GatherV2(o, 3, 0); "                        \
    "e = Cast{DstT=1}(Equal(ExpandDims(Range(0, h, 1), 1), Range(0, h, 1))); "                     \
    "f = Cast{DstT=1}(Equal(ExpandDims(Range(0, w, 1), 1), Range(0, w, 1))); "                     \
    "a = Reshape(" op "(Reshape(e, Pack(1, h, 1, h)), Pack(i, 1)), Pack(i, h)); "                  \
    "b = Reshape(" op "(Reshape(f, Pack(1, w, 1, w)), Pack(j, 1)), Pack(j, w)); "                  \
    "t = BatchMatMulV2{adj_x=1}(a, Reshape($0, Pack(-1, i, Mul(j, c)))); "                         \
    "Reshape(BatchMatMulV2{adj_x=1}(b, Reshape(t, Pack(-1, j, c))), "                              \
    "Pack(GatherV2(o, 0, 0), h, w, c))"
#define AS_THE_NODE "{align_corners=#align_corners:0, half_pixel_centers=#half_pixel_centers:0}"

const oribi_tf_formula_row oribi_tf_formula_rows[] = {
    {"AdjustContrastv2", NULL,
     "a = Mean{keep_dims=1}($0, [-3, -2]); AddV2(Mul(Sub($0, a), $1), a)"},
    {"AdjustHue", NULL,
     "a = RGBToHSV($0); h = FloorMod(AddV2(" PART_OF("0") ", $1), 1.0); "
                                                          "HSVToRGB(Pack{axis=-1}(h, " PART_OF(
                                                              "1") ", " PART_OF("2") "))"},
    {"AdjustSaturation", NULL,
     "a = RGBToHSV($0); s = " SHARE("Mul(" PART_OF(
         "1") ", $1)") "; "
                       "HSVToRGB(Pack{axis=-1}(" PART_OF("0") ", s, " PART_OF("2") "))"},
    {"ApproximateEqual", NULL, "Less(Abs(Sub($0, $1)), like(@tolerance:0.00001))"},
    {"BesselI0", NULL, "Mul(BesselI0e($0), Exp(Abs($0)))"},
    {"BesselI0e", NULL,
     /* Abramowitz and Stegun, 9.8.1 and 9.8.2 */
     "a = Abs($0); t = Square(RealDiv(a, 3.75)); u = RealDiv(3.75, Maximum(a, 3.75)); "
     "SelectV2(Less(a, 3.75), "
     "Mul(AddV2(Mul(AddV2(Mul(AddV2(Mul(AddV2(Mul(AddV2(Mul(AddV2(Mul(0.0045813, t), "
     "0.0360768), t), 0.2659732), t), 1.2067492), t), 3.0899424), t), 3.5156229), t), 1.0), "
     "Exp(Neg(a))), "
     "Mul(AddV2(Mul(AddV2(Mul(AddV2(Mul(AddV2(Mul(AddV2(Mul(AddV2(Mul(AddV2(Mul(AddV2(Mul(0."
     "00392377, "
     "u), -0.01647633), u), 0.02635537), u), -0.02057706), u), 0.00916281), u), -0.00157565), "
     "u), 0.00225319), u), 0.01328592), u), 0.39894228), Rsqrt(a)))"},
    {"BesselI1", NULL, "Mul(BesselI1e($0), Exp(Abs($0)))"},
    {"BesselI1e", NULL,
     /* 9.8.3 and 9.8.4 */
     "a = Abs($0); t = Square(RealDiv(a, 3.75)); u = RealDiv(3.75, Maximum(a, 3.75)); "
     "Mul(Sign($0), SelectV2(Less(a, 3.75), "
     "Mul(Mul(AddV2(Mul(AddV2(Mul(AddV2(Mul(AddV2(Mul(AddV2(Mul(AddV2(Mul(0.00032411, t), "
     "0.00301532), t), 0.02658733), t), 0.15084934), t), 0.51498869), t), 0.87890594), t), "
     "0.5), a), Exp(Neg(a))), "
     "Mul(AddV2(Mul(AddV2(Mul(AddV2(Mul(AddV2(Mul(AddV2(Mul(AddV2(Mul(AddV2(Mul(AddV2(Mul(-0."
     "00420059, "
     "u), 0.01787654), u), -0.02895312), u), 0.02282967), u), -0.01031555), u), 0.00163801), "
     "u), -0.00362018), u), -0.03988024), u), 0.39894228), Rsqrt(a))))"},
    {"BroadcastGradientArgs", "r0 r1",
     "n = Maximum(Size($0), Size($1)); "
     "a = ConcatV2(Fill(Reshape(Sub(n, Size($0)), [1]), like(1)), $0, 0); "
     "b = ConcatV2(Fill(Reshape(Sub(n, Size($1)), [1]), like(1)), $1, 0); "
     "like(Reshape(Where(Equal(a, like(1))), [-1])), like(Reshape(Where(Equal(b, like(1))), "
     "[-1]))"},
    {"Cross", NULL,
     "a = [1, 2, 0]; b = [2, 0, 1]; Sub(Mul(GatherV2($0, a, -1), GatherV2($1, b, -1)), "
     "Mul(GatherV2($0, b, -1), GatherV2($1, a, -1)))"},
    {"CTCGreedyDecoder", "decoded_indices decoded_values decoded_shape log_probability",
     /* a: the best class at each time of each text; b: the blank; m: which of them are kept; j:
      * how many are kept before each. */
     "s = Shape($0); t = GatherV2(s, 0, 0); n = GatherV2(s, 1, 0); c = GatherV2(s, 2, 0); "
     "a = Transpose(ArgMax{output_type=3}($0, 2), [1, 0]); b = FloorMod(#blank_index:-1, c); "
     "l = Less(Range(0, t, 1), ExpandDims($1, 1)); "
     "p = ConcatV2(Fill(Pack(n, 1), -1), Slice(a, [0, 0], Pack(n, Maximum(Sub(t, 1), 0))), 1); "
     "d = LogicalOr(Equal(#merge_repeated:0, 0), NotEqual(a, p)); "
     "m = LogicalAnd(LogicalAnd(l, NotEqual(a, b)), d); w = Where(m); k = Cast{DstT=3}(m); "
     "j = GatherNd(Cumsum{exclusive=1}(k, 1), w); o = Cast{DstT=9}(j); "
     "q = Cast{DstT=9}(Pack(n, Maximum(0, Max(Sum(k, 1), 0)))); "
     "r = Mul(Transpose(Max($0, 2), [1, 0]), like(l)); "
     "Pack{axis=1}(GatherV2(w, 0, 1), o), Cast{DstT=9}(GatherNd(a, w)), q, "
     "Neg(Sum{keep_dims=1}(r, 1))"},
    {"Diag", NULL,
     "a = Reshape($0, [-1]); i = Range(0, Size(a), 1); s = Shape($0); "
     "Reshape(SelectV2(Equal(ExpandDims(i, 1), i), a, like(0)), ConcatV2(s, s, 0))"},
    {"DiagPart", NULL,
     "s = Shape($0); h = Slice(s, [0], Reshape(FloorDiv(Size(s), 2), [1])); n = Prod(h, 0); "
     "Reshape(GatherV2(Reshape($0, [-1]), Mul(Range(0, n, 1), AddV2(n, 1)), 0), h)"},
    {"Digamma", NULL,
     /* Where it counts down from: the series is for numbers above 8. */
     "z = SelectV2(Less($0, 0.5), Sub(1.0, $0), $0); s = AddV2(AddV2(AddV2(Reciprocal(z), "
     "Reciprocal(AddV2(z, 1.0))), AddV2(Reciprocal(AddV2(z, 2.0)), Reciprocal(AddV2(z, "
     "3.0)))), AddV2(AddV2(Reciprocal(AddV2(z, 4.0)), Reciprocal(AddV2(z, 5.0))), "
     "AddV2(Reciprocal(AddV2(z, 6.0)), Reciprocal(AddV2(z, 7.0))))); y = AddV2(z, 8.0); v = "
     "Square(Reciprocal(y)); p = Sub(Sub(Sub(Log(y), RealDiv(0.5, y)), Mul(v, "
     "AddV2(Mul(AddV2(Mul(v, 0.00396825397), -0.00833333333), v), 0.08333333333))), s); "
     "SelectV2(Less($0, 0.5), Sub(p, RealDiv(3.14159265358979, Tan(Mul($0, "
     "3.14159265358979)))), p)"},
    {"EluGrad", NULL, "SelectV2(Less($1, 0.0), Mul($0, AddV2($1, 1.0)), $0)"},
    {"Erfinv", NULL, "error_inverse($0, Neg(Log(Mul(Sub(1.0, $0), AddV2(1.0, $0)))))"},
    {"HSVToRGB", NULL,
     "h = Mul(" COLOUR("0") ", 6.0); s = " COLOUR("1") "; v = " COLOUR(
         "2") "; "
              "a = Pack{axis=-1}(" SHARE("Sub(" FROM("3.0") ", 1.0)") ", " SHARE("Sub(2.0, " FROM(
                  "2.0") ")") ", " SHARE("Sub(2.0, " FROM("4.0") ")") "); "
                                                                      "Mul(AddV2(ExpandDims(Sub(1."
                                                                      "0, s), -1), "
                                                                      "Mul(ExpandDims(s, -1), a)), "
                                                                      "ExpandDims(v, -1))"},
    {"InplaceAdd", NULL, "AddV2($0, ScatterNd(ExpandDims($1, 1), $2, Shape($0)))"},
    {"InplaceSub", NULL, "Sub($0, ScatterNd(ExpandDims($1, 1), $2, Shape($0)))"},
    {"InplaceUpdate", NULL, "TensorScatterUpdate($0, ExpandDims($1, 1), $2)"},
    {"InTopK", NULL, AMONG_HIGHEST("#k:0")},
    {"InTopKV2", NULL, AMONG_HIGHEST("Cast{DstT=3}($2)")},
    {"InvertPermutation", NULL,
     "n = Size($0); ScatterNd(ExpandDims($0, 1), like(Range(0, n, 1)), like(Reshape(n, [1])))"},
    {"InvGrad", NULL, "Neg(Mul($1, Square($0)))"},
    {"LeakyReluGrad", NULL, "SelectV2(Greater($1, 0.0), $0, Mul($0, like(@alpha:0.2)))"},
    {"LinSpace", NULL,
     "n = Cast{DstT=3}($2); e = Sub(n, 1); i = Range(0, n, 1); "
     "d = RealDiv(Sub($1, $0), like(Maximum(e, 1))); "
     "SelectV2(LogicalAnd(Equal(i, e), Greater(n, 1)), $1, AddV2($0, Mul(d, like(i))))"},
    {"ListDiff", "out idx",
     "m = Reshape(Where(LogicalNot(Any(Equal(ExpandDims($0, 1), $1), 1))), [-1]); "
     "GatherV2($0, m, 0), Cast{DstT=3}(m)"},
    {"LogMatrixDeterminant", "sign log_abs_determinant",
     "a = MatrixDeterminant($0); Sign(a), Log(Abs(a))"},
    {"LowerBound", NULL,
     "Sum(Cast{DstT=#out_type:3}(Less(ExpandDims($0, -2), ExpandDims($1, -1))), -1)"},
    {"Ndtri", NULL,
     "Mul(error_inverse(Sub(Mul($0, 2.0), 1.0), Neg(Log(Mul(Mul($0, 4.0), Sub(1.0, $0))))), "
     "1.41421356237)"},
    {"NthElement", NULL,
     "s = like(Sub(Mul(#reverse:0, 2), 1)); "
     "Mul(s, GatherV2(TopKV2(Mul(s, $0), AddV2($1, 1)), $1, -1))"},
    {"RaggedRange", "rt_nested_splits rt_dense_values",
     "c = Reshape(Maximum(Cast{DstT=3}(Neg(FloorDiv(Sub($0, $1), $2))), 0), [-1]); "
     "p = ConcatV2([0], Cumsum(c, 0), 0); i = Range(0, Sum(c, 0), 1); "
     "r = Sum(Cast{DstT=3}(GreaterEqual(ExpandDims(i, 1), Slice(p, [1], [-1]))), 1); "
     "z = Mul(like(c), like(0)); Cast{DstT=#Tsplits:9}(p), AddV2(GatherV2(AddV2($0, z), r, 0), "
     "Mul(like(Sub(i, GatherV2(p, r, 0))), GatherV2(AddV2($2, z), r, 0)))"},
    {"ReciprocalGrad", NULL, "Neg(Mul($1, Square($0)))"},
    {"Relu6Grad", NULL, "SelectV2(LogicalAnd(Greater($1, 0.0), Less($1, 6.0)), $0, like(0))"},
    {"ReluGrad", NULL, "SelectV2(Greater($1, 0.0), $0, like(0))"},
    {"ResizeBilinearGrad", NULL, RESIZED_BACK("ResizeBilinear" AS_THE_NODE)},
    {"RGBToHSV", NULL,
     "r = " COLOUR("0") "; g = " COLOUR("1") "; b = " COLOUR(
         "2") "; "
              "v = Maximum(r, Maximum(g, b)); d = Sub(v, Minimum(r, Minimum(g, b))); "
              "s = SelectV2(Greater(v, 0.0), RealDiv(d, v), 0.0); n = RealDiv(1.0, Mul(6.0, d)); "
              "h = SelectV2(Equal(r, v), Mul(n, Sub(g, b)), SelectV2(Equal(g, v), "
              "AddV2(Mul(n, Sub(b, r)), 0.33333333333), AddV2(Mul(n, Sub(r, g)), 0.66666666667))); "
              "h = SelectV2(Greater(d, 0.0), h, 0.0); h = SelectV2(Less(h, 0.0), AddV2(h, 1.0), "
              "h); "
              "Pack{axis=-1}(h, s, v)"},
    {"RsqrtGrad", NULL, "Mul(Mul($1, -0.5), Mul($0, Square($0)))"},
    {"SegmentMax", NULL,
     "n = " N
     "; SelectV2(Greater(" ROWS("n") ", like(0)), UnsortedSegmentMax($0, $1, n), like(0))"},
    {"SegmentMean", NULL, "mean_of_segments($0, $1, " N ")"},
    {"SegmentMin", NULL, "Neg(SegmentMax(Neg($0), $1))"},
    {"SegmentProd", NULL, "UnsortedSegmentProd($0, $1, " N ")"},
    {"SeluGrad", NULL,
     "SelectV2(Less($1, 0.0), Mul($0, AddV2($1, 1.7580993408473768)), Mul($0, "
     "1.0507009873554805))"},
    {"SigmoidGrad", NULL, "Mul($1, Mul($0, Sub(1.0, $0)))"},
    {"SoftmaxCrossEntropyWithLogits", "loss backprop",
     "Neg(Sum(Mul($1, LogSoftmax($0)), 1)), Sub(Softmax($0), $1)"},
    {"SoftplusGrad", NULL, "Mul($0, Sigmoid($1))"},
    {"SoftsignGrad", NULL, "RealDiv($0, Square(AddV2(1.0, Abs($1))))"},
    {"SparseDenseCwiseAdd", NULL, "AddV2($1, GatherNd(BroadcastTo($3, $2), $0))"},
    {"SparseDenseCwiseDiv", NULL, "Div($1, GatherNd(BroadcastTo($3, $2), $0))"},
    {"SparseDenseCwiseMul", NULL, "Mul($1, GatherNd(BroadcastTo($3, $2), $0))"},
    {"SparseFillEmptyRows", "output_indices output_values empty_row_indicator reverse_index_map",
     /* c: how many elements each row has; e: has it none? w: those rows. Elements move behind the
      * empty rows before theirs; q: which element then is at each place. */
     "r = Cast{DstT=3}(GatherV2($0, 0, 1)); n = Cast{DstT=3}(GatherV2($2, 0, 0)); m = Size(r); "
     "c = UnsortedSegmentSum(Fill(Shape(r), 1), r, n); e = Equal(c, 0); "
     "z = Cumsum{exclusive=1}(Cast{DstT=3}(e), 0); "
     "j = AddV2(Range(0, m, 1), GatherV2(z, r, 0)); w = Reshape(Where(e), [-1]); "
     "s = Cumsum{exclusive=1}(Maximum(c, 1), 0); t = AddV2(m, Size(w)); "
     "q = ScatterNd(ExpandDims(ConcatV2(j, GatherV2(s, w, 0), 0), 1), Range(0, t, 1), "
     "Reshape(t, [1])); f = like(OneHot(0, Size($2), 1, 0)); "
     "GatherV2(ConcatV2($0, Mul(ExpandDims(w, 1), f), 0), q, 0), "
     "GatherV2(ConcatV2($1, Fill(Shape(w), $3), 0), q, 0), e, like(j)"},
    {"SparseReduceSum", NULL, "Sum{keep_dims=#keep_dims:0}(ScatterNd($0, $1, $2), $3)"},
    {"SparseReorder", "output_indices output_values",
     "a = Sum(Mul($0, " STEPS("$2") "), 1); i = TopKV2.1(Neg(a), Size(a)); "
                                    "GatherV2($0, i, 0), GatherV2($1, i, 0)"},
    {"SparseReshape", "output_indices output_shape",
     "a = ExpandDims(Sum(Mul($0, " STEPS(
         "$1") "), 1), 1); "
               "n = SelectV2(Equal($2, like(-1)), FloorDiv(Prod($1, 0), Abs(Prod($2, 0))), $2); "
               "FloorMod(FloorDiv(a, " STEPS("n") "), n), n"},
    {"SparseSegmentMean", NULL, "SegmentMean(" SOME ")"},
    {"SparseSegmentMeanWithNumSegments", NULL, "mean_of_segments(" SOME ", $3)"},
    {"SparseSegmentSqrtN", NULL, "root_of_segments(" SOME ", " N_OF("$2") ")"},
    {"SparseSegmentSqrtNWithNumSegments", NULL, "root_of_segments(" SOME ", $3)"},
    {"SparseSegmentSum", NULL, "UnsortedSegmentSum(" SOME ", " N_OF("$2") ")"},
    {"SparseSegmentSumWithNumSegments", NULL, "UnsortedSegmentSum(" SOME ", $3)"},
    {"SparseSlice", "output_indices output_values output_shape",
     "m = Reshape(Where(All(LogicalAnd(GreaterEqual($0, $3), Less($0, AddV2($3, $4))), 1)), [-1]); "
     "Sub(GatherV2($0, m, 0), $3), GatherV2($1, m, 0), "
     "Maximum(Minimum($4, Sub($2, $3)), like(0))"},
    {"SparseSoftmaxCrossEntropyWithLogits", "loss backprop",
     "Neg(GatherV2{batch_dims=1}(LogSoftmax($0), $1, 1)), "
     "Sub(Softmax($0), OneHot($1, GatherV2(Shape($0), 1, 0), 1.0, 0.0))"},
    {"SparseTensorDenseAdd", NULL, "AddV2($3, ScatterNd($0, $1, like(Shape($3))))"},
    {"SparseTensorDenseMatMul", NULL,
     "MatMul{transpose_a=#adjoint_a:0, transpose_b=#adjoint_b:0}(ScatterNd($0, $1, $2), $3)"},
    {"SqrtGrad", NULL, "RealDiv(Mul($1, 0.5), $0)"},
    {"StridedSliceGrad", NULL,
     "n = Cast{DstT=3}(Prod($0, 0)); " SLICED(
         "$0", "n") "Reshape(ScatterNd(q, Reshape($4, [-1]), Reshape(n, [1])), $0)"},
    {"TanhGrad", NULL, "Mul($1, Sub(1.0, Square($0)))"},
    {"TensorStridedSliceUpdate", NULL,
     SLICED("Shape($0)", "Size($0)") "Reshape(TensorScatterUpdate(Reshape($0, [-1]), q, "
                                     "Reshape(BroadcastTo($4, Shape(p)), [-1])), "
                                     "Shape($0))"},
    {"UnravelIndex", NULL,
     "Reshape(FloorMod(FloorDiv(Reshape($0, [1, -1]), ExpandDims(" STEPS(
         "$1") ", 1)), "
               "ExpandDims($1, 1)), ConcatV2(Shape($1), Shape($0), 0))"},
    {"UpperBound", NULL,
     "Sum(Cast{DstT=#out_type:3}(LessEqual(ExpandDims($0, -2), ExpandDims($1, -1))), -1)"},
    {"Xdivy", NULL, "SelectV2(Equal($0, 0.0), 0.0, RealDiv($0, $1))"},
    {"Xlog1py", NULL, "MulNoNan(Log1p($1), $0)"},
    {"Xlogy", NULL, "MulNoNan(Log($1), $0)"},
    /* Giles, Approximating the erfinv function: of x and -log(1 - x * x). */
    {"error_inverse", NULL,
     "t = Sub($1, 2.5); u = Sub(Sqrt($1), 3.0); r = SelectV2(Less($1, 5.0), "
     "AddV2(Mul(AddV2(Mul(AddV2(Mul(AddV2(Mul(AddV2(Mul(AddV2(Mul(AddV2(Mul(AddV2(Mul(0."
     "0000000281022636, "
     "t), 0.000000343273939), t), -0.0000035233877), t), -0.00000439150654), t), "
     "0.00021858087), t), -0.00125372503), t), -0.00417768164), t), 0.246640727), t), "
     "1.50140941), "
     "AddV2(Mul(AddV2(Mul(AddV2(Mul(AddV2(Mul(AddV2(Mul(AddV2(Mul(AddV2(Mul(AddV2(Mul(-0."
     "000200214257, "
     "u), 0.000100950558), u), 0.00134934322), u), -0.00367342844), u), 0.00573950773), u), "
     "-0.0076224613), u), 0.00943887047), u), 1.00167406), u), 2.83297682)); "
     "SelectV2(IsInf($1), Mul($0, $1), Mul(r, $0))"},
    /* Of other formulas: rows, numbers of their segments, how many segments there are. */
    {"mean_of_segments", NULL,
     "RealDiv(UnsortedSegmentSum($0, $1, $2), Maximum(" ROWS("$2") ", like(1)))"},
    /* Of $1 new parts of an axis of $0: how much of each old one is in each, together 1. */
    {"parts_in_parts", NULL,
     "s = RealDiv(Cast{DstT=1}($0), Cast{DstT=1}($1)); i = Cast{DstT=1}(Range(0, $1, 1)); "
     "j = Cast{DstT=1}(Range(0, $0, 1)); "
     "e = Minimum(ExpandDims(Mul(AddV2(i, 1.f), s), 1), AddV2(j, 1.f)); "
     "RealDiv(Maximum(0.f, Sub(e, Maximum(ExpandDims(Mul(i, s), 1), j))), s)"},
    /* Pictures whose rows are products of $1 with those of $0, $3 of them, and columns of $2. */
    {"weighed", NULL,
     "s = Shape($0); n = GatherV2(s, 0, 0); h = GatherV2(s, 1, 0); w = GatherV2(s, 2, 0); "
     "c = GatherV2(s, 3, 0); "
     "x = BatchMatMulV2($1, Reshape(Cast{DstT=1}($0), Pack(n, h, Mul(w, c)))); "
     "x = BatchMatMulV2($2, Reshape(x, Pack(Mul(n, $3), w, c))); Reshape(x, Pack(n, $3, $4, c))"},
    {"root_of_segments", NULL,
     "RealDiv(UnsortedSegmentSum($0, $1, $2), Sqrt(Maximum(" ROWS("$2") ", like(1))))"},
    {NULL, NULL, NULL},
};
