/* SPDX-License-Identifier: Apache-2.0 */
/* The micro-kernel in plain C for processors without one of their own: 4 rows by 8 columns, written
 * so that any compiler vectorises the loop over columns. See gemm.h for the contract.
 */
#include "cpu/product/gemm.h"

#include <string.h>

enum { ROWS = 4, WIDTH = 8 };

static void tile_finish(const oribi_gemm_tile *tile, float sums[ROWS][WIDTH])
{
    for (int32_t i = 0; i < tile->m; i++) {
        float *c = tile->c + i * tile->c_stride;
        for (int32_t j = 0; j < tile->n; j++) {
            float sum = sums[i][j];
            if (tile->finish) {
                sum += tile->bias != NULL ? tile->bias[j] : 0.0f;
                sum +=
                    tile->residual != NULL ? tile->residual[i * tile->residual_stride + j] : 0.0f;
                sum = sum < tile->low ? tile->low : sum; /* a NaN comes through */
                sum = sum > tile->high ? tile->high : sum;
            }
            c[j] = sum;
        }
    }
}

static void portable_tile(const oribi_gemm_tile *tile)
{
    float sums[ROWS][WIDTH] = {{0.0f}};
    const float *panel = tile->panel;
    const float *const *rows = tile->rows;
    const int32_t m = tile->m;
    for (int32_t i = 0; tile->resume && i < m; i++) {
        memcpy(sums[i], tile->c + i * tile->c_stride, (size_t)tile->n * sizeof(float));
    }
    for (int64_t tap = 0; tap < tile->n_taps; tap++, rows += m) {
        /* Rows that are missing repeat the first one; their sums are not stored. */
        const float *a0 = rows[0], *a1 = rows[m > 1 ? 1 : 0];
        const float *a2 = rows[m > 2 ? 2 : 0], *a3 = rows[m > 3 ? 3 : 0];
        for (int64_t k = 0; k < tile->depth; k++, panel += WIDTH) {
            const float b0 = a0[k], b1 = a1[k], b2 = a2[k], b3 = a3[k];
            for (int32_t j = 0; j < WIDTH; j++) {
                sums[0][j] += b0 * panel[j];
                sums[1][j] += b1 * panel[j];
                sums[2][j] += b2 * panel[j];
                sums[3][j] += b3 * panel[j];
            }
        }
    }
    tile_finish(tile, sums);
}

const oribi_gemm_variant oribi_gemm_portable = {.name = "portable",
                                                .rows = ROWS,
                                                .width = WIDTH,
                                                .narrow = WIDTH,
                                                .tile = portable_tile,
                                                .narrow_tile = portable_tile};
