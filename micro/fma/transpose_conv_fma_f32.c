/* SPDX-License-Identifier: Apache-2.0 */
/* Transposed convolution of float by fused multiply-add. */
#include "micro/float_rules.h"

#include "micro/fma/fma_f32.h"
#include "micro/fma/transpose_conv_fma_f32.h"

#define ORIBI_MICRO_ADD_F32(sum, x, weight) oribi_micro_fused_f32(sum, x, weight)
#include "micro/transposed/transpose_conv_f32_body.h"

void oribi_micro_transpose_conv_fma_f32(const struct oribi_micro_transpose_conv_f32_args *args,
                                        const float *filter, const float *input, float *output)
{
    transpose_conv(args, filter, input, output);
}
