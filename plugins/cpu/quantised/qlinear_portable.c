/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>QLinearConv2D in portable C. See qlinear_loops.h. */
#define ORIBI_ISA portable
#include "cpu/quantised/qlinear_loops.h"

static void qlinear_tile(const int16_t *a, const int16_t *b, int32_t pairs, int32_t *acc)
{
    for (int32_t r = 0; r < ROWS; r++) {
        for (int32_t p = 0; p < pairs; p++) {
            const int32_t even = a[r * CHUNK + 2 * p], odd = a[r * CHUNK + 2 * p + 1];
            const int16_t *pair = b + p * COLUMNS * 2;
            for (int32_t c = 0; c < COLUMNS; c++) {
                const uint32_t products = (uint32_t)(even * pair[2 * c] + odd * pair[2 * c + 1]);
                acc[r * PANEL + c] = (int32_t)((uint32_t)acc[r * PANEL + c] + products);
            }
        }
    }
}
