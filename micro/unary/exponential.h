/* SPDX-License-Identifier: Apache-2.0 */
/* Exponential and reciprocal in fixed point, exact to gemmlowp's, which TensorFlow Lite Micro uses.
 * Numbers are Q<integer bits>.<fraction bits> in int32. Read next: fixed_point.h.
 */
#ifndef ORIBI_MICRO_EXPONENTIAL_H_
#define ORIBI_MICRO_EXPONENTIAL_H_

#include "micro/fixed_point.h"

/* x * 2^exponent, saturated. */
static inline int32_t oribi_micro_saturating_shift(int32_t x, int32_t exponent)
{
    const int32_t limit = INT32_MAX >> exponent;
    return x > limit ? INT32_MAX : x < -limit - 1 ? INT32_MIN : oribi_micro_shift_left(x, exponent);
}

/* exp(x) as Q0.31 for x in [-1/4, 0) as Q0.31: four terms of the series around -1/8. */
static inline int32_t oribi_micro_exp_quarter(int32_t x)
{
    const int32_t at_eighth = 1895147668, third = 715827883; /* exp(-1/8), 1/3 */
    const int32_t y = x + (1 << 28);
    const int32_t y2 = oribi_micro_high_multiply(y, y);
    const int32_t y3 = oribi_micro_high_multiply(y2, y);
    const int32_t y4 = oribi_micro_high_multiply(y2, y2);
    const int32_t quarter = oribi_micro_rounding_shift(y4, 2);
    const int32_t tail =
        oribi_micro_rounding_shift(oribi_micro_high_multiply(quarter + y3, third) + y2, 1);
    return at_eighth + oribi_micro_high_multiply(at_eighth, y + tail);
}

/* exp(x) as Q0.31 for x at most 0 as Q5.26: a quarter's remainder, times exp of each power of two
 * that the rest holds. */
static inline int32_t oribi_micro_exp_negative(int32_t x)
{
    static const int32_t powers[7] = {1672461947, 1302514674, 790015084, 290630308,
                                      39332535,   720401,     242}; /* exp(-1/4) to exp(-16) */
    const int32_t quarter = 1 << 24;
    const int32_t remainder = (x & (quarter - 1)) - quarter;
    const int32_t rest = (int32_t)((uint32_t)remainder - (uint32_t)x);
    int32_t result = oribi_micro_exp_quarter(oribi_micro_saturating_shift(remainder, 5));
    for (int32_t i = 0; i < 7; i++) {
        if (((uint32_t)rest >> (24 + i) & 1U) != 0U) {
            result = oribi_micro_high_multiply(result, powers[i]);
        }
    }
    return x == 0 ? INT32_MAX : result;
}

/* 1 / (1 + x) as Q0.31 for x in [0, 1) as Q0.31: three Newton steps in Q2.29. */
static inline int32_t oribi_micro_reciprocal(int32_t x)
{
    const int32_t half = (int32_t)(((int64_t)x + INT32_MAX + 1) / 2); /* of the denominator */
    int32_t y =
        1515870810 + oribi_micro_high_multiply(half, -1010580540); /* 48/17 - 32/17 * half */
    for (int32_t i = 0; i < 3; i++) {
        const int32_t error = (1 << 29) - oribi_micro_high_multiply(half, y);
        y += oribi_micro_saturating_shift(oribi_micro_high_multiply(y, error), 2);
    }
    return oribi_micro_saturating_shift(y, 1);
}

/* Leading zeros; x is not 0. */
static inline int32_t oribi_micro_leading_zeros(uint32_t x)
{
    int32_t zeros = 0;
    while ((x & UINT32_C(0x80000000)) == 0U) {
        x <<= 1;
        zeros++;
    }
    return zeros;
}

#endif
