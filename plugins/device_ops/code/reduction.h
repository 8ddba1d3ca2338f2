/* SPDX-License-Identifier: Apache-2.0 */
/* What reductions are, and where their elements lie: of reduce_code.c and reduce_vectors_code.c. */
#ifndef DEVICE_OPS_CODE_REDUCTION_H_
#define DEVICE_OPS_CODE_REDUCTION_H_

#include "divide.h"

/* Names of the forms of reduce_code.c, what it starts from, the step (r: what was reduced so far,
 * v: what joins it; floats or vectors of OpenCL C), what it ends with. */
#define OP_REDUCTIONS(ROW)                                                                         \
    ROW(op_sum, op_sum_group, 0.0f, r + v, r)                                                      \
    ROW(op_mean, op_mean_group, 0.0f, r + v, r / (float)g.count)                                   \
    ROW(op_prod, op_prod_group, 1.0f, r *v, r)                                                     \
    ROW(op_max, op_max_group, -INFINITY, r > v || r != r ? r : v, r)                               \
    ROW(op_min, op_min_group, INFINITY, r < v || r != r ? r : v, r)

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

#endif
