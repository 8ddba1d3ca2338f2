/* SPDX-License-Identifier: Apache-2.0 */
/* Products of quantised matrices for AVX-512 with VNNI, whose groups of four bytes are multiplied
 * and added at once. See qlinear_panels.h. */

#include "cpu/base/dot_x86_vnni.h"

#define ORIBI_ISA vnni
enum { ROWS = 8, COLUMNS = 32 };
#include "cpu/qlinear/qlinear_quads.h"

#include "cpu/qlinear/qlinear_loops.h"
#include "cpu/qlinear/qlinear_plain.h"

ALWAYS void tile_of(const tile *t, const weight *panel, int32_t groups, int rows)
{
    __m512i sum[ROWS][2];
    UNROLLED
    for (int r = 0; r < rows; r++) {
        sum[r][0] = _mm512_loadu_si512(t->begin + r * t->begin_step);
        sum[r][1] = _mm512_loadu_si512(t->begin + r * t->begin_step + COLUMNS / 2);
    }
    for (int32_t g = 0; g < groups; g++, panel += EACH) {
        const __m512i left = _mm512_loadu_si512(panel);
        const __m512i right = _mm512_loadu_si512(panel + EACH / 2);
        UNROLLED
        for (int r = 0; r < rows; r++) {
            int32_t bits;
            memcpy(&bits, t->numbers + r * t->step + GROUP * g, sizeof bits);
            const __m512i four = _mm512_set1_epi32(bits);
            sum[r][0] = oribi_dot_of_bytes(sum[r][0], four, left);
            sum[r][1] = oribi_dot_of_bytes(sum[r][1], four, right);
        }
    }
    UNROLLED
    for (int r = 0; r < rows; r++) {
        _mm512_storeu_si512(t->sums + r * COLUMNS, sum[r][0]);
        _mm512_storeu_si512(t->sums + r * COLUMNS + COLUMNS / 2, sum[r][1]);
    }
}
