/* SPDX-License-Identifier: Apache-2.0 */
/* What the gradient of each op is: a row with a formula, or with a function where there are as many
 * inputs or outputs as an attribute says.
 * Source   TensorFlow 2.16.1, cc/gradients; tests/binding/gradients.npz has its results.
 */
#include <stdio.h>
#include <string.h>

#include "binding/binding_gradient.h"

/* --- As many as there are -------------------------------------------------------------------- */

static bool add_n(oribi_gradient *g)
{
    for (int i = 0; i < g->of->n_inputs; i++) {
        g->out[i] = g->given[0];
    }
    return true;
}

/* Its outputs are the inputs' gradients. */
static bool spread(oribi_gradient *g, TF_Output made)
{
    for (int i = 0; made.oper != NULL && i < made.oper->n_outputs; i++) {
        g->out[i] = (TF_Output){made.oper, i};
    }
    return oribi_ok(g->status);
}

static bool pack(oribi_gradient *g)
{
    char attrs[64];
    snprintf(attrs, sizeof attrs, "axis=#, num=%d}", (int)g->of->n_inputs);
    return spread(g, oribi_gradient_make(g, "Unpack", g->given, 1, attrs));
}

/* Lengths along the axis, which is the last input; then the gradient is cut there. */
static bool concat(oribi_gradient *g)
{
    const int n = g->of->n_inputs - 1;
    TF_Output *sizes = oribi_arena_array(g->scratch, (size_t)n, sizeof *sizes), result;
    char attrs[64];
    ORIBI_TRY(sizes != NULL || oribi_fail_memory(g->status));
    for (int i = 0; i < n; i++) {
        TF_Output ends[] = {g->of->inputs[i], g->of->inputs[n]};
        TF_Operation two = {.graph = g->graph, .inputs = ends, .n_inputs = 2};
        oribi_gradient part = *g;
        const bool wanted[] = {true, false};
        part.of = &two;
        part.wanted = wanted;
        part.out = (TF_Output[2]){{NULL, 0}};
        ORIBI_TRY(oribi_gradient_formula(
            &part, "GatherV2(Shape($0), FloorMod(cast($1, Size($0)), Rank($0)), 0), -"));
        sizes[i] = part.out[0];
    }
    snprintf(attrs, sizeof attrs, "N=%d}", n);
    const TF_Output lengths = oribi_gradient_make(g, "Pack", sizes, n, attrs);
    snprintf(attrs, sizeof attrs, "num_split=%d}", n);
    result = oribi_gradient_make(
        g, "SplitV", (const TF_Output[]){g->given[0], lengths, g->of->inputs[n]}, 3, attrs);
    return spread(g, result);
}

/* The outputs' gradients, nought where there is none, in a list with `last` behind them. */
static TF_Output joined(oribi_gradient *g, const char *op, const char *attrs, const TF_Output *last)
{
    const int n = g->of->n_outputs;
    TF_Output *parts = oribi_arena_array(g->scratch, (size_t)n + 1, sizeof *parts);
    if (parts == NULL) {
        oribi_fail_memory(g->status);
        return (TF_Output){NULL, 0};
    }
    for (int i = 0; i < n; i++) {
        const TF_Output output = {g->of, i};
        parts[i] = g->given[i].oper != NULL ? g->given[i]
                                            : oribi_gradient_make(g, "ZerosLike", &output, 1, "}");
    }
    if (last != NULL) {
        parts[n] = *last;
    }
    return oribi_gradient_make(g, op, parts, last != NULL ? n + 1 : n, attrs);
}

static bool unpack(oribi_gradient *g)
{
    g->out[0] = joined(g, "Pack", "axis=#}", NULL);
    return oribi_ok(g->status);
}

static bool split(oribi_gradient *g)
{
    g->out[1] = joined(g, "ConcatV2", "}", &g->of->inputs[0]);
    return oribi_ok(g->status);
}

static bool split_v(oribi_gradient *g)
{
    g->out[0] = joined(g, "ConcatV2", "}", &g->of->inputs[2]);
    return oribi_ok(g->status);
}

static bool is_first(oribi_gradient *g, const char *attr, const char *text)
{
    char value[8] = {0};
    TF_Status *status = TF_NewStatus();
    TF_OperationGetAttrString(g->of, attr, value, sizeof value, status);
    TF_DeleteStatus(status);
    return strcmp(value, text) == 0;
}

static bool bias_add(oribi_gradient *g)
{
    return oribi_gradient_formula(g, is_first(g, "data_format", "NCHW")
                                         ? "d, Sum(d, ConcatV2([0], Range(2, Rank(d), 1), 0))"
                                         : "d, Sum(d, Range(0, Sub(Rank(d), 1), 1))");
}

static bool gather(oribi_gradient *g)
{
    oribi_dims axis = {.n = 0};
    int64_t batch_dims = 0;
    TF_Status *status = TF_NewStatus();
    TF_OperationGetAttrInt(g->of, "batch_dims", &batch_dims, status);
    TF_DeleteStatus(status);
    const TF_Output at = g->of->inputs[2];
    oribi_mutex_lock(&g->graph->lock);
    const bool is_known =
        oribi_graph_known_ints(g->graph->known, at.oper->outputs[at.index], &axis);
    oribi_mutex_unlock(&g->graph->lock);
    if (!is_known || axis.n != 1 || axis.at[0] != 0 || batch_dims != 0) {
        return oribi_fail(g->status, TF_UNIMPLEMENTED,
                          "the gradient of GatherV2 is known along axis 0 alone");
    }
    return oribi_gradient_formula(
        g, "s = Shape($0); r = Reshape(d, ConcatV2([-1], Slice(s, [1], [-1]), 0)); "
           "Reshape(UnsortedSegmentSum(r, Reshape($1, [-1]), GatherV2(s, 0, 0)), s), -, -");
}

/* Back to the places that a slice takes of as many numbers. */
static bool strided_slice(oribi_gradient *g)
{
    return oribi_gradient_formula(
        g, "r = Reshape(Range(0, Size($0), 1), Shape($0)); "
           "i = StridedSlice{begin_mask=#, end_mask=#, ellipsis_mask=#, new_axis_mask=#, "
           "shrink_axis_mask=#}(r, $1, $2, $3); "
           "Reshape(UnsortedSegmentSum(Reshape(d, [-1]), Reshape(i, [-1]), Size($0)), Shape($0))");
}

/* By which of both factors is transposed. */
static const char *by_transposes(oribi_gradient *g, const char *a, const char *b,
                                 const char *const formulas[4])
{
    return formulas[2 * oribi_gradient_truth(g, a) + oribi_gradient_truth(g, b)];
}

static bool mat_mul(oribi_gradient *g)
{
    static const char *const formulas[4] = {
        "MatMul{transpose_b=1}(d, $1), MatMul{transpose_a=1}($0, d)",
        "MatMul(d, $1), MatMul{transpose_a=1}(d, $0)",
        "MatMul{transpose_b=1}($1, d), MatMul($0, d)",
        "MatMul{transpose_a=1, transpose_b=1}($1, d), MatMul{transpose_a=1, transpose_b=1}(d, $0)"};
    return oribi_gradient_formula(g, by_transposes(g, "transpose_a", "transpose_b", formulas));
}

#define BATCHES(x, y) "fit(BatchMatMulV2" x ", $0), fit(BatchMatMulV2" y ", $1)"

static bool batch_mat_mul(oribi_gradient *g)
{
    static const char *const formulas[4] = {
        BATCHES("{adj_y=1}(d, $1)", "{adj_x=1}($0, d)"), BATCHES("(d, $1)", "{adj_x=1}(d, $0)"),
        BATCHES("{adj_y=1}($1, d)", "($0, d)"),
        BATCHES("{adj_x=1, adj_y=1}($1, d)", "{adj_x=1, adj_y=1}(d, $0)")};
    return oribi_gradient_formula(g, by_transposes(g, "adj_x", "adj_y", formulas));
}

/* --- Formulas -------------------------------------------------------------------------------- */

/* KEPT: with dimensions of size 1 where the operation reduces; WIDE: repeated along them. */
#define KEPT(x) "Reshape(" x ", Shape(Sum{keep_dims=1}($0, $1)))"
#define WIDE(x) "BroadcastTo(" KEPT(x) ", Shape($0))"
#define MOST                                                                                       \
    "e = cast(Equal(" KEPT("y") ", $0), d); "                                                      \
                                "Mul(RealDiv(e, Sum{keep_dims=1}(e, $1)), " KEPT("d") "), -"
#define CHOSEN "z = ZerosLike(d); fit(SelectV2(m, d, z), $0), fit(SelectV2(m, z, d), $1)"
#define RATIO  "fit(RealDiv(d, $1), $0), fit(Mul(d, RealDiv(RealDiv(Neg($0), $1), $1)), $1)"

/* clang-format off */
/* Of each op the formula behind a tab. One text: a pointer to each would cost as much again. */
static const char formulas[] =
    "\nAbs\tMul(d, Sign($0))"
    "\nAcos\tNeg(RealDiv(d, Sqrt(Sub(1.0, Square($0)))))"
    "\nAcosh\tRealDiv(d, Sinh(y))"
    "\nAdd\tfit(d, $0), fit(d, $1)"
    "\nAddV2\tfit(d, $0), fit(d, $1)"
    "\nAsin\tRealDiv(d, Sqrt(Sub(1.0, Square($0))))"
    "\nAsinh\tRealDiv(d, Cosh(y))"
    "\nAtan\tRealDiv(d, Add(1.0, Square($0)))"
    "\nAtan2\tq = RealDiv(d, Add(Square($0), Square($1))); fit(Mul($1, q), $0), fit(Neg(Mul($0, q)), $1)"
    "\nAtanh\tRealDiv(d, Sub(1.0, Square($0)))"
    "\nAvgPool\tAvgPoolGrad{*}(Shape($0), d)"
    "\nBroadcastTo\tfit(d, $0), -"
    "\nCast\tcast(d, $0)"
    "\nConv2D\tConv2DBackpropInput{*}(Shape($0), $1, d), Conv2DBackpropFilter{*}($0, Shape($1), d)"
    "\nCos\tNeg(Mul(d, Sin($0)))"
    "\nCosh\tMul(d, Sinh($0))"
    "\nCumsum\tCumsum{exclusive=#, reverse=!}(d, $1), -"
    "\nDiv\t" RATIO
    "\nDivNoNan\tfit(DivNoNan(d, $1), $0), fit(Mul(d, DivNoNan(DivNoNan(Neg($0), $1), $1)), $1)"
    "\nElu\tSelectV2(Less(y, 0.0), Mul(d, Add(y, 1.0)), d)"
    "\nErf\tMul(Mul(d, 1.1283791670955126), Exp(Neg(Square($0))))"
    "\nExp\tMul(d, y)"
    "\nExpandDims\tReshape(d, Shape($0)), -"
    "\nExpm1\tMul(d, Exp($0))"
    "\nIdentity\td"
    "\nL2Loss\tMul($0, d)"
    "\nLeakyRelu\tSelectV2(Greater($0, 0.0), d, Mul(d, Neg(LeakyRelu{alpha=#}(-1.0))))"
    "\nLog\tRealDiv(d, $0)"
    "\nLog1p\tRealDiv(d, Add(1.0, $0))"
    "\nLogSoftmax\tSub(d, Mul(Exp(y), Sum{keep_dims=1}(d, [-1])))"
    "\nMax\t" MOST
    "\nMaxPool\tMaxPoolGrad{*}($0, y, d)"
    "\nMaximum\tm = GreaterEqual($0, $1); " CHOSEN
    "\nMean\tRealDiv(" WIDE("d") ", cast(FloorDiv(Size($0), Maximum(Size(y), 1)), d)), -"
    "\nMin\t" MOST
    "\nMinimum\tm = LessEqual($0, $1); " CHOSEN
    "\nMul\tfit(Mul(d, $1), $0), fit(Mul($0, d), $1)"
    "\nNeg\tNeg(d)"
    "\nPad\tSlice(d, Reshape(Slice($1, [0, 0], Pack{N=2}(Rank($0), 1)), [-1]), cast(Shape($0), $1)), -"
    "\nPow\tp = Greater($0, 0.0); l = SelectV2(p, Log(SelectV2(p, $0, OnesLike($0))), ZerosLike($0)); "
        "fit(Mul(d, Mul($1, Pow($0, Sub($1, 1.0)))), $0), fit(Mul(d, Mul(y, l)), $1)"
    "\nRealDiv\t" RATIO
    "\nReciprocal\tNeg(Mul(d, Square(y)))"
    "\nRelu\tSelectV2(Greater(y, 0.0), d, ZerosLike(d))"
    "\nRelu6\tSelectV2(LogicalAnd(Greater(y, 0.0), Less(y, 6.0)), d, ZerosLike(d))"
    "\nReshape\tReshape(d, Shape($0)), -"
    "\nReverseV2\tReverseV2(d, $1), -"
    "\nRsqrt\tMul(Mul(d, -0.5), Mul(y, Square(y)))"
    "\nSelect\tz = ZerosLike(d); -, Select($0, d, z), Select($0, z, d)"
    "\nSelectV2\tz = ZerosLike(d); -, fit(SelectV2($0, d, z), $1), fit(SelectV2($0, z, d), $2)"
    "\nSelu\tSelectV2(Less(y, 0.0), Mul(d, Add(y, 1.7580993408473768)), Mul(d, 1.0507009873554805))"
    "\nSigmoid\tMul(d, Mul(y, Sub(1.0, y)))"
    "\nSign\tZerosLike(d)"
    "\nSin\tMul(d, Cos($0))"
    "\nSinh\tMul(d, Cosh($0))"
    "\nSlice\tb = cast($1, Rank($0)); "
        "Pad(d, Pack{N=2, axis=1}(b, Sub(Sub(Shape($0), b), Shape(y)))), -, -"
    "\nSoftmax\tMul(Sub(d, Sum{keep_dims=1}(Mul(d, y), [-1])), y)"
    "\nSoftmaxCrossEntropyWithLogits\te = ExpandDims(d, -1); Mul(e, y.1), Neg(Mul(e, LogSoftmax($0)))"
    "\nSoftplus\tMul(d, Sigmoid($0))"
    "\nSoftsign\tRealDiv(d, Square(Add(1.0, Abs($0))))"
    "\nSparseSoftmaxCrossEntropyWithLogits\tMul(ExpandDims(d, -1), y.1), -"
    "\nSqrt\tRealDiv(Mul(d, 0.5), y)"
    "\nSquare\tMul(d, Mul($0, 2.0))"
    "\nSquaredDifference\tt = Mul(d, Mul(Sub($0, $1), 2.0)); fit(t, $0), fit(Neg(t), $1)"
    "\nSqueeze\tReshape(d, Shape($0))"
    "\nSub\tfit(d, $0), fit(Neg(d), $1)"
    "\nSum\t" WIDE("d") ", -"
    "\nTan\tRealDiv(d, Square(Cos($0)))"
    "\nTanh\tMul(d, Sub(1.0, Square(y)))"
    "\nTile\ts = Shape($0); r = Rank($0); Reshape(Sum(Reshape(d, "
        "Reshape(Pack{N=2, axis=1}(cast($1, r), s), [-1])), Range(0, Mul(r, 2), 2)), s), -"
    "\nTranspose\tTranspose(d, TopKV2.1(Neg($1), Size($1))), -"
    "\n";

/* Those whose results do not move with their inputs, as TensorFlow has it. */
static const char flat[] =
    " ArgMax ArgMin Ceil Const Equal Floor Greater GreaterEqual InvertPermutation Less LessEqual LogicalAnd LogicalNot"
    " LogicalOr NotEqual OneHot OnesLike Rank Rint Round Shape ShapeN Size StopGradient ZerosLike ";

static const struct {
    const char *op;
    bool (*make)(oribi_gradient *g);
} functions[] = {
    {"AddN", add_n}, {"BatchMatMulV2", batch_mat_mul}, {"BiasAdd", bias_add},
    {"ConcatV2", concat}, {"GatherV2", gather}, {"MatMul", mat_mul}, {"Pack", pack},
    {"Split", split}, {"SplitV", split_v}, {"StridedSlice", strided_slice}, {"Unpack", unpack},
};
/* clang-format on */

bool oribi_gradient_of(oribi_gradient *g)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (strcmp(functions[i].op, g->of->type) == 0) {
            return functions[i].make(g);
        }
    }
    const size_t length = strlen(g->of->type);
    const char *found = strstr(flat, g->of->type);
    if (found != NULL && found[-1] == ' ' && found[length] == ' ') {
        return true;
    }
    for (const char *at = formulas; at[1] != '\0'; at = strchr(at + 1, '\n')) {
        if (strncmp(at + 1, g->of->type, length) == 0 && at[length + 1] == '\t') {
            return oribi_gradient_formula(g, at + length + 2);
        }
    }
    return oribi_fail(g->status, TF_NOT_FOUND, "No gradient defined for op: %s", g->of->type);
}
