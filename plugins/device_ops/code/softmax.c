/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of rows: one thread makes one row. */
#include "dialect.h"
#include "parameters.h"

KERNEL2(op_softmax, float, z, const float, x, op_rows, p)
{
    const int row = GLOBAL_ID(x);
    if (row >= p.rows) {
        return;
    }
    GLOBAL const float *from = x + row * p.columns;
    GLOBAL float *to = z + row * p.columns;
    float top = from[0], sum = 0.0f;
    for (int i = 1; i < p.columns; i++) {
        top = fmaxf(top, from[i]);
    }
    for (int i = 0; i < p.columns; i++) {
        to[i] = expf(from[i] - top);
        sum += to[i];
    }
    for (int i = 0; i < p.columns; i++) {
        to[i] /= sum;
    }
}
