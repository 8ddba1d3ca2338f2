/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX's quantised convolution, one result after the other. */
#include "micro/float_rules.h"

#include "micro/port.h"
#include "micro/qlinear_conv2d.h"

/* The sum of one result channel of the window whose corner is (y, x). */
static int32_t window_sum(const struct oribi_micro_qlinear_conv2d_args *a, const uint8_t *image,
                          const uint8_t *filter, int32_t y, int32_t x, int32_t channel,
                          int32_t filter_zero)
{
    const int32_t depth = a->in_c / a->groups;
    const int32_t first = channel / (a->out_c / a->groups) * depth;
    uint32_t sum = 0;
    for (int32_t i = 0; i < a->filter_h; i++) {
        const int32_t row = y + i * a->dilation_h;
        for (int32_t j = 0; row >= 0 && row < a->in_h && j < a->filter_w; j++) {
            const int32_t column = x + j * a->dilation_w;
            const int32_t pixel = (row * a->in_w + column) * a->in_c + first;
            const int32_t tap = (i * a->filter_w + j) * depth;
            for (int32_t d = 0; column >= 0 && column < a->in_w && d < depth; d++) {
                const int32_t v =
                    oribi_micro_qlinear_get(image, pixel + d, a->input_signed) - a->input_zero;
                const int32_t w = oribi_micro_qlinear_get(filter, (tap + d) * a->out_c + channel,
                                                          a->filter_signed);
                sum += (uint32_t)(v * (w - filter_zero));
            }
        }
    }
    return (int32_t)sum;
}

void oribi_micro_qlinear_conv2d(const struct oribi_micro_qlinear_conv2d_args *args,
                                const void *input, const void *filter, const int32_t *bias,
                                const int32_t *filter_zeros, const float *multipliers, void *output)
{
    const struct oribi_micro_qlinear_conv2d_args *a = args;
    int32_t at = 0;
    for (int32_t line = 0; line < a->batch * a->out_h; line++) {
        const uint8_t *image =
            (const uint8_t *)input + line / a->out_h * a->in_h * a->in_w * a->in_c;
        const int32_t y = line % a->out_h * a->stride_h - a->before_h;
        TVMGEN_YIELD();
        for (int32_t x = 0; x < a->out_w; x++) {
            for (int32_t c = 0; c < a->out_c; c++) {
                const int32_t sum = window_sum(a, image, (const uint8_t *)filter, y,
                                               x * a->stride_w - a->before_w, c, filter_zeros[c]);
                const int32_t total = (int32_t)((uint32_t)sum + (uint32_t)bias[c]);
                oribi_micro_qlinear_store(output, at++, a->output, total, multipliers[c],
                                          a->output_zero, a->low, a->high);
            }
        }
    }
}
