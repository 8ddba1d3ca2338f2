/* SPDX-License-Identifier: Apache-2.0 */
/* Each value of the output sums the taps that reach it: of int16 in 64 bits, of uint8 modulo 2^32.
 */
#include "micro/conv/wide_transpose_conv.h"

#include "micro/element.h"
#include "micro/port.h"
#include "micro/wide.h"

static int64_t dot(const struct oribi_micro_wide_transpose_conv_args *a, const void *input,
                   int32_t from, int32_t weight)
{
    int64_t sum = 0;
    for (int32_t c = 0; c < a->sizes.in_c; c++) {
        const int32_t x = oribi_micro_element_get(input, a->kind, from + c) - a->input_zero;
        sum +=
            x * (oribi_micro_element_get(a->filter, a->filter_kind, weight + c) - a->filter_zero);
    }
    return sum;
}

/* Channel c of pixel (y, x) of the result; the image's first pixel is number `image`. */
static int32_t value(const struct oribi_micro_wide_transpose_conv_args *a, const void *input,
                     int32_t image, int32_t pixel, int32_t c)
{
    const struct oribi_micro_transpose_sizes *s = &a->sizes;
    const int32_t y = pixel / s->out_w, x = pixel % s->out_w, taps = s->filter_h * s->filter_w;
    int64_t sum = (int64_t)a->bias_high[c] * INT64_C(4294967296) + (uint32_t)a->bias_low[c];
    for (int32_t k = 0; k < taps; k++) {
        const int32_t from = oribi_micro_transpose_pixel(s, y, x, k / s->filter_w, k % s->filter_w);
        if (from >= 0) {
            sum += dot(a, input, (image + from) * s->in_c, (c * taps + k) * s->in_c);
        }
    }
    const int32_t scaled =
        a->kind == ORIBI_MICRO_S16
            ? oribi_micro_scale_wide(sum, a->multiplier[c], a->shift[c])
            : oribi_micro_scale((int32_t)(uint32_t)sum, a->multiplier[c], a->shift[c]);
    return oribi_micro_clamp(scaled + a->output_zero, a->low, a->high);
}

void oribi_micro_wide_transpose_conv(const struct oribi_micro_wide_transpose_conv_args *args,
                                     const void *input, void *output)
{
    const struct oribi_micro_transpose_sizes *s = &args->sizes;
    int32_t to = 0;
    for (int32_t n = 0; n < s->batch; n++) {
        for (int32_t pixel = 0; pixel < s->out_h * s->out_w; pixel++) {
            TVMGEN_YIELD();
            for (int32_t c = 0; c < s->out_c; c++) {
                oribi_micro_element_set(output, args->kind, to++,
                                        value(args, input, n * s->in_h * s->in_w, pixel, c));
            }
        }
    }
}
