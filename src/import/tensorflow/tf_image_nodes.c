/* SPDX-License-Identifier: Apache-2.0 */
/* Ops of tf.image and of detectors that are made of others; see tf_formula_nodes.c, too. */
#include <math.h>

#include "import/tensorflow/tf_emit.h"

typedef const oribi_tf_maker *maker;
typedef const oribi_graphdef_node *from;
typedef oribi_value_id value;

static value real(maker m, double number)
{
    return oribi_tf_number(m, TF_FLOAT, number);
}

static value clipped(maker m, value x)
{
    return oribi_tf_emit3(m, "ClipByValue", x, real(m, 0), real(m, 1));
}

/* --- Sizes ---------------------------------------------------------------------------------- */

/* A cubic polynomial's coefficients, from the highest. */
static value cubic(maker m, value x, double a, double b, double c, double d)
{
    value sum = oribi_tf_emit2(m, "Mul", x, real(m, a));
    const double rest[] = {b, c};
    for (int i = 0; i < 2; i++) {
        sum = oribi_tf_emit2(m, "Mul", oribi_tf_emit2(m, "AddV2", sum, real(m, rest[i])), x);
    }
    return oribi_tf_emit2(m, "AddV2", sum, real(m, d));
}

/* The weights of the four neighbours of a place between the second and the third. TensorFlow takes
 * them from a table of 1024 steps. */
static void cubic_weights(maker m, value between, double a, value out[4])
{
    const value steps = real(m, 1024);
    const value x = oribi_tf_emit2(
        m, "RealDiv", oribi_tf_emit1(m, "Rint", oribi_tf_emit2(m, "Mul", between, steps)), steps);
    const value y = oribi_tf_emit2(m, "Sub", real(m, 1), x);
    for (int i = 0; i < 2; i++) {
        const value near = i == 0 ? x : y;
        const value far = oribi_tf_emit2(m, "AddV2", near, real(m, 1));
        out[1 + i] = cubic(m, near, a + 2, -a - 3, 0, 1);
        out[3 * i] = cubic(m, far, a, -5 * a, 8 * a, -4 * a);
    }
}

/* Outside of the picture nothing counts, and what is left has the sum 1. */
static void leave_out(maker m, const value places[4], value n, value weights[4])
{
    value sum = -1;
    for (int i = 0; i < 4; i++) {
        const value is_inside = oribi_tf_emit2(
            m, "LogicalAnd", oribi_tf_emit2(m, "GreaterEqual", places[i], oribi_tf_int(m, 0)),
            oribi_tf_emit2(m, "Less", places[i], n));
        weights[i] = oribi_tf_emit3(m, "SelectV2", is_inside, weights[i], real(m, 0));
        sum = i == 0 ? weights[i] : oribi_tf_emit2(m, "AddV2", sum, weights[i]);
    }
    for (int i = 0; i < 4; i++) {
        weights[i] = oribi_tf_emit2(m, "RealDiv", weights[i], sum);
    }
}

/* Along one axis of a picture. */
static value resized(maker m, from node, value x, value size, int32_t axis)
{
    static const int32_t column[] = {-1, 1, 1};
    const bool is_centred = oribi_tf_attr_bool(node, "half_pixel_centers", false);
    const bool is_aligned = oribi_tf_attr_bool(node, "align_corners", false);
    const value n = oribi_tf_size_of(m, x, axis), one = oribi_tf_int(m, 1);
    value from_size = n, to_size = size, sum = -1;
    if (is_aligned) { /* of one pixel the only one is both corners */
        to_size = oribi_tf_emit2(m, "Sub", size, one);
        from_size = oribi_tf_emit3(m, "SelectV2", oribi_tf_emit2(m, "Greater", size, one),
                                   oribi_tf_emit2(m, "Sub", n, one), n);
        to_size = oribi_tf_emit2(m, "Maximum", to_size, one);
    }
    const value scale = oribi_tf_emit2(m, "RealDiv", oribi_tf_cast(m, from_size, TF_FLOAT),
                                       oribi_tf_cast(m, to_size, TF_FLOAT));
    value at = oribi_tf_cast(m, oribi_tf_count_to(m, size), TF_FLOAT);
    if (is_centred) {
        at = oribi_tf_emit2(m, "Mul", oribi_tf_emit2(m, "AddV2", at, real(m, 0.5)), scale);
        at = oribi_tf_emit2(m, "Sub", at, real(m, 0.5));
    } else {
        at = oribi_tf_emit2(m, "Mul", at, scale);
    }
    const value whole = oribi_tf_emit1(m, "Floor", at);
    value weights[4], places[4];
    cubic_weights(m, oribi_tf_emit2(m, "Sub", at, whole), is_centred ? -0.5 : -0.75, weights);
    for (int i = 0; i < 4; i++) {
        places[i] =
            oribi_tf_emit2(m, "AddV2", oribi_tf_cast(m, whole, TF_INT32), oribi_tf_int(m, i - 1));
    }
    if (is_centred) {
        leave_out(m, places, n, weights);
    }
    const value last = oribi_tf_emit2(m, "Sub", n, one);
    for (int i = 0; i < 4; i++) {
        const value place = oribi_tf_emit2(
            m, "Minimum", last, oribi_tf_emit2(m, "Maximum", oribi_tf_int(m, 0), places[i]));
        const value part =
            oribi_tf_emit2(m, "Mul", oribi_tf_gather(m, x, place, axis),
                           oribi_tf_reshape(m, weights[i], column, axis == 1 ? 3 : 2));
        sum = i == 0 ? part : oribi_tf_emit2(m, "AddV2", sum, part);
    }
    return sum;
}

static value resize_bicubic(maker m, from node)
{
    const value x = oribi_tf_cast(m, node->inputs[0], TF_FLOAT);
    const value height = oribi_tf_take(m, node->inputs[1], oribi_tf_int(m, 0));
    const value width = oribi_tf_take(m, node->inputs[1], oribi_tf_int(m, 1));
    return resized(m, node, resized(m, node, x, width, 2), height, 1);
}

/* --- Boxes that overlap --------------------------------------------------------------------- */

/* Numbers (picture, class, box) of what stays, by descending score within a class. */
static value suppressed(maker m, value boxes, value scores, value most, value overlap, value least)
{
    static const TF_DataType types[] = {TF_FLOAT, TF_FLOAT, TF_INT64, TF_FLOAT, TF_FLOAT};
    return oribi_tf_emit(m, "ONNX>NonMaxSuppression",
                         INPUTS(boxes, scores, oribi_tf_cast(m, most, TF_INT64), overlap, least),
                         ATTRS(ATTR_TYPES("Tinputs", types, 5)));
}

static value one_picture(maker m, from node, value overlap, value least)
{
    const value boxes = oribi_tf_cast(m, node->inputs[0], TF_FLOAT);
    const value scores = oribi_tf_cast(m, node->inputs[1], TF_FLOAT);
    const value triples = suppressed(
        m, oribi_tf_expand(m, boxes, 0), oribi_tf_expand(m, oribi_tf_expand(m, scores, 0), 0),
        node->inputs[2], oribi_tf_cast(m, overlap, TF_FLOAT), oribi_tf_cast(m, least, TF_FLOAT));
    return oribi_tf_cast(m, oribi_tf_gather(m, triples, oribi_tf_int(m, 2), 1), TF_INT32);
}

static value non_max_suppression(maker m, from node)
{
    const value overlap = node->n_inputs > 3
                              ? node->inputs[3]
                              : real(m, oribi_tf_attr_float(node, "iou_threshold", 0.5F));
    return one_picture(m, node, overlap, node->n_inputs > 4 ? node->inputs[4] : real(m, -HUGE_VAL));
}

/* With nought behind it, up to as many as there may be, if the node asks for that. */
static value padded(maker m, from node, value x)
{
    if (!oribi_tf_attr_bool(node, "pad_to_max_output_size", false)) {
        return x;
    }
    const value more = oribi_tf_emit2(m, "Sub", node->inputs[2], oribi_tf_size_of(m, x, 0));
    return oribi_tf_joined(m, x,
                           oribi_tf_zeros(m, oribi_tf_dtype(m, x), oribi_tf_as_vector(m, more)));
}

static value non_max_suppression_v4(maker m, from node)
{
    const value kept = one_picture(m, node, node->inputs[3], node->inputs[4]);
    m->out[1] = oribi_tf_size_of(m, kept, 0);
    return padded(m, node, kept);
}

/* Scores that fall by how much boxes overlap: the op gives as many as there may be. */
static value soft_suppression(maker m, from node)
{
    value inputs[6];
    for (int i = 0; i < 6; i++) {
        inputs[i] = oribi_tf_cast(m, node->inputs[i], i == 2 ? TF_INT32 : TF_FLOAT);
    }
    const oribi_node *made =
        oribi_tf_emit_node(m, "Oribi>NonMaxSuppression", inputs, 6, NO_ATTRS, 3);
    if (made == NULL) {
        return -1;
    }
    const value count = made->outputs[2];
    value kept = made->outputs[0];
    m->out[1] = made->outputs[1];
    m->out[2] = count;
    if (!oribi_tf_attr_bool(node, "pad_to_max_output_size", false)) {
        const value some = oribi_tf_count_to(m, count);
        kept = oribi_tf_take(m, kept, some);
        m->out[1] = oribi_tf_take(m, m->out[1], some);
    }
    return kept;
}

static value non_max_suppression_v5(maker m, from node)
{
    float sigma;
    if (!oribi_tf_known_real(m, node->inputs[5], &sigma) || sigma != 0) {
        return soft_suppression(m, node);
    }
    const value kept = one_picture(m, node, node->inputs[3], node->inputs[4]);
    m->out[1] = padded(m, node, oribi_tf_take(m, node->inputs[1], kept));
    m->out[2] = oribi_tf_size_of(m, kept, 0);
    return padded(m, node, kept);
}

/* Of several pictures and classes: what stays of each class goes into a table of scores, of which
 * the highest are taken. */
typedef struct combined {
    value boxes, scores; /* [pictures, n, 1 or classes, 4], [pictures, n, classes] */
    value pictures, n, classes;
} combined;

static value sizes(maker m, value a, value b, value c)
{
    return oribi_tf_emit(m, "Pack", INPUTS(a, b, c), NO_ATTRS);
}

/* The table [pictures, classes * n]; what does not stay is below all scores. */
static value kept_scores(maker m, from node, const combined *c)
{
    static const int32_t classes_first[] = {0, 2, 1, 3}, scores_first[] = {0, 2, 1};
    const value one = oribi_tf_int(m, 1);
    const value rows = oribi_tf_emit2(m, "Mul", c->pictures, c->classes);
    const value four = oribi_tf_emit(
        m, "Pack", INPUTS(c->pictures, c->n, c->classes, oribi_tf_int(m, 4)), NO_ATTRS);
    const value boxes = oribi_tf_emit2(
        m, "Reshape",
        oribi_tf_emit2(m, "Transpose", oribi_tf_emit2(m, "BroadcastTo", c->boxes, four),
                       oribi_tf_ints(m, classes_first, 4)),
        sizes(m, rows, c->n, oribi_tf_int(m, 4)));
    const value scores =
        oribi_tf_emit2(m, "Transpose", c->scores, oribi_tf_ints(m, scores_first, 3));
    const value each = oribi_tf_emit2(m, "Reshape", scores, sizes(m, rows, one, c->n));
    const value triples =
        suppressed(m, boxes, each, node->inputs[2], node->inputs[4], node->inputs[5]);
    static const int32_t row_and_box[] = {0, 2};
    const value places = oribi_tf_gather(m, triples, oribi_tf_ints(m, row_and_box, 2), 1);
    const value flat =
        oribi_tf_emit2(m, "Reshape", each, oribi_tf_emit(m, "Pack", INPUTS(rows, c->n), NO_ATTRS));
    const value none = oribi_tf_emit2(m, "Fill", oribi_tf_shape(m, flat), real(m, -HUGE_VAL));
    const value table = oribi_tf_emit3(m, "TensorScatterUpdate", none, places,
                                       oribi_tf_emit2(m, "GatherNd", flat, places));
    return oribi_tf_emit2(
        m, "Reshape", table,
        oribi_tf_emit(m, "Pack", INPUTS(c->pictures, oribi_tf_emit2(m, "Mul", c->classes, c->n)),
                      NO_ATTRS));
}

static value picked(maker m, value x, value places)
{
    return oribi_tf_emit(m, "GatherV2", INPUTS(x, places, oribi_tf_int(m, 1)),
                         ATTRS(ATTR_INT("batch_dims", 1)));
}

static value combined_suppression(maker m, from node)
{
    combined c = {.boxes = node->inputs[0], .scores = node->inputs[1]};
    c.pictures = oribi_tf_size_of(m, c.scores, 0);
    c.n = oribi_tf_size_of(m, c.scores, 1);
    c.classes = oribi_tf_size_of(m, c.scores, 2);
    value most = node->inputs[3];
    if (oribi_tf_attr_bool(node, "pad_per_class", false)) {
        most = oribi_tf_emit2(m, "Minimum", most,
                              oribi_tf_emit2(m, "Mul", node->inputs[2], c.classes));
    }
    const value table = kept_scores(m, node, &c);
    const value beyond =
        oribi_tf_emit2(m, "Fill", oribi_tf_emit(m, "Pack", INPUTS(c.pictures, most), NO_ATTRS),
                       real(m, -HUGE_VAL));
    const value wide = oribi_tf_emit3(m, "ConcatV2", table, beyond, oribi_tf_int(m, 1));
    const oribi_node *top = oribi_tf_emit_node(m, "TopKV2", INPUTS(wide, most), NO_ATTRS, 2);
    if (top == NULL) {
        return -1;
    }
    const value is_one = oribi_tf_emit2(m, "Greater", top->outputs[0], real(m, -HUGE_VAL));
    const value places = oribi_tf_emit3(m, "SelectV2", is_one, top->outputs[1], oribi_tf_int(m, 0));
    const value class = oribi_tf_emit2(m, "FloorDiv", places, c.n);
    const value box = oribi_tf_emit2(m, "FloorMod", places, c.n);
    const value of_class = oribi_tf_emit2(
        m, "Minimum", class,
        oribi_tf_emit2(m, "Sub", oribi_tf_size_of(m, c.boxes, 2), oribi_tf_int(m, 1)));
    const value place = oribi_tf_emit2(
        m, "AddV2", oribi_tf_emit2(m, "Mul", box, oribi_tf_size_of(m, c.boxes, 2)), of_class);
    const value flat = oribi_tf_emit2(
        m, "Reshape", c.boxes, sizes(m, c.pictures, oribi_tf_int(m, -1), oribi_tf_int(m, 4)));
    value boxes = picked(m, flat, place);
    if (oribi_tf_attr_bool(node, "clip_boxes", true)) {
        boxes = clipped(m, boxes);
    }
    const value seen = oribi_tf_cast(m, is_one, TF_FLOAT);
    m->out[1] = oribi_tf_emit3(m, "SelectV2", is_one, top->outputs[0], real(m, 0));
    m->out[2] = oribi_tf_emit2(m, "Mul", oribi_tf_cast(m, class, TF_FLOAT), seen);
    m->out[3] =
        oribi_tf_reduce(m, "Sum", oribi_tf_cast(m, is_one, TF_INT32), oribi_tf_int(m, 1), false);
    return oribi_tf_emit3(m, "SelectV2", oribi_tf_expand(m, is_one, -1), boxes, real(m, 0));
}

const oribi_tf_row oribi_tf_image_rows[] = {
    {"CombinedNonMaxSuppression", 6, combined_suppression,
     "nmsed_boxes nmsed_scores nmsed_classes valid_detections", NULL},
    {"NonMaxSuppression", 3, non_max_suppression, NULL, NULL},
    {"NonMaxSuppressionV2", 4, non_max_suppression, NULL, NULL},
    {"NonMaxSuppressionV3", 5, non_max_suppression, NULL, NULL},
    {"NonMaxSuppressionV4", 5, non_max_suppression_v4, "selected_indices valid_outputs", NULL},
    {"NonMaxSuppressionV5", 6, non_max_suppression_v5,
     "selected_indices selected_scores valid_outputs", NULL},
    {"ResizeBicubic", 2, resize_bicubic, NULL, NULL},
    {NULL, 0, NULL, NULL, NULL},
};
