/* SPDX-License-Identifier: Apache-2.0 */
/* x^y of floats as branch-free code that compilers turn into vectors. Logarithm, product and
 * exponential are computed in double, so that the result is off by little more than half a unit in
 * the last place; zeros, infinities, NaN and negative x as C's pow has them.
 */
#ifndef ORIBI_PLUGINS_CPU_VECTOR_POWER_H_
#define ORIBI_PLUGINS_CPU_VECTOR_POWER_H_

#include "cpu/base/vector_math.h"

static inline uint64_t wide_bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double wide_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The logarithm of a positive finite float. */
__attribute__((always_inline)) static inline double wide_log(float x)
{
    /* Denormals are lifted by 2^25; the mantissa lies in [sqrt(1/2), sqrt(2)). */
    uint32_t low = 0u - (uint32_t)(x < 1.17549435e-38f);
    uint32_t e = bits_of(x * float_of(0x3f800000u + (low & 25u << 23))) - 0x3f3504f3u;
    double k = (double)(((int32_t)e >> 23) - (int32_t)(low & 25u));
    double m = (double)float_of((e & 0x007fffffu) + 0x3f3504f3u);
    double s = (m - 1.0) / (m + 1.0), z = s * s;
    double p = 0.19357175390618;
    p = p * z + 0.22191779634997322;
    p = p * z + 0.2857174575961788;
    p = p * z + 0.39999998873110265;
    p = p * z + 0.6666666666719818;
    return k * 0.69314718055994531 + (s * (p * z) + (s + s));
}

/* e^x for |x| <= 200. */
__attribute__((always_inline)) static inline double wide_exp(double x)
{
    const double magic = 6755399441055744.0; /* 1.5 * 2^52: adding it rounds to an integer */
    double t = x * 1.4426950408889634 + magic;
    double r = x - (t - magic) * 0.69314718055994531;
    double p = 0.00019907579590711287;
    p = p * r + 0.0013933650076910881;
    p = p * r + 0.008333286014256605;
    p = p * r + 0.04166646491791583;
    p = p * r + 0.16666666756439333;
    p = p * r + 0.500000001346787;
    p = p * (r * r) + (r + 1.0);
    return wide_of(wide_bits_of(p) + (wide_bits_of(t) << 52));
}

__attribute__((always_inline)) static inline float vector_power(float x, float y)
{
    const float infinity = __builtin_inff();
    float size = __builtin_fabsf(x), much = __builtin_fabsf(y);
    /* From 2^24 on all floats are even. */
    float within = pick(much < 16777216.0f, y, 0.0f);
    int32_t whole = (int32_t)within;
    int is_whole = (float)whole == within;
    uint32_t sign = bits_of(x) & ((uint32_t)(whole & is_whole) << 31);

    double e = (double)y * wide_log(size);
    e = size == 0.0f ? (y > 0.0f ? -200.0 : 200.0) : e;
    e = size == infinity ? (y > 0.0f ? 200.0 : -200.0) : e;
    e = e > 200.0 ? 200.0 : e;
    e = e < -200.0 ? -200.0 : e;
    float p = float_of(bits_of((float)wide_exp(e)) | sign);

    const float nan = __builtin_nanf("");
    p = pick((x < 0.0f) & (size < infinity) & !is_whole, nan, p);
    p = pick((x != x) | (y != y), nan, p);
    return pick((y == 0.0f) | (x == 1.0f) | ((size == 1.0f) & (much == infinity)), 1.0f, p);
}

#endif
