/* SPDX-License-Identifier: Apache-2.0 */
/* What a quotient, rounded down, leaves, of elements that meet by broadcasting. */
#include "micro/float_rules.h"

#include "micro/binary/binary_f32.h"
#include "micro/math_f32.h"

/* Mantissa and exponent of a number that is not negative; those below the least normal one have
 * the exponent 1. */
static uint32_t take_apart(uint32_t bits, uint32_t *out_exponent)
{
    const uint32_t exponent = bits >> 23, fraction = bits & 0x7fffffU;
    *out_exponent = exponent == 0U ? 1U : exponent;
    return exponent == 0U ? fraction : fraction | 0x800000U;
}

/* x without whole y, digit by digit: exact, of the sign of x. */
static float rest_of(float x, float y)
{
    uint32_t e, e_y;
    const uint32_t a = oribi_micro_to_bits(oribi_micro_magnitude(x));
    const uint32_t b = oribi_micro_to_bits(oribi_micro_magnitude(y));
    if (a >= 0x7f800000U || b > 0x7f800000U || b == 0U) {
        return oribi_micro_nan();
    }
    if (a < b) {
        return x;
    }
    uint32_t m = take_apart(a, &e);
    const uint32_t m_y = take_apart(b, &e_y);
    for (; e > e_y; e--) {
        m = (m >= m_y ? m - m_y : m) << 1;
    }
    m = m >= m_y ? m - m_y : m;
    while (m != 0U && m < 0x800000U && e > 1U) {
        m <<= 1;
        e--;
    }
    const uint32_t bits = m < 0x800000U ? m : (m & 0x7fffffU) | e << 23;
    return oribi_micro_with_sign(oribi_micro_from_bits(bits), x);
}

static float floor_mod(float x, float y)
{
    const float rest = rest_of(x, y);
    const int32_t is_other = (y < 0.0F) != (rest < 0.0F) ? 1 : 0;
    return is_other != 0 && (rest < 0.0F || rest > 0.0F) ? rest + y : rest;
}

#define ORIBI_MICRO_BINARY   oribi_micro_floor_mod_f32
#define ORIBI_MICRO_OF(x, y) floor_mod(x, y)
#include "micro/binary/binary_f32_body.h"
