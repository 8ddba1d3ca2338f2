/* SPDX-License-Identifier: Apache-2.0 */
/* What float layers do with each result: bias, residual, activation. */
#ifndef ORIBI_MICRO_ACTIVATION_F32_H_
#define ORIBI_MICRO_ACTIVATION_F32_H_

#include <stddef.h>

#include "micro/float_rules.h"

enum {
    ORIBI_MICRO_LINEAR_F32 = 0,
    ORIBI_MICRO_RELU_F32 = 1,
    ORIBI_MICRO_RELU6_F32 = 2,
    ORIBI_MICRO_LEAKY_RELU_F32 = 3 /* alpha * x below 0 */
};

static inline float oribi_micro_activate_f32(float x, int32_t activation, float alpha)
{
    if (activation == ORIBI_MICRO_LINEAR_F32) {
        return x;
    }
    if (activation == ORIBI_MICRO_LEAKY_RELU_F32) {
        return x < 0.0F ? x * alpha : x;
    }
    x = x < 0.0F ? 0.0F : x;
    return activation == ORIBI_MICRO_RELU6_F32 && x > 6.0F ? 6.0F : x;
}

/* `count` results of which sums[] are the products alone; bias and residual may be NULL. One loop
 * each, for compilers that would write one loop again for every case. */
static inline void oribi_micro_finish_f32(float *sums, int32_t count, const float *bias,
                                          const float *residual, int32_t activation, float alpha,
                                          float *output)
{
    for (int32_t c = 0; bias != NULL && c < count; c++) {
        sums[c] += bias[c];
    }
    for (int32_t c = 0; residual != NULL && c < count; c++) {
        sums[c] += residual[c];
    }
    for (int32_t c = 0; c < count; c++) {
        output[c] = oribi_micro_activate_f32(sums[c], activation, alpha);
    }
}

#endif
