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

/* Of x over the axes from `axis` on, times gamma and plus beta (-1: none). */
static bool bind_layer_norm(oribi_onnx_node *n, oribi_value_id x, int64_t axis, float epsilon,
                            oribi_value_id gamma, oribi_value_id beta)
{
    oribi_value_id mean = -1, scale = -1;
    TF_DataType dtype = oribi_emit_dtype(n, x);
    int32_t rank = oribi_emit_rank(n, x);
    int32_t first = oribi_emit_axis(n, axis, rank);
    bool widen = oribi_onnx_int(n, "stash_type", 1) == 1 && dtype != TF_DOUBLE;
    x = widen ? oribi_emit_cast(n, x, TF_FLOAT) : x;
    oribi_value_id y = normalise(n, x, axes_between(n, first, rank), epsilon, &mean, &scale);
    y = oribi_emit2(n, "Mul", oribi_emit_cast(n, y, dtype), gamma);
    if (beta >= 0) {
        y = oribi_emit2(n, "AddV2", y, beta);
    }
    return oribi_emit_bind(n, 0, y) && (!oribi_emit_wants(n, 1) || oribi_emit_bind(n, 1, mean)) &&
           (!oribi_emit_wants(n, 2) || oribi_emit_bind(n, 2, scale));
}

static bool layer_norm(oribi_onnx_node *n)
{
    return bind_layer_norm(n, n->inputs[0], oribi_onnx_int(n, "axis", -1),
                           oribi_onnx_float(n, "epsilon", 1e-5f), n->inputs[1],
                           oribi_emit_input(n, 2));
}

/* x + skip, and a bias at input `bias`; the sum is output 3. */
static oribi_value_id skip_sum(oribi_onnx_node *n, int32_t bias)
{
    oribi_value_id x = oribi_emit2(n, "AddV2", n->inputs[0], n->inputs[1]);
    if (oribi_emit_input(n, bias) >= 0) {
        x = oribi_emit2(n, "AddV2", x, n->inputs[bias]);
    }
    return oribi_emit_wants(n, 3) && !oribi_emit_bind(n, 3, x) ? -1 : x;
}

/* Rows of an embedding, which input `ids` names. */
static oribi_value_id rows_of(oribi_onnx_node *n, int32_t table, oribi_value_id ids)
{
    return oribi_emit3(n, "GatherV2", n->inputs[table], ids, oribi_emit_int(n, 0));
}

bool oribi_onnx_embed_layer_norm(oribi_onnx_node *n)
{
    enum { IDS, SEGMENTS, WORD, POSITION, SEGMENT, GAMMA, BETA, MASK, POSITIONS };
    oribi_value_id positions = oribi_emit_input(n, POSITIONS), mean = -1, scale = -1;
    static const int needed[] = {WORD, POSITION, GAMMA, BETA};
    const float epsilon = oribi_onnx_float(n, "epsilon", 1e-12f);
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        if (oribi_emit_input(n, needed[i]) < 0) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "input %d is required", needed[i]);
        }
    }
    positions = positions < 0 ? oribi_emit_places(n, n->inputs[IDS], 1) : positions;
    oribi_value_id x =
        oribi_emit2(n, "AddV2", rows_of(n, WORD, n->inputs[IDS]), rows_of(n, POSITION, positions));
    if (oribi_emit_input(n, SEGMENTS) >= 0 && oribi_emit_input(n, SEGMENT) >= 0) {
        x = oribi_emit2(n, "AddV2", x, rows_of(n, SEGMENT, n->inputs[SEGMENTS]));
    }
    const oribi_value_id last = oribi_emit_vector(n, (int64_t[]){-1}, 1);
    oribi_value_id y = normalise(n, oribi_emit_cast(n, x, TF_FLOAT), last, epsilon, &mean, &scale);
    y = oribi_emit2(n, "Mul", oribi_emit_cast(n, y, oribi_emit_dtype(n, x)), n->inputs[GAMMA]);
    ORIBI_TRY(oribi_emit_bind(n, 0, oribi_emit2(n, "AddV2", y, n->inputs[BETA])) &&
              (!oribi_emit_wants(n, 2) || oribi_emit_bind(n, 2, x)));
    oribi_value_id mask = oribi_emit_input(n, MASK); /* without one all lengths are said to be 0 */
    if (mask < 0 && oribi_emit_wants(n, 1)) {
        mask = oribi_emit2(n, "Mul", n->inputs[IDS], oribi_emit_scalar_like(n, n->inputs[IDS], 0));
    }
    return !oribi_emit_wants(n, 1) ||
           oribi_emit_bind(n, 1,
                           oribi_emit2(n, "Sum", mask, oribi_emit_vector(n, (int64_t[]){1}, 1)));
}

bool oribi_onnx_skip_layer_norm(oribi_onnx_node *n)
{
    return bind_layer_norm(n, skip_sum(n, 4), -1, oribi_onnx_float(n, "epsilon", 1e-12f),
                           n->inputs[2], oribi_emit_input(n, 3));
}

/* x / root(mean(x * x) + epsilon) over the last axis, times gamma. */
bool oribi_onnx_skip_simplified_norm(oribi_onnx_node *n)
{
    oribi_value_id x = skip_sum(n, 3);
    int32_t rank = oribi_emit_rank(n, x);
    float epsilon = oribi_onnx_float(n, "epsilon", 1e-12f);
    oribi_value_id square =
        reduce(n, "Mean", oribi_emit1(n, "Square", x), axes_between(n, rank - 1, rank));
    square = oribi_emit2(n, "AddV2", square, oribi_emit_scalar_like(n, x, (double)epsilon));
    oribi_value_id scale = oribi_emit1(n, "Rsqrt", square);
    oribi_value_id y = oribi_emit2(n, "Mul", oribi_emit2(n, "Mul", x, scale), n->inputs[2]);
    return oribi_emit_bind(n, 0, y) && (!oribi_emit_wants(n, 2) || oribi_emit_bind(n, 2, scale));
}

static bool rms_norm(oribi_onnx_node *n)
{
    oribi_value_id x = n->inputs[0];
    TF_DataType dtype = oribi_emit_dtype(n, x);
    int32_t rank = oribi_emit_rank(n, x);
    int32_t axis = oribi_emit_axis(n, oribi_onnx_int(n, "axis", -1), rank);
    double epsilon = (double)oribi_onnx_float(n, "epsilon", 1e-5f);
    bool widen = oribi_onnx_int(n, "stash_type", 1) == 1 && dtype != TF_DOUBLE;
    x = widen ? oribi_emit_cast(n, x, TF_FLOAT) : x;
    oribi_value_id square =
        reduce(n, "Mean", oribi_emit1(n, "Square", x), axes_between(n, axis, rank));
    square = oribi_emit2(n, "AddV2", square, oribi_emit_scalar_like(n, x, epsilon));
    oribi_value_id y = oribi_emit2(n, "Mul", x, oribi_emit1(n, "Rsqrt", square));
    return oribi_emit_bind(n, 0, oribi_emit2(n, "Mul", oribi_emit_cast(n, y, dtype), n->inputs[1]));
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
    {"LayerNormalization", 17, 28, layer_norm, 2, 3, "Mean, Sub, Square, Rsqrt, Mul, AddV2"},
    {"LpNormalization", 1, 28, lp_norm, 1, 1, "Abs, Square, Sum, Sqrt, DivNoNan"},
    {"MeanVarianceNormalization", 9, 28, mean_variance_norm, 1, 1, "Mean, Sub, Square, Sqrt, RealDiv"},
    {"RMSNormalization", 23, 28, rms_norm, 2, 2, "Mean, Square, Rsqrt, Mul"},
    {NULL, 0, 0, NULL, 0, 0, NULL}};
/* clang-format on */
