/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes by a table of 256, by vectors of which bytes pick one of 16. */
#ifndef ORIBI_PLUGINS_CPU_BYTES_TABLE_X86_AVX2_H_
#define ORIBI_PLUGINS_CPU_BYTES_TABLE_X86_AVX2_H_

#include <immintrin.h>

#include "micro/elementwise/lookup_8.h"

/* Of 64 values of the table the one that the low six bits say; `fifth` and `sixth` have those bits
 * where a blend looks. */
static inline __m256i of_quarter(const __m256i *table, __m256i low, __m256i fifth, __m256i sixth)
{
    const __m256i a = _mm256_blendv_epi8(_mm256_shuffle_epi8(table[0], low),
                                         _mm256_shuffle_epi8(table[1], low), fifth);
    const __m256i b = _mm256_blendv_epi8(_mm256_shuffle_epi8(table[2], low),
                                         _mm256_shuffle_epi8(table[3], low), fifth);
    return _mm256_blendv_epi8(a, b, sixth);
}

/* As many as fill vectors; returns how many. */
static int32_t look_up_vectors(const struct oribi_micro_lookup_8_args *args, const uint8_t *from,
                               uint8_t *to)
{
    enum { LANES = 32 };
    __m256i table[16];
    int32_t i = 0;
    for (int k = 0; k < 16; k++) {
        const uint8_t *part = (const uint8_t *)args->table + 16 * k;
        table[k] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)part));
    }
    for (; i + LANES <= args->count; i += LANES) {
        const __m256i x = _mm256_loadu_si256((const void *)(from + i));
        const __m256i low = _mm256_and_si256(x, _mm256_set1_epi8(15));
        const __m256i fifth = _mm256_slli_epi16(x, 3), sixth = _mm256_slli_epi16(x, 2);
        const __m256i seventh = _mm256_slli_epi16(x, 1);
        const __m256i below = _mm256_blendv_epi8(of_quarter(table, low, fifth, sixth),
                                                 of_quarter(table + 4, low, fifth, sixth), seventh);
        const __m256i above =
            _mm256_blendv_epi8(of_quarter(table + 8, low, fifth, sixth),
                               of_quarter(table + 12, low, fifth, sixth), seventh);
        _mm256_storeu_si256((void *)(to + i), _mm256_blendv_epi8(below, above, x));
    }
    return i;
}

#endif
