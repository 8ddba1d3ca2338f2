/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisations and norms of floats, and what training left behind to imitate quantisation. */
#include "import/tflite/tflite.h"

#include <math.h>

static oribi_value_id with_scalar(oribi_tflite_node *n, const char *op, oribi_value_id x, float by)
{
    return oribi_tflite_emit(n, op, INPUTS(x, oribi_tflite_scalar_like(n, x, by)), NO_ATTRS);
}

/* The norm of short vectors is 1e-6. */
static bool l2_normalization(oribi_tflite_node *n)
{
    oribi_value_id x = oribi_tflite_input(n, 0);
    oribi_tflite_quant in = {0};
    if (oribi_tflite_is_bytes(n)) {
        ORIBI_TRY(oribi_tflite_same_output(n, 0) &&
                  oribi_tflite_quant_of(n, n->inputs[0], "the input", &in));
        return oribi_tflite_bind(n, 0,
                                 oribi_tflite_emit(n, "Oribi>QL2Normalize", INPUTS(x),
                                                   ATTRS(ATTR_INT("input_zero", in.zero))));
    }
    if (oribi_tflite_dtype_in(n, 0) != TF_FLOAT) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED, "not supported for this type");
    }
    oribi_value_id axis =
        oribi_tflite_reshape(n, oribi_tflite_scalar(n, -1), &(oribi_dims){.n = 1, .at = {1}});
    oribi_value_id norm =
        oribi_tflite_emit(n, "EuclideanNorm", INPUTS(x, axis), ATTRS(ATTR_BOOL("keep_dims", true)));
    norm = with_scalar(n, "Maximum", norm, 1.0e-6f);
    oribi_value_id y = oribi_tflite_emit(n, "Div", INPUTS(x, norm), NO_ATTRS);
    return oribi_tflite_bind(n, 0, oribi_tflite_activate(n, y, oribi_tflite_byte(n, 0, 0)));
}

/* The interpreters' kernel sums channels from -radius to radius, as TensorFlow does; the reference
 * kernel, which they do not run, leaves the last one out. */
static bool local_response(oribi_tflite_node *n)
{
    oribi_value_id y =
        oribi_tflite_emit(n, "LRN", INPUTS(oribi_tflite_input(n, 0)),
                          ATTRS(ATTR_INT("depth_radius", oribi_tflite_int(n, 0, 0)),
                                ATTR_FLOAT("bias", oribi_tflite_finite(n, 1, 0.0f, "bias")),
                                ATTR_FLOAT("alpha", oribi_tflite_finite(n, 2, 0.0f, "alpha")),
                                ATTR_FLOAT("beta", oribi_tflite_finite(n, 3, 0.0f, "beta"))));
    return oribi_tflite_bind(n, 0, y);
}

/* The root of the mean of squares. */
static bool l2_pool(oribi_tflite_node *n)
{
    const int64_t strides[4] = {1, oribi_tflite_int(n, 2, 0), oribi_tflite_int(n, 1, 0), 1};
    const int64_t size[4] = {1, oribi_tflite_int(n, 4, 0), oribi_tflite_int(n, 3, 0), 1};
    const char *padding = oribi_tflite_byte(n, 0, 0) == 0 ? "SAME" : "VALID";
    oribi_value_id y = oribi_tflite_emit(n, "Square", INPUTS(oribi_tflite_input(n, 0)), NO_ATTRS);
    y = oribi_tflite_emit(n, "AvgPool", INPUTS(y),
                          ATTRS(ATTR_INTS("ksize", size, 4), ATTR_INTS("strides", strides, 4),
                                ATTR_TEXT("padding", padding)));
    y = oribi_tflite_emit(n, "Sqrt", INPUTS(y), NO_ATTRS);
    return oribi_tflite_bind(n, 0, oribi_tflite_activate(n, y, oribi_tflite_byte(n, 5, 0)));
}

/* To the nearest of 2^bits steps between two ends, one of which is moved so that 0 is a step. */
static bool fake_quant(oribi_tflite_node *n)
{
    const float low = oribi_tflite_finite(n, 0, 0.0f, "min");
    const float high = oribi_tflite_finite(n, 1, 0.0f, "max");
    const int64_t bits = oribi_tflite_int(n, 2, 0);
    if (bits < 2 || bits > 16 || !(high > low) || !isfinite(high - low)) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "the range %g to %g of %lld bits is none",
                                 (double)low, (double)high, (long long)bits);
    }
    const float first = oribi_tflite_byte(n, 3, 0) != 0 ? 1.0f : 0.0f;
    const float last = (float)((1 << bits) - 1), scale = (high - low) / (last - first);
    const float from_low = first - low / scale;
    const float zero = from_low < first  ? first
                       : from_low > last ? last
                                         : (float)(int32_t)roundf(from_low);
    const float floor_at = (first - zero) * scale, ceiling_at = (last - zero) * scale;
    oribi_value_id y = with_scalar(n, "Maximum", oribi_tflite_input(n, 0), floor_at);
    y = with_scalar(n, "Minimum", y, ceiling_at);
    y = with_scalar(n, "Mul", y, 1.0f / scale);
    y = with_scalar(n, "Sub", y, floor_at * (1.0f / scale));
    y = with_scalar(n, "AddV2", y, 0.5f);
    y = with_scalar(n, "Mul", oribi_tflite_emit(n, "Floor", INPUTS(y), NO_ATTRS), scale);
    return oribi_tflite_bind(n, 0, with_scalar(n, "AddV2", y, floor_at));
}

const oribi_tflite_row oribi_tflite_norm_rows[] = {
    /* operator, options, inputs at least and at most, outputs */
    {11, 12, 1, 1, 1, l2_normalization, NULL},
    {12, 5, 1, 1, 1, l2_pool, NULL},
    {13, 13, 1, 1, 1, local_response, NULL},
    {80, 58, 1, 1, 1, fake_quant, NULL},
    {0, 0, 0, 0, 0, NULL, NULL},
};
