/* SPDX-License-Identifier: Apache-2.0 */
/* Ops whose formula is chosen by their attributes: tf_formula.c. The others: tf_formula_texts.c. */
#include "import/tensorflow/tf_emit.h"

/* Picture pixels as rows of channels; w, h: how many there are along an axis; y, x: where each of
 * the crop's rows and columns lies, of each box; i: of each box its picture's first row; o: what
 * lies outside of the picture. */
#define CROP                                                                                       \
    "s = Shape($0); h = GatherV2(s, 1, 0); w = GatherV2(s, 2, 0); "                                \
    "p = Cast{DstT=1}(Reshape($0, ConcatV2([-1], GatherV2(s, [3], 0), 0))); "                      \
    "g = Cast{DstT=1}(Sub(h, 1)); f = Cast{DstT=1}(Sub(w, 1)); "                                   \
    "a = GatherV2($3, 0, 0); b = GatherV2($3, 1, 0); "                                             \
    "c = Cast{DstT=1}(Range(0, a, 1)); d = Cast{DstT=1}(Range(0, b, 1)); "                         \
    "t = GatherV2($1, [0], 1); l = GatherV2($1, [1], 1); "                                         \
    "u = GatherV2($1, [2], 1); r = GatherV2($1, [3], 1); "                                         \
    "y = SelectV2(Greater(a, 1), AddV2(Mul(t, g), Mul(c, RealDiv(Mul(Sub(u, t), g), "              \
    "Cast{DstT=1}(Maximum(Sub(a, 1), 1))))), Mul(Mul(AddV2(t, u), 0.5f), g)); "                    \
    "x = SelectV2(Greater(b, 1), AddV2(Mul(l, f), Mul(d, RealDiv(Mul(Sub(r, l), f), "              \
    "Cast{DstT=1}(Maximum(Sub(b, 1), 1))))), Mul(Mul(AddV2(l, r), 0.5f), f)); "                    \
    "o = LogicalOr(ExpandDims(LogicalOr(Less(y, 0.f), Greater(y, g)), 2), "                        \
    "ExpandDims(LogicalOr(Less(x, 0.f), Greater(x, f)), 1)); "                                     \
    "i = Mul(Reshape($2, [-1, 1]), h); "
#define WITHIN(x, size) "Maximum(0, Minimum(Cast{DstT=3}(" x "), Sub(" size ", 1)))"
#define BETWEEN                                                                                    \
    "j = ExpandDims(Mul(AddV2(i, " WITHIN(                                                         \
        "Floor(y)",                                                                                \
        "h") "), w), 2); "                                                                         \
             "k = ExpandDims(Mul(AddV2(i, " WITHIN(                                                \
                 "Ceil(y)",                                                                        \
                 "h") "), w), 2); "                                                                \
                      "m = ExpandDims(" WITHIN("Floor(x)", "w") ", 1); n = ExpandDims(" WITHIN(    \
                          "Ceil(x)",                                                               \
                          "w") ", 1); e = ExpandDims(ExpandDims(Sub(x, Floor(x)), 1), 3); "        \
                               "z = ExpandDims(ExpandDims(Sub(y, Floor(y)), 2), 3); "              \
                               "a = GatherV2(p, AddV2(j, m), 0); b = GatherV2(p, AddV2(j, n), "    \
                               "0); "                                                              \
                               "c = GatherV2(p, AddV2(k, m), 0); d = GatherV2(p, AddV2(k, n), "    \
                               "0); "                                                              \
                               "t = AddV2(a, Mul(Sub(b, a), e)); u = AddV2(c, Mul(Sub(d, c), "     \
                               "e)); "                                                             \
                               "SelectV2(ExpandDims(o, 3), @extrapolation_value, AddV2(t, "        \
                               "Mul(Sub(u, t), z)))"

static oribi_value_id crop_and_resize(const oribi_tf_maker *m, const oribi_graphdef_node *node)
{
    static const char *const nearest = "y = Floor(AddV2(y, 0.5f)); x = Floor(AddV2(x, 0.5f)); ";
    return oribi_tf_formula_of(m, node, node->inputs, node->n_inputs, CROP "%s" BETWEEN,
                               oribi_tf_attr_is(node, "method", "nearest") ? nearest : "");
}

/* Each axis by a matrix of how much of each pixel lies in each new one. */
static oribi_value_id resize_area(const oribi_tf_maker *m, const oribi_graphdef_node *node)
{
    if (oribi_tf_attr_bool(node, "align_corners", false)) {
        oribi_fail(m->status, TF_UNIMPLEMENTED, "areas of aligned corners");
        return -1;
    }
    return oribi_tf_formula(
        m, node,
        "s = Shape($0); a = GatherV2($1, 0, 0); b = GatherV2($1, 1, 0); "
        "weighed($0, parts_in_parts(GatherV2(s, 1, 0), a), parts_in_parts(GatherV2(s, 2, 0), b), "
        "a, b)");
}

const oribi_tf_row oribi_tf_chosen_rows[] = {
    {"CropAndResize", 4, crop_and_resize, NULL, NULL},
    {"ResizeArea", 2, resize_area, NULL, NULL},
    {NULL, 0, NULL, NULL, NULL},
};
