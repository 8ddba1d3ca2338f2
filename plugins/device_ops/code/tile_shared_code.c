/* SPDX-License-Identifier: Apache-2.0 */
/* Products for devices of many threads: a group of 16 x 16 threads makes 64 x 64 results. It brings
 * 16 elements of 64 rows and of 64 columns at a time into memory that its threads share; each
 * thread then makes 4 x 4 results from them, 16 apart, so that threads side by side read side by
 * side.
 */
#include "code_tile.h"

#define SIDE  16 /* threads of a group each way */
#define EACH  4  /* results of a thread each way */
#define EDGE  (SIDE * EACH)
#define STEPS 16         /* elements at a time */
#define LINE  (EDGE + 1) /* one more: threads that write a column meet no bank twice */

/* Elements from..from + STEPS of one tap, 0 outside of everything; `at` is where each of the 4
 * rows that this thread brings lies at the tap, -1: nowhere. */
DEVICE_FUNCTION void op_bring(op_tile t, GLOBAL const float *x, GLOBAL const float *w,
                              const int *at, int first_column, int from, int tap, SHARED float *a,
                              SHARED float *b)
{
    const int i = LOCAL_ID(x), j = LOCAL_ID(y);
    for (int e = 0; e < EACH; e++) {
        const int is_inside = at[e] >= 0 && from + i < t.depth;
        a[i * LINE + j + e * SIDE] = is_inside ? x[at[e] + (from + i) * t.x[3]] : 0.0f;
    }
    for (int e = 0; e < EACH; e++) {
        const int column = first_column + i + e * SIDE;
        const int is_inside = column < t.columns && from + j < t.depth;
        b[j * LINE + i + e * SIDE] =
            is_inside ? w[(tap * t.depth + from + j) * t.w[0] + column * t.w[1]] : 0.0f;
    }
}

DEVICE_FUNCTION void op_add_products(const SHARED float *a, const SHARED float *b, float *sum)
{
    const int i = LOCAL_ID(x), j = LOCAL_ID(y);
    for (int l = 0; l < STEPS; l++) {
        for (int r = 0; r < EACH; r++) {
            const float s = a[l * LINE + j + r * SIDE];
            for (int c = 0; c < EACH; c++) {
                sum[r * EACH + c] += s * b[l * LINE + i + c * SIDE];
            }
        }
    }
}

/* Where the rows that this thread brings lie at tap (i, j). */
DEVICE_FUNCTION void op_place_rows(op_tile t, int first_row, int i, int j, int *at)
{
    for (int e = 0; e < EACH; e++) {
        const int number = first_row + LOCAL_ID(y) + e * SIDE;
        at[e] = -1;
        if (number < t.rows) {
            const op_row row = op_find_row(t, number);
            const int y = row.top + i * t.dilation[0];
            const int c = row.left + j * t.dilation[1];
            if (y >= 0 && y < t.in[0] && c >= 0 && c < t.in[1]) {
                at[e] = row.x + y * t.x[1] + c * t.x[2];
            }
        }
    }
}

DEVICE_FUNCTION void op_end_tile(op_tile t, GLOBAL float *z, GLOBAL const float *b,
                                 GLOBAL const float *q, int first_row, int first_column,
                                 const float *sum)
{
    for (int r = 0; r < EACH; r++) {
        const int number = first_row + LOCAL_ID(y) + r * SIDE;
        for (int c = 0; c < EACH && number < t.rows; c++) {
            const int column = first_column + LOCAL_ID(x) + c * SIDE;
            if (column < t.columns) {
                const int at = op_find_row(t, number).z + column * t.z[3];
                float s = t.alpha * sum[r * EACH + c];
                s = t.has_bias ? s + b[column] : s;
                s = t.has_residual ? s + t.beta * q[at] : s;
                z[at] = op_activate(s, t.activation, t.slope);
            }
        }
    }
}

/* Blocks of columns of all groups lie along y, where a grid is short: it goes round until all are
 * made. */
KERNEL5_SHARED(op_tile_shared, float, z, const float, x, const float, f, const float, b,
               const float, q, op_tile, t, memory)
{
    const int n_columns = (t.columns + EDGE - 1) / EDGE;
    const int first_row = GROUP_ID(x) * EDGE;
    for (int block = GROUP_ID(y); block < n_columns * t.groups; block += (GLOBAL_SIZE(y) / SIDE)) {
        const int group = block / n_columns;
        const int first_column = (block - group * n_columns) * EDGE;
        float sum[EACH * EACH];
        int at[EACH];
        for (int e = 0; e < EACH * EACH; e++) {
            sum[e] = 0.0f;
        }
        for (int tap = 0; tap < t.size[0] * t.size[1]; tap++) {
            op_place_rows(t, first_row, tap / t.size[1], tap % t.size[1], at);
            for (int from = 0; from < t.depth; from += STEPS) {
                op_bring(t, x + group * t.group[0], f + group * t.group[1], at, first_column, from,
                         tap, memory, memory + STEPS * LINE);
                BARRIER();
                op_add_products(memory, memory + STEPS * LINE, sum);
                BARRIER();
            }
        }
        op_end_tile(t, z + group * t.group[2], b + group * t.group[3], q + group * t.group[2],
                    first_row, first_column, sum);
    }
}
