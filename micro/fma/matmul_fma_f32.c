/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix product of float by fused multiply-add. */
#include "micro/float_rules.h"

#include "micro/fma/fma_f32.h"
#include "micro/fma/matmul_fma_f32.h"

#define ORIBI_MICRO_ADD_F32(sum, x, weight) oribi_micro_fused_f32(sum, x, weight)
#include "micro/dense/matmul_f32_body.h"

void oribi_micro_matmul_fma_f32(const struct oribi_micro_matmul_f32_args *args, const float *a,
                                const float *b, float *output)
{
    multiply(args, a, b, output);
}
