/* SPDX-License-Identifier: Apache-2.0 */
/* Element by element: functions of one, and of two with broadcasting. */
#include "dialect.h"
#include "parameters.h"

KERNEL2(op_relu, float, z, const float, x, op_count, p)
{
    const int i = GLOBAL_ID(x);
    if (i < p.n) {
        z[i] = x[i] < 0.0f ? 0.0f : x[i];
    }
}

/* Every binary kernel is one of these, with `a` and `b` for the operands. */
#define BINARY(name, value)                                                                        \
    KERNEL3(name, float, z, const float, x, const float, y, op_walk, w)                            \
    {                                                                                              \
        const int i = GLOBAL_ID(x);                                                                \
        int rest = i, at_x = 0, at_y = 0;                                                          \
        if (i >= w.n) {                                                                            \
            return;                                                                                \
        }                                                                                          \
        for (int k = OP_MAX_RANK - 1; k >= 0; k--) {                                               \
            const int index = rest % w.dims[k];                                                    \
            rest /= w.dims[k];                                                                     \
            at_x += index * w.x[k];                                                                \
            at_y += index * w.y[k];                                                                \
        }                                                                                          \
        const float a = x[at_x], b = y[at_y];                                                      \
        z[i] = (value);                                                                            \
    }

BINARY(op_add, a + b)
BINARY(op_sub, a - b)
BINARY(op_mul, a *b)
BINARY(op_maximum, isnan(a) || a >= b ? a : b)
