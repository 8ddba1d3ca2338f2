/* SPDX-License-Identifier: Apache-2.0 */
/* Products for devices whose threads are a processor's: one thread makes ROWS rows of
 * WIDTH * VECTORS columns in its registers, from weights that lie side by side. The three numbers
 * are options of the build: ../tile.c has those that are used. Only OpenCL has the vectors for it;
 * tile_shared_code.c is for all.
 */
#include "code_tile.h"

#ifdef DEVICE_IS_OPENCL
#include "vectors.h"

#ifndef ROWS
#define ROWS    6
#define VECTORS 4
#endif

enum { COLUMNS = WIDTH * VECTORS };

/* One tap: a, rows of x at the tap; SCALAR reads an element of one. */
#define MULTIPLY(SCALAR)                                                                           \
    for (int l = 0; l < t.depth; l++) {                                                            \
        op_vector b[VECTORS];                                                                      \
        UNROLLED(v, VECTORS)                                                                       \
        {                                                                                          \
            b[v] = LOAD(w + v * WIDTH);                                                            \
        }                                                                                          \
        w += t.w[0];                                                                               \
        UNROLLED(r, ROWS)                                                                          \
        {                                                                                          \
            const op_vector s = (op_vector)(SCALAR);                                               \
            UNROLLED(v, VECTORS)                                                                   \
            {                                                                                      \
                sum[r][v] = fma(s, b[v], sum[r][v]);                                               \
            }                                                                                      \
        }                                                                                          \
    }

/* f: weights, b: bias, q: what is added to the product, each as large as op_tile says. The last
 * columns are a whole number of vectors too: they start where others have been, and leave those
 * others to whom they belong. */
KERNEL5(op_tile_vectors, float, z, const float, x, const float, f, const float, b, const float, q,
        op_tile, t)
{
    const int first = GLOBAL_ID(x) * ROWS;
    const int column = min(GLOBAL_ID(y) * COLUMNS, t.columns - COLUMNS);
    const int done = GLOBAL_ID(y) * COLUMNS - column;
    const int group = GLOBAL_ID(z);
    GLOBAL const float *w = f + group * t.group[1] + column;
    op_row rows[ROWS];
    op_vector sum[ROWS][VECTORS];
    UNROLLED(r, ROWS)
    {
        rows[r] = op_find_row(t, min(first + r, t.rows - 1));
        UNROLLED(v, VECTORS)
        {
            sum[r][v] = (op_vector)(0.0f);
        }
    }
    for (int i = 0; i < t.size[0]; i++) {
        for (int j = 0; j < t.size[1]; j++) {
            GLOBAL const float *a[ROWS];
            uint mask[ROWS], all = ~0u;
            UNROLLED(r, ROWS)
            {
                const int y = rows[r].top + i * t.dilation[0];
                const int c = rows[r].left + j * t.dilation[1];
                mask[r] = y >= 0 && y < t.in[0] && c >= 0 && c < t.in[1] ? ~0u : 0u;
                a[r] = x + group * t.group[0] + rows[r].x + (mask[r] ? y * t.x[1] + c * t.x[2] : 0);
                all &= mask[r];
            }
            if (all) {
                MULTIPLY(a[r][l * t.x[3]])
            } else {
                MULTIPLY(as_float(as_uint(a[r][l * t.x[3]]) & mask[r]))
            }
        }
    }
    z += group * t.group[2];
    q += group * t.group[2];
    b += group * t.group[3] + column;
    if (done == 0 && t.z[3] == 1 && op_is_simple(t.activation)) {
        UNROLLED(r, ROWS)
        {
            if (first + r < t.rows) {
                UNROLLED(v, VECTORS)
                {
                    const int at = rows[r].z + column + v * WIDTH;
                    op_vector s = t.alpha * sum[r][v];
                    s = t.has_bias ? s + LOAD(b + v * WIDTH) : s;
                    s = t.has_residual ? s + t.beta * LOAD(q + at) : s;
                    STORE(op_activate_vector(s, t.activation, t.slope), z + at);
                }
            }
        }
        return;
    }
    float lanes[ROWS][COLUMNS];
    int places[ROWS];
    UNROLLED(r, ROWS)
    {
        places[r] = rows[r].z + column * t.z[3];
        UNROLLED(v, VECTORS)
        {
            STORE(sum[r][v], &lanes[r][v * WIDTH]);
        }
    }
    for (int r = 0; r < min(ROWS, t.rows - first); r++) {
        for (int c = done; c < COLUMNS; c++) {
            const int at = places[r] + c * t.z[3];
            float s = t.alpha * lanes[r][c];
            s = t.has_bias ? s + b[c] : s;
            s = t.has_residual ? s + t.beta * q[at] : s;
            z[at] = op_activate(s, t.activation, t.slope);
        }
    }
}
#endif
