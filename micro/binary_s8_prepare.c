/* SPDX-License-Identifier: Apache-2.0 */
/* Derives the arguments of sums, differences and products. The scales of a sum are divided in
 * double, those of a difference in float32: so does the source.
 */
#include "micro/binary_s8_prepare.h"

#include "micro/broadcast_prepare.h"

static const int32_t finer = 1 << 20; /* the common scale of a sum is finer by this */

static int32_t check(const struct oribi_micro_binary_s8_spec *s,
                     struct oribi_micro_broadcast *shape, int32_t *low, int32_t *high)
{
    int32_t code = oribi_micro_broadcast_resolve(s->a_dims, s->a_rank, s->b_dims, s->b_rank, shape);
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_check_s8(s->a);
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_check_s8(s->b);
    return code != ORIBI_MICRO_OK ? code
                                  : oribi_micro_bounds_s8(s->activation, s->output, low, high);
}

/* A multiplier below 1. */
static int32_t small(double real, int32_t *out_multiplier, int32_t *out_shift)
{
    const int32_t code = oribi_micro_multiplier(real, out_multiplier, out_shift);
    return code == ORIBI_MICRO_OK && *out_shift > 0 ? ORIBI_MICRO_INVALID : code;
}

static int32_t fill(const struct oribi_micro_binary_s8_spec *s, const double real[3],
                    struct oribi_micro_add_s8_args *args)
{
    struct oribi_micro_add_scales_s8 *to = &args->scales;
    int32_t low = 0, high = 0, a_shift = 0, b_shift = 0, output_shift = 0;
    int32_t code = check(s, &args->shape, &low, &high);
    code = code != ORIBI_MICRO_OK ? code : small(real[0], &to->a_multiplier, &a_shift);
    code = code != ORIBI_MICRO_OK ? code : small(real[1], &to->b_multiplier, &b_shift);
    code = code != ORIBI_MICRO_OK ? code : small(real[2], &to->output_multiplier, &output_shift);
    to->a_shift = (int8_t)a_shift;
    to->b_shift = (int8_t)b_shift;
    to->output_shift = (int8_t)output_shift;
    to->a_zero = (int8_t)s->a.zero;
    to->b_zero = (int8_t)s->b.zero;
    to->output_zero = (int8_t)s->output.zero;
    to->low = (int8_t)low;
    to->high = (int8_t)high;
    args->scratch_bytes = 0;
    return code;
}

int32_t oribi_micro_add_s8_prepare(const struct oribi_micro_binary_s8_spec *spec,
                                   struct oribi_micro_add_s8_args *args)
{
    const double a = (double)spec->a.scale, b = (double)spec->b.scale;
    const double twice = 2.0 * (a > b ? a : b);
    const double real[3] = {a / twice, b / twice, twice / (finer * (double)spec->output.scale)};
    args->scales.subtract = 0;
    return fill(spec, real, args);
}

int32_t oribi_micro_sub_s8_prepare(const struct oribi_micro_binary_s8_spec *spec,
                                   struct oribi_micro_add_s8_args *args)
{
    const float a = spec->a.scale, b = spec->b.scale;
    const float twice = 2.0F * (a > b ? a : b);
    const float a_real = a / twice, b_real = b / twice;
    const float output_real = twice / ((float)finer * spec->output.scale);
    const double real[3] = {(double)a_real, (double)b_real, (double)output_real};
    args->scales.subtract = 1;
    return fill(spec, real, args);
}

int32_t oribi_micro_mul_s8_prepare(const struct oribi_micro_binary_s8_spec *spec,
                                   struct oribi_micro_mul_s8_args *args)
{
    const struct oribi_micro_binary_s8_spec *s = spec;
    int32_t code = check(s, &args->shape, &args->low, &args->high);
    if (code != ORIBI_MICRO_OK) {
        return code;
    }
    args->a_zero = s->a.zero;
    args->b_zero = s->b.zero;
    args->output_zero = s->output.zero;
    args->scratch_bytes = 0;
    if (s->variant == ORIBI_MICRO_TFLITE) {
        const float product = s->a.scale * s->b.scale;
        const float real = product / s->output.scale;
        return oribi_micro_multiplier((double)real, &args->output_multiplier, &args->output_shift);
    }
    return oribi_micro_multiplier((double)s->a.scale * (double)s->b.scale / (double)s->output.scale,
                                  &args->output_multiplier, &args->output_shift);
}
