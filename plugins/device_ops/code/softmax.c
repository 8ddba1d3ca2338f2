/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of rows, and its logarithm: a thread for each row where they are short, a group for each
 * where they are long (a number of threads that is a power of 2).
 */
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
        sum += expf(from[i] - top);
    }
    for (int i = 0; i < p.columns; i++) {
        to[i] = p.is_log ? from[i] - top - logf(sum) : expf(from[i] - top) / sum;
    }
}

KERNEL2_SHARED(op_softmax_group, float, z, const float, x, op_rows, p, shared)
{
    const int me = LOCAL_ID(x), threads = LOCAL_SIZE(x);
    GLOBAL const float *from = x + GROUP_ID(x) * p.columns;
    GLOBAL float *to = z + GROUP_ID(x) * p.columns;
    float mine = -INFINITY;
    for (int i = me; i < p.columns; i += threads) {
        mine = fmaxf(mine, from[i]);
    }
    shared[me] = mine;
    for (int half_size = threads / 2; half_size > 0; half_size /= 2) {
        BARRIER();
        if (me < half_size) {
            shared[me] = fmaxf(shared[me], shared[me + half_size]);
        }
    }
    BARRIER();
    const float top = shared[0];
    mine = 0.0f;
    for (int i = me; i < p.columns; i += threads) {
        mine += expf(from[i] - top);
    }
    BARRIER();
    shared[me] = mine;
    for (int half_size = threads / 2; half_size > 0; half_size /= 2) {
        BARRIER();
        if (me < half_size) {
            shared[me] += shared[me + half_size];
        }
    }
    BARRIER();
    const float sum = shared[0];
    for (int i = me; i < p.columns; i += threads) {
        to[i] = p.is_log ? from[i] - top - logf(sum) : expf(from[i] - top) / sum;
    }
}
