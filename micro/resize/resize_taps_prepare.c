/* SPDX-License-Identifier: Apache-2.0 */
/* See resize_taps_prepare.h. f32 where the sources have it. */
#include "micro/resize/resize_taps_prepare.h"

#include <math.h>
#include <string.h>

static int64_t clamp(double v, int64_t n)
{
    return !(v >= 0) ? 0 : v > (double)(n - 1) ? n - 1 : (int64_t)v; /* 0 for a NaN */
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
    const float at = ((float)i + 0.5F) * scale;
    return rule->mode == ORIBI_MICRO_RESIZE_NEAREST ? at : at - 0.5F;
}

static void tf_tap(const struct oribi_micro_resize_rule *rule,
                   const struct oribi_micro_resize_axis *axis, int64_t i,
                   struct oribi_micro_resize_tap *out)
{
    const float at = tf_coordinate(rule, axis, i), low = floorf(at), part = at - low;
    if (rule->mode == ORIBI_MICRO_RESIZE_NEAREST) {
        const int rounds = rule->coordinates == ORIBI_MICRO_RESIZE_TF_CORNERS;
        const float place = rounds ? roundf(at) : low;
        *out = (struct oribi_micro_resize_tap){1, {clamp((double)place, axis->in)}, {1.0F}};
        return;
    }
    *out = (struct oribi_micro_resize_tap){
        2, {clamp((double)low, axis->in), clamp(ceil((double)at), axis->in)}, {1.0F - part, part}};
}

/* --- ONNX ------------------------------------------------------------------------------------ */

static double onnx_coordinate(int32_t coordinates, const struct oribi_micro_resize_axis *axis,
                              int64_t i)
{
    const double x = (double)i, s = (double)axis->scale;
    const double in = (double)axis->in, out = (double)axis->out;
    double shift = 0;
    switch (coordinates) {
    case ORIBI_MICRO_RESIZE_ASYMMETRIC:
        return x / s;
    case ORIBI_MICRO_RESIZE_CORNERS:
        return axis->out == 1 ? 0 : x * (in - 1) / (out - 1);
    case ORIBI_MICRO_RESIZE_TF_HALF_FOR_NEAREST:
        return (x + 0.5) / s;
    case ORIBI_MICRO_RESIZE_PYTORCH_HALF:
        if (axis->out <= 1) {
            return 0;
        }
        break;
    case ORIBI_MICRO_RESIZE_HALF_SYMMETRIC:
        shift = in / 2 * (1 - out / (s * in));
        break;
    default:
        break;
    }
    return shift + (x + 0.5) / s - 0.5;
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
                         struct oribi_micro_resize_tap *out)
{
    const double low = floor(at);
    const int is_cubic = rule->mode == ORIBI_MICRO_RESIZE_CUBIC;
    double sum = 0, weights[4];
    out->n = is_cubic ? 4 : 2;
    for (int k = 0; k < out->n; k++) {
        const double pixel = is_cubic ? low - 1 + k : low + k;
        weights[k] = is_cubic ? cubic(at - pixel, (double)rule->cubic_a)
                     : k == 0 ? 1 - (at - low)
                              : at - low;
        if (rule->exclude_outside != 0 && (pixel < 0 || pixel > (double)(n - 1))) {
            weights[k] = 0;
        }
        out->index[k] = clamp(pixel, n);
        sum += weights[k];
    }
    const int is_shared = rule->exclude_outside != 0 && (sum < 0 || sum > 0);
    for (int k = 0; k < out->n; k++) {
        out->weight[k] = (float)(is_shared ? weights[k] / sum : weights[k]);
    }
}

void oribi_micro_resize_tap(const struct oribi_micro_resize_rule *rule,
                            const struct oribi_micro_resize_axis *axis, int64_t i,
                            struct oribi_micro_resize_tap *out)
{
    if (rule->coordinates <= ORIBI_MICRO_RESIZE_TF_HALF) {
        tf_tap(rule, axis, i, out);
        return;
    }
    const double at = onnx_coordinate(rule->coordinates, axis, i);
    if (rule->mode == ORIBI_MICRO_RESIZE_NEAREST) {
        *out = (struct oribi_micro_resize_tap){
            1, {clamp(onnx_nearest(rule->nearest, at), axis->in)}, {1.0F}};
    } else {
        onnx_weights(rule, axis->in, at, out);
    }
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
        [ORIBI_MICRO_RESIZE_HALF_SYMMETRIC] = "half_pixel_symmetric"};
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
