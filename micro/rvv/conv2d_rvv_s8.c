/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution of int8 in vectors of channels: the windows of two pixels are copied to scratch,
 * where padding stands for what lies outside of the image, then met by all channels. Read next:
 * rvv.h. */
#include "micro/rvv/conv2d_rvv_s8.h"

#include "micro/port.h"

/* The part of a window's row that is inside of the image. */
static int8_t *gather_row(const struct oribi_micro_conv2d_rvv_s8_args *a, const int8_t *row,
                          int32_t x, int8_t *to)
{
    const int32_t first = x < 0 ? -x : 0;
    const int32_t end = a->in_w - x < a->filter_w ? a->in_w - x : a->filter_w;
    if (end <= first) {
        return oribi_micro_rvv_fill(a->input_zero, a->filter_w * a->in_c, to);
    }
    to = oribi_micro_rvv_fill(a->input_zero, first * a->in_c, to);
    to = oribi_micro_rvv_copy(row + (x + first) * a->in_c, (end - first) * a->in_c, to);
    return oribi_micro_rvv_fill(a->input_zero, (a->filter_w - end) * a->in_c, to);
}

static int8_t *gather(const struct oribi_micro_conv2d_rvv_s8_args *a, const int8_t *image,
                      int32_t pixel, int8_t *to)
{
    const int32_t out_y = pixel / a->out_w, run = a->filter_w * a->in_c;
    const int32_t x = (pixel - out_y * a->out_w) * a->stride_w - a->before_w;
    const int32_t is_inside = x >= 0 && x + a->filter_w <= a->in_w;
    int32_t y = out_y * a->stride_h - a->before_h;
    for (int32_t i = 0; i < a->filter_h; i++, y += a->dilation_h) {
        if (y < 0 || y >= a->in_h) {
            to = oribi_micro_rvv_fill(a->input_zero, run, to);
        } else {
            const int8_t *row = image + (intptr_t)y * a->in_w * a->in_c;
            to = is_inside ? oribi_micro_rvv_copy(row + x * a->in_c, run, to)
                           : gather_row(a, row, x, to);
        }
    }
    return to;
}

/* `count` pixels, 1 or 2. */
static void pixels(const struct oribi_micro_conv2d_rvv_s8_args *a, const int8_t *image,
                   int32_t pixel, int32_t count, int8_t *output, int8_t *scratch)
{
    const int8_t *x = scratch, *y = scratch;
    if (a->is_direct != 0) {
        x = image + (intptr_t)pixel * a->taps;
        y = x + (count - 1) * a->taps;
    } else {
        int8_t *const second = gather(a, image, pixel, scratch);
        if (count > 1) {
            (void)gather(a, image, pixel + 1, second);
            y = second;
        }
    }
    int32_t c = 0;
    do {
        c += oribi_micro_rvv_pixels(&a->layer, x, y, a->taps, c, output, (count - 1) * a->pitch);
    } while (c < a->layer.channels);
}

void oribi_micro_conv2d_rvv_s8(const struct oribi_micro_conv2d_rvv_s8_args *args,
                               const int8_t *input, int8_t *output, void *scratch)
{
    const struct oribi_micro_conv2d_rvv_s8_args *a = args;
    const int32_t n_pixels = a->out_h * a->out_w;
    for (int32_t b = 0; b < a->batch; b++) {
        for (int32_t p = 0; p < n_pixels; p += 2) {
            const int32_t count = p + 1 < n_pixels ? 2 : 1;
            TVMGEN_YIELD();
            pixels(a, input, p, count, output, scratch);
            output += count * a->pitch;
        }
        input += (intptr_t)a->in_h * a->in_w * a->in_c;
    }
}
