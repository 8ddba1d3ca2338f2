/* SPDX-License-Identifier: Apache-2.0 */
/* Ratios of scales are of float32, as in the source. */
#include "micro/elementwise/unary_16_prepare.h"

#include "micro/element.h"

#include <math.h>

static int32_t check(const struct oribi_micro_unary_16_spec *s)
{
    const int32_t code = oribi_micro_check(ORIBI_MICRO_S16, s->input);
    return code != ORIBI_MICRO_OK ? code : oribi_micro_check(ORIBI_MICRO_S16, s->output);
}

int32_t oribi_micro_relu_16_prepare(const struct oribi_micro_unary_16_spec *spec,
                                    struct oribi_micro_requantize_args *args)
{
    const struct oribi_micro_unary_16_spec *s = spec;
    const float ratio = s->input.scale / s->output.scale;
    const int32_t is_relu = s->function == ORIBI_MICRO_UNARY_RELU;
    int32_t code =
        is_relu || s->function == ORIBI_MICRO_UNARY_RELU6 ? check(s) : ORIBI_MICRO_INVALID;
    code = code != ORIBI_MICRO_OK
               ? code
               : oribi_micro_bounds(ORIBI_MICRO_S16, is_relu ? ORIBI_MICRO_RELU : ORIBI_MICRO_RELU6,
                                    s->output, &args->low, &args->high);
    args->in_kind = args->out_kind = ORIBI_MICRO_S16;
    args->input_zero = args->output_zero = 0;
    return code != ORIBI_MICRO_OK
               ? code
               : oribi_micro_multiplier((double)ratio, &args->multiplier, &args->shift);
}

int32_t oribi_micro_leaky_relu_s16_prepare(const struct oribi_micro_unary_16_spec *spec,
                                           struct oribi_micro_leaky_relu_s16_args *args)
{
    const struct oribi_micro_unary_16_spec *s = spec;
    const int32_t is_fine = s->function == ORIBI_MICRO_UNARY_ABS && s->variant == ORIBI_MICRO_TFLM;
    const float near = s->input.scale / s->output.scale;
    const double ratio =
        is_fine != 0 ? (double)s->input.scale / (double)s->output.scale : (double)near;
    const float alpha = s->function == ORIBI_MICRO_UNARY_ABS ? -1.0F : s->alpha;
    const float slope = s->input.scale * alpha / s->output.scale;
    int32_t code = isfinite(alpha) ? check(s) : ORIBI_MICRO_INVALID;
    code = code != ORIBI_MICRO_OK
               ? code
               : oribi_micro_multiplier(ratio, &args->positive_multiplier, &args->positive_shift);
    code = code != ORIBI_MICRO_OK
               ? code
               : oribi_micro_multiplier(is_fine != 0 ? ratio : (double)fabsf(slope),
                                        &args->negative_multiplier, &args->negative_shift);
    if (code == ORIBI_MICRO_OK && slope < 0.0F) {
        args->negative_multiplier = -args->negative_multiplier;
    }
    return code;
}

int32_t oribi_micro_sqrt_s16_prepare(const struct oribi_micro_unary_16_spec *spec,
                                     struct oribi_micro_sqrt_s16_args *args)
{
    args->input_scale = spec->input.scale;
    args->output_scale = spec->output.scale;
    return check(spec);
}

int32_t oribi_micro_curve_points_s16_prepare(const struct oribi_micro_unary_16_spec *spec,
                                             struct oribi_micro_curve_points_s16_args *args)
{
    const struct oribi_micro_unary_16_spec *s = spec;
    const int32_t is_tanh = s->function == ORIBI_MICRO_UNARY_TANH;
    const int32_t code =
        is_tanh || s->function == ORIBI_MICRO_UNARY_LOGISTIC ? check(s) : ORIBI_MICRO_INVALID;
    if (code != ORIBI_MICRO_OK || oribi_micro_power(s->output.scale) != -15) {
        return ORIBI_MICRO_INVALID;
    }
    const int32_t power = oribi_micro_power(s->input.scale);
    double factor = (double)s->input.scale * 4096.0 * 3.0;
    args->is_tanh = is_tanh;
    args->shift = 0;
    if (power == -12 || (is_tanh && power == -11)) {
        args->multiplier = 3 << (power + 12);
        return ORIBI_MICRO_OK;
    }
    while (factor <= 32767.0 / 2.0 && args->shift <= 30) {
        args->shift++;
        factor *= 2.0;
    }
    if (factor > 32767.0 || args->shift > 30) {
        return ORIBI_MICRO_INVALID;
    }
    args->multiplier = (int32_t)factor;
    return ORIBI_MICRO_OK;
}
