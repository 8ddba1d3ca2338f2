/* SPDX-License-Identifier: Apache-2.0 */
/* Products of quantised matrices for AVX-512 with VNNI, whose pairs of int16 are multiplied and
 * added at once. See qlinear_panels.h. */

#include <immintrin.h>

#define ORIBI_ISA vnni
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
