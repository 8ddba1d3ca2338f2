/* SPDX-License-Identifier: Apache-2.0 */
/* Two pixels of a convolution: their windows are copied to scratch, where padding stands for what
 * lies outside of the image, then met by each group of channels. Read next: mve.h. */
#include "micro/mve/conv2d_mve_s8_pixels.h"

void oribi_micro_conv2d_mve_s8_begin(const struct oribi_micro_conv2d_mve_s8_args *args,
                                     void *scratch)
{
    const struct oribi_micro_conv2d_mve_s8_args *a = args;
    const int32_t depth = a->filter_h * a->filter_w * a->in_c;
    int8_t *const windows = scratch;
    /* Weights of 0 meet these taps, so that any value would do. */
    (void)oribi_micro_mve_fill(0, a->taps - depth, windows + depth);
    (void)oribi_micro_mve_fill(0, a->taps - depth, windows + a->taps + depth);
}

/* The window whose first row and column are y and x, some of it outside. */
static void gather_clipped(const struct oribi_micro_conv2d_mve_s8_args *a, const int8_t *image,
                           int32_t y, int32_t x, int8_t *to)
{
    const int32_t run = a->filter_w * a->in_c;
    const int32_t first = x < 0 ? -x : 0;
    const int32_t end = a->in_w - x < a->filter_w ? a->in_w - x : a->filter_w;
    const int32_t before = first * a->in_c, inside = end > first ? (end - first) * a->in_c : 0;
    for (int32_t i = 0; i < a->filter_h; i++, y += a->dilation_h) {
        if (y < 0 || y >= a->in_h || inside == 0) {
            to = oribi_micro_mve_fill(a->input_zero, run, to);
        } else {
            to = oribi_micro_mve_fill(a->input_zero, before, to);
            to = oribi_micro_mve_gather(image + (y * a->in_w + x + first) * a->in_c, 0, 1, inside,
                                        to);
            to = oribi_micro_mve_fill(a->input_zero, run - before - inside, to);
        }
    }
}

static void gather(const struct oribi_micro_conv2d_mve_s8_args *a, const int8_t *image, int32_t y,
                   int32_t x, int8_t *to)
{
    const int32_t row = a->in_w * a->in_c;
    if (y >= 0 && x >= 0 && x + a->filter_w <= a->in_w &&
        y + (a->filter_h - 1) * a->dilation_h < a->in_h) {
        (void)oribi_micro_mve_gather(image + y * row + x * a->in_c, a->dilation_h * row,
                                     a->filter_h, a->filter_w * a->in_c, to);
    } else {
        gather_clipped(a, image, y, x, to);
    }
}

/* The windows of `count` pixels, the second behind the first; of a single one twice. */
static void gather_both(const struct oribi_micro_conv2d_mve_s8_args *a, const int8_t *image,
                        int32_t pixel, int32_t count, int8_t *to)
{
    const int32_t out_y = pixel / a->out_w, out_x = pixel - out_y * a->out_w;
    int32_t y = out_y * a->stride_h - a->before_h, x = out_x * a->stride_w - a->before_w;
    gather(a, image, y, x, to);
    if (count > 1) {
        x += a->stride_w;
        if (out_x + 1 == a->out_w) {
            x = -a->before_w;
            y += a->stride_h;
        }
    }
    gather(a, image, y, x, to + a->taps);
}

void oribi_micro_conv2d_mve_s8_pixels(const struct oribi_micro_conv2d_mve_s8_args *args,
                                      const int8_t *image, int32_t pixel, int32_t count,
                                      int8_t *output, void *scratch)
{
    const struct oribi_micro_conv2d_mve_s8_args *a = args;
    const int32_t whole = a->out_c & ~(ORIBI_MICRO_MVE_GROUP - 1);
    const int32_t distance = count > 1 ? a->out_c : 0;
    const int8_t *const windows = scratch;
    struct oribi_micro_mve_pixels pixels = {windows,        windows + a->taps, output,
                                            output + whole, distance,          a->output.zero,
                                            a->output.low,  a->output.high};
    const int32_t *w = a->filter;
    gather_both(a, image, pixel, count, scratch);
    if (whole > 0) {
        w = oribi_micro_mve_groups(&pixels, w);
    }
    if (whole != a->out_c) {
        int8_t last[2 * ORIBI_MICRO_MVE_GROUP];
        pixels.to = last;
        pixels.last = last + ORIBI_MICRO_MVE_GROUP;
        pixels.distance = ORIBI_MICRO_MVE_GROUP;
        (void)oribi_micro_mve_groups(&pixels, w);
        for (int32_t i = whole; i < a->out_c; i++) {
            output[distance + i] = last[ORIBI_MICRO_MVE_GROUP + i - whole];
            output[i] = last[i - whole];
        }
    }
}
