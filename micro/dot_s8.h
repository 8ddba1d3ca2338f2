/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of products of int8, and their way to an int8 result: the inner loops that convolutions and
 * fully connected layers share. Plain C.
 */
#ifndef ORIBI_MICRO_DOT_S8_H_
#define ORIBI_MICRO_DOT_S8_H_

#include "micro/fixed_point.h"

/* acc[i] += sum of x[k] * w[i * step + k], k < count, for four rows of w. */
static inline void oribi_micro_dot4_s8(const int8_t *x, const int8_t *w, int32_t step,
                                       int32_t count, int32_t acc[4])
{
    const int8_t *w0 = w, *w1 = w0 + step, *w2 = w1 + step, *w3 = w2 + step;
    int32_t a0 = acc[0], a1 = acc[1], a2 = acc[2], a3 = acc[3];
    for (int32_t k = 0; k < count; k++) {
        const int32_t v = x[k];
        a0 += v * w0[k];
        a1 += v * w1[k];
        a2 += v * w2[k];
        a3 += v * w3[k];
    }
    acc[0] = a0;
    acc[1] = a1;
    acc[2] = a2;
    acc[3] = a3;
}

/* acc + sum of x[k] * w[k], k < count. */
static inline int32_t oribi_micro_dot_s8(const int8_t *x, const int8_t *w, int32_t count,
                                         int32_t acc)
{
    for (int32_t k = 0; k < count; k++) {
        acc += x[k] * w[k];
    }
    return acc;
}

/* The int8 result of a sum. */
static inline int8_t oribi_micro_requantise_s8(int32_t acc, int32_t multiplier, int32_t shift,
                                               int32_t zero, int32_t low, int32_t high)
{
    return (int8_t)oribi_micro_clamp(oribi_micro_scale(acc, multiplier, shift) + zero, low, high);
}

#endif
