/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers instead of scattering, so that sums need no scratch: a tap counts where the place it came
 * from is a whole number of strides away.
 */
#include "micro/conv/transpose_conv_s8.h"

#include "micro/fixed_point.h"
#include "micro/port.h"

static int32_t dot(const struct oribi_micro_transpose_conv_s8_args *p, const int8_t *pixel,
                   const int8_t *weights)
{
    int32_t sum = 0;
    for (int32_t c = 0; c < p->sizes.in_c; c++) {
        sum += (pixel[c] - p->input_zero) * weights[c];
    }
    return sum;
}

static int32_t sum(const struct oribi_micro_transpose_conv_s8_args *p, const int8_t *image,
                   const int8_t *filter, int32_t y, int32_t x)
{
    const struct oribi_micro_transpose_sizes *s = &p->sizes;
    int32_t total = 0;
    for (int32_t ky = 0; ky < s->filter_h; ky++) {
        for (int32_t kx = 0; kx < s->filter_w; kx++, filter += s->in_c) {
            const int32_t from = oribi_micro_transpose_pixel(s, y, x, ky, kx);
            if (from >= 0) {
                total += dot(p, image + from * s->in_c, filter);
            }
        }
    }
    return total;
}

void oribi_micro_transpose_conv_s8(const struct oribi_micro_transpose_conv_s8_args *args,
                                   const int8_t *input, int8_t *output)
{
    const struct oribi_micro_transpose_conv_s8_args *p = args;
    const struct oribi_micro_transpose_sizes *s = &p->sizes;
    const int32_t taps = s->filter_h * s->filter_w * s->in_c;
    for (int32_t n = 0; n < s->batch; n++, input += s->in_h * s->in_w * s->in_c) {
        for (int32_t i = 0; i < s->out_h * s->out_w; i++) {
            TVMGEN_YIELD();
            for (int32_t c = 0; c < s->out_c; c++) {
                const int32_t total =
                    sum(p, input, p->filter + c * taps, i / s->out_w, i % s->out_w) + p->bias[c];
                *output++ = (int8_t)oribi_micro_clamp(
                    oribi_micro_scale(total, p->multiplier[c], p->shift[c]) + p->output_zero,
                    p->low, p->high);
            }
        }
    }
}
