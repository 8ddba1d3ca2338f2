/* SPDX-License-Identifier: Apache-2.0 */
/* The same elements in another order or place. */
#include "divide.h"

/* The output is dense, x is walked with strides: transposes, slices, tiles. */
KERNEL2(op_move, float, z, const float, x, op_walk, w)
{
    const int i = GLOBAL_ID(x);
    if (i >= w.n) {
        return;
    }
    int rest = i, at = w.x_first;
    for (int k = w.rank - 1; k > 0; k--) {
        const int whole = op_divide(rest, w.by_dims[k]);
        at += (rest - whole * w.dims[k]) * w.x[k];
        rest = whole;
    }
    z[i] = x[at + rest * w.x[0]];
}

/* Rows of one tensor into the rows of another: joins and splits. */
KERNEL2(op_copy_runs, float, z, const float, x, op_runs, p)
{
    const int i = GLOBAL_ID(x);
    if (i < p.n) {
        const int row = op_divide(i, p.by_columns), column = i - row * p.columns;
        z[p.z_first + row * p.z_stride + column] = x[p.x_first + row * p.x_stride + column];
    }
}

KERNEL2(op_pad_box, float, z, const float, x, op_pad, p)
{
    const int i = GLOBAL_ID(x);
    if (i >= p.n) {
        return;
    }
    int rest = i, at = 0, is_inside = 1;
    for (int k = p.rank - 1; k >= 0; k--) {
        const int whole = op_divide(rest, p.by_dims[k]);
        int index = rest - whole * p.dims[k] - p.before[k];
        rest = whole;
        if (p.is_mirror && index < 0) {
            index = -index - 1 + p.skip;
        } else if (p.is_mirror && index >= p.in[k]) {
            index = 2 * p.in[k] - 1 - index - p.skip;
        }
        is_inside = is_inside && index >= 0 && index < p.in[k];
        at += index * p.x[k];
    }
    z[i] = is_inside ? x[at] : p.value;
}
