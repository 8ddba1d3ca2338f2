/* SPDX-License-Identifier: Apache-2.0 */
/* Roots of sums of squares of float. */
#ifndef ORIBI_MICRO_REDUCE_EUCLIDEAN_NORM_F32_H_
#define ORIBI_MICRO_REDUCE_EUCLIDEAN_NORM_F32_H_

#include "micro/reduce/reduce_f32.h"

void oribi_micro_reduce_euclidean_norm_f32(const struct oribi_micro_reduce_f32_args *args,
                                           const float *input, float *output);

#endif
