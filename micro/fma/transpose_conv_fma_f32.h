/* SPDX-License-Identifier: Apache-2.0 */
/* Transposed convolution of float by fused multiply-add (`--fma`): transpose_conv_f32.h, but that a
 * product of elements is not rounded before it is added to its sum.
 */
#ifndef ORIBI_MICRO_TRANSPOSE_CONV_FMA_F32_H_
#define ORIBI_MICRO_TRANSPOSE_CONV_FMA_F32_H_

#include "micro/transposed/transpose_conv_f32.h"

void oribi_micro_transpose_conv_fma_f32(const struct oribi_micro_transpose_conv_f32_args *args,
                                        const float *filter, const float *input, float *output);

#endif
