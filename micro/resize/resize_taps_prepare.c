/* SPDX-License-Identifier: Apache-2.0 */
/* See resize_taps_prepare.h. f32 where the sources have it. */
#include "micro/resize/resize_taps_prepare.h"

#include <math.h>
#include <string.h>

static int32_t clamp(double v, int64_t n)
{
    return !(v >= 0) ? 0 : (int32_t)(v > (double)(n - 1) ? n - 1 : (int64_t)v); /* 0 for a NaN */
}

/* --- TensorFlow ------------------------------------------------------------------------------ */

static float tf_coordinate(const struct oribi_micro_resize_rule *rule,
                           const struct oribi_micro_resize_axis *axis, int64_t i)
{
    const int corners = rule->coordinates == ORIBI_MICRO_RESIZE_TF_CORNERS && axis->out > 1;
    const float scale = corners ? (float)(axis->in - 1) / (float)(axis->out - 1)
                                : (float)axis->in / (float)axis->out;
    if (rule->coordinates != ORIBI_MICRO_RESIZE_TF_HALF) {
        return (float)i * scale;
    }
    return ((float)i + 0.5F) * scale;
}

static void tf_tap(const struct oribi_micro_resize_rule *rule,
                   const struct oribi_micro_resize_axis *axis, int64_t i, int32_t *places,
                   float *weights)
{
    const float at = tf_coordinate(rule, axis, i);
    const int rounds = rule->coordinates == ORIBI_MICRO_RESIZE_TF_CORNERS;
    places[0] = clamp((double)(rounds ? roundf(at) : floorf(at)), axis->in);
    weights[0] = 1.0F;
}

/* --- ONNX ------------------------------------------------------------------------------------ */

/* In float32, as scales are: 4 / (8 / 3) is a half then. */
static float onnx_coordinate(int32_t coordinates, const struct oribi_micro_resize_axis *axis,
                             int64_t i)
{
    const float x = (float)i, in = (float)axis->in, length = axis->length;
    const float span = axis->end - axis->start;
    float shift = 0;
    switch (coordinates) {
    case ORIBI_MICRO_RESIZE_ASYMMETRIC:
        return x / axis->scale;
    case ORIBI_MICRO_RESIZE_CORNERS:
        return length > 1 ? x * (in - 1) / (length - 1) : 0;
    case ORIBI_MICRO_RESIZE_TF_HALF_FOR_NEAREST:
        return (x + 0.5F) / axis->scale;
    case ORIBI_MICRO_RESIZE_TF_CROP:
        return axis->out > 1 ? axis->start * (in - 1) + x * span * (in - 1) / (float)(axis->out - 1)
                             : 0.5F * (axis->start + axis->end) * (in - 1);
    case ORIBI_MICRO_RESIZE_PYTORCH_HALF:
        if (axis->out <= 1) {
            return 0;
        }
        break;
    case ORIBI_MICRO_RESIZE_HALF_SYMMETRIC:
        shift = in / 2 * (1 - (float)axis->out / length);
        break;
    default:
        break;
    }
    return shift + (x + 0.5F) / axis->scale - 0.5F;
}

static double onnx_nearest(int32_t nearest, double at)
{
    switch (nearest) {
    case ORIBI_MICRO_RESIZE_FLOOR:
        return floor(at);
    case ORIBI_MICRO_RESIZE_CEIL:
        return ceil(at);
    default:
        return nearest == ORIBI_MICRO_RESIZE_PREFER_CEIL ? floor(at + 0.5) : ceil(at - 0.5);
    }
}

/* Keys' cubic convolution kernel at distance d. */
static double cubic(double d, double a)
{
    d = fabs(d);
    return d <= 1  ? ((a + 2) * d - (a + 3)) * d * d + 1
           : d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
                   : 0;
}

static void onnx_weights(const struct oribi_micro_resize_rule *rule, int64_t n, double at,
                         int32_t *places, float *out)
{
    const double low = floor(at);
    const int is_cubic = rule->mode == ORIBI_MICRO_RESIZE_CUBIC, n_taps = is_cubic ? 4 : 2;
    double sum = 0, weights[4];
    for (int k = 0; k < n_taps; k++) {
        const double pixel = is_cubic ? low - 1 + k : low + k;
        weights[k] = is_cubic ? cubic(at - pixel, (double)rule->cubic_a)
                     : k == 0 ? 1 - (at - low)
                              : at - low;
        if (rule->exclude_outside != 0 && (pixel < 0 || pixel > (double)(n - 1))) {
            weights[k] = 0;
        }
        places[k] = clamp(pixel, n);
        sum += weights[k];
    }
    const int is_shared = rule->exclude_outside != 0 && (sum < 0 || sum > 0);
    for (int k = 0; k < n_taps; k++) {
        out[k] = (float)(is_shared ? weights[k] / sum : weights[k]);
    }
}

/* How far an element is seen from, in elements of the input. */
static double reach(const struct oribi_micro_resize_rule *rule,
                    const struct oribi_micro_resize_axis *axis)
{
    const double radius = rule->mode == ORIBI_MICRO_RESIZE_CUBIC ? 2 : 1;
    return axis->scale < 1.0F ? radius / (double)axis->scale : radius;
}

/* The curve, wider by what the picture shrinks; what lies outside counts as the border, unless it
 * is excluded. The taps lie side by side. */
static void wide_weights(const struct oribi_micro_resize_rule *rule,
                         const struct oribi_micro_resize_axis *axis, double at, int64_t n_taps,
                         int32_t *places, float *weights)
{
    const double far = reach(rule, axis), shrink = axis->scale < 1.0F ? (double)axis->scale : 1;
    const int64_t first = (int64_t)floor(at - far) + 1, last = (int64_t)ceil(at + far) - 1;
    const int32_t base = clamp((double)first, axis->in);
    double sum = 0;
    for (int64_t k = 0; k < n_taps; k++) {
        places[k] = clamp((double)(base + k), axis->in);
        weights[k] = 0;
    }
    for (int64_t pixel = first; pixel <= last; pixel++) {
        const double d = fabs((double)pixel - at) * shrink;
        const double weight =
            rule->mode == ORIBI_MICRO_RESIZE_CUBIC ? cubic(d, (double)rule->cubic_a) : 1 - d;
        const int64_t to = clamp((double)pixel, axis->in) - base;
        if ((rule->exclude_outside == 0 || (pixel >= 0 && pixel < axis->in)) && to >= 0 &&
            to < n_taps) {
            weights[to] += (float)weight;
            sum += weight;
        }
    }
    for (int64_t k = 0; (sum < 0 || sum > 0) && k < n_taps; k++) {
        weights[k] = (float)((double)weights[k] / sum);
    }
}

int64_t oribi_micro_resize_taps(const struct oribi_micro_resize_rule *rule,
                                const struct oribi_micro_resize_axis *axis)
{
    if (rule->mode == ORIBI_MICRO_RESIZE_NEAREST) {
        return 1;
    }
    if (rule->antialias != 0) {
        const double wide = 2 * ceil(reach(rule, axis)) + 1;
        return wide < (double)axis->in ? (int64_t)wide : axis->in;
    }
    return rule->mode == ORIBI_MICRO_RESIZE_CUBIC ? 4 : 2;
}

int32_t oribi_micro_resize_tap(const struct oribi_micro_resize_rule *rule,
                               const struct oribi_micro_resize_axis *axis, int64_t i,
                               int32_t *places, float *weights)
{
    const int64_t n = oribi_micro_resize_taps(rule, axis);
    if (rule->coordinates <= ORIBI_MICRO_RESIZE_TF_HALF) {
        tf_tap(rule, axis, i, places, weights);
        return 1;
    }
    const double at = (double)onnx_coordinate(rule->coordinates, axis, i);
    if (rule->coordinates == ORIBI_MICRO_RESIZE_TF_CROP &&
        !(at >= 0 && at <= (double)(axis->in - 1))) {
        memset(places, 0, (size_t)n * sizeof *places);
        memset(weights, 0, (size_t)n * sizeof *weights);
        return 0;
    }
    if (rule->mode == ORIBI_MICRO_RESIZE_NEAREST) {
        places[0] = clamp(onnx_nearest(rule->nearest, at), axis->in);
        weights[0] = 1.0F;
    } else if (rule->antialias != 0) {
        wide_weights(rule, axis, at, n, places, weights);
    } else {
        onnx_weights(rule, axis->in, at, places, weights);
    }
    return 1;
}

/* --- Words ----------------------------------------------------------------------------------- */

static int32_t find(const char *const *words, int32_t n, const char *word)
{
    for (int32_t i = 0; i < n; i++) {
        if (words[i] != NULL && strcmp(words[i], word) == 0) {
            return i;
        }
    }
    return -1;
}

int32_t oribi_micro_resize_coordinates(const char *word)
{
    static const char *const words[] = {
        [ORIBI_MICRO_RESIZE_HALF_PIXEL] = "half_pixel",
        [ORIBI_MICRO_RESIZE_ASYMMETRIC] = "asymmetric",
        [ORIBI_MICRO_RESIZE_CORNERS] = "align_corners",
        [ORIBI_MICRO_RESIZE_TF_HALF_FOR_NEAREST] = "tf_half_pixel_for_nn",
        [ORIBI_MICRO_RESIZE_PYTORCH_HALF] = "pytorch_half_pixel",
        [ORIBI_MICRO_RESIZE_HALF_SYMMETRIC] = "half_pixel_symmetric",
        [ORIBI_MICRO_RESIZE_TF_CROP] = "tf_crop_and_resize"};
    return find(words, ORIBI_MICRO_RESIZE_COORDINATES, word);
}

int32_t oribi_micro_resize_mode(const char *word)
{
    static const char *const words[] = {[ORIBI_MICRO_RESIZE_NEAREST] = "nearest",
                                        [ORIBI_MICRO_RESIZE_LINEAR] = "linear",
                                        [ORIBI_MICRO_RESIZE_CUBIC] = "cubic"};
    return find(words, ORIBI_MICRO_RESIZE_MODES, word);
}

int32_t oribi_micro_resize_nearest_mode(const char *word)
{
    static const char *const words[] = {[ORIBI_MICRO_RESIZE_FLOOR] = "floor",
                                        [ORIBI_MICRO_RESIZE_CEIL] = "ceil",
                                        [ORIBI_MICRO_RESIZE_PREFER_CEIL] = "round_prefer_ceil",
                                        [ORIBI_MICRO_RESIZE_PREFER_FLOOR] = "round_prefer_floor"};
    return find(words, 4, word);
}
