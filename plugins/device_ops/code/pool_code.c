/* SPDX-License-Identifier: Apache-2.0 */
/* Pools: one thread makes one output. Padding does not count. */
#include "code_window.h"

#define POOL(name, first, step, last)                                                              \
    KERNEL2(name, float, z, const float, x, op_window, g)                                          \
    {                                                                                              \
        if (GLOBAL_ID(x) >= g.n) {                                                                 \
            return;                                                                                \
        }                                                                                          \
        const op_place p = op_find(g, GLOBAL_ID(x));                                               \
        GLOBAL const float *from = x + p.picture * g.x[0] + p.channel * g.x[3];                    \
        float r = (first);                                                                         \
        int n = 0;                                                                                 \
        for (int i = 0; i < g.size[0]; i++) {                                                      \
            const int row = p.top + i;                                                             \
            for (int j = 0; j < g.size[1]; j++) {                                                  \
                const int column = p.left + j;                                                     \
                if (row >= 0 && row < g.in[0] && column >= 0 && column < g.in[1]) {                \
                    const float v = from[row * g.x[1] + column * g.x[2]];                          \
                    r = (step);                                                                    \
                    n++;                                                                           \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        z[p.z] = (last);                                                                           \
    }

POOL(op_max_pool, -INFINITY, isnan(r) || r >= v ? r : v, n > 0 ? r : -INFINITY)
POOL(op_avg_pool, 0.0f, r + v, r / (float)n)
