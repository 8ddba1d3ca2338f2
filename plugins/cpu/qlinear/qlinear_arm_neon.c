/* SPDX-License-Identifier: Apache-2.0 */
/* Products of quantised matrices for NEON. See qlinear_panels.h. */

#include <arm_neon.h>

#define ORIBI_ISA neon
enum { ROWS = 4, COLUMNS = 16 };
#include "cpu/qlinear/qlinear_pairs.h"

#include "cpu/qlinear/qlinear_loops.h"
#include "cpu/qlinear/qlinear_plain.h"

ALWAYS void tile_of(const tile *t, const weight *panel, int32_t pairs, int rows)
{
    int32x4_t sum[ROWS][4];
    UNROLL_LOOP
    for (int r = 0; r < rows; r++) {
        for (int i = 0; i < 4; i++) {
            sum[r][i] = vld1q_s32(t->begin + r * t->begin_step + 4 * i);
        }
    }
    for (int32_t p = 0; p < pairs; p++, panel += EACH) {
        const int16x8x2_t left = vld2q_s16(panel), right = vld2q_s16(panel + COLUMNS);
        UNROLL_LOOP
        for (int r = 0; r < rows; r++) {
            for (int i = 0; i < 2; i++) {
                const int16x4_t x = vdup_n_s16(t->numbers[r * t->step + 2 * p + i]);
                const int16x8_t y = vdupq_n_s16(t->numbers[r * t->step + 2 * p + i]);
                sum[r][0] = vmlal_s16(sum[r][0], x, vget_low_s16(left.val[i]));
                sum[r][1] = vmlal_high_s16(sum[r][1], y, left.val[i]);
                sum[r][2] = vmlal_s16(sum[r][2], x, vget_low_s16(right.val[i]));
                sum[r][3] = vmlal_high_s16(sum[r][3], y, right.val[i]);
            }
        }
    }
    UNROLL_LOOP
    for (int r = 0; r < rows; r++) {
        for (int i = 0; i < 4; i++) {
            vst1q_s32(t->sums + r * COLUMNS + 4 * i, sum[r][i]);
        }
    }
}
