/* SPDX-License-Identifier: Apache-2.0 */
/* Transposed convolution of float, channels first: each row of the input that reaches a row of the
 * output is added to it, once for each tap. */
#include "micro/float_rules.h"

#include "micro/transposed/conv_transpose_f32.h"

#include "micro/port.h"

/* The place along an axis whose window brings its tap to `reached`; -1: none. */
static int32_t origin(int32_t reached, int32_t tap, int32_t stride, int32_t size)
{
    const int32_t offset = reached - tap;
    return offset >= 0 && offset % stride == 0 && offset / stride < size ? offset / stride : -1;
}

/* Adds the values of a row of the input, `step` apart from `shift` on, where they lie inside. */
static void add_row(const float *from, int32_t count, int32_t step, int32_t shift, float weight,
                    float *to, int32_t size)
{
    const int32_t first = shift >= 0 ? 0 : (-shift + step - 1) / step;
    int32_t end = size <= shift ? 0 : (size - shift - 1) / step + 1;
    end = end < count ? end : count;
    if (step == 1) {
        for (int32_t i = first; i < end; i++) {
            to[i + shift] += from[i] * weight;
        }
        return;
    }
    for (int32_t i = first; i < end; i++) {
        to[i * step + shift] += from[i] * weight;
    }
}

/* All that one channel of the input brings to the row. */
static void add_channel(const struct oribi_micro_conv_transpose_f32_args *a, const float *filter,
                        const float *input, int32_t depth, int32_t row, float *output)
{
    for (int32_t i = 0; i < a->filter_d; i++) {
        const int32_t in_d = origin(depth + a->before_d, i * a->dilation_d, a->stride_d, a->in_d);
        for (int32_t j = 0; in_d >= 0 && j < a->filter_h; j++) {
            const int32_t in_h = origin(row + a->before_h, j * a->dilation_h, a->stride_h, a->in_h);
            for (int32_t k = 0; in_h >= 0 && k < a->filter_w; k++) {
                add_row(input + (in_d * a->in_h + in_h) * a->in_w, a->in_w, a->stride_w,
                        k * a->dilation_w - a->before_w,
                        filter[(i * a->filter_h + j) * a->filter_w + k], output, a->out_w);
            }
        }
    }
}

void oribi_micro_conv_transpose_f32_row(const struct oribi_micro_conv_transpose_f32_args *args,
                                        const float *filter, const float *input, int32_t channel,
                                        int32_t depth, int32_t row, float *output)
{
    const int32_t taps = args->filter_d * args->filter_h * args->filter_w;
    const int32_t pixels = args->in_d * args->in_h * args->in_w;
    for (int32_t i = 0; i < args->out_w; i++) {
        output[i] = 0.0F;
    }
    for (int32_t c = 0; c < args->in_c; c++) {
        add_channel(args, filter + (c * args->out_c + channel) * taps, input + c * pixels, depth,
                    row, output);
    }
}

void oribi_micro_conv_transpose_f32(const struct oribi_micro_conv_transpose_f32_args *args,
                                    const float *filter, const float *input, float *output)
{
    const int32_t taps = args->filter_d * args->filter_h * args->filter_w;
    const int32_t group = args->in_c * args->in_d * args->in_h * args->in_w;
    for (int32_t g = 0; g < args->batch * args->groups; g++) {
        const float *weights = filter + g % args->groups * args->in_c * args->out_c * taps;
        for (int32_t c = 0; c < args->out_c; c++) {
            for (int32_t d = 0; d < args->out_d; d++) {
                for (int32_t h = 0; h < args->out_h; h++) {
                    TVMGEN_YIELD();
                    oribi_micro_conv_transpose_f32_row(args, weights, input + g * group, c, d, h,
                                                       output);
                    output += args->out_w;
                }
            }
        }
    }
}
