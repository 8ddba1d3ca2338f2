/* SPDX-License-Identifier: Apache-2.0 */
/* Fixed point arithmetic of quantised kernels, exact to the bit: the double rounding of TensorFlow
 * Lite Micro (a rounded high multiply, then a rounded shift). Not how multipliers are derived: that
 * is prepare.h. docs/rounding.md says which op uses what.
 */
#ifndef ORIBI_MICRO_FIXED_POINT_H_
#define ORIBI_MICRO_FIXED_POINT_H_

#include <stdint.h>

/* Right shifts of negative numbers must be arithmetic, as on every compiler we know of. */
typedef char oribi_micro_shift_is_arithmetic[(-2 >> 1) == -1 ? 1 : -1];

/* round(a * b / 2^31), ties up, saturated: only INT32_MIN * INT32_MIN leaves the range. */
static inline int32_t oribi_micro_high_multiply(int32_t a, int32_t b)
{
    const int64_t product = (int64_t)a * (int64_t)b;
    const int64_t high = (product + (INT64_C(1) << 30)) >> 31;
    return high > INT32_MAX ? INT32_MAX : (int32_t)high;
}

/* round(x / 2^exponent), ties away from zero; exponent in [0, 31]. */
static inline int32_t oribi_micro_rounding_shift(int32_t x, int32_t exponent)
{
    const int32_t mask = (int32_t)((UINT32_C(1) << exponent) - 1U);
    const int32_t remainder = x & mask;
    const int32_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
    return (x >> exponent) + (remainder > threshold ? 1 : 0);
}

/* x * 2^exponent modulo 2^32; exponent in [0, 31]. */
static inline int32_t oribi_micro_shift_left(int32_t x, int32_t exponent)
{
    return (int32_t)((uint32_t)x << exponent);
}

/* x times multiplier * 2^(shift - 31); shift in [-31, 31]. */
static inline int32_t oribi_micro_scale(int32_t x, int32_t multiplier, int32_t shift)
{
    const int32_t left = shift > 0 ? shift : 0;
    const int32_t right = shift > 0 ? 0 : -shift;
    return oribi_micro_rounding_shift(
        oribi_micro_high_multiply(oribi_micro_shift_left(x, left), multiplier), right);
}

static inline int32_t oribi_micro_clamp(int32_t x, int32_t low, int32_t high)
{
    return x < low ? low : x > high ? high : x;
}

#endif
