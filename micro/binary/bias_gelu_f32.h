/* SPDX-License-Identifier: Apache-2.0 */
/* Gelu (by the error function) of the sum of elements that meet by broadcasting. */
#ifndef ORIBI_MICRO_BIAS_GELU_F32_H_
#define ORIBI_MICRO_BIAS_GELU_F32_H_

#include "micro/binary/binary_f32.h"

void oribi_micro_bias_gelu_f32(const struct oribi_micro_binary_f32_args *args, const float *a,
                               const float *b, float *output);

#endif
