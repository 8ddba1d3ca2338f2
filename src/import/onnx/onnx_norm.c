/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisations. Batch normalisation of images is TensorFlow's op; the others become their
 * formula.
 */
#include <inttypes.h>

#include "import/onnx/onnx_emit.h"

static oribi_value_id like(oribi_onnx_node *n, double value)
{
    return oribi_emit_scalar_like(n, n->inputs[0], value);
}

/* (x - mean) * (scale / sqrt(variance + epsilon)) + bias, along axis 1 */
static oribi_value_id batch_norm_formula(oribi_onnx_node *n, float epsilon, int32_t rank,
                                         oribi_value_id mean, oribi_value_id variance)
{
    oribi_value_id x = n->inputs[0];
    TF_DataType dtype = oribi_emit_dtype(n, x);
    const oribi_value_id given[] = {x, n->inputs[1], n->inputs[2], mean, variance};
    oribi_value_id part[5] = {-1, -1, -1, -1, -1};
    for (int32_t i = 1; i < 5; i++) {
        part[i] = oribi_emit_cast(n, given[i], dtype);
    }
    oribi_value_id root = oribi_emit2(n, "AddV2", part[4], like(n, (double)epsilon));
    oribi_value_id factor = oribi_emit2(n, "Mul", part[1], oribi_emit1(n, "Rsqrt", root));
    int32_t axis = rank > 1 ? 1 : 0;
    oribi_value_id y = oribi_emit2(n, "Sub", x, oribi_emit_along_axis(n, part[3], axis, rank));
    y = oribi_emit2(n, "Mul", y, oribi_emit_along_axis(n, factor, axis, rank));
    return oribi_emit2(n, "AddV2", y, oribi_emit_along_axis(n, part[2], axis, rank));
}

/* before * momentum + now * (1 - momentum), of before's type */
static oribi_value_id running(oribi_onnx_node *n, oribi_value_id before, oribi_value_id now)
{
    const double momentum = (double)oribi_onnx_float(n, "momentum", 0.9f);
    now = oribi_emit_cast(n, now, oribi_emit_dtype(n, before));
    return oribi_emit2(n, "AddV2",
                       oribi_emit2(n, "Mul", before, oribi_emit_scalar_like(n, before, momentum)),
                       oribi_emit2(n, "Mul", now, oribi_emit_scalar_like(n, now, 1 - momentum)));
}

/* By mean and variance of the batch, which move the running ones. */
static bool batch_norm_in_training(oribi_onnx_node *n, float epsilon, int32_t rank)
{
    const oribi_value_id x = n->inputs[0];
    oribi_dims axes = {0};
    for (int32_t i = 0; i < rank; i++) {
        (void)(i == 1 || oribi_dims_add(&axes, i)); /* a rank is at most ORIBI_MAX_RANK */
    }
    const oribi_value_id over = oribi_emit_vector(n, axes.at, axes.n);
    const oribi_value_id mean = oribi_emit2(n, "Mean", x, over);
    const oribi_value_id centred =
        oribi_emit2(n, "Sub", x, oribi_emit_along_axis(n, mean, 1, rank));
    const oribi_value_id variance = oribi_emit2(n, "Mean", oribi_emit1(n, "Square", centred), over);
    return oribi_emit_bind(n, 0, batch_norm_formula(n, epsilon, rank, mean, variance)) &&
           (!oribi_emit_wants(n, 1) || oribi_emit_bind(n, 1, running(n, n->inputs[3], mean))) &&
           (!oribi_emit_wants(n, 2) || oribi_emit_bind(n, 2, running(n, n->inputs[4], variance)));
}

static bool batch_norm(oribi_onnx_node *n)
{
    oribi_value_id x = n->inputs[0];
    int32_t rank = oribi_emit_rank(n, x);
    float epsilon = oribi_onnx_float(n, "epsilon", 1e-5f);
    if (!n->failed && n->opset >= 14 && rank > 1 && oribi_onnx_flag(n, "training_mode", false)) {
        return batch_norm_in_training(n, epsilon, rank);
    }
    if (!n->failed && (oribi_onnx_flag(n, "training_mode", false) || oribi_emit_wants(n, 1) ||
                       !oribi_onnx_flag(n, "spatial", true) ||
                       (n->opset < 7 && !oribi_onnx_flag(n, "is_test", false)))) {
        return oribi_onnx_fail(n, TF_UNIMPLEMENTED,
                               "batch normalisation in its training form is not supported");
    }
    if (rank != 4 || oribi_emit_dtype(n, x) != TF_FLOAT ||
        oribi_emit_dtype(n, n->inputs[1]) != TF_FLOAT ||
        oribi_emit_dtype(n, n->inputs[3]) != TF_FLOAT) {
        return oribi_emit_bind(n, 0,
                               batch_norm_formula(n, epsilon, rank, n->inputs[3], n->inputs[4]));
    }
    oribi_value_id inputs[] = {oribi_emit_to_nhwc(n, x), n->inputs[1], n->inputs[2], n->inputs[3],
                               n->inputs[4]};
    const oribi_node *node =
        oribi_emit_node(n, "FusedBatchNormV3", inputs, 5,
                        ATTRS(ATTR_FLOAT("epsilon", epsilon), ATTR_BOOL("is_training", false)), 6);
    return oribi_emit_bind(n, 0, oribi_emit_to_nchw(n, node == NULL ? -1 : node->outputs[0]));
}

/* x / (bias + alpha / size * sum of squares over size channels)^beta */
static bool lrn(oribi_onnx_node *n)
{
    oribi_value_id x = n->inputs[0];
    int64_t size = oribi_onnx_int(n, "size", 0);
    float alpha = oribi_onnx_float(n, "alpha", 1e-4f), beta = oribi_onnx_float(n, "beta", 0.75f);
    float bias = oribi_onnx_float(n, "bias", 1.0f);
    if (n->failed || size < 1 || size > INT32_MAX) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "size %" PRId64, size);
    }
    if (n->graph->values[x]->shape.rank != 4 || size % 2 == 0 ||
        oribi_emit_dtype(n, x) == TF_DOUBLE) {
        return oribi_onnx_translate_custom(n);
    }
    oribi_value_id y =
        oribi_emit(n, "LRN", INPUTS(oribi_emit_to_nhwc(n, x)),
                   ATTRS(ATTR_INT("depth_radius", size / 2), ATTR_FLOAT("bias", bias),
                         ATTR_FLOAT("alpha", alpha / (float)size), ATTR_FLOAT("beta", beta)));
    return oribi_emit_bind(n, 0, oribi_emit_to_nchw(n, y));
}

static oribi_value_id reduce(oribi_onnx_node *n, const char *op, oribi_value_id x,
                             oribi_value_id axes)
{
    return oribi_emit(n, op, INPUTS(x, axes), ATTRS(ATTR_BOOL("keep_dims", true)));
}

static oribi_value_id axes_between(oribi_onnx_node *n, int32_t first, int32_t end)
{
    oribi_dims axes = {0};
    for (int32_t i = first; i < end; i++) {
        (void)oribi_dims_add(&axes, i);
    }
    return oribi_emit_vector(n, axes.at, axes.n);
}

/* Mean and variance to zero and one; *out_mean and *out_scale (1 / deviation) on request. */
static oribi_value_id normalise(oribi_onnx_node *n, oribi_value_id x, oribi_value_id axes,
                                float epsilon, oribi_value_id *out_mean, oribi_value_id *out_scale)
{
    oribi_value_id mean = reduce(n, "Mean", x, axes);
    oribi_value_id centred = oribi_emit2(n, "Sub", x, mean);
    oribi_value_id variance = reduce(n, "Mean", oribi_emit1(n, "Square", centred), axes);
    oribi_value_id root =
        oribi_emit2(n, "AddV2", variance, oribi_emit_scalar_like(n, x, (double)epsilon));
    oribi_value_id scale = oribi_emit1(n, "Rsqrt", root);
    if (out_mean != NULL) {
        *out_mean = mean;
        *out_scale = scale;
    }
    return oribi_emit2(n, "Mul", centred, scale);
}

static bool instance_norm(oribi_onnx_node *n)
{
    int32_t rank = oribi_emit_rank(n, n->inputs[0]);
    float epsilon = oribi_onnx_float(n, "epsilon", 1e-5f);
    if (n->failed || rank < 3) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                               "an input with %d dimensions is not supported", (int)rank);
    }
    oribi_value_id y = normalise(n, n->inputs[0], axes_between(n, 2, rank), epsilon, NULL, NULL);
    y = oribi_emit2(n, "Mul", y, oribi_emit_along_axis(n, n->inputs[1], 1, rank));
    y = oribi_emit2(n, "AddV2", y, oribi_emit_along_axis(n, n->inputs[2], 1, rank));
    return oribi_emit_bind(n, 0, y);
}

/* x * gamma + beta (-1: none) in the type of x, then rounded to that of the result. */
static oribi_value_id scaled_and_moved(oribi_onnx_node *n, oribi_value_id x, oribi_value_id gamma,
                                       oribi_value_id beta, TF_DataType dtype)
{
    const TF_DataType wide = oribi_emit_dtype(n, x);
    oribi_value_id y = oribi_emit2(n, "Mul", x, oribi_emit_cast(n, gamma, wide));
    if (beta >= 0) {
        y = oribi_emit2(n, "AddV2", y, oribi_emit_cast(n, beta, wide));
    }
    return oribi_emit_cast(n, y, dtype);
}

/* Of x over the axes from `axis` on, times gamma and plus beta (-1: none), which are of the type of
 * the result, dtype. */
static bool bind_layer_norm(oribi_onnx_node *n, oribi_value_id x, TF_DataType dtype, int64_t axis,
                            float epsilon, oribi_value_id gamma, oribi_value_id beta)
{
    oribi_value_id mean = -1, scale = -1;
    int32_t rank = oribi_emit_rank(n, x);
    int32_t first = oribi_emit_axis(n, axis, rank);
    bool widen = oribi_onnx_int(n, "stash_type", 1) == 1 && dtype != TF_DOUBLE;
    x = widen ? oribi_emit_cast(n, x, TF_FLOAT) : x;
    oribi_value_id y = normalise(n, x, axes_between(n, first, rank), epsilon, &mean, &scale);
    y = scaled_and_moved(n, y, gamma, beta, dtype);
    return oribi_emit_bind(n, 0, y) && (!oribi_emit_wants(n, 1) || oribi_emit_bind(n, 1, mean)) &&
           (!oribi_emit_wants(n, 2) || oribi_emit_bind(n, 2, scale));
}

static bool layer_norm(oribi_onnx_node *n)
{
    return bind_layer_norm(n, n->inputs[0], oribi_emit_dtype(n, n->inputs[0]),
                           oribi_onnx_int(n, "axis", -1), oribi_onnx_float(n, "epsilon", 1e-5f),
                           n->inputs[1], oribi_emit_input(n, 2));
}

/* x + skip, and a bias at input `bias`, as float where they are halves; output 3 is rounded. */
static oribi_value_id skip_sum(oribi_onnx_node *n, int32_t bias)
{
    const TF_DataType dtype = oribi_emit_dtype(n, n->inputs[0]);
    const TF_DataType wide = dtype == TF_DOUBLE ? TF_DOUBLE : TF_FLOAT;
    oribi_value_id x = oribi_emit2(n, "AddV2", oribi_emit_cast(n, n->inputs[0], wide),
                                   oribi_emit_cast(n, n->inputs[1], wide));
    if (oribi_emit_input(n, bias) >= 0) {
        x = oribi_emit2(n, "AddV2", x, oribi_emit_cast(n, n->inputs[bias], wide));
    }
    return oribi_emit_wants(n, 3) && !oribi_emit_bind(n, 3, oribi_emit_cast(n, x, dtype)) ? -1 : x;
}

/* What embeddings are looked up in, added, normalised; -1: absent. */
typedef struct embedding {
    oribi_value_id ids, segments, positions, mask;
    oribi_value_id words, places; /* their rows */
    oribi_value_id kinds;
    oribi_value_id gamma, beta;
} embedding;

/* Outputs: the norm, how many tokens count, the sum before. */
static bool bind_embedding(oribi_onnx_node *n, const embedding *e)
{
    oribi_value_id mean = -1, scale = -1, mask = e->mask;
    oribi_value_id x = oribi_emit2(n, "AddV2", e->words, e->places);
    x = e->kinds >= 0 ? oribi_emit2(n, "AddV2", x, e->kinds) : x;
    const oribi_value_id last = oribi_emit_vector(n, (int64_t[]){-1}, 1);
    const float epsilon = oribi_onnx_float(n, "epsilon", 1e-12f);
    oribi_value_id y = normalise(n, oribi_emit_cast(n, x, TF_FLOAT), last, epsilon, &mean, &scale);
    y = scaled_and_moved(n, y, e->gamma, e->beta, oribi_emit_dtype(n, x));
    ORIBI_TRY(oribi_emit_bind(n, 0, y) && (!oribi_emit_wants(n, 2) || oribi_emit_bind(n, 2, x)));
    if (mask < 0 && oribi_emit_wants(n, 1)) { /* without one all lengths are said to be 0 */
        mask = oribi_emit2(n, "Mul", e->ids, oribi_emit_scalar_like(n, e->ids, 0));
    }
    return !oribi_emit_wants(n, 1) ||
           oribi_emit_bind(n, 1,
                           oribi_emit2(n, "Sum", mask, oribi_emit_vector(n, (int64_t[]){1}, 1)));
}

static bool are_there(oribi_onnx_node *n, const int *needed, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        if (oribi_emit_input(n, needed[i]) < 0) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "input %d is required", needed[i]);
        }
    }
    return true;
}

/* Rows of an embedding, which `ids` name. */
static oribi_value_id rows_of(oribi_onnx_node *n, int32_t table, oribi_value_id ids)
{
    return oribi_emit3(n, "GatherV2", n->inputs[table], ids, oribi_emit_int(n, 0));
}

bool oribi_onnx_embed_layer_norm(oribi_onnx_node *n)
{
    enum { IDS, SEGMENTS, WORD, POSITION, SEGMENT, GAMMA, BETA, MASK, POSITIONS };
    static const int needed[] = {WORD, POSITION, GAMMA, BETA};
    ORIBI_TRY(are_there(n, needed, 4));
    embedding e = {.ids = n->inputs[IDS],
                   .segments = oribi_emit_input(n, SEGMENTS),
                   .positions = oribi_emit_input(n, POSITIONS),
                   .mask = oribi_emit_input(n, MASK),
                   .kinds = -1,
                   .gamma = n->inputs[GAMMA],
                   .beta = n->inputs[BETA]};
    e.positions = e.positions < 0 ? oribi_emit_places(n, e.ids, 1) : e.positions;
    e.words = rows_of(n, WORD, e.ids);
    e.places = rows_of(n, POSITION, e.positions);
    if (e.segments >= 0 && oribi_emit_input(n, SEGMENT) >= 0) {
        e.kinds = rows_of(n, SEGMENT, e.segments);
    }
    return bind_embedding(n, &e);
}

/* Rows of bytes become floats after they are looked up: tables stay as they are in the file. */
static oribi_value_id float_rows(oribi_onnx_node *n, int32_t table, oribi_value_id ids,
                                 int32_t scale, int32_t zero)
{
    const oribi_value_id rows = ids < 0 ? n->inputs[table] : rows_of(n, table, ids);
    const oribi_value_id y =
        oribi_emit_input(n, scale) < 0
            ? -1
            : oribi_onnx_dequantized(n, rows, n->inputs[scale], oribi_emit_input(n, zero), 0);
    if (y < 0 && !n->failed) {
        (void)oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                              "input %d must be int8 or uint8, its scale, input %d, float and its "
                              "zero point, input %d, of the same type and rank",
                              (int)table, (int)scale, (int)zero);
    }
    return y;
}

bool oribi_onnx_embed_layer_norm_quantised(oribi_onnx_node *n)
{
    enum { IDS, SEGMENTS, WORD, POSITION, SEGMENT, GAMMA, BETA, MASK, SCALES, ZEROS = 13 };
    enum { TO_SCALE = SCALES - WORD, TO_ZERO = ZEROS - WORD };
    static const int needed[] = {WORD, POSITION, GAMMA, BETA};
    ORIBI_TRY(are_there(n, needed, 4));
    embedding e = {.ids = n->inputs[IDS],
                   .segments = oribi_emit_input(n, SEGMENTS),
                   .mask = oribi_emit_input(n, MASK),
                   .kinds = -1};
    e.words = float_rows(n, WORD, e.ids, WORD + TO_SCALE, WORD + TO_ZERO);
    e.places = float_rows(n, POSITION, oribi_emit_places(n, e.ids, 1), POSITION + TO_SCALE,
                          POSITION + TO_ZERO);
    if (e.segments >= 0 && oribi_emit_input(n, SEGMENT) >= 0) {
        e.kinds = float_rows(n, SEGMENT, e.segments, SEGMENT + TO_SCALE, SEGMENT + TO_ZERO);
    }
    e.gamma = float_rows(n, GAMMA, -1, GAMMA + TO_SCALE, GAMMA + TO_ZERO);
    e.beta = float_rows(n, BETA, -1, BETA + TO_SCALE, BETA + TO_ZERO);
    return bind_embedding(n, &e);
}

bool oribi_onnx_skip_layer_norm(oribi_onnx_node *n)
{
    return bind_layer_norm(n, skip_sum(n, 4), oribi_emit_dtype(n, n->inputs[0]), -1,
                           oribi_onnx_float(n, "epsilon", 1e-12f), n->inputs[2],
                           oribi_emit_input(n, 3));
}

/* x / root(mean(x * x) + epsilon) over the last axes, as float where it is not double, times gamma
 * in the type of the result; *out_scale: what x is multiplied by. */
static oribi_value_id by_root(oribi_onnx_node *n, oribi_value_id x, int32_t axis, double epsilon,
                              oribi_value_id gamma, oribi_value_id *out_scale)
{
    const TF_DataType dtype = oribi_emit_dtype(n, gamma);
    const int32_t rank = oribi_emit_rank(n, x);
    oribi_value_id square =
        reduce(n, "Mean", oribi_emit1(n, "Square", x), axes_between(n, axis, rank));
    square = oribi_emit2(n, "AddV2", square, oribi_emit_scalar_like(n, x, epsilon));
    *out_scale = oribi_emit1(n, "Rsqrt", square);
    return scaled_and_moved(n, oribi_emit2(n, "Mul", x, *out_scale), gamma, -1, dtype);
}

bool oribi_onnx_skip_simplified_norm(oribi_onnx_node *n)
{
    const oribi_value_id x = skip_sum(n, 3);
    oribi_value_id scale = -1;
    const oribi_value_id y =
        by_root(n, x, oribi_emit_rank(n, x) - 1, (double)oribi_onnx_float(n, "epsilon", 1e-12f),
                n->inputs[2], &scale);
    return oribi_emit_bind(n, 0, y) && (!oribi_emit_wants(n, 2) || oribi_emit_bind(n, 2, scale));
}

static bool rms_norm(oribi_onnx_node *n)
{
    oribi_value_id x = n->inputs[0], scale = -1;
    const int32_t rank = oribi_emit_rank(n, x);
    const int32_t axis = oribi_emit_axis(n, oribi_onnx_int(n, "axis", -1), rank);
    const bool widens =
        oribi_onnx_int(n, "stash_type", 1) == 1 && oribi_emit_dtype(n, x) != TF_DOUBLE;
    x = widens ? oribi_emit_cast(n, x, TF_FLOAT) : x;
    const oribi_value_id y =
        by_root(n, x, axis, (double)oribi_onnx_float(n, "epsilon", 1e-5f), n->inputs[1], &scale);
    return oribi_emit_bind(n, 0, y) && (!oribi_emit_wants(n, 1) || oribi_emit_bind(n, 1, scale));
}

/* [n, c, ...] as [n, groups, c / groups * ...]; scale and bias are per channel since opset 21. */
static bool group_norm(oribi_onnx_node *n)
{
    oribi_value_id x = n->inputs[0];
    TF_DataType dtype = oribi_emit_dtype(n, x);
    int32_t rank = oribi_emit_rank(n, x);
    int64_t groups = oribi_onnx_int(n, "num_groups", 0), channels = oribi_emit_dim(n, x, 1);
    float epsilon = oribi_onnx_float(n, "epsilon", 1e-5f);
    if (n->failed || groups < 1 || rank < 3 || (channels >= 0 && channels % groups != 0)) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                               "%" PRId64 " groups do not divide %" PRId64 " channels", groups,
                               channels);
    }
    bool widen = n->opset >= 21 && oribi_onnx_int(n, "stash_type", 1) == 1 && dtype != TF_DOUBLE;
    oribi_value_id wide = widen ? oribi_emit_cast(n, x, TF_FLOAT) : x;
    oribi_value_id shape = oribi_emit_shape_of(n, x, TF_INT32);
    oribi_value_id first = oribi_emit_range_of(n, shape, 0, 1);
    oribi_value_id y =
        oribi_emit2(n, "Reshape", wide,
                    oribi_emit3(n, "ConcatV2", first,
                                oribi_emit_vector_as(n, TF_INT32, (int64_t[]){groups, -1}, 2),
                                oribi_emit_int(n, 0)));
    y = oribi_emit_cast(n, normalise(n, y, axes_between(n, 2, 3), epsilon, NULL, NULL), dtype);
    if (n->opset < 21) {
        y = oribi_emit2(n, "Mul", y, oribi_emit_along_axis(n, n->inputs[1], 1, 3));
        y = oribi_emit2(n, "AddV2", y, oribi_emit_along_axis(n, n->inputs[2], 1, 3));
        return oribi_emit_bind(n, 0, oribi_emit2(n, "Reshape", y, shape));
    }
    y = oribi_emit2(n, "Reshape", y, shape);
    y = oribi_emit2(n, "Mul", y, oribi_emit_along_axis(n, n->inputs[1], 1, rank));
    y = oribi_emit2(n, "AddV2", y, oribi_emit_along_axis(n, n->inputs[2], 1, rank));
    return oribi_emit_bind(n, 0, y);
}

/* (x - mean) / sqrt(variance), with the specification's 1e-9 added to the deviation. */
static bool mean_variance_norm(oribi_onnx_node *n)
{
    oribi_dims axes = {3, {0, 2, 3}};
    oribi_value_id x = n->inputs[0];
    (void)oribi_onnx_dims(n, "axes", &axes);
    oribi_value_id over = oribi_emit_vector(n, axes.at, axes.n);
    oribi_value_id centred = oribi_emit2(n, "Sub", x, reduce(n, "Mean", x, over));
    oribi_value_id variance = reduce(n, "Mean", oribi_emit1(n, "Square", centred), over);
    oribi_value_id deviation =
        oribi_emit2(n, "AddV2", oribi_emit1(n, "Sqrt", variance), like(n, 1e-9));
    return oribi_emit_bind(n, 0, oribi_emit2(n, "RealDiv", centred, deviation));
}

static bool lp_norm(oribi_onnx_node *n)
{
    oribi_value_id x = n->inputs[0], norm;
    int32_t rank = oribi_emit_rank(n, x);
    int64_t axis = oribi_emit_axis(n, oribi_onnx_int(n, "axis", -1), rank);
    int64_t p = oribi_onnx_int(n, "p", 2);
    oribi_value_id over = oribi_emit_vector(n, &axis, 1);
    if (!n->failed && p != 1 && p != 2) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "p is %" PRId64 ", but must be 1 or 2", p);
    }
    if (p == 1) {
        norm = reduce(n, "Sum", oribi_emit1(n, "Abs", x), over);
    } else {
        norm = oribi_emit1(n, "Sqrt", reduce(n, "Sum", oribi_emit1(n, "Square", x), over));
    }
    /* 0 / 0 is 0 here. */
    return oribi_emit_bind(n, 0, oribi_emit2(n, "DivNoNan", x, norm));
}

/* clang-format off */
const oribi_onnx_row oribi_onnx_norm_rows[] = {
    {"BatchNormalization", 6, 28, batch_norm, 5, 5, "FusedBatchNormV3, Transpose; Mean, Square, Sub, Rsqrt, Mul, AddV2"},
    {"GroupNormalization", 18, 28, group_norm, 3, 3, "Reshape, Mean, Sub, Square, Rsqrt, Mul, AddV2"},
    {"InstanceNormalization", 6, 28, instance_norm, 3, 3, "Mean, Sub, Square, Rsqrt, Mul, AddV2"},
    {"LRN", 1, 28, lrn, 1, 1, "LRN, Transpose; ONNX>LRN"},
    {"LayerNormalization", 1, 28, layer_norm, 2, 3, "Mean, Sub, Square, Rsqrt, Mul, AddV2"},
    {"LpNormalization", 1, 28, lp_norm, 1, 1, "Abs, Square, Sum, Sqrt, DivNoNan"},
    {"MeanVarianceNormalization", 9, 28, mean_variance_norm, 1, 1, "Mean, Sub, Square, Sqrt, RealDiv"},
    {"RMSNormalization", 23, 28, rms_norm, 2, 2, "Mean, Square, Rsqrt, Mul"},
    {"SimplifiedLayerNormalization", 1, 28, rms_norm, 2, 2, "Mean, Square, Rsqrt, Mul"},
    {NULL, 0, 0, NULL, 0, 0, NULL}};
/* clang-format on */
