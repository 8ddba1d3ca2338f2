/* SPDX-License-Identifier: Apache-2.0 */
/* Branch-free f32 functions that compilers turn into vector code when a loop calls them. Within 3
 * units in the last place of the true value where no other number is given; NaN in, NaN out; no
 * errno, no library call. tests/cpu/vector_math_test.c holds them against libm.
 * Source   exp and log: the polynomials of Cephes' expf and logf (S. L. Moshier). tanh, sigmoid,
 *          elu, softplus, swish and mish are built on those two. erf and gelu: least-squares fits,
 *          weighted until the largest error was the least.
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

/* e^r - 1 for |r| <= ln 2 / 2 is r + r^2 p: the factors of p, those of the highest powers first. */
#define ORIBI_EXP_FIRST 1.9875691500e-4f
#define ORIBI_EXP_NEXT(X)                                                                          \
    X(1.3981999507e-3f)                                                                            \
    X(8.3334519073e-3f)                                                                            \
    X(4.1665795894e-2f)                                                                            \
    X(1.6666665459e-1f)                                                                            \
    X(5.0000001201e-1f)

static inline float exp_minus_one_near_zero(float r)
{
    float p = ORIBI_EXP_FIRST;
#define NEXT(factor) p = ORIBI_FMA(p, r, factor);
    ORIBI_EXP_NEXT(NEXT)
#undef NEXT
    return ORIBI_FMA(p, r * r, r);
}

/* 2^n for -126 <= n <= 127. */
static inline float power_of_two(uint32_t n)
{
    return float_of((n + 127u) << 23);
}

/* Above 89, where a float ends, and below -104, where half of the smallest does, it is told by
 * comparison, and whatever the rest computes there is passed over. */
static inline float vector_exp(float x)
{
    uint32_t n;
    float p = 1.0f + exp_minus_one_near_zero(reduce(x, &n));
    /* 2^n may be out of a float's range where the result is not: two steps, the first of which
     * stays among normal numbers, so that it is an addition to the exponent. The shift must keep
     * the sign. */
    uint32_t half = (uint32_t)((int32_t)n >> 1);
    p = float_of(bits_of(p) + (half << 23)) * power_of_two(n - half);
    p = pick(x < -104.0f, 0.0f, p);
    return pick(x <= 89.0f, p, x + __builtin_inff()); /* a NaN is not below 89 */
}

/* e^x for x <= 0; 0 for what is below the least normal float, whatever the rest computes there. */
static inline float vector_exp_negative(float x)
{
    uint32_t n;
    float p = 1.0f + exp_minus_one_near_zero(reduce(x, &n));
    return pick(x < -87.0f, 0.0f, p * power_of_two(n));
}

/* e^x - 1 for -80 <= x <= 0, exact near 0. */
static inline float vector_expm1_within(float x)
{
    uint32_t n;
    float p = exp_minus_one_near_zero(reduce(x, &n)), scale = power_of_two(n);
    return ORIBI_FMA(scale, p, scale - 1.0f);
}

static inline float vector_expm1_negative(float x)
{
    return vector_expm1_within(x < -80.0f ? -80.0f : x);
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
    uint32_t n;
    float p = 1.0f + exp_minus_one_near_zero(reduce(-x, &n));
    float e = pick(x > 87.0f, 0.0f, p * power_of_two(n)); /* e^-x; told by comparison as above */
    return pick(x < -87.0f, 0.0f, 1.0f / (1.0f + e));
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

/* Up to 0.9 an odd polynomial, beyond it 1 - e^P(|x|); from 4 on the nearest float is 1. */
static inline float vector_erf(float x)
{
    float t = __builtin_fabsf(x), z = x * x;
    float p = -6.0903578e-4f;
    p = ORIBI_FMA(p, z, 5.0119623e-3f);
    p = ORIBI_FMA(p, z, -2.6778908e-2f);
    p = ORIBI_FMA(p, z, 1.1282141e-1f);
    p = ORIBI_FMA(p, z, -3.7612525e-1f);
    p = ORIBI_FMA(p, z, 1.2837915e-1f);
    p = ORIBI_FMA(p, x, x);
    t = t > 4.0f ? 4.0f : t;
    float e = 1.9822070e-4f;
    e = ORIBI_FMA(e, t, -3.0654997e-3f);
    e = ORIBI_FMA(e, t, 2.2315249e-2f);
    e = ORIBI_FMA(e, t, -1.0411374e-1f);
    e = ORIBI_FMA(e, t, -6.3697600e-1f);
    e = ORIBI_FMA(e, t, -1.1277972f);
    e = ORIBI_FMA(e, t, -1.6643909e-4f);
    e = __builtin_copysignf(-vector_expm1_within(e), x);
    return pick(t < 0.9f, p, e);
}

/* x times the normal distribution's share below x, precise far into the left tail, too: the share
 * beyond t = |x| is e^(-t^2 / 2) W(1 / (1 + 0.3 t)). */
static inline float vector_gelu(float x)
{
    float t = __builtin_fabsf(x);
    t = t > 15.0f ? 15.0f : t; /* the share is 0 there, as a float */
    float s = 1.0f / ORIBI_FMA(t, 0.3f, 1.0f), h = t * t;
    float w = 3.8425263e-2f;
    w = ORIBI_FMA(w, s, -1.6939415e-1f);
    w = ORIBI_FMA(w, s, 2.2913042e-1f);
    w = ORIBI_FMA(w, s, -7.7043355e-2f);
    w = ORIBI_FMA(w, s, 1.4290544e-1f);
    w = ORIBI_FMA(w, s, 9.4526425e-2f);
    w = ORIBI_FMA(w, s, 1.2196039e-1f);
    w = ORIBI_FMA(w, s, 1.1948210e-1f);
    w = ORIBI_FMA(w, s, 7.4949339e-6f);
    /* What the square lost would be enlarged by the exponential. */
    float lost = ORIBI_FMA(t, t, -h);
    w = ORIBI_FMA(w, lost * -0.5f, w);
    float share = w * vector_exp_negative(h * -0.5f);
    return x * pick(x < 0.0f, share, 1.0f - share);
}

/* x / (1 + e^-z), with no power of e above 1. */
static inline float vector_gate(float x, float z)
{
    float e = vector_exp_negative(-__builtin_fabsf(z));
    return x * pick(z < 0.0f, e, 1.0f) / (1.0f + e);
}

/* 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), which is x times a sigmoid. */
static inline float vector_gelu_tanh(float x)
{
    return vector_gate(x, x * ORIBI_FMA(x * x, 0.0713548163f, 1.59576912f));
}

/* x tanh(softplus(x)); with w = e^x, tanh is (w^2 + 2 w) / (w^2 + 2 w + 2), and 1 from 20 on. */
static inline float vector_mish(float x)
{
    float w = vector_exp(x > 20.0f ? 20.0f : x), n = w * (w + 2.0f);
    return x * (n / (n + 2.0f));
}

#endif
