/* SPDX-License-Identifier: Apache-2.0 */
/* Products of rows of bytes in portable C. See byte_rows.h. */
#include "cpu/recurrent/byte_rows.h"

#include <string.h>

static void tile(const uint8_t *const *x, bool is_whole, const int8_t *panel, int64_t groups,
                 int32_t *sums)
{
    (void)is_whole; /* it is one row */
    memset(sums, 0, ORIBI_BYTE_COLUMNS * sizeof *sums);
    for (int64_t g = 0; g < groups; g++, panel += ORIBI_BYTE_COLUMNS * ORIBI_BYTE_GROUP) {
        const uint8_t *four = x[0] + g * ORIBI_BYTE_GROUP;
        for (int32_t c = 0; c < ORIBI_BYTE_COLUMNS; c++) {
            const int8_t *weights = panel + c * ORIBI_BYTE_GROUP;
            sums[c] += four[0] * weights[0] + four[1] * weights[1] + four[2] * weights[2] +
                       four[3] * weights[3];
        }
    }
}

const oribi_byte_rows oribi_byte_rows_portable = {1, tile};
