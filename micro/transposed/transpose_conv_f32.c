/* SPDX-License-Identifier: Apache-2.0 */
/* Transposed convolution of float. Read next: transpose_conv_f32_body.h. */
#include "micro/float_rules.h"

#include "micro/transposed/transpose_conv_f32.h"

#define ORIBI_MICRO_ADD_F32(sum, x, weight) ((sum) + (x) * (weight))
#include "micro/transposed/transpose_conv_f32_body.h"

void oribi_micro_transpose_conv_f32(const struct oribi_micro_transpose_conv_f32_args *args,
                                    const float *filter, const float *input, float *output)
{
    transpose_conv(args, filter, input, output);
}
