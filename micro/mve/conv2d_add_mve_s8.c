/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution of int8 for cores with MVE with a sum at its end, two pixels at a time. */
#include "micro/mve/conv2d_add_mve_s8.h"

#include "micro/port.h"

void oribi_micro_conv2d_add_mve_s8(const struct oribi_micro_conv2d_add_mve_s8_args *args,
                                   const int8_t *input, const int8_t *other, int8_t *output,
                                   void *scratch)
{
    const struct oribi_micro_conv2d_mve_s8_args *a = &args->conv;
    int8_t *results = (int8_t *)scratch + args->results;
    const int32_t pixels = a->out_h * a->out_w;
    oribi_micro_conv2d_mve_s8_begin(a, scratch);
    for (int32_t b = 0; b < a->batch; b++) {
        for (int32_t p = 0; p < pixels; p += 2) {
            TVMGEN_YIELD();
            const int32_t count = p + 1 < pixels ? 2 : 1;
            oribi_micro_conv2d_mve_s8_pixels(a, input, p, count, results, scratch);
            oribi_micro_add_row_mve_s8(&args->scales, results, 1, other, 1, count * a->out_c,
                                       output);
            other += count * a->out_c;
            output += count * a->out_c;
        }
        input += a->in_h * a->in_w * a->in_c;
    }
}
