/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution of float: the loops, whose products ORIBI_MICRO_ADD_F32(sum, x, weight) adds to sums
 * of one result and ORIBI_MICRO_ADD_F32S to those of as many as a vector has, with Helium the
 * text ORIBI_MICRO_ADD_MVE. A block of eight
 * result channels is computed for every pixel before the next block, so that its weights stay
 * close. Where no column of the windows leaves the image, some pixels share what is read of the
 * filter; their sums are variables with names because a compiler keeps those in registers: on a
 * microcontroller four pixels by four channels, with vectors by eight, with Helium's eight
 * registers two by eight.
 */
#ifndef ORIBI_MICRO_CONV2D_F32_BODY_H_
#define ORIBI_MICRO_CONV2D_F32_BODY_H_

#include "micro/float_rules.h"

#include "micro/unary/activation_f32.h"
#include "micro/conv/conv2d_f32_args.h"
#include "micro/port.h"
#include "micro/taps.h"
#include "micro/vector_f32.h"

enum { BLOCK = ORIBI_MICRO_CONV2D_F32_BLOCK, WIDTH = ORIBI_MICRO_F32_WIDTH };

/* DO(pixel, k) for the vectors of a block, and for those that some pixels have sums of at once. */
#if ORIBI_MICRO_F32_WIDTH == 8
#define EACH_OF_BLOCK(DO, p) DO(p, 0)
#define EACH_AT_ONCE(DO, p)  DO(p, 0)
enum { AT_ONCE = 8 };
#elif ORIBI_MICRO_F32_WIDTH == 4
#define EACH_OF_BLOCK(DO, p) DO(p, 0) DO(p, 1)
#define EACH_AT_ONCE(DO, p)  DO(p, 0) DO(p, 1)
enum { AT_ONCE = 8 };
#else
#define EACH_AT_ONCE(DO, p)  DO(p, 0) DO(p, 1) DO(p, 2) DO(p, 3)
#define EACH_OF_BLOCK(DO, p) EACH_AT_ONCE(DO, p) DO(p, 4) DO(p, 5) DO(p, 6) DO(p, 7)
enum { AT_ONCE = 4 };
#endif
#if defined(ORIBI_MICRO_F32_HELIUM)
#define EACH_PIXEL(DO) DO(0) DO(1)
enum { PIXELS = 2 };
#else
#define EACH_PIXEL(DO) DO(0) DO(1) DO(2) DO(3)
enum { PIXELS = 4 };
#endif

#define SUM(p, k)     oribi_micro_f32s s##p##k = {0};
#define WEIGHTS(p, k) const oribi_micro_f32s f##k = ORIBI_MICRO_F32S(f + WIDTH * k);
#define ADD(p, k)     s##p##k = ORIBI_MICRO_ADD_F32S(s##p##k, v##p, f##k);
#define KEEP(p, k)    ORIBI_MICRO_F32S_SET(sums + p * BLOCK + WIDTH * k, s##p##k);
#define SUMS(p)       EACH_AT_ONCE(SUM, p)
#define FROM(p)       const float *from##p = run + p * step;
#define PIXEL(p)                                                                                   \
    const float v##p = *from##p++;                                                                 \
    EACH_AT_ONCE(ADD, p)
#define KEEPS(p) EACH_AT_ONCE(KEEP, p)

/* What one pixel's results are made of: the corner of its window in the part of the image that the
 * group has, the taps of it that lie in the image, and the channels of the block, `count` of them
 * (BLOCK or 1) from `channel` on. */
struct window {
    const float *image, *filter;
    int32_t y, x, channel, count;
    int32_t top, bottom, left, right;
};

/* Taps that lie one behind the other in the image and in the filter: those of a row, or of one
 * pixel. */
struct runs {
    int32_t count, taps, step; /* of a row; of each; between two in the image */
    int32_t bottom;            /* of the window, unless no column lies in the image */
};

static struct runs runs_of(const struct oribi_micro_conv2d_f32_args *a, const struct window *w)
{
    const int32_t depth = a->in_c / a->groups, columns = w->right - w->left;
    const int32_t is_row = a->groups == 1 && a->dilation_w == 1;
    const struct runs runs = {is_row ? 1 : columns, is_row ? columns * depth : depth,
                              a->dilation_w * a->in_c, columns > 0 ? w->bottom : w->top};
    return runs;
}

static void finish(const struct oribi_micro_conv2d_f32_args *a, const struct window *w, float *sums,
                   const float *residual, float *output)
{
#ifdef ORIBI_MICRO_F32_HELIUM
    if (w->count == BLOCK && a->activation <= ORIBI_MICRO_RELU_F32 &&
        oribi_micro_mve_finish(sums, a->bias != NULL ? a->bias + w->channel : NULL,
                               a->adds != 0 ? residual + w->channel : NULL,
                               a->activation == ORIBI_MICRO_RELU_F32, output + w->channel)) {
        return;
    }
#endif
    oribi_micro_finish_f32(sums, w->count, a->bias != NULL ? a->bias + w->channel : NULL,
                           a->adds != 0 ? residual + w->channel : NULL, a->activation, a->alpha,
                           output + w->channel);
}

/* The first pixel of row i of taps. */
static const float *row(const struct oribi_micro_conv2d_f32_args *a, const struct window *w,
                        int32_t i)
{
    const int32_t y = w->y + i * a->dilation_h, x = w->x + w->left * a->dilation_w;
    return w->image + (y * a->in_w + x) * a->in_c;
}

/* Which of the filter's taps that is. */
static int32_t tap(const struct oribi_micro_conv2d_f32_args *a, const struct window *w, int32_t i)
{
    return (i * a->filter_w + w->left) * (a->in_c / a->groups);
}

/* Sums of PIXELS pixels beside each other, all of whose columns lie in the image, from channel
 * `begin` of the block on, AT_ONCE of them. */
static void some_pixels(const struct oribi_micro_conv2d_f32_args *a, const struct window *w,
                        int32_t begin, float *sums)
{
    const struct runs runs = runs_of(a, w);
    const int32_t step = a->stride_w * a->in_c;
    EACH_PIXEL(SUMS)
    for (int32_t i = w->top; i < runs.bottom; i++) {
        const float *run = row(a, w, i), *f = w->filter + tap(a, w, i) * BLOCK + begin;
        for (int32_t j = 0; j < runs.count; j++) {
            EACH_PIXEL(FROM)
#ifdef ORIBI_MICRO_F32_HELIUM
            ORIBI_MICRO_MVE_TAPS2(ORIBI_MICRO_ADD_MVE, s00, s01, s10, s11, from0, from1, f,
                                  runs.taps);
#else
            for (int32_t t = 0; t < runs.taps; t++) {
                EACH_AT_ONCE(WEIGHTS, 0)
                EACH_PIXEL(PIXEL)
                f += BLOCK;
            }
#endif
            run += runs.step;
        }
    }
    EACH_PIXEL(KEEPS)
}

static void one_pixel(const struct oribi_micro_conv2d_f32_args *a, const struct window *w,
                      float *sums)
{
    const struct runs runs = runs_of(a, w);
    EACH_OF_BLOCK(SUM, 0)
    for (int32_t i = w->top; i < runs.bottom; i++) {
        const float *run = row(a, w, i), *f = w->filter + tap(a, w, i) * BLOCK;
        for (int32_t j = 0; j < runs.count; j++) {
#ifdef ORIBI_MICRO_F32_HELIUM
            const float *from = run;
            ORIBI_MICRO_MVE_TAPS1(ORIBI_MICRO_ADD_MVE, s00, s01, from, f, runs.taps);
#else
            for (int32_t t = 0; t < runs.taps; t++) {
                const float v0 = run[t];
                EACH_OF_BLOCK(WEIGHTS, 0)
                EACH_OF_BLOCK(ADD, 0)
                f += BLOCK;
            }
#endif
            run += runs.step;
        }
    }
    EACH_OF_BLOCK(KEEP, 0)
}

/* Channel c of the block, or of none. */
static float one_channel(const struct oribi_micro_conv2d_f32_args *a, const struct window *w,
                         int32_t c)
{
    const struct runs runs = runs_of(a, w);
    float sum = 0.0F;
    for (int32_t i = w->top; i < runs.bottom; i++) {
        const float *run = row(a, w, i), *f = w->filter + tap(a, w, i) * w->count + c;
        for (int32_t j = 0; j < runs.count; j++) {
            for (int32_t t = 0; t < runs.taps; t++) {
                sum = ORIBI_MICRO_ADD_F32(sum, run[t], *f);
                f += w->count;
            }
            run += runs.step;
        }
    }
    return sum;
}

/* The sums of `n` pixels of a block, which vectors lost. */
static void one_by_one(const struct oribi_micro_conv2d_f32_args *a, struct window w, int32_t n,
                       float *sums)
{
    for (int32_t p = 0; p < n; p++, w.x += a->stride_w) {
        for (int32_t c = 0; c < BLOCK; c++) {
            sums[p * BLOCK + c] = one_channel(a, &w, c);
        }
    }
}

/* Pixels from column x of results on; how many: PIXELS or 1. */
static int32_t pixels(const struct oribi_micro_conv2d_f32_args *a, struct window *w, int32_t x,
                      float *sums)
{
    const int32_t reach = (PIXELS - 1) * a->stride_w + (a->filter_w - 1) * a->dilation_w;
    w->x = x * a->stride_w - a->before_w;
    oribi_micro_taps_inside(w->x, a->filter_w, a->dilation_w, a->in_w, &w->left, &w->right);
    if (w->count == 1) {
        sums[0] = one_channel(a, w, 0);
        return 1;
    }
    const int32_t has_all = w->x >= 0 && x + PIXELS <= a->out_w && w->x + reach < a->in_w;
    const int32_t n = has_all ? PIXELS : 1;
    for (int32_t c = 0; has_all && c < BLOCK; c += AT_ONCE) {
        some_pixels(a, w, c, sums + c);
    }
    if (!has_all) {
        one_pixel(a, w, sums);
    }
    if (ORIBI_MICRO_F32S_LOST() != 0) {
        one_by_one(a, *w, n, sums);
    }
    return n;
}

/* The block of w, of every pixel. */
static void block(const struct oribi_micro_conv2d_f32_args *a, struct window w, const float *input,
                  const float *residual, float *output)
{
    float sums[PIXELS * BLOCK];
    for (int32_t b = 0; b < a->batch; b++) {
        w.image = input + b * a->in_h * a->in_w * a->in_c;
        for (int32_t y = 0; y < a->out_h; y++) {
            TVMGEN_YIELD();
            w.y = y * a->stride_h - a->before_h;
            oribi_micro_taps_inside(w.y, a->filter_h, a->dilation_h, a->in_h, &w.top, &w.bottom);
            for (int32_t x = 0; x < a->out_w;) {
                const int32_t n = pixels(a, &w, x, sums);
                for (int32_t p = 0; p < n; p++) {
                    finish(a, &w, sums + p * BLOCK, residual, output);
                    residual += a->adds != 0 ? a->out_c : 0;
                    output += a->out_c;
                }
                x += n;
            }
        }
    }
}

static void convolve(const struct oribi_micro_conv2d_f32_args *args, const float *input,
                     const float *residual, float *output)
{
    const int32_t each = args->out_c / args->groups; /* channels of a group */
    const int32_t depth = args->in_c / args->groups;
    struct window w = {0, args->filter, 0, 0, 0, 0, 0, 0, 0, 0};
    while (w.channel < args->out_c) {
        w.count = each - w.channel % each >= BLOCK ? BLOCK : 1;
        block(args, w, input + w.channel / each * depth, residual, output);
        w.filter += w.count * (args->filter_h * args->filter_w * depth);
        w.channel += w.count;
    }
}

#endif
