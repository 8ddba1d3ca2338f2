/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of dots_f32.c and dots_fma_f32.c. Their function stands alone, so that a compiler keeps
 * its nine pointers in registers. */
#ifndef ORIBI_MICRO_DOTS_F32_BODY_H_
#define ORIBI_MICRO_DOTS_F32_BODY_H_

#include "micro/float_rules.h"

#include <stdint.h>

static void add_dots(const float *w, const float *x, int32_t n, float *sums)
{
    const float *w0 = w, *w1 = w0 + n, *w2 = w1 + n, *w3 = w2 + n;
    const float *w4 = w3 + n, *w5 = w4 + n, *w6 = w5 + n, *w7 = w6 + n, *const end = w1;
    float s0 = sums[0], s1 = sums[1], s2 = sums[2], s3 = sums[3];
    float s4 = sums[4], s5 = sums[5], s6 = sums[6], s7 = sums[7];
    while (w0 != end) {
        const float value = *x++;
        s0 = ORIBI_MICRO_ADD_F32(s0, *w0++, value);
        s1 = ORIBI_MICRO_ADD_F32(s1, *w1++, value);
        s2 = ORIBI_MICRO_ADD_F32(s2, *w2++, value);
        s3 = ORIBI_MICRO_ADD_F32(s3, *w3++, value);
        s4 = ORIBI_MICRO_ADD_F32(s4, *w4++, value);
        s5 = ORIBI_MICRO_ADD_F32(s5, *w5++, value);
        s6 = ORIBI_MICRO_ADD_F32(s6, *w6++, value);
        s7 = ORIBI_MICRO_ADD_F32(s7, *w7++, value);
    }
    sums[0] = s0;
    sums[1] = s1;
    sums[2] = s2;
    sums[3] = s3;
    sums[4] = s4;
    sums[5] = s5;
    sums[6] = s6;
    sums[7] = s7;
}

#endif
