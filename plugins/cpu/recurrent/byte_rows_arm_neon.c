/* SPDX-License-Identifier: Apache-2.0 */
/* Products of rows of bytes for NEON. See byte_rows.h. */
#include "cpu/recurrent/byte_rows.h"

#include <arm_neon.h>
#include <string.h>

static void tile(const uint8_t *const *x, bool is_whole, const int8_t *panel, int64_t groups,
                 int32_t *sums)
{
    int32x4_t sum[ORIBI_BYTE_COLUMNS]; /* of each column, those of its four weights apart */
    (void)is_whole;                    /* it is one row */
    for (int c = 0; c < ORIBI_BYTE_COLUMNS; c++) {
        sum[c] = vdupq_n_s32(0);
    }
    for (int64_t g = 0; g < groups; g++, panel += ORIBI_BYTE_COLUMNS * ORIBI_BYTE_GROUP) {
        uint32_t bits;
        memcpy(&bits, x[0] + g * ORIBI_BYTE_GROUP, sizeof bits);
        const uint16x8_t wide = vmovl_u8(vcreate_u8(bits));
        const int16x4_t four = vget_low_s16(vreinterpretq_s16_u16(wide));
        for (int c = 0; c < ORIBI_BYTE_COLUMNS; c += 2) {
            const int16x8_t weights = vmovl_s8(vld1_s8(panel + c * ORIBI_BYTE_GROUP));
            sum[c] = vmlal_s16(sum[c], vget_low_s16(weights), four);
            sum[c + 1] = vmlal_s16(sum[c + 1], vget_high_s16(weights), four);
        }
    }
    for (int c = 0; c < ORIBI_BYTE_COLUMNS; c += 4) {
        vst1q_s32(sums + c,
                  vpaddq_s32(vpaddq_s32(sum[c], sum[c + 1]), vpaddq_s32(sum[c + 2], sum[c + 3])));
    }
}

const oribi_byte_rows oribi_byte_rows_neon = {1, tile};
