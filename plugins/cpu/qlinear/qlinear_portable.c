/* SPDX-License-Identifier: Apache-2.0 */
/* Products of quantised matrices in portable C. See qlinear_panels.h. */
#define ORIBI_ISA portable
enum { ROWS = 4, COLUMNS = 16 };
#include "cpu/qlinear/qlinear_pairs.h"

#include "cpu/qlinear/qlinear_loops.h"
#include "cpu/qlinear/qlinear_plain.h"

ALWAYS void tile_of(const tile *t, const weight *panel, int32_t pairs, int rows)
{
    for (int r = 0; r < rows; r++) {
        int32_t *restrict sums = t->sums + r * COLUMNS;
        const number *numbers = t->numbers + r * t->step;
        memmove(sums, t->begin + r * t->begin_step, COLUMNS * sizeof *sums);
        for (int32_t p = 0; p < pairs; p++) {
            const int32_t even = numbers[2 * p], odd = numbers[2 * p + 1];
            const int16_t *pair = panel + p * EACH;
            for (int32_t c = 0; c < COLUMNS; c++) {
                const uint32_t products = (uint32_t)(even * pair[2 * c] + odd * pair[2 * c + 1]);
                sums[c] = (int32_t)((uint32_t)sums[c] + products);
            }
        }
    }
}
