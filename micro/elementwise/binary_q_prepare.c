/* SPDX-License-Identifier: Apache-2.0 */
/* Derives the arguments of sums, differences, products and quotients. The scales of sums and
 * differences are divided in double, those of products where the source does.
 */
#include "micro/elementwise/binary_q_prepare.h"

#include "micro/broadcast_prepare.h"
#include "micro/element.h"

static int32_t check(const struct oribi_micro_binary_q_spec *s, struct oribi_micro_broadcast *shape,
                     int32_t *low, int32_t *high)
{
    int32_t code = oribi_micro_broadcast_resolve(s->a_dims, s->a_rank, s->b_dims, s->b_rank, shape);
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_check(s->kind, s->a);
    code = code != ORIBI_MICRO_OK ? code : oribi_micro_check(s->kind, s->b);
    return code != ORIBI_MICRO_OK
               ? code
               : oribi_micro_bounds(s->kind, s->activation, s->output, low, high);
}

/* A multiplier below 1. */
static int32_t small(double real, int32_t *out_multiplier, int32_t *out_shift)
{
    const int32_t code = oribi_micro_multiplier(real, out_multiplier, out_shift);
    return code == ORIBI_MICRO_OK && *out_shift > 0 ? ORIBI_MICRO_INVALID : code;
}

/* --- Sums and differences -------------------------------------------------------------------- */

typedef struct factors {
    double a, b, output;
    int32_t finer; /* bits by which the common scale is finer */
} factors;

static factors factors_of(const struct oribi_micro_binary_q_spec *s)
{
    const int32_t finer = s->kind == ORIBI_MICRO_S16 ? 15 : 20;
    const double a = (double)s->a.scale, b = (double)s->b.scale;
    const double twice = 2.0 * (a > b ? a : b);
    const factors f = {a / twice, b / twice, twice / ((1 << finer) * (double)s->output.scale),
                       finer};
    return f;
}

static int32_t fill(const struct oribi_micro_binary_q_spec *s, factors real,
                    struct oribi_micro_add_s8_args *args)
{
    struct oribi_micro_add_scales_s8 *to = &args->scales;
    int32_t low = 0, high = 0, a_shift = 0, b_shift = 0, output_shift = 0;
    int32_t code =
        s->kind == ORIBI_MICRO_S8 ? check(s, &args->shape, &low, &high) : ORIBI_MICRO_INVALID;
    code = code != ORIBI_MICRO_OK ? code : small(real.a, &to->a_multiplier, &a_shift);
    code = code != ORIBI_MICRO_OK ? code : small(real.b, &to->b_multiplier, &b_shift);
    code =
        code != ORIBI_MICRO_OK ? code : small(real.output, &to->output_multiplier, &output_shift);
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

int32_t oribi_micro_add_s8_prepare(const struct oribi_micro_binary_q_spec *spec,
                                   struct oribi_micro_add_s8_args *args)
{
    args->scales.subtract = 0;
    return fill(spec, factors_of(spec), args);
}

int32_t oribi_micro_sub_s8_prepare(const struct oribi_micro_binary_q_spec *spec,
                                   struct oribi_micro_add_s8_args *args)
{
    args->scales.subtract = 1;
    return fill(spec, factors_of(spec), args);
}

/* TensorFlow Lite's way with scales that are all powers of two: one input has the output's. */
static int32_t make_binary(const struct oribi_micro_binary_q_spec *s,
                           struct oribi_micro_wide_add_args *args)
{
    const int32_t a = oribi_micro_power(s->a.scale), b = oribi_micro_power(s->b.scale);
    const int32_t output = oribi_micro_power(s->output.scale);
    if (a == INT32_MIN || b == INT32_MIN || output == INT32_MIN || s->prefers_binary == 0 ||
        s->variant != ORIBI_MICRO_TFLITE || s->kind != ORIBI_MICRO_S16) {
        return ORIBI_MICRO_OK;
    }
    args->is_binary = 1;
    args->a_shift = a - output;
    args->b_shift = b - output;
    const int32_t fits = args->a_shift <= 0 && args->b_shift <= 0 && args->a_shift >= -31 &&
                         args->b_shift >= -31 && (args->a_shift == 0 || args->b_shift == 0);
    return fits ? ORIBI_MICRO_OK : ORIBI_MICRO_INVALID;
}

static int32_t fill_wide(const struct oribi_micro_binary_q_spec *s, factors real,
                         struct oribi_micro_wide_add_args *args)
{
    int32_t code = s->kind == ORIBI_MICRO_S8 && args->squares == 0
                       ? ORIBI_MICRO_INVALID
                       : check(s, &args->shape, &args->low, &args->high);
    args->kind = s->kind;
    args->is_binary = 0;
    args->finer = real.finer;
    args->a_zero = s->a.zero;
    args->b_zero = s->b.zero;
    args->output_zero = s->output.zero;
    code = code != ORIBI_MICRO_OK ? code : small(real.a, &args->a_multiplier, &args->a_shift);
    code = code != ORIBI_MICRO_OK ? code : small(real.b, &args->b_multiplier, &args->b_shift);
    code = code != ORIBI_MICRO_OK ? code
           : args->squares != 0
               ? oribi_micro_multiplier(real.output, &args->output_multiplier, &args->output_shift)
               : small(real.output, &args->output_multiplier, &args->output_shift);
    return code != ORIBI_MICRO_OK || args->squares != 0 ? code : make_binary(s, args);
}

int32_t oribi_micro_wide_add_prepare(const struct oribi_micro_binary_q_spec *spec,
                                     struct oribi_micro_wide_add_args *args)
{
    args->subtract = args->squares = 0;
    return fill_wide(spec, factors_of(spec), args);
}

int32_t oribi_micro_wide_sub_prepare(const struct oribi_micro_binary_q_spec *spec,
                                     struct oribi_micro_wide_add_args *args)
{
    args->subtract = 1;
    args->squares = 0;
    return fill_wide(spec, factors_of(spec), args);
}

/* The square of what 16 bits and their sign can differ by must fit 32 bits. */
int32_t oribi_micro_squared_difference_q_prepare(const struct oribi_micro_binary_q_spec *spec,
                                                 struct oribi_micro_wide_add_args *args)
{
    const int32_t finer = spec->kind == ORIBI_MICRO_S16 ? 0 : 7;
    factors real = factors_of(spec);
    const float steps = (float)(1 << 2 * finer) * spec->output.scale;
    const float a = spec->a.scale, b = spec->b.scale;
    const double twice = 2.0 * (double)(a > b ? a : b);
    real.finer = finer;
    real.output = twice * twice / (double)steps;
    args->subtract = args->squares = 1;
    return spec->kind == ORIBI_MICRO_U8 ? ORIBI_MICRO_INVALID : fill_wide(spec, real, args);
}

/* --- Products and quotients ------------------------------------------------------------------ */

static int32_t fill_product(const struct oribi_micro_binary_q_spec *s, double real,
                            struct oribi_micro_mul_q_args *args)
{
    const int32_t code = check(s, &args->shape, &args->low, &args->high);
    args->kind = s->kind;
    args->a_zero = s->a.zero;
    args->b_zero = s->b.zero;
    args->output_zero = s->output.zero;
    args->scratch_bytes = 0;
    return code != ORIBI_MICRO_OK
               ? code
               : oribi_micro_multiplier(real, &args->output_multiplier, &args->output_shift);
}

int32_t oribi_micro_mul_q_prepare(const struct oribi_micro_binary_q_spec *spec,
                                  struct oribi_micro_mul_q_args *args)
{
    const struct oribi_micro_binary_q_spec *s = spec;
    const float product = s->a.scale * s->b.scale;
    const int32_t is_float = s->variant == ORIBI_MICRO_TFLITE || s->kind == ORIBI_MICRO_U8;
    const double real = is_float
                            ? (double)(product / s->output.scale)
                            : (double)s->a.scale * (double)s->b.scale / (double)s->output.scale;
    /* Beyond 2^31 C leaves the source's shift open. There each product of bytes but 0 saturates,
     * and it does at 2^14, which 32 bits hold. */
    const int32_t saturates = s->kind != ORIBI_MICRO_S16 && real > (double)INT32_MAX;
    return fill_product(s, saturates != 0 ? 16384.0 : real, args);
}

int32_t oribi_micro_div_q_prepare(const struct oribi_micro_binary_q_spec *spec,
                                  struct oribi_micro_mul_q_args *args)
{
    const float product = spec->b.scale * spec->output.scale;
    return fill_product(spec, (double)(spec->a.scale / product), args);
}
