/* SPDX-License-Identifier: Apache-2.0 */
/* TensorFlow's generator, Philox (4 words of 32 bits, 10 rounds): blocks of four words by their
 * number, and numbers from 0 to below 1 from words.
 */
#ifndef ORIBI_PLUGINS_CPU_PHILOX_H_
#define ORIBI_PLUGINS_CPU_PHILOX_H_

#include "micro/float_rules.h"

#include "micro/math_double.h"
#include "micro/math_f32.h"

#include <string.h>

typedef struct oribi_cpu_philox {
    uint64_t key, low, high; /* the generator's key, and the number of its first block */
} oribi_cpu_philox;

/* The block `at` blocks after the first. */
static inline void oribi_cpu_draw(const oribi_cpu_philox *from, uint64_t at, uint32_t out[4])
{
    const uint64_t low = from->low + at, high = from->high + (low < at ? 1 : 0);
    uint32_t key[2] = {(uint32_t)(from->key & UINT32_MAX), (uint32_t)(from->key >> 32)};
    uint32_t c[4] = {(uint32_t)(low & UINT32_MAX), (uint32_t)(low >> 32),
                     (uint32_t)(high & UINT32_MAX), (uint32_t)(high >> 32)};
    for (int round = 0; round < 10; round++) {
        const uint64_t a = UINT64_C(0xD2511F53) * c[0], b = UINT64_C(0xCD9E8D57) * c[2];
        const uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ key[0], (uint32_t)(b & UINT32_MAX),
                                  (uint32_t)(a >> 32) ^ c[3] ^ key[1], (uint32_t)(a & UINT32_MAX)};
        memcpy(c, next, sizeof next);
        key[0] += UINT32_C(0x9E3779B9);
        key[1] += UINT32_C(0xBB67AE85);
    }
    memcpy(out, c, sizeof c);
}

/* The low 23 bits, from 0 to below 1. */
static inline float oribi_cpu_fraction(uint32_t word)
{
    return oribi_micro_from_bits(UINT32_C(127) << 23 | (word & 0x7FFFFFU)) - 1.0f;
}

/* The low 20 bits of the first word and all of the second. */
static inline double oribi_cpu_double_fraction(const uint32_t words[2])
{
    const uint64_t bits = (uint64_t)(words[0] & 0xFFFFFU) << 32 | words[1];
    return oribi_micro_double_of(UINT64_C(1023) << 52 | bits) - 1.0;
}

#endif
