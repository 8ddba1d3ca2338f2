/* SPDX-License-Identifier: Apache-2.0 */
/* Derives what the kernels' arguments hold. Doubles and floats stand where TensorFlow Lite has
 * them, since a multiplier that differs in its last bit is another result. Host only.
 */
#include "micro/prepare.h"

#include "micro/element.h"
#include "micro/geometry/geometry_window.h"

#include <math.h>

const char *oribi_micro_text(int32_t code)
{
    switch (code) {
    case ORIBI_MICRO_OK:
        return "no error";
    case ORIBI_MICRO_INVALID:
        return "a size, scale or zero point is outside its range";
    case ORIBI_MICRO_OVERFLOW:
        return "a sum could leave 32 bits";
    case ORIBI_MICRO_TOO_LARGE:
        return "a tensor or its scratch would need 2 GiB or more";
    default:
        return "unknown code";
    }
}

static int scale_is_usable(double scale)
{
    return isfinite(scale) && scale > 0.0;
}

int32_t oribi_micro_check(int32_t kind, struct oribi_micro_quantisation quantisation)
{
    const int32_t low = kind == ORIBI_MICRO_S8 ? INT8_MIN : 0;
    const int32_t high = kind == ORIBI_MICRO_S8 ? INT8_MAX : kind == ORIBI_MICRO_U8 ? UINT8_MAX : 0;
    const int usable = kind >= ORIBI_MICRO_S8 && kind <= ORIBI_MICRO_S16 &&
                       scale_is_usable((double)quantisation.scale) && quantisation.zero >= low &&
                       quantisation.zero <= high;
    return usable ? ORIBI_MICRO_OK : ORIBI_MICRO_INVALID;
}

int32_t oribi_micro_check_s8(struct oribi_micro_quantisation quantisation)
{
    return oribi_micro_check(ORIBI_MICRO_S8, quantisation);
}

int32_t oribi_micro_multiplier(double real, int32_t *out_multiplier, int32_t *out_shift)
{
    int exponent = 0;
    if (!isfinite(real) || real < 0.0) {
        return ORIBI_MICRO_INVALID;
    }
    int64_t mantissa = (int64_t)round(frexp(real, &exponent) * 2147483648.0);
    if (mantissa == INT64_C(1) << 31) {
        mantissa /= 2;
        exponent++;
    }
    if (exponent > 31) {
        return ORIBI_MICRO_INVALID;
    }
    if (exponent < -31) {
        mantissa = 0;
        exponent = 0;
    }
    *out_multiplier = (int32_t)mantissa;
    *out_shift = (int32_t)exponent;
    return ORIBI_MICRO_OK;
}

int32_t oribi_micro_power(float scale)
{
    const float exponent = (float)log((double)scale) * (1.0F / (float)log(2.0));
    return fabsf(exponent - roundf(exponent)) < 1e-3F ? (int32_t)roundf(exponent) : INT32_MIN;
}

/* The quantised value of a bound; far outside the type it may be anything of the right sign. */
static int32_t quantised(float real, struct oribi_micro_quantisation output)
{
    const float steps = roundf(real / output.scale);
    const float limit = 1.0e6F;
    return output.zero + (int32_t)(steps > limit ? limit : steps < -limit ? -limit : steps);
}

int32_t oribi_micro_bounds(int32_t kind, int32_t activation, struct oribi_micro_quantisation output,
                           int32_t *out_low, int32_t *out_high)
{
    int32_t low = kind == ORIBI_MICRO_S8 ? INT8_MIN : kind == ORIBI_MICRO_U8 ? 0 : INT16_MIN;
    int32_t high = kind == ORIBI_MICRO_S8   ? INT8_MAX
                   : kind == ORIBI_MICRO_U8 ? UINT8_MAX
                                            : INT16_MAX;
    if (oribi_micro_check(kind, output) != ORIBI_MICRO_OK || activation < ORIBI_MICRO_NONE ||
        activation > ORIBI_MICRO_RELU_N1_TO_1) {
        return ORIBI_MICRO_INVALID;
    }
    if (activation != ORIBI_MICRO_NONE) {
        const float floor = activation == ORIBI_MICRO_RELU_N1_TO_1 ? -1.0F : 0.0F;
        const int32_t bound = quantised(floor, output);
        low = bound > low ? bound : low;
    }
    if (activation == ORIBI_MICRO_RELU6 || activation == ORIBI_MICRO_RELU_N1_TO_1) {
        const float ceiling = activation == ORIBI_MICRO_RELU6 ? 6.0F : 1.0F;
        const int32_t bound = quantised(ceiling, output);
        high = bound < high ? bound : high;
    }
    *out_low = low;
    *out_high = high;
    return ORIBI_MICRO_OK;
}

int32_t oribi_micro_bounds_s8(int32_t activation, struct oribi_micro_quantisation output,
                              int32_t *out_low, int32_t *out_high)
{
    return oribi_micro_bounds(ORIBI_MICRO_S8, activation, output, out_low, out_high);
}

static int32_t resolve(struct oribi_micro_axis *axis, int32_t padding)
{
    static const oribi_geometry_padding kinds[] = {[ORIBI_MICRO_VALID] = ORIBI_GEOMETRY_VALID,
                                                   [ORIBI_MICRO_SAME] = ORIBI_GEOMETRY_SAME,
                                                   [ORIBI_MICRO_EXPLICIT] =
                                                       ORIBI_GEOMETRY_EXPLICIT};
    if (axis->in < 1 || axis->filter < 1 || axis->stride < 1 || axis->dilation < 1 || padding < 0 ||
        padding > ORIBI_MICRO_EXPLICIT) {
        return ORIBI_MICRO_INVALID;
    }
    oribi_geometry_window w = {.in = axis->in,
                               .taps = axis->filter,
                               .stride = axis->stride,
                               .dilation = axis->dilation,
                               .padding = kinds[padding],
                               .before = axis->before,
                               .after = axis->after};
    if (oribi_geometry_slide(&w) != ORIBI_GEOMETRY_FITS || w.reach > INT32_MAX / 2 ||
        w.in > INT32_MAX / 2 || w.stride > INT32_MAX / 2 || w.before >= w.reach ||
        w.after >= w.reach) {
        return ORIBI_MICRO_INVALID;
    }
    axis->out = (int32_t)w.out;
    axis->before = (int32_t)w.before;
    axis->after = (int32_t)w.after;
    return ORIBI_MICRO_OK;
}

/* From the first element of the padding to the end of the input, or of the last window. */
static int64_t extent(const struct oribi_micro_axis *axis)
{
    const int64_t input = (int64_t)axis->before + axis->in;
    const int64_t last = axis->out > 0 ? (int64_t)(axis->out - 1) * axis->stride : 0;
    const int64_t windows = last + (int64_t)(axis->filter - 1) * axis->dilation + 1;
    return input > windows ? input : windows;
}

int32_t oribi_micro_window_fits(const struct oribi_micro_axis *y, const struct oribi_micro_axis *x,
                                int32_t channels)
{
    const int64_t height = extent(y), width = extent(x);
    const int fits = height <= INT32_MAX && width <= INT32_MAX &&
                     height * width <= INT32_MAX / (channels > 0 ? channels : 1);
    return fits ? ORIBI_MICRO_OK : ORIBI_MICRO_TOO_LARGE;
}

int32_t oribi_micro_window_resolve(struct oribi_micro_axis *y, struct oribi_micro_axis *x,
                                   int32_t channels, int32_t padding)
{
    int32_t code = resolve(y, padding);
    code = code != ORIBI_MICRO_OK ? code : resolve(x, padding);
    return code != ORIBI_MICRO_OK ? code : oribi_micro_window_fits(y, x, channels);
}

int32_t oribi_micro_product(const int32_t *sizes, int32_t count, int32_t *out_product)
{
    int64_t product = 1;
    for (int32_t i = 0; i < count; i++) {
        if (sizes[i] < 1) {
            return ORIBI_MICRO_INVALID;
        }
        product *= sizes[i];
        if (product > INT32_MAX) {
            return ORIBI_MICRO_TOO_LARGE;
        }
    }
    *out_product = (int32_t)product;
    return ORIBI_MICRO_OK;
}

int64_t oribi_micro_sum_weights(const int8_t *weights, int32_t count, int64_t step,
                                int64_t *out_size)
{
    enum { TOGETHER = 128 }; /* whose sums are in int16, for vectors */
    int64_t sum = 0;
    int32_t i = 0;
    for (; step == 1 && i <= count - TOGETHER; i += TOGETHER) {
        int16_t some = 0, size = 0;
        for (int32_t k = 0; k < TOGETHER; k++) {
            const int16_t w = weights[i + k];
            some = (int16_t)(some + w);
            size = (int16_t)(size + (w < 0 ? -w : w));
        }
        sum += some;
        *out_size += size;
    }
    for (; i < count; i++) {
        const int32_t w = weights[i * step];
        sum += w;
        *out_size += w < 0 ? -w : w;
    }
    return sum;
}

int32_t oribi_micro_fold_bias(const int8_t *filter, int32_t count, int32_t step, int32_t bias,
                              int32_t zero, int32_t *out_bias)
{
    int64_t size = 0;
    const int64_t folded = bias - oribi_micro_sum_weights(filter, count, step, &size) * zero;
    const int64_t reach = 128 * size;
    if (folded > INT32_MAX - reach || folded < INT32_MIN + reach) {
        return ORIBI_MICRO_OVERFLOW;
    }
    *out_bias = (int32_t)folded;
    return ORIBI_MICRO_OK;
}
