/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products: one thread makes one element, and goes on with rows that the grid left over. */
#include "dialect.h"
#include "parameters.h"

KERNEL3(op_matmul, float, z, const float, x, const float, y, op_product, p)
{
    const int column = GLOBAL_ID(x);
    if (column >= p.n) {
        return;
    }
    for (int row = GLOBAL_ID(y); row < p.m; row += GLOBAL_SIZE(y)) {
        GLOBAL const float *a = x + row * p.x_row;
        GLOBAL const float *b = y + column * p.y_column;
        float sum = 0.0f;
        for (int l = 0; l < p.k; l++) {
            sum += a[l * p.x_column] * b[l * p.y_row];
        }
        z[row * p.n + column] = sum;
    }
}
