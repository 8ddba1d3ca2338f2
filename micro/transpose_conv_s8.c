/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers instead of scattering, so that sums need no scratch: a tap counts where the place it came
 * from is a whole number of strides away.
 */
#include "micro/transpose_conv_s8.h"

#include "micro/fixed_point.h"
#include "micro/port.h"

static int32_t dot(const struct oribi_micro_transpose_conv_s8_args *p, const int8_t *pixel,
                   const int8_t *weights)
{
    int32_t sum = 0;
    for (int32_t c = 0; c < p->in_c; c++) {
        sum += (pixel[c] - p->input_zero) * weights[c];
    }
    return sum;
}

/* The place along an axis that tap `k` brings to output `at`; -1: none. */
static int32_t origin(int32_t at, int32_t k, int32_t stride, int32_t size)
{
    const int32_t reach = at - k;
    if (reach < 0 || reach % stride != 0 || reach / stride >= size) {
        return -1;
    }
    return reach / stride;
}

static int32_t sum(const struct oribi_micro_transpose_conv_s8_args *p, const int8_t *image,
                   const int8_t *filter, int32_t y, int32_t x)
{
    int32_t total = 0;
    for (int32_t ky = 0; ky < p->filter_h; ky++) {
        const int32_t in_y = origin(y + p->before_h, ky, p->stride_h, p->in_h);
        if (in_y < 0) {
            continue;
        }
        for (int32_t kx = 0; kx < p->filter_w; kx++) {
            const int32_t in_x = origin(x + p->before_w, kx, p->stride_w, p->in_w);
            if (in_x >= 0) {
                total += dot(p, image + (in_y * p->in_w + in_x) * p->in_c,
                             filter + (ky * p->filter_w + kx) * p->in_c);
            }
        }
    }
    return total;
}

void oribi_micro_transpose_conv_s8(const struct oribi_micro_transpose_conv_s8_args *args,
                                   const int8_t *input, int8_t *output)
{
    const struct oribi_micro_transpose_conv_s8_args *p = args;
    const int32_t taps = p->filter_h * p->filter_w * p->in_c;
    for (int32_t n = 0; n < p->batch; n++, input += p->in_h * p->in_w * p->in_c) {
        for (int32_t i = 0; i < p->out_h * p->out_w; i++) {
            TVMGEN_YIELD();
            for (int32_t c = 0; c < p->out_c; c++) {
                const int32_t total =
                    sum(p, input, p->filter + c * taps, i / p->out_w, i % p->out_w) + p->bias[c];
                *output++ = (int8_t)oribi_micro_clamp(
                    oribi_micro_scale(total, p->multiplier[c], p->shift[c]) + p->output_zero,
                    p->low, p->high);
            }
        }
    }
}
