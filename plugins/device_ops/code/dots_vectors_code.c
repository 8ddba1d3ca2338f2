/* SPDX-License-Identifier: Apache-2.0 */
/* Products of rows by rows (x w^T), where both lie along their sum, for the devices of
 * tile_vectors_code.c: one thread makes ROWS x COLUMNS results, each as WIDTH sums that it adds up
 * at the end. */
#include "code_tile.h"

#ifdef DEVICE_IS_OPENCL
#include "vectors.h"

#ifndef ROWS
#define ROWS    4
#define COLUMNS 4
#endif

DEVICE_FUNCTION float op_add_lanes(op_vector v)
{
    float lanes[WIDTH], sum = 0.0f;
    STORE(v, lanes);
    UNROLLED(i, WIDTH)
    {
        sum += lanes[i];
    }
    return sum;
}

KERNEL5(op_dots_vectors, float, z, const float, x, const float, f, const float, b, const float, q,
        op_tile, t)
{
    const int first = GLOBAL_ID(x) * ROWS, column = GLOBAL_ID(y) * COLUMNS, group = GLOBAL_ID(z);
    GLOBAL const float *rows[ROWS];
    GLOBAL const float *columns[COLUMNS];
    op_vector sum[ROWS][COLUMNS];
    float rest[ROWS][COLUMNS];
    UNROLLED(r, ROWS)
    {
        rows[r] = x + group * t.group[0] + min(first + r, t.rows - 1) * t.x[2];
        UNROLLED(c, COLUMNS)
        {
            sum[r][c] = (op_vector)(0.0f);
        }
    }
    UNROLLED(c, COLUMNS)
    {
        columns[c] = f + group * t.group[1] + min(column + c, t.columns - 1) * t.w[1];
    }
    int l = 0;
    for (; l + WIDTH <= t.depth; l += WIDTH) {
        op_vector a[ROWS];
        UNROLLED(r, ROWS)
        {
            a[r] = LOAD(rows[r] + l);
        }
        UNROLLED(c, COLUMNS)
        {
            const op_vector w = LOAD(columns[c] + l);
            UNROLLED(r, ROWS)
            {
                sum[r][c] = fma(a[r], w, sum[r][c]);
            }
        }
    }
    UNROLLED(r, ROWS)
    {
        UNROLLED(c, COLUMNS)
        {
            rest[r][c] = op_add_lanes(sum[r][c]);
        }
    }
    for (int r = 0; r < min(ROWS, t.rows - first); r++) {
        for (int c = 0; c < min(COLUMNS, t.columns - column); c++) {
            const int at = group * t.group[2] + (first + r) * t.z[2] + (column + c) * t.z[3];
            float s = rest[r][c];
            for (int k = l; k < t.depth; k++) {
                s = fma(rows[r][k], columns[c][k], s);
            }
            s *= t.alpha;
            s = t.has_bias ? s + b[group * t.group[3] + column + c] : s;
            s = t.has_residual ? s + t.beta * q[at] : s;
            z[at] = op_activate(s, t.activation, t.slope);
        }
    }
}
#endif
