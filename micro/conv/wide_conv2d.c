/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution of uint8 and of int16. */
#include "micro/conv/wide_conv2d.h"

#include "micro/element.h"
#include "micro/port.h"
#include "micro/wide.h"

struct corner { /* of a window: its image's first element, its first row and column */
    int32_t image, y, x;
};

static int64_t sum_row(const struct oribi_micro_wide_conv2d_args *a, const void *input,
                       int32_t from, int32_t weight, int32_t depth)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < depth; i++) {
        const int32_t x = oribi_micro_element_get(input, a->kind, from + i) - a->input_zero;
        sum +=
            x * (oribi_micro_element_get(a->filter, a->filter_kind, weight + i) - a->filter_zero);
    }
    return sum;
}

/* Channel c of the result of a window. */
static int64_t sum_window(const struct oribi_micro_wide_conv2d_args *a, const void *input,
                          struct corner at, int32_t c)
{
    const int32_t depth = a->in_c / a->groups, first = c / (a->out_c / a->groups) * depth;
    int32_t weight = c * a->filter_h * a->filter_w * depth;
    int64_t sum = (int64_t)a->bias_high[c] * INT64_C(4294967296) + (uint32_t)a->bias_low[c];
    for (int32_t i = 0; i < a->filter_h; i++) {
        const int32_t row = at.y + i * a->dilation_h;
        for (int32_t j = 0; j < a->filter_w; j++) {
            const int32_t column = at.x + j * a->dilation_w;
            if (row >= 0 && row < a->in_h && column >= 0 && column < a->in_w) {
                const int32_t from = at.image + (row * a->in_w + column) * a->in_c + first;
                sum += sum_row(a, input, from, weight, depth);
            }
            weight += depth;
        }
    }
    return sum;
}

static int32_t result(const struct oribi_micro_wide_conv2d_args *a, int64_t sum, int32_t c)
{
    const int32_t scaled =
        a->is_wide != 0 ? oribi_micro_scale_wide(sum, a->multiplier[c], a->shift[c])
                        : oribi_micro_scale((int32_t)(uint32_t)sum, a->multiplier[c], a->shift[c]);
    return oribi_micro_clamp(scaled + a->output_zero, a->low, a->high);
}

void oribi_micro_wide_conv2d(const struct oribi_micro_wide_conv2d_args *args, const void *input,
                             void *output)
{
    const struct oribi_micro_wide_conv2d_args *a = args;
    int32_t to = 0;
    for (int32_t b = 0; b < a->batch; b++) {
        for (int32_t y = 0; y < a->out_h; y++) {
            TVMGEN_YIELD();
            for (int32_t x = 0; x < a->out_w; x++) {
                const struct corner at = {b * a->in_h * a->in_w * a->in_c,
                                          y * a->stride_h - a->before_h,
                                          x * a->stride_w - a->before_w};
                for (int32_t c = 0; c < a->out_c; c++) {
                    oribi_micro_element_set(output, a->kind, to++,
                                            result(a, sum_window(a, input, at, c), c));
                }
            }
        }
    }
}
