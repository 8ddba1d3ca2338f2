/* SPDX-License-Identifier: Apache-2.0 */
/* Activations that float layers apply to each result. */
#ifndef ORIBI_MICRO_ACTIVATION_F32_H_
#define ORIBI_MICRO_ACTIVATION_F32_H_

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

#endif
