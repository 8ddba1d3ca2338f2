/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution of int8 for cores with MVE: all pixels of all images, in pairs. Read next:
 * conv2d_mve_s8_pixels.c. */
#include "micro/mve/conv2d_mve_s8.h"

#include "micro/port.h"

void oribi_micro_conv2d_mve_s8(const struct oribi_micro_conv2d_mve_s8_args *args,
                               const int8_t *input, int8_t *output, void *scratch)
{
    const struct oribi_micro_conv2d_mve_s8_args *a = args;
    const int32_t pixels = a->out_h * a->out_w;
    oribi_micro_conv2d_mve_s8_begin(a, scratch);
    for (int32_t b = 0; b < a->batch; b++) {
        for (int32_t p = 0; p < pixels; p += 2) {
            TVMGEN_YIELD();
            oribi_micro_conv2d_mve_s8_pixels(a, input, p, p + 1 < pixels ? 2 : 1,
                                             output + p * a->out_c, scratch);
        }
        input += a->in_h * a->in_w * a->in_c;
        output += pixels * a->out_c;
    }
}
