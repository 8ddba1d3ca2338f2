/* SPDX-License-Identifier: Apache-2.0 */
/* Logistic and tanh of int16 in 16 bit fixed point, exact to gemmlowp's, which TensorFlow Lite's
 * LSTM uses: results in Q0.15. The same in 32 bits: exponential.h.
 */
#ifndef ORIBI_MICRO_CURVE_FIXED_S16_H_
#define ORIBI_MICRO_CURVE_FIXED_S16_H_

#include "micro/fixed_point.h"

/* round(a * b / 2^15), ties up, saturated. */
static inline int32_t oribi_micro_high_multiply_16(int32_t a, int32_t b)
{
    const int32_t high = (a * b + (1 << 14)) >> 15;
    return high > INT16_MAX ? INT16_MAX : high;
}

static inline int32_t oribi_micro_saturating_shift_16(int32_t x, int32_t exponent)
{
    return oribi_micro_clamp(x * (1 << exponent), INT16_MIN, INT16_MAX);
}

/* exp(x) as Q0.15 for x in [-1/4, 0) as Q0.15: four terms of the series around -1/8. */
static inline int32_t oribi_micro_exp_quarter_16(int32_t x)
{
    const int32_t at_eighth = 28918, third = 10923; /* exp(-1/8), 1/3 */
    const int32_t y = x + (1 << 12);
    const int32_t y2 = oribi_micro_high_multiply_16(y, y);
    const int32_t y3 = oribi_micro_high_multiply_16(y2, y);
    const int32_t y4 = oribi_micro_high_multiply_16(y2, y2);
    const int32_t quarter = oribi_micro_rounding_shift(y4, 2);
    const int32_t tail =
        oribi_micro_rounding_shift(oribi_micro_high_multiply_16(quarter + y3, third) + y2, 1);
    const int32_t value = at_eighth + oribi_micro_high_multiply_16(at_eighth, y + tail);
    return value > INT16_MAX ? INT16_MAX : value;
}

/* exp(x) as Q0.15 for x in [-2^15, 0] with 0 to 7 integer bits. */
static inline int32_t oribi_micro_exp_negative_16(int32_t x, int32_t integer_bits)
{
    static const int16_t powers[7] = {25520, 19875, 12055, 4435, 600, 11, 0}; /* exp(-1/4) to -16 */
    const int32_t quarter = 1 << (13 - integer_bits);
    const int32_t remainder = (x & (quarter - 1)) - quarter;
    const int32_t rest = remainder - x;
    int32_t y =
        oribi_micro_exp_quarter_16(oribi_micro_saturating_shift_16(remainder, integer_bits));
    for (int32_t i = 0; i < 7 && i - 2 < integer_bits; i++) {
        if ((rest >> (13 - integer_bits + i) & 1) != 0) {
            y = oribi_micro_high_multiply_16(y, powers[i]);
        }
    }
    if (integer_bits > 5 && x < -(1 << (20 - integer_bits))) { /* below -32 */
        y = 0;
    }
    return x == 0 ? INT16_MAX : y;
}

/* 1 / (half of 1 + x) as Q2.13 for x in [0, 1) as Q0.15: three Newton steps. */
static inline int32_t oribi_micro_twice_reciprocal_16(int32_t x)
{
    const int32_t half = (x + INT16_MAX + 1) / 2;                   /* of the denominator */
    int32_t y = 23130 + oribi_micro_high_multiply_16(half, -15420); /* 48/17 - 32/17 * half */
    for (int32_t i = 0; i < 3; i++) {
        const int32_t error = (1 << 13) - oribi_micro_high_multiply_16(half, y);
        y += oribi_micro_saturating_shift_16(oribi_micro_high_multiply_16(y, error), 2);
    }
    return y;
}

/* 1 / (1 + exp(-x)) for x as Q3.12. */
static inline int32_t oribi_micro_fixed_logistic(int32_t x)
{
    const int32_t power = oribi_micro_exp_negative_16(x > 0 ? -x : x, 3);
    const int32_t positive =
        oribi_micro_saturating_shift_16(oribi_micro_twice_reciprocal_16(power), 1);
    return x == 0 ? 1 << 14 : x > 0 ? positive : INT16_MAX - positive;
}

/* tanh(x) for x with 0 to 6 integer bits. */
static inline int32_t oribi_micro_fixed_tanh(int32_t x, int32_t integer_bits)
{
    const int32_t power = oribi_micro_exp_negative_16(x > 0 ? -x : x, integer_bits + 1);
    const int32_t size =
        oribi_micro_saturating_shift_16(oribi_micro_twice_reciprocal_16(power) - (1 << 13), 2);
    return x == 0 ? 0 : x > 0 ? size : -size;
}

#endif
