/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>QLinearConv2D for AVX2. See qlinear_loops.h. */

#include <immintrin.h>

#define ORIBI_ISA avx2
#include "cpu/quantised/qlinear_loops.h"

static void qlinear_tile(const int16_t *a, const int16_t *b, int32_t pairs, int32_t *acc)
{
    __m256i sum[ROWS][2];
    for (int r = 0; r < ROWS; r++) {
        sum[r][0] = _mm256_loadu_si256((const __m256i *)(acc + r * PANEL));
        sum[r][1] = _mm256_loadu_si256((const __m256i *)(acc + r * PANEL + 8));
    }
    for (int32_t p = 0; p < pairs; p++) {
        const __m256i left = _mm256_loadu_si256((const __m256i *)(b + p * COLUMNS * 2));
        const __m256i right = _mm256_loadu_si256((const __m256i *)(b + p * COLUMNS * 2 + COLUMNS));
        for (int r = 0; r < ROWS; r++) {
            int32_t bits;
            memcpy(&bits, a + r * CHUNK + 2 * p, sizeof bits);
            const __m256i pair = _mm256_set1_epi32(bits);
            sum[r][0] = _mm256_add_epi32(sum[r][0], _mm256_madd_epi16(pair, left));
            sum[r][1] = _mm256_add_epi32(sum[r][1], _mm256_madd_epi16(pair, right));
        }
    }
    for (int r = 0; r < ROWS; r++) {
        _mm256_storeu_si256((__m256i *)(acc + r * PANEL), sum[r][0]);
        _mm256_storeu_si256((__m256i *)(acc + r * PANEL + 8), sum[r][1]);
    }
}
