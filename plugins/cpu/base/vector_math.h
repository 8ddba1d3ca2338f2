/* SPDX-License-Identifier: Apache-2.0 */
/* Branch-free f32 functions that compilers turn into vector code when a loop calls them. Within 3
 * units in the last place of the true value; NaN in, NaN out; no errno, no library call.
 * Source   exp and log: the polynomials of Cephes' expf and logf (S. L. Moshier), tests/cpu holds
 *          them against libm. tanh, sigmoid, elu and softplus are built on those two.
 */
#ifndef ORIBI_PLUGINS_CPU_VECTOR_MATH_H_
#define ORIBI_PLUGINS_CPU_VECTOR_MATH_H_

#include <stdint.h>
#include <string.h>

#if defined(__FMA__) || defined(__aarch64__)
#define ORIBI_FMA(a, b, c) __builtin_fmaf(a, b, c)
#else
#define ORIBI_FMA(a, b, c) ((a) * (b) + (c))
#endif

static inline uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* condition ? a : b in bits. gcc turns the plain form into branches where a or b is costly, and
 * then does not vectorise. */
static inline float pick(int condition, float a, float b)
{
    uint32_t mask = 0u - (uint32_t)(condition != 0);
    return float_of((bits_of(a) & mask) | (bits_of(b) & ~mask));
}

/* x = n ln 2 + r with |r| <= ln 2 / 2; n as an integer in two's complement. */
static inline float reduce(float x, uint32_t *n)
{
    const float magic = 12582912.0f; /* 1.5 * 2^23: adding it rounds to an integer */
    float t = ORIBI_FMA(x, 1.44269504088896341f, magic);
    float k = t - magic;
    *n = bits_of(t) - bits_of(magic);
    return ORIBI_FMA(k, 2.12194440e-4f, ORIBI_FMA(k, -0.693359375f, x));
}

/* e^r - 1 for |r| <= ln 2 / 2. */
static inline float exp_minus_one_near_zero(float r)
{
    float p = 1.9875691500e-4f;
    p = ORIBI_FMA(p, r, 1.3981999507e-3f);
    p = ORIBI_FMA(p, r, 8.3334519073e-3f);
    p = ORIBI_FMA(p, r, 4.1665795894e-2f);
    p = ORIBI_FMA(p, r, 1.6666665459e-1f);
    p = ORIBI_FMA(p, r, 5.0000001201e-1f);
    return ORIBI_FMA(p, r * r, r);
}

/* 2^n for -126 <= n <= 127. */
static inline float power_of_two(uint32_t n)
{
    return float_of((n + 127u) << 23);
}

static inline float vector_exp(float x)
{
    uint32_t n;
    x = x > 89.0f ? 89.0f : x;     /* e^89 is above the largest float */
    x = x < -104.0f ? -104.0f : x; /* e^-104 is below half of the smallest */
    float p = 1.0f + exp_minus_one_near_zero(reduce(x, &n));
    /* 2^n may be out of a float's range where the result is not: two steps. The shift must keep
     * the sign. */
    uint32_t half = (uint32_t)((int32_t)n >> 1);
    return p * power_of_two(half) * power_of_two(n - half);
}

/* e^x - 1 for x <= 0, exact near 0. */
static inline float vector_expm1_negative(float x)
{
    uint32_t n;
    x = x < -80.0f ? -80.0f : x;
    float p = exp_minus_one_near_zero(reduce(x, &n)), scale = power_of_two(n);
    return ORIBI_FMA(scale, p, scale - 1.0f);
}

static inline float vector_log(float x)
{
    /* Denormals are lifted by 2^25. */
    uint32_t low = 0u - (uint32_t)(x < 1.17549435e-38f);
    uint32_t bits = bits_of(x * float_of(0x3f800000u + (low & 25u << 23)));
    /* Mantissa in [sqrt(1/2), sqrt(2)). */
    uint32_t e = bits - 0x3f3504f3u;
    float k = (float)(((int32_t)e >> 23) - (int32_t)(low & 25u));
    float m = float_of((e & 0x007fffffu) + 0x3f3504f3u) - 1.0f, z = m * m;
    float p = 7.0376836292e-2f;
    p = ORIBI_FMA(p, m, -1.1514610310e-1f);
    p = ORIBI_FMA(p, m, 1.1676998740e-1f);
    p = ORIBI_FMA(p, m, -1.2420140846e-1f);
    p = ORIBI_FMA(p, m, 1.4249322787e-1f);
    p = ORIBI_FMA(p, m, -1.6668057665e-1f);
    p = ORIBI_FMA(p, m, 2.0000714765e-1f);
    p = ORIBI_FMA(p, m, -2.4999993993e-1f);
    p = ORIBI_FMA(p, m, 3.3333331174e-1f);
    float y = ORIBI_FMA(p, m * z, k * -2.12194440e-4f);
    y = ORIBI_FMA(z, -0.5f, y) + m;
    y = ORIBI_FMA(k, 0.693359375f, y);
    y = pick(x == 0.0f, -__builtin_inff(), y);
    y = pick(x < 0.0f, __builtin_nanf(""), y);
    return pick(x < __builtin_inff(), y, x); /* infinity and NaN as they are */
}

static inline float vector_sigmoid(float x)
{
    return 1.0f / (1.0f + vector_exp(-x));
}

static inline float vector_tanh(float x)
{
    float t = vector_expm1_negative(-2.0f * __builtin_fabsf(x));
    return __builtin_copysignf(t / (t + 2.0f), x);
}

/* max(x, 0) + log(1 + e^-|x|). */
static inline float vector_softplus(float x)
{
    float u = vector_exp(-__builtin_fabsf(x)), w = 1.0f + u;
    /* log(w) loses u's low bits; u / (w - 1) gives them back. */
    float ratio = u / pick(w == 1.0f, 1.0f, w - 1.0f);
    float log1p = pick(w == 1.0f, u, vector_log(w) * ratio);
    return pick(x < 0.0f, 0.0f, x) + log1p;
}

#endif
