/* SPDX-License-Identifier: Apache-2.0 */
/* Products of quantised matrices for Arm's processors that multiply and add four bytes at once.
 * See qlinear_panels.h. */

#include <arm_neon.h>

#define ORIBI_ISA      dotprod
#define SIGNED_NUMBERS /* its other instruction has no sign on either side */
enum { ROWS = 4, COLUMNS = 16 };
#include "cpu/qlinear/qlinear_quads.h"

#include "cpu/qlinear/qlinear_loops.h"
#include "cpu/qlinear/qlinear_plain.h"

ALWAYS void tile_of(const tile *t, const weight *panel, int32_t groups, int rows)
{
    int32x4_t sum[ROWS][4];
    UNROLL_LOOP
    for (int r = 0; r < rows; r++) {
        for (int i = 0; i < 4; i++) {
            sum[r][i] = vld1q_s32(t->begin + r * t->begin_step + 4 * i);
        }
    }
    for (int32_t g = 0; g < groups; g++, panel += EACH) {
        const int8x16x4_t of_columns = vld1q_s8_x4(panel);
        UNROLL_LOOP
        for (int r = 0; r < rows; r++) {
            int32_t bits;
            memcpy(&bits, t->numbers + r * t->step + GROUP * g, sizeof bits);
            const int8x16_t four = vreinterpretq_s8_s32(vdupq_n_s32(bits));
            UNROLL_LOOP
            for (int i = 0; i < 4; i++) {
                sum[r][i] = vdotq_s32(sum[r][i], of_columns.val[i], four);
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
