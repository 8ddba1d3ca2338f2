/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution of float by fused multiply-add. */
#include "micro/float_rules.h"

#include "micro/fma/conv2d_fma_f32.h"
#include "micro/fma/fma_f32.h"

#define ORIBI_MICRO_ADD_F32(sum, x, weight)  oribi_micro_fused_f32(sum, x, weight)
#define ORIBI_MICRO_ADD_F32S(sum, x, weight) ORIBI_MICRO_FUSED_F32S(sum, x, weight)
#define ORIBI_MICRO_ADD_MVE                  ORIBI_MICRO_MVE_FUSED
#include "micro/conv/conv2d_f32_body.h"

void oribi_micro_conv2d_fma_f32(const struct oribi_micro_conv2d_f32_args *args, const float *input,
                                const float *residual, float *output)
{
    convolve(args, input, residual, output);
}
