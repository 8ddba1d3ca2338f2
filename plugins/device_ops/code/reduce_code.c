/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions: one thread for each output where there are enough of them or few elements; else a
 * group makes g.outputs, with a slice of its threads for each (both powers of 2). Neighbours of a
 * group read neighbours of x: other outputs' elements where those lie side by side, else the same
 * output's. The same for processors: reduce_vectors_code.c.
 */
#include "reduction.h"

#define REDUCE(name, group_name, first, step, last)                                                \
    KERNEL2(name, float, z, const float, x, op_reduction, g)                                       \
    {                                                                                              \
        const int i = GLOBAL_ID(x);                                                                \
        if (i >= g.n) {                                                                            \
            return;                                                                                \
        }                                                                                          \
        GLOBAL const float *from = x + op_reduction_start(g, i);                                   \
        float r = (first);                                                                         \
        for (int j = 0; j < g.count; j++) {                                                        \
            const float v = from[op_reduction_at(g, j)];                                           \
            r = (step);                                                                            \
        }                                                                                          \
        z[i] = (last);                                                                             \
    }                                                                                              \
    KERNEL2_SHARED(group_name, float, z, const float, x, op_reduction, g, shared)                  \
    {                                                                                              \
        const int me = LOCAL_ID(x), slices = LOCAL_SIZE(x) / g.outputs;                            \
        const int slice = g.is_beside ? me / g.outputs : me % slices;                              \
        const int output = g.is_beside ? me % g.outputs : me / slices;                             \
        const int step_of_slice = g.is_beside ? g.outputs : 1;                                     \
        const int i = GROUP_ID(x) * g.outputs + output;                                            \
        GLOBAL const float *from = x + op_reduction_start(g, i < g.n ? i : 0);                     \
        float r = (first);                                                                         \
        for (int j = slice; j < g.count; j += slices) {                                            \
            const float v = from[op_reduction_at(g, j)];                                           \
            r = (step);                                                                            \
        }                                                                                          \
        shared[me] = r;                                                                            \
        for (int half_size = slices / 2; half_size > 0; half_size /= 2) {                          \
            BARRIER();                                                                             \
            if (slice < half_size) {                                                               \
                const float v = shared[me + half_size * step_of_slice];                            \
                r = shared[me];                                                                    \
                shared[me] = (step);                                                               \
            }                                                                                      \
        }                                                                                          \
        if (slice == 0 && i < g.n) {                                                               \
            r = shared[me];                                                                        \
            z[i] = (last);                                                                         \
        }                                                                                          \
    }

OP_REDUCTIONS(REDUCE)
