/* SPDX-License-Identifier: Apache-2.0 */
/* The source adds nought, too: no sum is -0. */
#include "micro/float_rules.h"

#define ORIBI_MICRO_PIXEL      float
#define ORIBI_MICRO_VALUE(sum) ((sum) + 0.0F)
#include "micro/resize/resize_bilinear_real_body.h"

void oribi_micro_resize_bilinear_f32(const struct oribi_micro_resize_bilinear_real_args *args,
                                     const float *input, float *output)
{
    resize(args, input, output);
}
