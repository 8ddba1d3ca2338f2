/* SPDX-License-Identifier: Apache-2.0 */
/* Floats of 16 bits from floats: to the nearest, ties to even. */
#ifndef ORIBI_PLUGINS_CPU_HALVES_H_
#define ORIBI_PLUGINS_CPU_HALVES_H_

#include <stdint.h>
#include <string.h>

static inline uint16_t oribi_cpu_to_half(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000u) {
        return (uint16_t)(sign | 0x7e00);
    }
    if (magnitude >= 0x477ff000u) { /* rounds to 2^16 or more */
        return (uint16_t)(sign | 0x7c00);
    }
    if (magnitude < 0x38800000u) { /* below 2^-14: let the addition of 1/2 round at bit 2^-24 */
        float half = 0.5f, sum;
        uint32_t sum_bits;
        memcpy(&sum, &magnitude, sizeof sum);
        sum += half;
        memcpy(&sum_bits, &sum, sizeof sum_bits);
        return (uint16_t)(sign | (sum_bits - 0x3f000000u));
    }
    uint32_t odd = magnitude >> 13 & 1;
    return (uint16_t)(sign | ((magnitude - ((127u - 15u) << 23) + 0xfff + odd) >> 13));
}

static inline uint16_t oribi_cpu_to_bfloat16(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7fffffff) > 0x7f800000u) {
        return (uint16_t)(bits >> 16 | 0x40);
    }
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

#endif
