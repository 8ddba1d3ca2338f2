/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution of float. One block of result channels is computed for every pixel before the next
 * block, so that its weights stay close; the sums of a block are separate variables because a
 * microcontroller's compiler keeps those in registers.
 */
#include "micro/float_rules.h"

#include "micro/unary/activation_f32.h"
#include "micro/conv/conv2d_f32.h"
#include "micro/port.h"

/* The window of one result pixel: its corner, and the first channel of the group. */
struct window {
    const float *image;
    int32_t y, x;
};

static void finish(const struct oribi_micro_conv2d_f32_args *a, int32_t channel, float sum,
                   const float *residual, float *output)
{
    sum = a->bias != 0 ? sum + a->bias[channel] : sum;
    sum = a->adds != 0 ? sum + residual[channel] : sum;
    output[channel] = oribi_micro_activate_f32(sum, a->activation, a->alpha);
}

/* The first pixel of tap (i, j), or NULL outside the image. */
static const float *tap(const struct oribi_micro_conv2d_f32_args *a, struct window w, int32_t i,
                        int32_t j)
{
    const int32_t row = w.y + i * a->dilation_h, column = w.x + j * a->dilation_w;
    const int32_t inside = row >= 0 && row < a->in_h && column >= 0 && column < a->in_w;
    return inside ? w.image + (row * a->in_w + column) * a->in_c : 0;
}

static void block_of_8(const struct oribi_micro_conv2d_f32_args *a, struct window w,
                       const float *filter, int32_t channel, const float *residual, float *output)
{
    const int32_t depth = a->in_c / a->groups;
    float s0 = 0.0F, s1 = 0.0F, s2 = 0.0F, s3 = 0.0F, s4 = 0.0F, s5 = 0.0F, s6 = 0.0F, s7 = 0.0F;
    for (int32_t i = 0; i < a->filter_h; i++) {
        for (int32_t j = 0; j < a->filter_w; j++) {
            const float *from = tap(a, w, i, j);
            const float *f = filter + (i * a->filter_w + j) * depth * 8;
            for (int32_t d = 0; from != 0 && d < depth; d++) {
                const float v = from[d];
                s0 += v * f[0];
                s1 += v * f[1];
                s2 += v * f[2];
                s3 += v * f[3];
                s4 += v * f[4];
                s5 += v * f[5];
                s6 += v * f[6];
                s7 += v * f[7];
                f += 8;
            }
        }
    }
    finish(a, channel, s0, residual, output);
    finish(a, channel + 1, s1, residual, output);
    finish(a, channel + 2, s2, residual, output);
    finish(a, channel + 3, s3, residual, output);
    finish(a, channel + 4, s4, residual, output);
    finish(a, channel + 5, s5, residual, output);
    finish(a, channel + 6, s6, residual, output);
    finish(a, channel + 7, s7, residual, output);
}

static void block_of_1(const struct oribi_micro_conv2d_f32_args *a, struct window w,
                       const float *filter, int32_t channel, const float *residual, float *output)
{
    const int32_t depth = a->in_c / a->groups;
    float sum = 0.0F;
    for (int32_t i = 0; i < a->filter_h; i++) {
        for (int32_t j = 0; j < a->filter_w; j++) {
            const float *from = tap(a, w, i, j);
            const float *f = filter + (i * a->filter_w + j) * depth;
            for (int32_t d = 0; from != 0 && d < depth; d++) {
                sum += from[d] * f[d];
            }
        }
    }
    finish(a, channel, sum, residual, output);
}

/* Result channels from `channel` on, `width` of them (8 or 1), of every pixel. */
static void block(const struct oribi_micro_conv2d_f32_args *a, const float *input,
                  const float *residual, float *output, int32_t channel, int32_t width)
{
    const int32_t depth = a->in_c / a->groups;
    const int32_t group = channel / (a->out_c / a->groups);
    const float *filter = a->filter + channel * (a->filter_h * a->filter_w * depth);
    int32_t pixel = 0; /* index of its first result */
    for (int32_t b = 0; b < a->batch; b++) {
        struct window w;
        w.image = input + b * a->in_h * a->in_w * a->in_c + group * depth;
        for (int32_t y = 0; y < a->out_h; y++) {
            TVMGEN_YIELD();
            w.y = y * a->stride_h - a->before_h;
            for (int32_t x = 0; x < a->out_w; x++) {
                w.x = x * a->stride_w - a->before_w;
                if (width == 8) {
                    block_of_8(a, w, filter, channel, residual + pixel, output + pixel);
                } else {
                    block_of_1(a, w, filter, channel, residual + pixel, output + pixel);
                }
                pixel += a->out_c;
            }
        }
    }
}

void oribi_micro_conv2d_f32(const struct oribi_micro_conv2d_f32_args *args, const float *input,
                            const float *residual, float *output)
{
    const int32_t each = args->out_c / args->groups; /* channels of a group */
    for (int32_t c = 0; c < args->out_c;) {
        const int32_t width = each - c % each >= ORIBI_MICRO_CONV2D_F32_BLOCK ? 8 : 1;
        block(args, input, residual, output, c, width);
        c += width;
    }
}
