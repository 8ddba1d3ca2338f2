/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of rows, and its logarithm, for devices whose threads are a processor's: one thread makes
 * p.of_thread rows of WIDTH columns or more, in vectors. The same for all devices: softmax_code.c.
 */
#include "dialect.h"
#include "parameters.h"

#ifdef DEVICE_IS_OPENCL
#include "vectors.h"

DEVICE_FUNCTION float op_row_top(GLOBAL const float *from, int n)
{
    op_vector top = LOAD(from + n - WIDTH);
    for (int i = 0; i + WIDTH <= n; i += WIDTH) {
        const op_vector v = LOAD(from + i);
        top = select(v, top, isgreaterequal(top, v) || isnan(v));
    }
    float lanes[WIDTH], all;
    STORE(top, lanes);
    all = lanes[0];
    UNROLLED(k, WIDTH)
    {
        all = fmax(all, lanes[k]);
    }
    return all;
}

/* The sum of exp(x - top); each of them also to `to` unless it is null. The last vector starts
 * where others have been, and counts those lanes for nothing. */
DEVICE_FUNCTION float op_row_sum(GLOBAL float *to, GLOBAL const float *from, int n, float top)
{
    op_vector sum = (op_vector)(0.0f);
    float lanes[WIDTH], all = 0.0f;
    int i = 0;
    for (; i + WIDTH <= n; i += WIDTH) {
        const op_vector v = exp(LOAD(from + i) - top);
        sum += v;
        if (to != 0) {
            STORE(v, to + i);
        }
    }
    if (i < n) {
        const int start = n - WIDTH;
        const op_vector v = exp(LOAD(from + start) - top);
        STORE(v, lanes);
        for (int k = i - start; k < WIDTH; k++) {
            all += lanes[k];
            if (to != 0) {
                to[start + k] = lanes[k];
            }
        }
    }
    STORE(sum, lanes);
    UNROLLED(k, WIDTH)
    {
        all += lanes[k];
    }
    return all;
}

KERNEL2(op_softmax_vectors, float, z, const float, x, op_rows, p)
{
    const int first = GLOBAL_ID(x) * p.of_thread, end = min(first + p.of_thread, p.rows);
    for (int row = first; row < end; row++) {
        GLOBAL const float *from = x + row * p.columns;
        GLOBAL float *to = z + row * p.columns;
        const float top = op_row_top(from, p.columns);
        if (p.is_log) {
            const float log_sum = log(op_row_sum(0, from, p.columns, top));
            for (int i = 0; i < p.columns; i++) {
                to[i] = from[i] - top - log_sum;
            }
        } else {
            const float sum = op_row_sum(to, from, p.columns, top);
            for (int i = 0; i < p.columns; i++) {
                to[i] /= sum;
            }
        }
    }
}
#endif
