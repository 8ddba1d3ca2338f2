/* SPDX-License-Identifier: Apache-2.0 */
/* MediaPipe's custom operators that cut what landmarks surround out of a picture, and bring
 * landmarks back: Landmarks2TransformMatrix and TransformLandmarks become small ops,
 * TransformTensorBilinear is Oribi>TransformBilinear.
 */
#include "import/tflite/tflite.h"

typedef oribi_value_id value;

/* Scalars here are [1, 1], points are rows. */
static value number(oribi_tflite_node *n, float x)
{
    const int64_t dims[2] = {1, 1};
    const value id =
        oribi_graph_add_constant_copy(n->graph, "number", TF_FLOAT, dims, 2, &x, n->status);
    n->failed = n->failed || id < 0;
    return id;
}

static value two(oribi_tflite_node *n, const char *op, value a, value b)
{
    return oribi_tflite_emit(n, op, INPUTS(a, b), NO_ATTRS);
}

static value block(oribi_tflite_node *n, value x, int32_t row, int32_t column, int32_t rows,
                   int32_t columns)
{
    const int32_t begin[2] = {row, column}, size[2] = {rows, columns};
    return oribi_tflite_emit(
        n, "Slice", INPUTS(x, oribi_tflite_ints(n, begin, 2), oribi_tflite_ints(n, size, 2)),
        NO_ATTRS);
}

static value rows_of(oribi_tflite_node *n, value points, const int32_t *places, int64_t count)
{
    return oribi_tflite_emit(
        n, "GatherV2",
        INPUTS(points, oribi_tflite_ints(n, places, count), oribi_tflite_scalar(n, 0)), NO_ATTRS);
}

/* a * x + b * y, or a * x - b * y */
static value mix(oribi_tflite_node *n, value a, value x, const char *op, value b, value y)
{
    return two(n, op, two(n, "Mul", a, x), two(n, "Mul", b, y));
}

static value farthest(oribi_tflite_node *n, const char *op, value x)
{
    const int32_t axes[2] = {0, 1};
    return oribi_tflite_emit(n, op, INPUTS(x, oribi_tflite_ints(n, axes, 2)),
                             ATTRS(ATTR_BOOL("keep_dims", true)));
}

/* --- Landmarks2TransformMatrix ---------------------------------------------------------------- */

typedef struct crop {
    int32_t left, right; /* landmarks whose line becomes level */
    bool is_half;        /* that of a line that points left counts as that of one to the right */
    float target;        /* its angle then */
    float back[2];       /* half of the cut picture, below 0 */
    float scale[2][2];   /* of x and y: what the width and the height of the landmarks count */
    float unit[2];       /* of x and y, of a landmark */
    int32_t *subset;     /* landmarks that are to be seen */
    int64_t n_subset;
} crop;

static bool read_landmark(oribi_tflite_node *n, int64_t landmark, int64_t count, int32_t *out)
{
    *out = (int32_t)landmark;
    return (landmark >= 0 && landmark < count) ||
           oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "there is no landmark %lld of %lld",
                             (long long)landmark, (long long)count);
}

static bool read_subset(oribi_tflite_node *n, const oribi_flex_map *m, const char *name,
                        int64_t count, crop *out)
{
    oribi_flex_vector places;
    if (!oribi_flex_ints(m, name, &places) || places.count == 0) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "option %s names no landmarks", name);
    }
    ORIBI_TRY(oribi_tflite_spend(n->tflite, places.count, n->status));
    out->n_subset = (int64_t)places.count;
    out->subset = oribi_arena_array(&n->tflite->scratch, (size_t)places.count, sizeof *out->subset);
    ORIBI_TRY(out->subset != NULL || oribi_fail_memory(n->status));
    for (uint64_t i = 0; i < places.count; i++) {
        ORIBI_TRY(read_landmark(n, oribi_flex_int_at(m, &places, i), count, &out->subset[i]));
    }
    return true;
}

static bool refuse_sizes(oribi_tflite_node *n, int64_t width, int64_t height, float scale_x,
                         float scale_y)
{
    return oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                             "a picture of %lld x %lld, scaled by %g and %g, is not possible",
                             (long long)width, (long long)height, (double)scale_x, (double)scale_y);
}

/* Height and width of a picture in option `name`, at least 2 each. */
static bool read_picture(oribi_tflite_node *n, const oribi_flex_map *m, const char *name,
                         float *out_height, float *out_width)
{
    oribi_flex_vector sizes;
    if (!oribi_flex_ints(m, name, &sizes) || sizes.count != 2) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "option %s must be two integers", name);
    }
    const int64_t height = oribi_flex_int_at(m, &sizes, 0), width = oribi_flex_int_at(m, &sizes, 1);
    *out_height = (float)height;
    *out_width = (float)width;
    return (height > 1 && height <= INT32_MAX && width > 1 && width <= INT32_MAX) ||
           refuse_sizes(n, width, height, 1.0f, 1.0f);
}

/* Version 1 tells both pictures, whose first and last pixels are its ends. */
static bool read_old_crop(oribi_tflite_node *n, const oribi_flex_map *m, crop *out)
{
    float in[2], cut[2];
    ORIBI_TRY(read_picture(n, m, "input_hw", &in[1], &in[0]) &&
              read_picture(n, m, "output_hw", &cut[1], &cut[0]));
    const float larger = oribi_tflite_flex_float(m, "bbox_size_multiplier");
    const int64_t range = oribi_tflite_flex_int(n, m, "landmarks_range", 0);
    if (n->failed || range < 1 || !(larger > 0.0f) ||
        oribi_tflite_flex_int(n, m, "dimensions", 3) != 3) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                 "landmarks up to %lld, larger by %g, are not possible",
                                 (long long)range, (double)larger);
    }
    out->is_half = true;
    for (int32_t i = 0; i < 2; i++) {
        out->unit[i] = (in[i] - 1.0f) / (float)range;
        out->back[i] = -(cut[i] - 1.0f) / 2.0f;
        for (int32_t k = 0; k < 2; k++) {
            out->scale[i][k] = larger * out->unit[i] / (cut[k] - 1.0f);
        }
    }
    return true;
}

static bool read_new_crop(oribi_tflite_node *n, const oribi_flex_map *m, crop *out)
{
    const int64_t width = oribi_tflite_flex_int(n, m, "output_width", 0);
    const int64_t height = oribi_tflite_flex_int(n, m, "output_height", 0);
    const float scale_x = oribi_tflite_flex_float(m, "scale_x"),
                scale_y = oribi_tflite_flex_float(m, "scale_y");
    out->target = oribi_tflite_flex_float(m, "target_rotation_radians");
    if (n->failed || width < 1 || height < 1 || !(scale_x > 0.0f) || !(scale_y > 0.0f)) {
        return !n->failed && refuse_sizes(n, width, height, scale_x, scale_y);
    }
    for (int32_t i = 0; i < 2; i++) {
        out->scale[i][0] = scale_x / (float)width;
        out->scale[i][1] = scale_y / (float)height;
        out->unit[i] = 1.0f;
    }
    out->back[0] = -(float)width / 2.0f;
    out->back[1] = -(float)height / 2.0f;
    return true;
}

static bool read_crop(oribi_tflite_node *n, bool is_old, int64_t count, crop *out)
{
    oribi_flex_map m;
    ORIBI_TRY(oribi_tflite_flex(n, &m));
    const int64_t left = oribi_tflite_flex_int(n, &m, "left_rotation_idx", 0);
    const int64_t right = oribi_tflite_flex_int(n, &m, "right_rotation_idx", 0);
    return !n->failed && read_landmark(n, left, count, &out->left) &&
           read_landmark(n, right, count, &out->right) &&
           (is_old ? read_old_crop(n, &m, out) : read_new_crop(n, &m, out)) &&
           read_subset(n, &m, is_old ? "subset" : "subset_idxs", count, out);
}

/* Cosine and sine of the angle that the landmarks are turned by. */
static void turn(oribi_tflite_node *n, value points, const crop *c, value out[2])
{
    const value from = rows_of(n, points, &c->left, 1), to = rows_of(n, points, &c->right, 1);
    const value apart = two(n, "Sub", to, from);
    const value x = block(n, apart, 0, 0, 1, 1), y = block(n, apart, 0, 1, 1, 1);
    const value angle =
        two(n, "Sub", number(n, c->target),
            c->is_half ? oribi_tflite_emit(n, "Atan", INPUTS(two(n, "RealDiv", y, x)), NO_ATTRS)
                       : two(n, "Atan2", y, x));
    out[0] = oribi_tflite_emit(n, "Cos", INPUTS(angle), NO_ATTRS);
    out[1] = oribi_tflite_emit(n, "Sin", INPUTS(angle), NO_ATTRS);
}

/* Size and middle of the values of one axis. */
static void extent(oribi_tflite_node *n, value x, value *size, value *middle)
{
    const value high = farthest(n, "Max", x), low = farthest(n, "Min", x);
    *size = two(n, "Sub", high, low);
    *middle = two(n, "Mul", two(n, "AddV2", high, low), number(n, 0.5f));
}

/* The matrix from places of the cut picture to those of the whole: shift, scale, turn, shift. */
static value matrix_of(oribi_tflite_node *n, value points, const crop *c)
{
    value t[2], size[2], middle[2];
    turn(n, points, c, t);
    const value subset = rows_of(n, points, c->subset, c->n_subset);
    const value x = block(n, subset, 0, 0, -1, 1), y = block(n, subset, 0, 1, -1, 1);
    extent(n, mix(n, t[0], x, "Sub", t[1], y), &size[0], &middle[0]);
    extent(n, mix(n, t[1], x, "AddV2", t[0], y), &size[1], &middle[1]);
    const value xx = two(n, "Mul", t[0], two(n, "Mul", size[0], number(n, c->scale[0][0])));
    const value xy = two(n, "Mul", t[1], two(n, "Mul", size[1], number(n, c->scale[0][1])));
    const value yx = oribi_tflite_emit(
        n, "Neg", INPUTS(two(n, "Mul", t[1], two(n, "Mul", size[0], number(n, c->scale[1][0])))),
        NO_ATTRS);
    const value yy = two(n, "Mul", t[0], two(n, "Mul", size[1], number(n, c->scale[1][1])));
    const value back_x = number(n, c->back[0]), back_y = number(n, c->back[1]);
    const value middle_x = mix(n, t[0], middle[0], "AddV2", t[1], middle[1]),
                middle_y = mix(n, t[0], middle[1], "Sub", t[1], middle[0]);
    const value to_x = two(n, "AddV2", two(n, "Mul", middle_x, number(n, c->unit[0])),
                           mix(n, xx, back_x, "AddV2", xy, back_y));
    const value to_y = two(n, "AddV2", two(n, "Mul", middle_y, number(n, c->unit[1])),
                           mix(n, yx, back_x, "AddV2", yy, back_y));
    const value zero = number(n, 0.0f), one = number(n, 1.0f);
    return oribi_tflite_emit(n, "ConcatV2",
                             INPUTS(xx, xy, zero, to_x, yx, yy, zero, to_y, zero, zero, one, zero,
                                    zero, zero, zero, one, oribi_tflite_scalar(n, 1)),
                             ATTRS(ATTR_INT("N", 16)));
}

static bool landmarks_to_matrix(oribi_tflite_node *n)
{
    oribi_dims dims;
    crop c = {0};
    const value x = oribi_tflite_input(n, 0);
    ORIBI_TRY(oribi_tflite_dims(n, x, &dims));
    const bool is_old = n->code->version == 1;
    if (n->code->version > 2 || dims.n != (is_old ? 4 : 3) ||
        oribi_tflite_dtype_in(n, 0) != TF_FLOAT) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                 "version %lld for %d dimensions is not supported; version 1 for "
                                 "floats of four and version 2 for floats of three are",
                                 (long long)n->code->version, (int)dims.n);
    }
    int64_t count = 1;
    for (int32_t i = 0; i < dims.n; i++) {
        if (dims.at[i] < 1 || __builtin_mul_overflow(count, dims.at[i], &count)) {
            return oribi_tflite_want_shapes(n, "the number of landmarks must be known");
        }
    }
    if (count % 3 != 0) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "landmarks have three coordinates");
    }
    ORIBI_TRY(read_crop(n, is_old, count / 3, &c));
    const value points = oribi_tflite_reshape(n, x, &(oribi_dims){2, {count / 3, 3}});
    return oribi_tflite_bind(
        n, 0, oribi_tflite_reshape(n, matrix_of(n, points, &c), &(oribi_dims){3, {1, 4, 4}}));
}

/* --- TransformLandmarks, TransformTensorBilinear ---------------------------------------------- */

static bool transform_landmarks(oribi_tflite_node *n)
{
    oribi_flex_map m;
    oribi_dims dims;
    const value x = oribi_tflite_input(n, 0), matrix = oribi_tflite_input(n, 1);
    ORIBI_TRY(oribi_tflite_flex(n, &m) && oribi_tflite_dims(n, x, &dims));
    const int64_t each = oribi_tflite_flex_int(n, &m, "dimensions", 0);
    const bool is_old = n->code->version == 1;
    const float scale = is_old ? oribi_tflite_flex_float(&m, "scale") : 1.0f;
    if (n->code->version > 2 || dims.n < 1 || (each != 2 && each != 3) || dims.at[dims.n - 1] < 1 ||
        dims.at[dims.n - 1] % each != 0) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                 "version %lld for landmarks of %lld coordinates is not supported",
                                 (long long)n->code->version, (long long)each);
    }
    const value points = oribi_tflite_reshape(n, x, &(oribi_dims){2, {-1, each}});
    const value whole = oribi_tflite_reshape(n, matrix, &(oribi_dims){2, {4, 4}});
    value shift = oribi_tflite_reshape(n, block(n, whole, 0, 3, 2, 1), &(oribi_dims){1, {2}});
    shift = is_old ? two(n, "Mul", shift, oribi_tflite_scalar_like(n, shift, scale)) : shift;
    value y = oribi_tflite_emit(n, "MatMul",
                                INPUTS(block(n, points, 0, 0, -1, 2), block(n, whole, 0, 0, 2, 2)),
                                ATTRS(ATTR_BOOL("transpose_b", true)));
    y = two(n, "AddV2", y, shift);
    if (each == 3) {
        y = oribi_tflite_emit(n, "ConcatV2",
                              INPUTS(y, block(n, points, 0, 2, -1, 1), oribi_tflite_scalar(n, 1)),
                              ATTRS(ATTR_INT("N", 2)));
    }
    int32_t n_unknown = 0;
    for (int32_t i = 0; i < dims.n; i++) {
        n_unknown += dims.at[i] < 0;
    }
    if (n_unknown > 1) {
        return oribi_tflite_want_shapes(n, "the number of landmarks must be known");
    }
    return oribi_tflite_bind(n, 0, oribi_tflite_reshape(n, y, &dims));
}

/* The size of the result is the one that the file declares. */
static bool transform_tensor(oribi_tflite_node *n)
{
    const oribi_dims dims =
        n->outputs[0] != NULL ? oribi_tflite_dims_of(n->outputs[0]) : (oribi_dims){.n = 0};
    if (n->code->version > 2 || dims.n != 4 || dims.at[1] < 1 || dims.at[2] < 1) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                 "version %lld with a result of %d dimensions is not supported; "
                                 "versions 1 and 2 with four known ones are",
                                 (long long)n->code->version, (int)dims.n);
    }
    const value y = oribi_tflite_emit(
        n, "Oribi>TransformBilinear", INPUTS(oribi_tflite_input(n, 0), oribi_tflite_input(n, 1)),
        ATTRS(ATTR_INTS("size", dims.at + 1, 2), ATTR_BOOL("half_pixel", n->code->version == 2)));
    return oribi_tflite_bind(n, 0, y);
}

const oribi_tflite_custom oribi_tflite_landmark_rows[] = {
    {"Landmarks2TransformMatrix", {ORIBI_TFLITE_CUSTOM, 0, 1, 1, 1, landmarks_to_matrix, NULL}},
    {"TransformLandmarks", {ORIBI_TFLITE_CUSTOM, 0, 2, 2, 1, transform_landmarks, NULL}},
    {"TransformTensorBilinear", {ORIBI_TFLITE_CUSTOM, 0, 2, 2, 1, transform_tensor, NULL}},
    {.name = NULL},
};
