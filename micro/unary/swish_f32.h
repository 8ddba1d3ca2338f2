/* SPDX-License-Identifier: Apache-2.0 */
/* Swish: each element times the sigmoid of alpha times itself. */
#ifndef ORIBI_MICRO_SWISH_F32_H_
#define ORIBI_MICRO_SWISH_F32_H_

#include "micro/unary/unary_f32.h"

void oribi_micro_swish_f32(const struct oribi_micro_unary_f32_args *args, const float *input,
                           float *output);

#endif
