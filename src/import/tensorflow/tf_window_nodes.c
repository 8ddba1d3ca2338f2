/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that look at windows of pictures and volumes, and pictures that are resized by weighing the
 * pixels around each place.
 */
#include <math.h>
#include <string.h>

#include "import/tensorflow/tf_emit.h"

typedef const oribi_tf_maker *maker;
typedef const oribi_graphdef_node *from;
typedef oribi_value_id value;

/* --- Windows ---------------------------------------------------------------------------------- */

/* Of the node's lists: one number for each axis between the first and the last. */
typedef struct steps {
    const int64_t *strides, *rates;
    int32_t n; /* axes of space */
    bool is_same;
} steps;

static bool read_steps(maker m, from node, const char *rates, int32_t n, steps *out)
{
    static const int64_t ones[] = {1, 1, 1, 1, 1};
    int32_t n_strides, n_rates;
    out->strides = oribi_tf_attr_ints(m, node, "strides", &n_strides);
    out->rates = oribi_tf_attr_ints(m, node, rates, &n_rates);
    out->n = n;
    out->is_same = oribi_tf_attr_is(node, "padding", "SAME");
    bool ok = oribi_ok(m->status) && n_strides == n + 2 && (n_rates == n + 2 || n_rates == 0);
    out->rates = n_rates == 0 ? ones : out->rates;
    for (int32_t i = 0; ok && i < n + 2; i++) {
        const bool is_space = i > 0 && i <= n;
        ok = out->strides[i] >= 1 && out->strides[i] <= INT16_MAX && out->rates[i] >= 1 &&
             out->rates[i] <= INT16_MAX && (is_space || out->strides[i] * out->rates[i] == 1);
    }
    return ok ||
           (oribi_ok(m->status) &&
            oribi_fail(m->status, TF_UNIMPLEMENTED,
                       "its strides and rates are not of %d dimensions between batch and channels",
                       (int)n));
}

/* x with the axis as two: windows, and what each of them sees, `fill` where that is outside.
 * behind: how many axes come after it. */
static value with_windows(maker m, from node, const steps *s, value x, int32_t axis, int32_t behind,
                          value size, value fill)
{
    static const int32_t ones[] = {1, 1, 1, 1, 1, 1, 1};
    /* i: elements of the axis; e: how far a window reaches; o: windows; b: what is in front. */
    return oribi_tf_formula_of(
        m, node,
        INPUTS(x, size, oribi_tf_int(m, (int32_t)s->strides[axis]),
               oribi_tf_int(m, (int32_t)s->rates[axis]), oribi_tf_int(m, axis),
               oribi_tf_ints(m, ones, behind), fill),
        "i = GatherV2(Shape($0), $4, 0); e = AddV2(Mul(Sub($1, 1), $3), 1); %s",
        s->is_same
            ? "o = FloorDiv(AddV2(i, Sub($2, 1)), $2); "
              "b = FloorDiv(Maximum(0, Sub(AddV2(Mul(Sub(o, 1), $2), e), i)), 2); "
              "w = Sub(AddV2(ExpandDims(Mul(Range(0, o, 1), $2), 1), Mul(Range(0, $1, 1), $3)), "
              "b); k = LogicalAnd(GreaterEqual(w, 0), Less(w, i)); "
              "x = GatherV2($0, Maximum(0, Minimum(w, Sub(i, 1))), $4); "
              "SelectV2(Reshape(k, ConcatV2(Shape(k), $5, 0)), x, $6)"
            : "o = Maximum(0, AddV2(FloorDiv(Sub(i, e), $2), 1)); "
              "GatherV2($0, AddV2(ExpandDims(Mul(Range(0, o, 1), $2), 1), Mul(Range(0, $1, 1), "
              "$3)), $4)");
}

/* All windows: batch, then windows and places of each axis, then channels. */
static value all_windows(maker m, from node, const steps *s, value x, const value *sizes,
                         value fill)
{
    for (int32_t axis = s->n; axis >= 1; axis--) {
        x = with_windows(m, node, s, x, axis, 2 * (s->n - axis) + 1, sizes[axis - 1], fill);
    }
    return x;
}

/* What each window sees as the channels of one pixel. */
static value patches(maker m, from node, int32_t n)
{
    enum { MOST = 3 };
    steps s;
    int32_t n_sizes, perm[2 * MOST + 2] = {0};
    const int64_t *ksizes = oribi_tf_attr_ints(m, node, "ksizes", &n_sizes);
    value sizes[MOST];
    if (!read_steps(m, node, "rates", n, &s)) {
        return -1;
    }
    for (int32_t i = 0; i < n; i++) {
        if (n_sizes != n + 2 || ksizes[i + 1] < 1 || ksizes[i + 1] > INT16_MAX) {
            oribi_fail(m->status, TF_INVALID_ARGUMENT, "its windows have no size");
            return -1;
        }
        sizes[i] = oribi_tf_int(m, (int32_t)ksizes[i + 1]);
        perm[1 + i] = 1 + 2 * i;
        perm[1 + n + i] = 2 + 2 * i;
    }
    perm[2 * n + 1] = 2 * n + 1;
    const value nought = oribi_tf_number(m, oribi_tf_dtype(m, node->inputs[0]), 0);
    const value seen = all_windows(m, node, &s, node->inputs[0], sizes, nought);
    return oribi_tf_formula_of(
        m, node,
        INPUTS(oribi_tf_emit2(m, "Transpose", seen, oribi_tf_ints(m, perm, 2 * n + 2)),
               oribi_tf_ints(m, &(int32_t){n + 1}, 1)),
        "s = Shape($0); Reshape($0, ConcatV2(Slice(s, [0], $1), "
        "Prod{keep_dims=1}(Slice(s, $1, [-1]), 0), 0))");
}

static value image_patches(maker m, from node)
{
    return patches(m, node, 2);
}

static value volume_patches(maker m, from node)
{
    return patches(m, node, 3);
}

/* The largest sum of a picture's element and the filter's. */
static value dilation(maker m, from node)
{
    steps s;
    const TF_DataType dtype = oribi_tf_dtype(m, node->inputs[0]);
    if (!read_steps(m, node, "rates", 2, &s)) {
        return -1;
    }
    if (dtype != TF_FLOAT && dtype != TF_DOUBLE && dtype != TF_HALF) {
        oribi_fail(m->status, TF_UNIMPLEMENTED, "pictures of floats are dilated");
        return -1;
    }
    const value filter = oribi_tf_shape(m, node->inputs[1]);
    const value sizes[] = {oribi_tf_take(m, filter, oribi_tf_int(m, 0)),
                           oribi_tf_take(m, filter, oribi_tf_int(m, 1))};
    const value seen =
        all_windows(m, node, &s, node->inputs[0], sizes, oribi_tf_number(m, dtype, -HUGE_VAL));
    const value sum = oribi_tf_emit2(m, "AddV2", seen, oribi_tf_expand(m, node->inputs[1], 1));
    return oribi_tf_reduce(m, "Max", sum, oribi_tf_ints(m, (const int32_t[]){2, 4}, 2), false);
}

/* --- Gradients -------------------------------------------------------------------------------- */

static bool channels_are_last(maker m, from node)
{
    return !oribi_tf_attr_is(node, "data_format", "NCHW") ||
           oribi_fail(m->status, TF_UNIMPLEMENTED, "its channels are not last");
}

/* Of a convolution's filter: what each of its places saw, times what came of it. */
static value filter_gradient(maker m, from node)
{
    steps s;
    if (!channels_are_last(m, node) || !read_steps(m, node, "dilations", 2, &s) ||
        (!s.is_same && !oribi_tf_attr_is(node, "padding", "VALID"))) {
        (void)(!oribi_ok(m->status) ||
               oribi_fail(m->status, TF_UNIMPLEMENTED, "it has paddings of its own"));
        return -1;
    }
    const value x = node->inputs[0], filter = node->inputs[1];
    const value sizes[] = {oribi_tf_take(m, filter, oribi_tf_int(m, 0)),
                           oribi_tf_take(m, filter, oribi_tf_int(m, 1))};
    const value nought = oribi_tf_number(m, oribi_tf_dtype(m, x), 0);
    const value seen = all_windows(m, node, &s, x, sizes, nought);
    const value sums = oribi_tf_emit(m, "Einsum", INPUTS(seen, node->inputs[2]),
                                     ATTRS(ATTR_TEXT("equation", "bhiwjc,bhwo->ijco")));
    return oribi_tf_emit2(m, "Reshape", sums, filter);
}

/* Of a pool of averages: each window's share goes to the places that it saw. p: those places, -1
 * outside; n: how many each window saw; b: where each picture of the batch begins. */
static value average_gradient(maker m, from node)
{
    steps s;
    int32_t n_sizes;
    const int64_t *ksize = oribi_tf_attr_ints(m, node, "ksize", &n_sizes);
    if (!channels_are_last(m, node) || !read_steps(m, node, "rates", 2, &s) || n_sizes != 4 ||
        ksize[1] < 1 || ksize[1] > INT16_MAX || ksize[2] < 1 || ksize[2] > INT16_MAX) {
        (void)(!oribi_ok(m->status) ||
               oribi_fail(m->status, TF_UNIMPLEMENTED, "its windows reach over channels"));
        return -1;
    }
    const value sizes[] = {oribi_tf_int(m, (int32_t)ksize[1]), oribi_tf_int(m, (int32_t)ksize[2])};
    const value places = oribi_tf_formula_of(
        m, node, INPUTS(node->inputs[0], node->inputs[1]),
        "s = Slice($0, [1], [-1]); Reshape(Range(0, Prod(s, 0), 1), ConcatV2([1], s, 0))");
    return oribi_tf_formula_of(
        m, node,
        INPUTS(node->inputs[1], node->inputs[0],
               all_windows(m, node, &s, places, sizes, oribi_tf_int(m, -1))),
        "p = $2; k = GreaterEqual(p, 0); n = Sum{keep_dims=1}(like(k), [2, 4]); "
        "g = ExpandDims(ExpandDims($0, 2), 4); z = GatherV2($1, 0, 0); "
        "b = Reshape(Mul(Range(0, z, 1), FloorDiv(Prod($1, 0), Maximum(z, 1))), [-1, 1, 1, 1, 1, "
        "1]); "
        "i = SelectV2(k, AddV2(p, b), -1); "
        "v = BroadcastTo(RealDiv(g, n), Shape(i)); "
        "Reshape(UnsortedSegmentSum(Reshape(v, [-1]), Reshape(i, [-1]), Prod($1, 0)), $1)");
}

/* --- Pictures that are moved and scaled ------------------------------------------------------- */

#define LANCZOS(r)                                                                                 \
    "q = Mul(y, 3.14159265358979f); k = RealDiv(Mul(Mul(" r ", Sin(q)), Sin(RealDiv(q, " r         \
    "))), Mul(q, q)); "                                                                            \
    "w = SelectV2(Equal(y, 0.f), 1.f, SelectV2(Greater(y, " r "), 0.f, k));"
#define CUBIC(inner, outer)                                                                        \
    "w = SelectV2(GreaterEqual(y, 2.f), 0.f, SelectV2(GreaterEqual(y, 1.f), " outer ", " inner ")" \
    ")"                                                                                            \
    ";"
#define POLYNOMIAL(a, b, c, d)                                                                     \
    "AddV2(Mul(AddV2(Mul(AddV2(Mul(" a ", y), " b "), y), " c "), y), " d ")"

/* w: how much a pixel counts, by how far away it is: y. */
static const struct {
    const char *name, *formula;
} weighings[] = {
    {"lanczos1", LANCZOS("1.f")},
    {"lanczos3", LANCZOS("3.f")},
    {"lanczos5", LANCZOS("5.f")},
    {"gaussian", "w = SelectV2(GreaterEqual(y, 1.5f), 0.f, Exp(Mul(Mul(y, y), -2.f)));"},
    {"box", "w = SelectV2(Less(y, 0.5f), 1.f, SelectV2(Equal(y, 0.5f), 0.5f, Mul(y, 0.f)));"},
    {"triangle", "w = Maximum(0.f, Sub(1.f, y));"},
    {"keyscubic",
     CUBIC(POLYNOMIAL("1.5f", "-2.5f", "0.f", "1.f"), POLYNOMIAL("-0.5f", "2.5f", "-4.f", "2.f"))},
    {"mitchellcubic",
     CUBIC(POLYNOMIAL("1.16666666667f", "-2.f", "0.f", "0.88888888889f"),
           POLYNOMIAL("-0.38888888889f", "2.f", "-3.33333333333f", "1.77777777778f"))},
};

static const char *weighing_of(from node)
{
    for (size_t i = 0; i < sizeof weighings / sizeof weighings[0]; i++) {
        if (oribi_tf_attr_is(node, "kernel_type", weighings[i].name)) {
            return weighings[i].formula;
        }
    }
    return weighings[1].formula;
}

/* Of each new place of an axis how much of each old one it has, together 1: nothing, where it lies
 * outside. r: old places in a new one; s: where its middle is. */
static value weights(maker m, from node, int32_t axis)
{
    const value place = oribi_tf_int(m, axis);
    return oribi_tf_formula_of(
        m, node,
        INPUTS(oribi_tf_size_of(m, node->inputs[0], axis + 1),
               oribi_tf_take(m, node->inputs[1], place), oribi_tf_take(m, node->inputs[2], place),
               oribi_tf_take(m, node->inputs[3], place)),
        "r = RealDiv(1.f, $2); s = Sub(Mul(AddV2(Cast{DstT=1}(Range(0, $1, 1)), 0.5f), r), "
        "Mul(r, $3)); d = Sub(AddV2(Cast{DstT=1}(Range(0, $0, 1)), 0.5f), ExpandDims(s, 1)); "
        "y = Abs(RealDiv(d, %s)); %s t = Sum{keep_dims=1}(w, 1); "
        "o = LogicalOr(Less(s, 0.f), Greater(s, Cast{DstT=1}($0))); "
        "SelectV2(LogicalOr(ExpandDims(o, 1), Equal(t, 0.f)), 0.f, RealDiv(w, t))",
        oribi_tf_attr_bool(node, "antialias", true) ? "Maximum(r, 1.f)" : "1.f", weighing_of(node));
}

static value scale_and_translate(maker m, from node)
{
    return oribi_tf_formula_of(
        m, node, INPUTS(node->inputs[0], node->inputs[1], weights(m, node, 0), weights(m, node, 1)),
        "weighed($0, $2, $3, GatherV2($1, 0, 0), GatherV2($1, 1, 0))");
}

const oribi_tf_row oribi_tf_window_rows[] = {
    {"AvgPoolGrad", 2, average_gradient, NULL, NULL},
    {"Conv2DBackpropFilter", 3, filter_gradient, NULL, NULL},
    {"Dilation2D", 2, dilation, NULL, NULL},
    {"ExtractImagePatches", 1, image_patches, NULL, NULL},
    {"ExtractVolumePatches", 1, volume_patches, NULL, NULL},
    {"ScaleAndTranslate", 4, scale_and_translate, NULL, NULL},
    {NULL, 0, NULL, NULL, NULL},
};
