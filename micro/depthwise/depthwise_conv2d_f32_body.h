/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise convolution of float: the loops, with ORIBI_MICRO_ADD_F32 and ORIBI_MICRO_ADD_F32S as
 * conv2d_f32_body.h has them. As many channels at a time as a vector has, or four, in separate
 * variables that a compiler keeps in registers; what is left, and channels with several filters,
 * one at a time.
 */
#ifndef ORIBI_MICRO_DEPTHWISE_CONV2D_F32_BODY_H_
#define ORIBI_MICRO_DEPTHWISE_CONV2D_F32_BODY_H_

#include "micro/float_rules.h"

#include "micro/unary/activation_f32.h"
#include "micro/depthwise/depthwise_conv2d_f32_args.h"
#include "micro/port.h"
#include "micro/taps.h"
#include "micro/vector_f32.h"

/* DO(k) for the sums that are made at once, of AT_ONCE channels. */
#if ORIBI_MICRO_F32_WIDTH == 1
#define EACH(DO) DO(0) DO(1) DO(2) DO(3)
enum { AT_ONCE = 4 };
#else
#define EACH(DO) DO(0)
enum { AT_ONCE = ORIBI_MICRO_F32_WIDTH };
#endif
#define SUM(k) oribi_micro_f32s s##k = {0};
#define ADD(k)                                                                                     \
    s##k = ORIBI_MICRO_ADD_F32S(s##k, ORIBI_MICRO_F32S(from + k), ORIBI_MICRO_F32S(f + k));
#define KEEP(k) ORIBI_MICRO_F32S_SET(sums + k, s##k);

/* The part of a window that lies in the image: taps [top, bottom) by [left, right). */
struct window {
    const float *image;
    int32_t y, x; /* of tap (0, 0); may be negative */
    int32_t top, bottom, left, right;
};

/* From the window's image on. */
static int32_t tap(const struct oribi_micro_depthwise_conv2d_f32_args *a, const struct window *w,
                   int32_t i, int32_t j)
{
    return ((w->y + i * a->dilation_h) * a->in_w + w->x + j * a->dilation_w) * a->in_c;
}

/* Sums of AT_ONCE channels from c on. */
static void several(const struct oribi_micro_depthwise_conv2d_f32_args *a, const struct window *w,
                    int32_t c, float *sums)
{
    EACH(SUM)
    for (int32_t i = w->top; i < w->bottom; i++) {
        for (int32_t j = w->left; j < w->right; j++) {
            const float *from = w->image + tap(a, w, i, j) + c;
            const float *f = a->filter + (i * a->filter_w + j) * a->in_c + c;
            EACH(ADD)
        }
    }
    EACH(KEEP)
}

static float one(const struct oribi_micro_depthwise_conv2d_f32_args *a, const struct window *w,
                 int32_t c)
{
    const int32_t channels = a->in_c * a->multiplier;
    float sum = 0.0F;
    for (int32_t i = w->top; i < w->bottom; i++) {
        for (int32_t j = w->left; j < w->right; j++) {
            const float x = w->image[tap(a, w, i, j) + c / a->multiplier];
            sum = ORIBI_MICRO_ADD_F32(sum, x, a->filter[(i * a->filter_w + j) * channels + c]);
        }
    }
    return sum;
}

static void pixel(const struct oribi_micro_depthwise_conv2d_f32_args *a, const struct window *w,
                  const float *residual, float *output)
{
    const int32_t channels = a->in_c * a->multiplier;
    float sums[AT_ONCE];
    for (int32_t c = 0, n; c < channels; c += n) {
        n = a->multiplier == 1 && c + AT_ONCE <= channels ? AT_ONCE : 1;
        if (n > 1) {
            several(a, w, c, sums);
        }
        const int32_t n_left = n == 1 || ORIBI_MICRO_F32S_LOST() ? n : 0;
        for (int32_t k = 0; k < n_left; k++) {
            sums[k] = one(a, w, c + k);
        }
        oribi_micro_finish_f32(sums, n, a->bias != NULL ? a->bias + c : NULL,
                               a->adds != 0 ? residual + c : NULL, a->activation, a->alpha,
                               output + c);
    }
}

static void convolve(const struct oribi_micro_depthwise_conv2d_f32_args *args, const float *input,
                     const float *residual, float *output)
{
    const struct oribi_micro_depthwise_conv2d_f32_args *a = args;
    const int32_t channels = a->in_c * a->multiplier;
    struct window w;
    for (int32_t b = 0; b < a->batch; b++) {
        w.image = input + b * a->in_h * a->in_w * a->in_c;
        for (int32_t y = 0; y < a->out_h; y++) {
            TVMGEN_YIELD();
            w.y = y * a->stride_h - a->before_h;
            oribi_micro_taps_inside(w.y, a->filter_h, a->dilation_h, a->in_h, &w.top, &w.bottom);
            for (int32_t x = 0; x < a->out_w; x++) {
                w.x = x * a->stride_w - a->before_w;
                oribi_micro_taps_inside(w.x, a->filter_w, a->dilation_w, a->in_w, &w.left,
                                        &w.right);
                pixel(a, &w, residual, output);
                residual += a->adds != 0 ? channels : 0;
                output += channels;
            }
        }
    }
}

#endif
