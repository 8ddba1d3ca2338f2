/* SPDX-License-Identifier: Apache-2.0 */
/* Sum or difference of int8: both sides brought to one fine scale, added, brought to the output's.
 * Most layers go the short way: all of int8 allowed, a shift that rounds.
 */
#include "micro/elementwise/add_row_s8.h"

#include "micro/dsp.h"

enum {
    FINER = 20,        /* bits by which the common scale is finer */
    LARGEST_SHIFT = 21 /* of the short way: the zero point moved so far is below 2^29 */
};

static int32_t finer(int32_t value, int32_t zero, int32_t multiplier, int32_t shift)
{
    return oribi_micro_scale(oribi_micro_shift_left(value - zero, FINER), multiplier, shift);
}

static void any_row(const struct oribi_micro_add_scales_s8 *s, const int8_t *a, int32_t a_step,
                    const int8_t *b, int32_t b_step, int32_t count, int8_t *output)
{
    for (int32_t i = 0; i < count; i++) {
        const int32_t left = finer(*a, s->a_zero, s->a_multiplier, s->a_shift);
        const int32_t right = finer(*b, s->b_zero, s->b_multiplier, s->b_shift);
        const int32_t sum = s->subtract != 0 ? left - right : left + right;
        output[i] = (int8_t)oribi_micro_clamp(
            oribi_micro_scale(sum, s->output_multiplier, s->output_shift) + s->output_zero, s->low,
            s->high);
        a += a_step;
        b += b_step;
    }
}

/* One side of a sum: twice its finer value is value * 2^21 - offset; below adds what rounding needs
 * for negative numbers, half for all, and a shift of 0 needs neither. */
struct side {
    int32_t offset, multiplier, below, half, shift;
};

static struct side side_of(int32_t zero, int32_t multiplier, int32_t shift)
{
    struct side s = {oribi_micro_shift_left(zero, FINER + 1), multiplier, 0, 0, -shift};
    if (shift < 0) {
        s.below = -1;
        s.half = oribi_micro_shift_left(1, -shift - 1);
    }
    return s;
}

static inline int32_t side_value(const struct side *s, int32_t value)
{
    const int32_t twice = oribi_micro_shift_left(value, FINER + 1) - s->offset;
    const int32_t scaled = oribi_micro_high_product(twice, s->multiplier);
    return (scaled + ((scaled >> 31) & s->below) + s->half) >> s->shift;
}

void oribi_micro_add_row_s8(const struct oribi_micro_add_scales_s8 *scales, const int8_t *a,
                            int32_t a_step, const int8_t *b, int32_t b_step, int32_t count,
                            int8_t *output)
{
    const struct oribi_micro_add_scales_s8 *s = scales;
    const int32_t shift = -s->output_shift - 1, multiplier = s->output_multiplier;
    if (s->low != INT8_MIN || s->high != INT8_MAX || shift < 0 || shift >= LARGEST_SHIFT ||
        s->a_shift < -30 || s->b_shift < -30) {
        any_row(s, a, a_step, b, b_step, count, output);
        return;
    }
    const struct side of_a = side_of(s->a_zero, s->a_multiplier, s->a_shift);
    struct side of_b = side_of(s->b_zero, s->b_multiplier, s->b_shift);
    const int32_t rounding = oribi_micro_shift_left(2 * s->output_zero + 1, shift);
    const int32_t sign = s->subtract != 0 ? -2 : 2;
    for (const int8_t *end = output + count; output != end; output++) {
        const int32_t sum = 2 * side_value(&of_a, *a) + sign * side_value(&of_b, *b);
        const int32_t scaled = oribi_micro_high_product(sum, multiplier);
        *output =
            (int8_t)oribi_micro_saturate_half_s8((scaled + (scaled >> 31) + rounding) >> shift);
        a += a_step;
        b += b_step;
    }
}
