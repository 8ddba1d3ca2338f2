/* SPDX-License-Identifier: Apache-2.0 */
/* Transposed convolution of float, one result at a time. */
#include "micro/float_rules.h"

#include "micro/transposed/transpose_conv_f32.h"

#include "micro/port.h"

/* Which tap of the window at `position` reaches `reached`; -1: none. */
static int32_t tap(int32_t reached, int32_t position, int32_t stride, int32_t dilation,
                   int32_t taps)
{
    const int32_t offset = reached - position * stride;
    const int32_t index = offset / dilation;
    return offset >= 0 && offset % dilation == 0 && index < taps ? index : -1;
}

static float value(const struct oribi_micro_transpose_conv_f32_args *a, const float *filter,
                   const float *image, int32_t y, int32_t x, int32_t channel)
{
    float sum = 0.0F;
    for (int32_t i = 0; i < a->in_h; i++) {
        const int32_t row = tap(y, i, a->stride_h, a->dilation_h, a->filter_h);
        for (int32_t j = 0; row >= 0 && j < a->in_w; j++) {
            const int32_t column = tap(x, j, a->stride_w, a->dilation_w, a->filter_w);
            const float *from = image + (i * a->in_w + j) * a->in_c;
            const int32_t at = ((row * a->filter_w + column) * a->out_c + channel) * a->in_c;
            for (int32_t d = 0; column >= 0 && d < a->in_c; d++) {
                sum += from[d] * filter[at + d];
            }
        }
    }
    return sum;
}

void oribi_micro_transpose_conv_f32(const struct oribi_micro_transpose_conv_f32_args *args,
                                    const float *filter, const float *input, float *output)
{
    for (int32_t b = 0; b < args->batch; b++) {
        const float *image = input + b * args->in_h * args->in_w * args->in_c;
        for (int32_t y = 0; y < args->out_h; y++) {
            TVMGEN_YIELD();
            for (int32_t x = 0; x < args->out_w; x++) {
                for (int32_t c = 0; c < args->out_c; c++) {
                    *output++ =
                        value(args, filter, image, y + args->before_h, x + args->before_w, c);
                }
            }
        }
    }
}
