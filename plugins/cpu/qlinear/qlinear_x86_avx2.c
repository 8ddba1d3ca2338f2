/* SPDX-License-Identifier: Apache-2.0 */
/* Products of quantised matrices for AVX2. See qlinear_panels.h. */

#include <immintrin.h>

#define ORIBI_ISA avx2
enum { ROWS = 4, COLUMNS = 16 };
#include "cpu/qlinear/qlinear_pairs.h"

#include "cpu/qlinear/qlinear_loops.h"

static inline void tile_of(const number *numbers, const weight *panel, int32_t pairs, int rows,
                           int32_t *sums)
{
    __m256i sum[ROWS][2];
    for (int r = 0; r < rows; r++) {
        sum[r][0] = _mm256_loadu_si256((const __m256i *)(sums + r * PANEL));
        sum[r][1] = _mm256_loadu_si256((const __m256i *)(sums + r * PANEL + 8));
    }
    for (int32_t p = 0; p < pairs; p++, panel += EACH) {
        const __m256i left = _mm256_loadu_si256((const __m256i *)panel);
        const __m256i right = _mm256_loadu_si256((const __m256i *)(panel + COLUMNS));
        for (int r = 0; r < rows; r++) {
            int32_t bits;
            memcpy(&bits, numbers + r * CHUNK + 2 * p, sizeof bits);
            const __m256i pair = _mm256_set1_epi32(bits);
            sum[r][0] = _mm256_add_epi32(sum[r][0], _mm256_madd_epi16(pair, left));
            sum[r][1] = _mm256_add_epi32(sum[r][1], _mm256_madd_epi16(pair, right));
        }
    }
    for (int r = 0; r < rows; r++) {
        _mm256_storeu_si256((__m256i *)(sums + r * PANEL), sum[r][0]);
        _mm256_storeu_si256((__m256i *)(sums + r * PANEL + 8), sum[r][1]);
    }
}
