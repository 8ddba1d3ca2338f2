/* SPDX-License-Identifier: Apache-2.0 */
/* Products of quantised matrices in portable C. See qlinear_panels.h. */
#define ORIBI_ISA portable
enum { ROWS = 4, COLUMNS = 16 };
#include "cpu/qlinear/qlinear_pairs.h"

#include "cpu/qlinear/qlinear_loops.h"
#include "cpu/qlinear/qlinear_plain.h"

static inline void tile_of(const number *numbers, const weight *panel, int32_t pairs, int rows,
                           int32_t *sums)
{
    for (int r = 0; r < rows; r++) {
        for (int32_t p = 0; p < pairs; p++) {
            const int32_t even = numbers[r * CHUNK + 2 * p], odd = numbers[r * CHUNK + 2 * p + 1];
            const int16_t *pair = panel + p * EACH;
            for (int32_t c = 0; c < COLUMNS; c++) {
                const uint32_t products = (uint32_t)(even * pair[2 * c] + odd * pair[2 * c + 1]);
                sums[r * PANEL + c] = (int32_t)((uint32_t)sums[r * PANEL + c] + products);
            }
        }
    }
}
