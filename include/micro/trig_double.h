/* SPDX-License-Identifier: Apache-2.0 */
/* Sine and cosine of doubles, within 4 units in the last place everywhere, by integers where whole
 * turns come off: the same bits on each machine. Of floats: trig.h.
 */
#ifndef ORIBI_MICRO_TRIG_DOUBLE_H_
#define ORIBI_MICRO_TRIG_DOUBLE_H_

#include "micro/math_double.h"

/* The angle without whole quarter turns, in [-pi/4, pi/4], and how many of those modulo 4; of a
 * finite number of 0.5 and more. Of m * 2^e * 2/pi, m of 53 bits, the bits of 2/pi that count are
 * the 192 from the one on whose product is below 4: their product with m, modulo 2^192, has the
 * quarters in its first two bits. A double comes no closer to a quarter turn than 2^-62 of it. */
static inline double oribi_micro_double_angle(double a, uint32_t *out_quarter)
{
    static const uint32_t turns[] = {
        0U,          0U,          0xa2f9836eU, 0x4e441529U, 0xfc2757d1U, 0xf534ddc0U, 0xdb629599U,
        0x3c439041U, 0xfe5163abU, 0xdebbc561U, 0xb7246e3aU, 0x424dd2e0U, 0x06492eeaU, 0x09d1921cU,
        0xfe1deb1cU, 0xb129a73eU, 0xe88235f5U, 0x2ebb4484U, 0xe99c7026U, 0xb45f7e41U, 0x3991d639U,
        0x835339f4U, 0x9c845f8bU, 0xbdf9283bU, 0x1ff897ffU, 0xde05980fU, 0xef2f118bU, 0x5a0a6d1fU,
        0x6d367ecfU, 0x27cb09b7U, 0x4f463f66U, 0x9e5fea2dU, 0x7527bac7U, 0xebe5f17bU, 0x3d0739f7U,
        0x8a5292eaU, 0x6bfb5fb1U, 0x1f8d5d08U, 0x56033046U, 0xfc7b6babU, 0xf0cfbc20U, 0x9af4361dU};
    const uint64_t bits = oribi_micro_double_bits(a);
    const uint64_t m = (bits & UINT64_C(0x000fffffffffffff)) | UINT64_C(0x0010000000000000);
    const uint32_t at = (uint32_t)((int32_t)(bits >> 52) - 1075 + 62); /* a is 0.5 at least */
    const uint64_t m_low = m & 0xffffffffU, m_high = m >> 32;
    uint32_t product[6];
    uint64_t carry = 0;
    uint32_t before = 0; /* the word of lower weight */
    for (uint32_t i = 6U; i-- > 0U;) {
        const uint64_t two = (uint64_t)turns[at / 32U + i] << 32 | turns[at / 32U + i + 1U];
        const uint32_t word = (uint32_t)(two << at % 32U >> 32);
        const uint64_t low = m_low * word, high = m_high * before;
        const uint64_t sum = (low & 0xffffffffU) + (high & 0xffffffffU) + (carry & 0xffffffffU);
        product[i] = (uint32_t)sum;
        carry = (carry >> 32) + (low >> 32) + (high >> 32) + (sum >> 32);
        before = word;
    }
    const uint32_t quarter = (product[0] >> 29) + 1U; /* of halves of quarters */
    *out_quarter = quarter >> 1 & 3U;
    const uint32_t is_negative = product[0] >> 29 & 1U;
    double fraction = 0.0;
    for (uint32_t i = 6U; i-- > 0U;) {
        const uint32_t next = i < 5U ? product[i + 1U] : 0U;
        const uint32_t word = product[i] << 2 | next >> 30;
        fraction = (fraction + (double)(is_negative != 0U ? ~word : word)) * (1.0 / 4294967296.0);
    }
    fraction *= 1.5707963267948966;
    return is_negative != 0U ? -fraction : fraction;
}

/* The sine of an angle that is not negative, so many quarter turns on: series of Taylor. */
static inline double oribi_micro_double_sine_after(double a, uint32_t quarters)
{
    uint32_t quarter = 0;
    const double r = a < 0.75 ? a : oribi_micro_double_angle(a, &quarter), z = r * r;
    const uint32_t turned = quarter + quarters;
    const int32_t is_cosine = (turned & 1U) != 0U;
    double q = 1.0;
    for (int32_t n = is_cosine ? 18 : 19; n > 3; n -= 2) {
        q = 1.0 - q * z / (double)(n * (n - 1));
    }
    const double y = is_cosine ? 1.0 - 0.5 * z * q : r - r * z / 6.0 * q;
    return (turned & 2U) != 0U ? -y : y;
}

/* Of infinities and NaN: a NaN. */
static inline double oribi_micro_double_sin(double x)
{
    const double a = oribi_micro_double_magnitude(x);
    if (!(a <= DBL_MAX)) {
        return oribi_micro_double_nan();
    }
    const double y = oribi_micro_double_sine_after(a, 0U);
    return x < 0.0 || a == 0.0 ? (a == 0.0 ? x : -y) : y;
}

static inline double oribi_micro_double_cos(double x)
{
    const double a = oribi_micro_double_magnitude(x);
    return a <= DBL_MAX ? oribi_micro_double_sine_after(a, 1U) : oribi_micro_double_nan();
}

#endif
