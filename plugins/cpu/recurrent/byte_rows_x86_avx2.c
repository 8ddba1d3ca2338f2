/* SPDX-License-Identifier: Apache-2.0 */
/* Products of rows of bytes for AVX2: widened to int16, for pairs of bytes may pass its limits
 * where they are added as bytes. See byte_rows.h.
 */
#include "cpu/recurrent/byte_rows.h"

#include <immintrin.h>
#include <string.h>

enum { ROWS = 2, QUARTERS = 4 /* of a panel: four columns, each of four weights */ };

__attribute__((always_inline)) static inline void
tile_of(const uint8_t *const *x, const int rows, const int8_t *panel, int64_t groups, int32_t *sums)
{
    __m256i sum[ROWS][QUARTERS];
    for (int r = 0; r < rows; r++) {
        for (int q = 0; q < QUARTERS; q++) {
            sum[r][q] = _mm256_setzero_si256();
        }
    }
    for (int64_t g = 0; g < groups; g++, panel += ORIBI_BYTE_COLUMNS * ORIBI_BYTE_GROUP) {
        __m256i four[ROWS];
        for (int r = 0; r < rows; r++) {
            int32_t bits;
            memcpy(&bits, x[r] + g * ORIBI_BYTE_GROUP, sizeof bits);
            four[r] = _mm256_cvtepu8_epi16(_mm_set1_epi32(bits));
        }
        for (int q = 0; q < QUARTERS; q++) {
            const __m128i bytes = _mm_load_si128((const __m128i *)(const void *)panel + q);
            const __m256i weights = _mm256_cvtepi8_epi16(bytes);
            for (int r = 0; r < rows; r++) {
                sum[r][q] = _mm256_add_epi32(sum[r][q], _mm256_madd_epi16(four[r], weights));
            }
        }
    }
    for (int r = 0; r < rows; r++) {
        for (int q = 0; q < QUARTERS; q += 2) {
            /* Of each lane's columns: those of q, then those of q + 1. */
            const __m256i pairs = _mm256_hadd_epi32(sum[r][q], sum[r][q + 1]);
            const __m256i in_order = _mm256_permute4x64_epi64(pairs, _MM_SHUFFLE(3, 1, 2, 0));
            _mm256_storeu_si256((__m256i *)(void *)(sums + r * ORIBI_BYTE_COLUMNS + q * QUARTERS),
                                in_order);
        }
    }
}

static void tile(const uint8_t *const *x, bool is_whole, const int8_t *panel, int64_t groups,
                 int32_t *sums)
{
    if (is_whole) {
        tile_of(x, ROWS, panel, groups, sums);
    } else {
        tile_of(x, 1, panel, groups, sums);
    }
}

const oribi_byte_rows oribi_byte_rows_avx2 = {ROWS, tile};
