/* SPDX-License-Identifier: Apache-2.0 */
/* An image after the other, each by the convolution of bytes; then in place what is left to do. */
#include "micro/float_rules.h"

#include <stddef.h>

#include "micro/hybrid/hybrid_conv2d.h"

void oribi_micro_hybrid_conv2d(const struct oribi_micro_hybrid_conv2d_args *args,
                               const uint8_t *input, const int8_t *filter, const float *bias,
                               const float *multipliers, const float *scales, const int32_t *zeros,
                               float *output)
{
    struct oribi_micro_qlinear_conv2d_args a = args->conv;
    const int32_t pixels = a.out_h * a.out_w;
    a.batch = 1;
    for (int32_t image = 0; image < args->conv.batch; image++) {
        float *y = output + image * pixels * a.out_c;
        a.input_zero = zeros[image];
        oribi_micro_qlinear_conv2d(&a, input + image * a.in_h * a.in_w * a.in_c, filter, NULL, NULL,
                                   multipliers, y);
        for (int32_t i = 0; i < pixels; i++) {
            for (int32_t c = 0; c < a.out_c; c++, y++) {
                *y = oribi_micro_hybrid_result(*y, scales[image], bias[c], args->low, args->high);
            }
        }
    }
}
