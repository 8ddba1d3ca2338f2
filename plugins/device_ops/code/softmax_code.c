/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of rows, and its logarithm: a thread for each row where they are short; else p.of_row
 * neighbours of a group for each, up to all of it (both powers of 2). The same for processors:
 * softmax_vectors_code.c.
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
    const int me = LOCAL_ID(x), slice = me % p.of_row, of_group = LOCAL_SIZE(x) / p.of_row;
    const int row = GROUP_ID(x) * of_group + me / p.of_row;
    const int columns = row < p.rows ? p.columns : 0; /* all come to the barriers */
    GLOBAL const float *from = x + (row < p.rows ? row : 0) * p.columns;
    GLOBAL float *to = z + (row < p.rows ? row : 0) * p.columns;
    float mine = -INFINITY;
    for (int i = slice; i < columns; i += p.of_row) {
        mine = fmaxf(mine, from[i]);
    }
    shared[me] = mine;
    for (int half_size = p.of_row / 2; half_size > 0; half_size /= 2) {
        BARRIER();
        if (slice < half_size) {
            shared[me] = fmaxf(shared[me], shared[me + half_size]);
        }
    }
    BARRIER();
    const float top = shared[me - slice];
    mine = 0.0f;
    for (int i = slice; i < columns; i += p.of_row) {
        mine += expf(from[i] - top);
    }
    BARRIER();
    shared[me] = mine;
    for (int half_size = p.of_row / 2; half_size > 0; half_size /= 2) {
        BARRIER();
        if (slice < half_size) {
            shared[me] += shared[me + half_size];
        }
    }
    BARRIER();
    const float sum = shared[me - slice];
    for (int i = slice; i < columns; i += p.of_row) {
        to[i] = p.is_log ? from[i] - top - logf(sum) : expf(from[i] - top) / sum;
    }
}
