/* SPDX-License-Identifier: Apache-2.0 */
/* Products of quantised matrices for AVX-512 with VNNI, whose pairs of int16, or four bytes, are
 * multiplied and added at once. See qlinear_panels.h. */

#include <immintrin.h>

#define ORIBI_ISA vnni
#define ORIBI_QLINEAR_BYTES
enum { ROWS = 8, COLUMNS = 32 };
#include "cpu/quantised/qlinear_loops.h"

static inline void tile_of(const int16_t *numbers, const int16_t *panel, int32_t pairs, int rows,
                           int32_t *sums)
{
    __m512i sum[ROWS][2];
    for (int r = 0; r < rows; r++) {
        sum[r][0] = _mm512_loadu_si512(sums + r * PANEL);
        sum[r][1] = _mm512_loadu_si512(sums + r * PANEL + COLUMNS / 2);
    }
    for (int32_t p = 0; p < pairs; p++, panel += EACH) {
        const __m512i left = _mm512_loadu_si512(panel);
        const __m512i right = _mm512_loadu_si512(panel + COLUMNS);
        for (int r = 0; r < rows; r++) {
            int32_t bits;
            memcpy(&bits, numbers + r * CHUNK + 2 * p, sizeof bits);
            const __m512i pair = _mm512_set1_epi32(bits);
            sum[r][0] = _mm512_dpwssd_epi32(sum[r][0], pair, left);
            sum[r][1] = _mm512_dpwssd_epi32(sum[r][1], pair, right);
        }
    }
    for (int r = 0; r < rows; r++) {
        _mm512_storeu_si512(sums + r * PANEL, sum[r][0]);
        _mm512_storeu_si512(sums + r * PANEL + COLUMNS / 2, sum[r][1]);
    }
}

static inline void byte_tile_of(const uint8_t *numbers, const int8_t *panel, int32_t fours,
                                int rows, int32_t *sums)
{
    __m512i sum[ROWS][2];
    for (int r = 0; r < rows; r++) {
        sum[r][0] = _mm512_loadu_si512(sums + r * PANEL);
        sum[r][1] = _mm512_loadu_si512(sums + r * PANEL + COLUMNS / 2);
    }
    for (int32_t f = 0; f < fours; f++, panel += FOURS) {
        const __m512i left = _mm512_loadu_si512(panel);
        const __m512i right = _mm512_loadu_si512(panel + FOURS / 2);
        for (int r = 0; r < rows; r++) {
            int32_t bits;
            memcpy(&bits, numbers + r * BYTE_CHUNK + 4 * f, sizeof bits);
            const __m512i four = _mm512_set1_epi32(bits);
            sum[r][0] = _mm512_dpbusd_epi32(sum[r][0], four, left);
            sum[r][1] = _mm512_dpbusd_epi32(sum[r][1], four, right);
        }
    }
    for (int r = 0; r < rows; r++) {
        _mm512_storeu_si512(sums + r * PANEL, sum[r][0]);
        _mm512_storeu_si512(sums + r * PANEL + COLUMNS / 2, sum[r][1]);
    }
}
