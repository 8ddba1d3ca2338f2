/* SPDX-License-Identifier: Apache-2.0 */
/* Functions whose float result needs more than float on the way: powers and the error function.
 * Double arithmetic is in software on most microcontrollers, with the same bits. Accuracy:
 * math_f32.h.
 */
#ifndef ORIBI_MICRO_MATH_F64_H_
#define ORIBI_MICRO_MATH_F64_H_

#include "micro/math_f32.h"

union oribi_micro_double {
    double value;
    uint64_t bits;
};

/* exp(x) for |x| below 700. */
static inline double oribi_micro_exp_f64(double x)
{
    static const double c[] = {0.50000000000000056,    0.16666666666666721,
                               0.041666666666609113,   0.0083333333332617568,
                               0.0013888888923349796,  0.00019841270069996566,
                               2.4801512919134607e-05, 2.7557029914267378e-06,
                               2.7623745761189208e-07, 2.5193978670568711e-08};
    union oribi_micro_double power;
    const int32_t n = (int32_t)(x * 1.4426950408889634 + (x < 0.0 ? -0.5 : 0.5));
    const double r = (x - (double)n * 0.693147180369123816) - (double)n * 1.90821492927058770e-10;
    double q = c[9];
    for (int32_t i = 8; i >= 0; i--) {
        q = q * r + c[i];
    }
    power.bits = (uint64_t)(n + 1023) << 52;
    return (1.0 + (r + r * r * q)) * power.value;
}

/* log(x) for a positive normal double. */
static inline double oribi_micro_log_f64(double x)
{
    static const double c[] = {0.6666666666666673,  0.39999999999895564, 0.28571428627561662,
                               0.22222210892716077, 0.18182905792414072, 0.15331194911199439,
                               0.14622670706222177};
    union oribi_micro_double m;
    m.value = x;
    const uint64_t root_half = UINT64_C(0x3fe6a09e667f3bcd);
    const uint64_t shifted = m.bits + (UINT64_C(0x3ff0000000000000) - root_half);
    const int32_t e = (int32_t)(shifted >> 52) - 1023;
    m.bits = (shifted & UINT64_C(0x000fffffffffffff)) + root_half;
    const double f = m.value - 1.0, s = f / (2.0 + f), z = s * s, half = 0.5 * f * f;
    double q = c[6];
    for (int32_t i = 5; i >= 0; i--) {
        q = q * z + c[i];
    }
    return (double)e * 0.693147180559945309 + (f - (half - s * (half + z * q)));
}

/* x^y for positive finite x other than 1, finite y. */
static inline float oribi_micro_pow_positive(float x, float y)
{
    const double exponent = (double)y * oribi_micro_log_f64((double)x);
    if (exponent > 89.0) {
        return oribi_micro_infinity();
    }
    return exponent < -104.0 ? 0.0F : (float)oribi_micro_exp_f64(exponent);
}

/* x^y with C's special cases. */
static inline float oribi_micro_pow(float x, float y)
{
    const float a = oribi_micro_magnitude(x), b = oribi_micro_magnitude(y);
    if (y == 0.0F || x == 1.0F) {
        return 1.0F;
    }
    if (x != x || y != y) {
        return oribi_micro_nan();
    }
    if (b > FLT_MAX) {
        return a == 1.0F ? 1.0F : (a > 1.0F) == (y > 0.0F) ? oribi_micro_infinity() : 0.0F;
    }
    /* Beyond 2^24 every float is even. */
    const int32_t is_whole = oribi_micro_is_whole(y) || oribi_micro_floor(y) == y;
    const int32_t is_odd = is_whole && b < 16777216.0F && ((int32_t)b & 1) != 0;
    float result;
    if (a == 0.0F || a > FLT_MAX) {
        result = (a == 0.0F) == (y > 0.0F) ? 0.0F : oribi_micro_infinity();
    } else if (x < 0.0F && !is_whole) {
        return oribi_micro_nan();
    } else {
        result = a == 1.0F ? 1.0F : oribi_micro_pow_positive(a, y);
    }
    return is_odd ? oribi_micro_with_sign(result, x) : result;
}

/* In [0, 1] a polynomial in x^2; above, exp(-x^2) times one in 1 / (1 + x / 2). */
static inline float oribi_micro_erf(float x)
{
    static const double near[] = {1.1283791670954946,     -0.37612638902813333,
                                  0.11283791658678406,    -0.026866169064174005,
                                  0.0052239672641825252,  -0.00085479357900140678,
                                  0.00012046296196226936, -1.4795376610067644e-05,
                                  1.5308209222509724e-06, -1.0473172872461115e-07};
    static const double far[] = {3.9124020201468028e-06, 0.28200384911636239, 0.28302129157107592,
                                 0.24149956876479295,    0.19454570558379353, 0.051461099909664243,
                                 -0.010247500792004205,  0.12710829090288533, -0.52604249631266098,
                                 0.5959256745973095,     -0.2976660293857023, 0.058396094114999061};
    const double a = (double)oribi_micro_magnitude(x);
    if (!(a < 4.0)) {
        return a >= 4.0 ? oribi_micro_with_sign(1.0F, x) : x;
    }
    const double v = a < 1.0 ? a * a : 1.0 / (1.0 + 0.5 * a);
    const double *c = a < 1.0 ? near : far;
    const int32_t degree = a < 1.0 ? 9 : 11;
    double q = c[degree];
    for (int32_t i = degree - 1; i >= 0; i--) {
        q = q * v + c[i];
    }
    const double y = a < 1.0 ? a * q : 1.0 - oribi_micro_exp_f64(-a * a) * q;
    return oribi_micro_with_sign((float)y, x);
}

#endif
