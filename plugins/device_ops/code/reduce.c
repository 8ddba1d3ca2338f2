/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions: one thread for each output where there are many, a group for each where there are few
 * of many elements (a number of threads that is a power of 2).
 */
#include "divide.h"

DEVICE_FUNCTION int op_reduction_start(op_reduction g, int output)
{
    int at = 0;
    for (int k = g.rank - 1; k > 0; k--) {
        const int whole = op_divide(output, g.by_dims[k]);
        at += (output - whole * g.dims[k]) * g.x[k];
        output = whole;
    }
    return at + output * g.x[0];
}

DEVICE_FUNCTION int op_reduction_at(op_reduction g, int j)
{
    int at = 0;
    for (int k = g.reduced_rank - 1; k > 0; k--) {
        const int whole = op_divide(j, g.by_reduced_dims[k]);
        at += (j - whole * g.reduced_dims[k]) * g.reduced_x[k];
        j = whole;
    }
    return at + j * g.reduced_x[0];
}

/* With r for what was reduced so far, v for what joins it. */
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
        const int i = GROUP_ID(x), me = LOCAL_ID(x);                                               \
        GLOBAL const float *from = x + op_reduction_start(g, i);                                   \
        float r = (first);                                                                         \
        for (int j = me; j < g.count; j += LOCAL_SIZE(x)) {                                        \
            const float v = from[op_reduction_at(g, j)];                                           \
            r = (step);                                                                            \
        }                                                                                          \
        shared[me] = r;                                                                            \
        for (int half_size = LOCAL_SIZE(x) / 2; half_size > 0; half_size /= 2) {                   \
            BARRIER();                                                                             \
            if (me < half_size) {                                                                  \
                const float v = shared[me + half_size];                                            \
                r = shared[me];                                                                    \
                shared[me] = (step);                                                               \
            }                                                                                      \
        }                                                                                          \
        if (me == 0) {                                                                             \
            r = shared[0];                                                                         \
            z[i] = (last);                                                                         \
        }                                                                                          \
    }

REDUCE(op_sum, op_sum_group, 0.0f, r + v, r)
REDUCE(op_mean, op_mean_group, 0.0f, r + v, r / (float)g.count)
REDUCE(op_prod, op_prod_group, 1.0f, r *v, r)
REDUCE(op_max, op_max_group, -INFINITY, r > v || r != r ? r : v, r)
REDUCE(op_min, op_min_group, INFINITY, r < v || r != r ? r : v, r)
