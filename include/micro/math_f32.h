/* SPDX-License-Identifier: Apache-2.0 */
/* Elementary functions of float, of our own so that every target gives the same bits. Within 3
 * units in the last place of the true value (tests/compile/micro_math_test.c). The polynomials are
 * Chebyshev fits over the reduced ranges named at each. Read next: math_f64.h.
 */
#ifndef ORIBI_MICRO_MATH_F32_H_
#define ORIBI_MICRO_MATH_F32_H_

#include "micro/float_rules.h"

union oribi_micro_float {
    float value;
    uint32_t bits;
};

static inline float oribi_micro_from_bits(uint32_t bits)
{
    union oribi_micro_float both;
    both.bits = bits;
    return both.value;
}

static inline uint32_t oribi_micro_to_bits(float value)
{
    union oribi_micro_float both;
    both.value = value;
    return both.bits;
}

static inline float oribi_micro_magnitude(float x)
{
    return oribi_micro_from_bits(oribi_micro_to_bits(x) & UINT32_C(0x7fffffff));
}

/* The magnitude of x with the sign of `sign`. */
static inline float oribi_micro_with_sign(float x, float sign)
{
    return oribi_micro_from_bits((oribi_micro_to_bits(x) & UINT32_C(0x7fffffff)) |
                                 (oribi_micro_to_bits(sign) & UINT32_C(0x80000000)));
}

/* 2^n for n in -126..127. */
static inline float oribi_micro_power_of_2(int32_t n)
{
    return oribi_micro_from_bits((uint32_t)(n + 127) << 23);
}

static inline float oribi_micro_infinity(void)
{
    return oribi_micro_from_bits(UINT32_C(0x7f800000));
}

static inline float oribi_micro_nan(void)
{
    return oribi_micro_from_bits(UINT32_C(0x7fc00000));
}

/* The multiple n of ln 2 next to x, and x - n ln 2, for |x| below 150. ln 2 is taken off in two
 * parts; the first has so few bits that its product is exact. */
static inline int32_t oribi_micro_reduce_ln2(float x, float *out_rest)
{
    const int32_t n = (int32_t)(x * 1.44269504F + (x < 0.0F ? -0.5F : 0.5F));
    *out_rest = (x - (float)n * 0.693359375F) - (float)n * -2.12194440e-4F;
    return n;
}

/* exp(r) - 1 for |r| up to ln(2) / 2. */
static inline float oribi_micro_exp_rest(float r)
{
    const float q =
        0.5F + r * (0.16666577F + r * (0.041666465F + r * (0.0083631801F + r * 0.0013933650F)));
    return r + r * r * q;
}

static inline float oribi_micro_exp(float x)
{
    float r;
    if (!(x < 89.0F)) {
        return x > 0.0F ? oribi_micro_infinity() : x;
    }
    if (x < -104.0F) {
        return 0.0F;
    }
    const int32_t n = oribi_micro_reduce_ln2(x, &r);
    const int32_t half = n / 2; /* in two steps: 2^n alone may not be a float */
    return (1.0F + oribi_micro_exp_rest(r)) * oribi_micro_power_of_2(half) *
           oribi_micro_power_of_2(n - half);
}

/* exp(x) - 1, exact near 0 where a difference would cancel. */
static inline float oribi_micro_expm1(float x)
{
    float r;
    if (!(x < 17.0F) || x < -17.0F) {
        return oribi_micro_exp(x) - 1.0F;
    }
    const int32_t n = oribi_micro_reduce_ln2(x, &r);
    const float cubic =
        0.16666667F +
        r * (0.041666555F + r * (0.0083333109F + r * (0.0013926184F + r * 0.00019890991F)));
    const float rest = r + r * r * (0.5F + r * cubic);
    const float power = oribi_micro_power_of_2(n);
    return n == 0 ? rest : power * rest + (power - 1.0F);
}

/* log(m * 2^e) by log(1 + f) with f in [sqrt(1/2) - 1, sqrt(2) - 1], as a series in f / (2 + f). */
static inline float oribi_micro_log(float x)
{
    int32_t e = 0;
    if (!(x > 0.0F)) {
        return x < 0.0F ? oribi_micro_nan() : x == 0.0F ? -oribi_micro_infinity() : x;
    }
    if (x > FLT_MAX) {
        return x;
    }
    if (x < FLT_MIN) {
        x *= 33554432.0F; /* 2^25 */
        e = -25;
    }
    uint32_t bits = oribi_micro_to_bits(x);
    const uint32_t shifted = bits + (UINT32_C(0x3f800000) - UINT32_C(0x3f3504f3)); /* sqrt(1/2) */
    e += (int32_t)(shifted >> 23) - 127;
    bits = (shifted & UINT32_C(0x007fffff)) + UINT32_C(0x3f3504f3);
    const float f = oribi_micro_from_bits(bits) - 1.0F;
    const float s = f / (2.0F + f), z = s * s, half = 0.5F * f * f;
    const float tail = z * (0.66666667F + z * (0.40000122F + z * (0.28550768F + z * 0.23331731F)));
    const float low = s * (half + tail) + (float)e * -2.12194440e-4F;
    return (float)e * 0.693359375F + (f - (half - low));
}

/* log(1 + x) for x in [0, 1]; what 1 + x lost comes back as a ratio. */
static inline float oribi_micro_log1p(float x)
{
    const float sum = 1.0F + x;
    return sum == 1.0F ? x : oribi_micro_log(sum) * (x / (sum - 1.0F));
}

static inline float oribi_micro_tanh(float x)
{
    const float a = oribi_micro_magnitude(x);
    if (a < 0.5625F) {
        const float z = x * x;
        const float p =
            -0.33333333F +
            z * (0.13333322F + z * (-0.053964121F +
                                    z * (0.021812402F + z * (-0.0085010440F + z * 0.0024898785F))));
        return x + x * (z * p);
    }
    if (!(a < 9.1F)) {
        return a > 9.0F ? oribi_micro_with_sign(1.0F, x) : x;
    }
    return oribi_micro_with_sign(1.0F - 2.0F / (oribi_micro_exp(2.0F * a) + 1.0F), x);
}

static inline float oribi_micro_sigmoid(float x)
{
    const float e = oribi_micro_exp(x < 0.0F ? x : -x);
    return (x < 0.0F ? e : 1.0F) / (1.0F + e);
}

/* Rounded to nearest as the standard asks, digit by digit in integers. */
static inline float oribi_micro_sqrt(float x)
{
    uint32_t bits = oribi_micro_to_bits(x);
    int32_t e = (int32_t)(bits >> 23) - 150;
    uint32_t m = (bits & UINT32_C(0x007fffff)) | UINT32_C(0x00800000);
    if (!(x > 0.0F) || x > FLT_MAX) {
        return x < 0.0F ? oribi_micro_nan() : x;
    }
    if (x < FLT_MIN) { /* subnormal: no hidden bit */
        m = bits;
        for (e = -149; m < UINT32_C(0x00800000); e--) {
            m <<= 1;
        }
    }
    if (e % 2 == 0) {
        m <<= 1;
        e--;
    }
    uint64_t rest = (uint64_t)m << 25, root = 0;
    for (uint64_t bit = UINT64_C(1) << 48; bit != 0U; bit >>= 2) {
        if (rest >= root + bit) {
            rest -= root + bit;
            root = (root >> 1) + bit;
        } else {
            root >>= 1;
        }
    }
    uint32_t rounded = (uint32_t)(root >> 1);
    rounded += (root & 1U) != 0U && (rest != 0U || (rounded & 1U) != 0U) ? 1U : 0U;
    return (float)rounded * oribi_micro_power_of_2((e - 25) / 2 + 1);
}

/* --- Whole numbers: beyond 2^23 every float is one ------------------------------------------- */

static inline int32_t oribi_micro_is_whole(float x)
{
    return !(oribi_micro_magnitude(x) < 8388608.0F);
}

static inline float oribi_micro_floor(float x)
{
    const float near = oribi_micro_is_whole(x) ? x : (float)(int32_t)x;
    return oribi_micro_is_whole(x) ? x : oribi_micro_with_sign(near > x ? near - 1.0F : near, x);
}

static inline float oribi_micro_ceil(float x)
{
    const float near = oribi_micro_is_whole(x) ? x : (float)(int32_t)x;
    return oribi_micro_is_whole(x) ? x : oribi_micro_with_sign(near < x ? near + 1.0F : near, x);
}

/* To the nearest, ties to even: adding 2^23 leaves no place for a fraction. */
static inline float oribi_micro_round_even(float x)
{
    const float moved = oribi_micro_magnitude(x) + 8388608.0F;
    return oribi_micro_is_whole(x) ? x : oribi_micro_with_sign(moved - 8388608.0F, x);
}

#endif
