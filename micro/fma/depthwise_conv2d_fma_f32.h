/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise convolution of float by fused multiply-add (`--fma`): depthwise_conv2d_f32.h, but that
 * a product is not rounded before it is added to its sum.
 */
#ifndef ORIBI_MICRO_DEPTHWISE_CONV2D_FMA_F32_H_
#define ORIBI_MICRO_DEPTHWISE_CONV2D_FMA_F32_H_

#include "micro/depthwise/depthwise_conv2d_f32_args.h"

void oribi_micro_depthwise_conv2d_fma_f32(const struct oribi_micro_depthwise_conv2d_f32_args *args,
                                          const float *input, const float *residual, float *output);

#endif
