/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise convolution of float: four channels at a time, in separate variables that a compiler
 * keeps in registers; what is left, and channels with several filters, one at a time.
 */
#include "micro/float_rules.h"

#include "micro/unary/activation_f32.h"
#include "micro/depthwise/depthwise_conv2d_f32.h"
#include "micro/port.h"

/* The part of a window that lies in the image: taps [top, bottom) by [left, right). */
struct window {
    int32_t offset; /* of tap (0, 0) from the image's first pixel; may be negative */
    int32_t top, bottom, left, right;
};

static void finish(const struct oribi_micro_depthwise_conv2d_f32_args *a, int32_t channel,
                   float sum, const float *residual, float *output)
{
    sum = a->bias != 0 ? sum + a->bias[channel] : sum;
    sum = a->adds != 0 ? sum + residual[channel] : sum;
    output[channel] = oribi_micro_activate_f32(sum, a->activation, a->alpha);
}

static void four(const struct oribi_micro_depthwise_conv2d_f32_args *a, const float *image,
                 const struct window *w, int32_t c, const float *residual, float *output)
{
    float s0 = 0.0F, s1 = 0.0F, s2 = 0.0F, s3 = 0.0F;
    for (int32_t i = w->top; i < w->bottom; i++) {
        for (int32_t j = w->left; j < w->right; j++) {
            const float *from =
                image +
                (w->offset + (i * a->dilation_h * a->in_w + j * a->dilation_w) * a->in_c + c);
            const float *f = a->filter + (i * a->filter_w + j) * a->in_c + c;
            s0 += from[0] * f[0];
            s1 += from[1] * f[1];
            s2 += from[2] * f[2];
            s3 += from[3] * f[3];
        }
    }
    finish(a, c, s0, residual, output);
    finish(a, c + 1, s1, residual, output);
    finish(a, c + 2, s2, residual, output);
    finish(a, c + 3, s3, residual, output);
}

static void one(const struct oribi_micro_depthwise_conv2d_f32_args *a, const float *image,
                const struct window *w, int32_t c, const float *residual, float *output)
{
    const int32_t channels = a->in_c * a->multiplier;
    float sum = 0.0F;
    for (int32_t i = w->top; i < w->bottom; i++) {
        for (int32_t j = w->left; j < w->right; j++) {
            const int32_t at = (i * a->dilation_h * a->in_w + j * a->dilation_w) * a->in_c;
            sum += image[w->offset + at + c / a->multiplier] *
                   a->filter[(i * a->filter_w + j) * channels + c];
        }
    }
    finish(a, c, sum, residual, output);
}

/* First tap inside of `taps`, dilation apart, that start at `start`; and the first one beyond. */
static void inside(int32_t start, int32_t taps, int32_t dilation, int32_t size, int32_t *out_from,
                   int32_t *out_to)
{
    int32_t from = 0, to = taps;
    while (from < taps && start + from * dilation < 0) {
        from++;
    }
    while (to > from && start + (to - 1) * dilation >= size) {
        to--;
    }
    *out_from = from;
    *out_to = to;
}

static void pixel(const struct oribi_micro_depthwise_conv2d_f32_args *a, const float *image,
                  int32_t y, int32_t x, const float *residual, float *output)
{
    const int32_t channels = a->in_c * a->multiplier;
    struct window w;
    int32_t c = 0;
    w.offset = (y * a->in_w + x) * a->in_c;
    inside(y, a->filter_h, a->dilation_h, a->in_h, &w.top, &w.bottom);
    inside(x, a->filter_w, a->dilation_w, a->in_w, &w.left, &w.right);
    for (; a->multiplier == 1 && c + 4 <= channels; c += 4) {
        four(a, image, &w, c, residual, output);
    }
    for (; c < channels; c++) {
        one(a, image, &w, c, residual, output);
    }
}

void oribi_micro_depthwise_conv2d_f32(const struct oribi_micro_depthwise_conv2d_f32_args *args,
                                      const float *input, const float *residual, float *output)
{
    const struct oribi_micro_depthwise_conv2d_f32_args *a = args;
    const int32_t channels = a->in_c * a->multiplier;
    int32_t at = 0;
    for (int32_t b = 0; b < a->batch; b++) {
        const float *image = input + b * a->in_h * a->in_w * a->in_c;
        for (int32_t y = 0; y < a->out_h; y++) {
            TVMGEN_YIELD();
            for (int32_t x = 0; x < a->out_w; x++) {
                pixel(a, image, y * a->stride_h - a->before_h, x * a->stride_w - a->before_w,
                      residual + at, output + at);
                at += channels;
            }
        }
    }
}
