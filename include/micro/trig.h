/* SPDX-License-Identifier: Apache-2.0 */
/* Sine and cosine of floats, within one unit in the last place everywhere, in double inside: the
 * same bits on each machine. Read first: float_rules.h, math_f64.h.
 */
#ifndef ORIBI_MICRO_TRIG_H_
#define ORIBI_MICRO_TRIG_H_

#include "micro/math_f32.h"
#include "micro/memory.h"

/* The fraction of m * 2^e * 2/pi from its bit of weight 2 on, m of 24 bits and e at least 2: the
 * bits of 2/pi before bit e - 2 only make whole turns. 96 of those behind leave 38 below the
 * nearest that a float comes to a quarter turn. */
static inline double oribi_micro_turns_of_large(uint32_t m, int32_t e, uint32_t *out_quarter)
{
    static const uint32_t bits[] = {0xa2f9836eU, 0x4e441529U, 0xfc2757d1U, 0xf534ddc0U,
                                    0xdb629599U, 0x3c439041U, 0xfe5163abU};
    const uint32_t at = (uint32_t)(e - 2), word = at / 32U, shift = at % 32U;
    uint32_t window[3];
    for (uint32_t i = 0; i < 3U; i++) {
        const uint64_t two = (uint64_t)bits[word + i] << 32 | bits[word + i + 1U];
        window[i] = (uint32_t)(two << shift >> 32);
    }
    const uint64_t low = (uint64_t)m * window[2];
    const uint64_t middle = (uint64_t)m * window[1] + (low >> 32);
    const uint64_t high = (uint64_t)m * window[0] + (middle >> 32);
    uint64_t fraction = high << 32 | (middle & 0xffffffffU); /* 2^62 is a quarter turn */
    const uint64_t quarter = (fraction + ((uint64_t)1 << 61)) >> 62;
    fraction -= quarter << 62;
    *out_quarter = (uint32_t)(quarter & 3U);
    const double positive = (double)(int64_t)(fraction >> 63 != 0U ? ~fraction + 1U : fraction);
    return (fraction >> 63 != 0U ? -positive : positive) * (1.0 / 4611686018427387904.0) *
           1.5707963267948966;
}

/* The angle without whole quarter turns, in [-pi/4, pi/4], and how many of those modulo 4; of a
 * finite number that is not negative. */
static inline double oribi_micro_reduce_angle(float a, uint32_t *out_quarter)
{
    if (a < 67108864.0F) { /* 2^26: the product with the first 26 bits of pi/2 is exact */
        const double turns = (double)a * 0.63661977236758134;
        const int32_t quarter = (int32_t)(turns + 0.5);
        *out_quarter = (uint32_t)quarter & 3U;
        return (double)a - (double)quarter * 1.5707963109016418 -
               (double)quarter * 1.5893254773528196e-08;
    }
    uint32_t word;
    (void)memcpy(&word, &a, sizeof word);
    return oribi_micro_turns_of_large((word & 0x7fffffU) | 0x800000U, (int32_t)(word >> 23) - 150,
                                      out_quarter);
}

static inline float oribi_micro_sine_after(float a, uint32_t quarters)
{
    uint32_t quarter;
    const double r = oribi_micro_reduce_angle(a, &quarter), v = r * r;
    quarter = (quarter + quarters) & 3U;
    double y;
    if ((quarter & 1U) == 0U) {
        y = 1.6059043836821613e-10;
        y = y * v - 2.5052108385441720e-08;
        y = y * v + 2.7557319223985893e-06;
        y = y * v - 1.9841269841269841e-04;
        y = y * v + 8.3333333333333332e-03;
        y = y * v - 1.6666666666666666e-01;
        y = r + r * v * y;
    } else {
        y = 2.0876756987868099e-09;
        y = y * v - 2.7557319223985888e-07;
        y = y * v + 2.4801587301587302e-05;
        y = y * v - 1.3888888888888889e-03;
        y = y * v + 4.1666666666666664e-02;
        y = y * v - 0.5;
        y = 1.0 + v * y;
    }
    return (float)((quarter & 2U) == 0U ? y : -y);
}

/* Of infinities and NaN: a NaN. */
static inline float oribi_micro_sin(float x)
{
    const float a = oribi_micro_magnitude(x);
    if (!(a <= FLT_MAX)) {
        return oribi_micro_nan();
    }
    if (a < 1e-4F) { /* and -0 stays -0 */
        return x - x * x * x * 0.16666667F;
    }
    const float y = oribi_micro_sine_after(a, 0U);
    return x < 0.0F ? -y : y;
}

static inline float oribi_micro_cos(float x)
{
    const float a = oribi_micro_magnitude(x);
    return a <= FLT_MAX ? oribi_micro_sine_after(a, 1U) : oribi_micro_nan();
}

#endif
