/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise convolution of float whose products are rounded before they are added. */
#include "micro/float_rules.h"

#include "micro/depthwise/depthwise_conv2d_f32.h"

#define ORIBI_MICRO_ADD_F32(sum, x, weight)  ((sum) + (x) * (weight))
#define ORIBI_MICRO_ADD_F32S(sum, x, weight) ORIBI_MICRO_ROUNDED_F32S(sum, x, weight)
#include "micro/depthwise/depthwise_conv2d_f32_body.h"

void oribi_micro_depthwise_conv2d_f32(const struct oribi_micro_depthwise_conv2d_f32_args *args,
                                      const float *input, const float *residual, float *output)
{
    convolve(args, input, residual, output);
}
