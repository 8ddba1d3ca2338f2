/* SPDX-License-Identifier: Apache-2.0 */
/* The product of a matrix and a vector of float by fused multiply-add: dots_f32.h, but that a
 * product is not rounded before it is added to its sum. */
#ifndef ORIBI_MICRO_DOTS_FMA_F32_H_
#define ORIBI_MICRO_DOTS_FMA_F32_H_

#include <stdint.h>

void oribi_micro_dots_fma_f32(const float *w, const float *x, int32_t rows, int32_t n, float *sums);

#endif
