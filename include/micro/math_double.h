/* SPDX-License-Identifier: Apache-2.0 */
/* Elementary functions of double, of every double, with the same bits everywhere: within 4 units in
 * the last place, the error function 8, powers 32, roots and roundings exact
 * (tests/compile/micro_math_test.c).
 * Read first: math_f64.h. Sine and cosine: trig_double.h.
 */
#ifndef ORIBI_MICRO_MATH_DOUBLE_H_
#define ORIBI_MICRO_MATH_DOUBLE_H_

#include "micro/math_f64.h"

static inline uint64_t oribi_micro_double_bits(double x)
{
    union oribi_micro_double both;
    both.value = x;
    return both.bits;
}

static inline double oribi_micro_double_of(uint64_t bits)
{
    union oribi_micro_double both;
    both.bits = bits;
    return both.value;
}

static inline double oribi_micro_double_infinity(void)
{
    return oribi_micro_double_of(UINT64_C(0x7ff0000000000000));
}

static inline double oribi_micro_double_nan(void)
{
    return oribi_micro_double_of(UINT64_C(0x7ff8000000000000));
}

static inline double oribi_micro_double_magnitude(double x)
{
    return oribi_micro_double_of(oribi_micro_double_bits(x) & UINT64_C(0x7fffffffffffffff));
}

static inline double oribi_micro_double_with_sign(double x, double sign)
{
    const uint64_t top = UINT64_C(0x8000000000000000);
    return oribi_micro_double_of((oribi_micro_double_bits(x) & ~top) |
                                 (oribi_micro_double_bits(sign) & top));
}

/* Its root where the result may be no normal double. */
static inline double oribi_micro_double_exp(double x)
{
    if (!(x < 700.0) || x < -700.0) {
        const double bound = x > 1400.0 ? 1400.0 : x < -1400.0 ? -1400.0 : x;
        const double root = x == x ? oribi_micro_exp_f64(bound * 0.5) : x;
        return root * root;
    }
    return oribi_micro_exp_f64(x);
}

/* exp(x) - 1: near 0 by the series of exp without its first term. */
static inline double oribi_micro_double_expm1(double x)
{
    const double a = oribi_micro_double_magnitude(x);
    if (a < 0.5) {
        double q = 1.0 / 17.0;
        for (double n = 16.0; n > 1.5; n -= 1.0) {
            q = (1.0 + x * q) / n;
        }
        return x + x * x * q;
    }
    return a < 700.0 ? oribi_micro_exp_f64(x) - 1.0 : oribi_micro_double_exp(x) - 1.0;
}

static inline double oribi_micro_double_log(double x)
{
    if (!(x > 0.0)) {
        return x < 0.0 ? oribi_micro_double_nan() : x == 0.0 ? -oribi_micro_double_infinity() : x;
    }
    if (x > DBL_MAX) {
        return x;
    }
    /* 2^54 makes subnormal numbers normal. */
    return x < DBL_MIN ? oribi_micro_log_f64(x * 18014398509481984.0) - 37.429947750237047
                       : oribi_micro_log_f64(x);
}

/* log(1 + x) for x in [0, 1], as oribi_micro_log1p does. */
static inline double oribi_micro_double_log1p(double x)
{
    const double sum = 1.0 + x;
    return sum == 1.0 ? x : oribi_micro_double_log(sum) * (x / (sum - 1.0));
}

static inline double oribi_micro_double_tanh(double x)
{
    const double a = oribi_micro_double_magnitude(x);
    if (!(a < 22.0)) {
        return a >= 22.0 ? oribi_micro_double_with_sign(1.0, x) : x;
    }
    const double e = oribi_micro_double_expm1(2.0 * a);
    return oribi_micro_double_with_sign(e / (e + 2.0), x);
}

static inline double oribi_micro_double_sigmoid(double x)
{
    const double e = oribi_micro_double_exp(x < 0.0 ? x : -x);
    return (x < 0.0 ? e : 1.0) / (1.0 + e);
}

/* Two bits of the number for one of the root; what is left over stays below twice the root. */
static inline double oribi_micro_double_sqrt(double x)
{
    uint64_t m = oribi_micro_double_bits(x), root = 0, rest = 0;
    int32_t e = (int32_t)(m >> 52) - 1075;
    if (!(x > 0.0) || x > DBL_MAX) {
        return x < 0.0 ? oribi_micro_double_nan() : x;
    }
    m = x < DBL_MIN ? m : (m & UINT64_C(0x000fffffffffffff)) | UINT64_C(0x0010000000000000);
    for (e = x < DBL_MIN ? -1074 : e; m < UINT64_C(0x0010000000000000); e--) {
        m <<= 1;
    }
    m <<= e % 2 == 0 ? 10 : 11; /* its first two bits are bits 63 and 62 of an even exponent */
    e -= e % 2 == 0 ? 0 : 1;
    for (int32_t i = 0; i < 54; i++) {
        rest = rest << 2 | m >> 62;
        m <<= 2;
        root <<= 1;
        if (rest > root << 1) {
            rest -= root << 1 | 1U;
            root |= 1U;
        }
    }
    const uint64_t rounded =
        (root >> 1) + ((root & 1U) != 0U && (rest != 0U || (root & 2U) != 0U) ? 1U : 0U);
    return (double)(int64_t)rounded * oribi_micro_double_of((uint64_t)(e / 2 - 26 + 1023) << 52);
}

/* --- Whole numbers: beyond 2^52 every double is one ------------------------------------------ */

static inline int32_t oribi_micro_double_is_whole(double x)
{
    return !(oribi_micro_double_magnitude(x) < 4503599627370496.0);
}

static inline double oribi_micro_double_floor(double x)
{
    const double near = oribi_micro_double_is_whole(x) ? x : (double)(int64_t)x;
    return oribi_micro_double_is_whole(x)
               ? x
               : oribi_micro_double_with_sign(near > x ? near - 1.0 : near, x);
}

static inline double oribi_micro_double_ceil(double x)
{
    return -oribi_micro_double_floor(-x);
}

/* To the nearest, ties to even. */
static inline double oribi_micro_double_round_even(double x)
{
    const double moved = oribi_micro_double_magnitude(x) + 4503599627370496.0;
    return oribi_micro_double_is_whole(x)
               ? x
               : oribi_micro_double_with_sign(moved - 4503599627370496.0, x);
}

/* --- The error function ---------------------------------------------------------------------- */

/* Below 3 the series of positive terms times exp(-x^2), above 1 less a continued fraction. */
static inline double oribi_micro_double_erf(double x)
{
    const double a = oribi_micro_double_magnitude(x), z = a * a;
    double sum = 1.0, y;
    if (!(a < 6.0)) {
        return a >= 6.0 ? oribi_micro_double_with_sign(1.0, x) : x;
    }
    if (a < 3.0) {
        for (int32_t n = 60; n > 0; n--) {
            sum = 1.0 + sum * (2.0 * z / (double)(2 * n + 1));
        }
        y = 1.1283791670955126 * a * sum * oribi_micro_exp_f64(-z);
    } else {
        for (int32_t n = 60; n > 0; n--) {
            sum = a + 0.5 * (double)n / (n == 60 ? a : sum);
        }
        y = 1.0 - oribi_micro_exp_f64(-z) * 0.56418958354775629 / sum;
    }
    return oribi_micro_double_with_sign(y, x);
}

/* --- Powers ---------------------------------------------------------------------------------- */

/* What the product x y lost by rounding, of magnitudes about 1. */
static inline double oribi_micro_double_product_rest(double x, double y, double product)
{
    const double cut = 134217729.0; /* 2^27 + 1 halves the digits */
    const double x_high = x * cut - (x * cut - x), x_low = x - x_high;
    const double y_high = y * cut - (y * cut - y), y_low = y - y_high;
    return ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low;
}

/* log(x) as a sum of two for a positive finite x: the first term of the series in f / (2 + f), and
 * what counts whole exponents, keep what rounding takes off. */
static inline double oribi_micro_double_log_pair(double x, double *out_low)
{
    const uint64_t root_half = UINT64_C(0x3fe6a09e667f3bcd);
    const int32_t lift = x < DBL_MIN ? 54 : 0;
    const uint64_t bits = oribi_micro_double_bits(lift != 0 ? x * 18014398509481984.0 : x) +
                          (UINT64_C(0x3ff0000000000000) - root_half);
    const double e = (double)((int32_t)(bits >> 52) - 1023 - lift);
    const double f = oribi_micro_double_of((bits & UINT64_C(0x000fffffffffffff)) + root_half) - 1.0;
    const double below = 2.0 + f, below_low = f - (below - 2.0);
    const double s = f / below, back = s * below;
    const double s_low =
        ((f - back) - oribi_micro_double_product_rest(s, below, back) - s * below_low) / below;
    const double z = s * s;
    double q = 2.0 / 27.0;
    for (double n = 25.0; n > 2.0; n -= 2.0) {
        q = q * z + 2.0 / n;
    }
    const double whole = e * 0.693147180369123816; /* exact: its last 20 bits are 0 */
    const double first = whole + 2.0 * s;
    const double lost = (whole - first) + 2.0 * s; /* exact: |whole| is 0 or above 2 s */
    const double rest = lost + (e * 1.90821492927058770e-10 + (2.0 * s_low + s * z * q));
    const double high = first + rest;
    *out_low = (first - high) + rest;
    return high;
}

/* x^y for positive finite x other than 1, finite y. */
static inline double oribi_micro_double_pow_positive(double x, double y)
{
    double low;
    const double high = oribi_micro_double_log_pair(x, &low);
    if (!(oribi_micro_double_magnitude(y) < 1e300) ||
        !(oribi_micro_double_magnitude(y * high) < 1400.0)) {
        return (high > 0.0) == (y > 0.0) ? oribi_micro_double_infinity() : 0.0;
    }
    if (oribi_micro_double_magnitude(y) < 1e-290) {
        return 1.0;
    }
    const double product = y * high;
    const double rest = oribi_micro_double_product_rest(y, high, product) + y * low;
    const double result = oribi_micro_double_exp(product);
    return result > DBL_MAX ? result : result + result * rest;
}

/* x^y with C's special cases. */
static inline double oribi_micro_double_pow(double x, double y)
{
    const double a = oribi_micro_double_magnitude(x), b = oribi_micro_double_magnitude(y);
    if (y == 0.0 || x == 1.0) {
        return 1.0;
    }
    if (x != x || y != y) {
        return oribi_micro_double_nan();
    }
    if (b > DBL_MAX) {
        return a == 1.0 ? 1.0 : (a > 1.0) == (y > 0.0) ? oribi_micro_double_infinity() : 0.0;
    }
    const int32_t is_whole = oribi_micro_double_floor(y) == y;
    const int32_t is_odd = is_whole && b < 9007199254740992.0 && ((int64_t)b & 1) != 0;
    double result;
    if (a == 0.0 || a > DBL_MAX) {
        result = (a == 0.0) == (y > 0.0) ? 0.0 : oribi_micro_double_infinity();
    } else if (x < 0.0 && !is_whole) {
        return oribi_micro_double_nan();
    } else {
        result = a == 1.0 ? 1.0 : oribi_micro_double_pow_positive(a, y);
    }
    return is_odd ? oribi_micro_double_with_sign(result, x) : result;
}

#endif
