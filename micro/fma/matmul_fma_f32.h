/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix product of float by fused multiply-add (`--fma`): matmul_f32.h, but that a product of
 * elements is not rounded before it is added to its sum.
 */
#ifndef ORIBI_MICRO_MATMUL_FMA_F32_H_
#define ORIBI_MICRO_MATMUL_FMA_F32_H_

#include "micro/dense/matmul_f32_args.h"

void oribi_micro_matmul_fma_f32(const struct oribi_micro_matmul_f32_args *args, const float *a,
                                const float *b, float *output);

#endif
