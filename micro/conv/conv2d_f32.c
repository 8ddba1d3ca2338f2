/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution of float whose products are rounded before they are added. */
#include "micro/float_rules.h"

#include "micro/conv/conv2d_f32.h"

#define ORIBI_MICRO_ADD_F32(sum, x, weight)  ((sum) + (x) * (weight))
#define ORIBI_MICRO_ADD_F32S(sum, x, weight) ((sum) + (x) * (weight))
#define ORIBI_MICRO_ADD_MVE                  ORIBI_MICRO_MVE_ROUNDED
#include "micro/conv/conv2d_f32_body.h"

void oribi_micro_conv2d_f32(const struct oribi_micro_conv2d_f32_args *args, const float *input,
                            const float *residual, float *output)
{
    convolve(args, input, residual, output);
}
