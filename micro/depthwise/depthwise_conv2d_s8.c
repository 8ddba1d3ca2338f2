/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise convolution of int8. Beside another output, a block of channels at a time; in place, a
 * channel at a time, from a padded copy of its plane: results fall on inputs of that channel alone.
 * A tap outside the image reads the zero point.
 */
#include "micro/depthwise/depthwise_conv2d_s8.h"

#include "micro/dot_s8.h"
#include "micro/memory.h"
#include "micro/port.h"

enum { BLOCK = 16 };

/* Adds one tap to `count` channels whose inputs lie side by side. */
static void add_tap(int32_t acc[BLOCK], const int8_t *x, const int8_t *w, int32_t count)
{
    if (count == BLOCK) {
        for (int32_t c = 0; c < BLOCK; c++) {
            acc[c] += x[c] * w[c];
        }
        return;
    }
    for (int32_t c = 0; c < count; c++) {
        acc[c] += x[c] * w[c];
    }
}

/* The same for results from `first` on whose input is first / depth_multiplier. */
static void add_tap_multiplied(int32_t acc[BLOCK], const int8_t *x, const int8_t *w, int32_t first,
                               int32_t count, int32_t depth_multiplier)
{
    int32_t channel = first / depth_multiplier, left = depth_multiplier - first % depth_multiplier;
    for (int32_t c = 0; c < count; c++) {
        acc[c] += x[channel] * w[c];
        if (--left == 0) {
            left = depth_multiplier;
            channel++;
        }
    }
}

static void add_zero(int32_t acc[BLOCK], int32_t zero, const int8_t *w, int32_t count)
{
    for (int32_t c = 0; c < count; c++) {
        acc[c] += zero * w[c];
    }
}

/* Result channels [first, first + count) of the window whose corner is (y, x). */
static void block(const struct oribi_micro_depthwise_conv2d_s8_args *a, const int8_t *image,
                  int32_t y, int32_t x, int32_t first, int32_t count, int8_t *output)
{
    int32_t acc[BLOCK];
    const int8_t *w = a->filter + first;
    for (int32_t c = 0; c < count; c++) {
        acc[c] = a->bias[first + c];
    }
    for (int32_t i = 0; i < a->filter_h; i++) {
        const int32_t row = y + i * a->dilation_h;
        for (int32_t j = 0; j < a->filter_w; j++) {
            const int32_t column = x + j * a->dilation_w;
            const int32_t pixel = row * a->in_w + column;
            if (row < 0 || row >= a->in_h || column < 0 || column >= a->in_w) {
                add_zero(acc, a->input_zero, w, count);
            } else if (a->depth_multiplier == 1) {
                add_tap(acc, image + pixel * a->in_c + first, w, count);
            } else {
                add_tap_multiplied(acc, image + pixel * a->in_c, w, first, count,
                                   a->depth_multiplier);
            }
            w += a->out_c;
        }
    }
    for (int32_t c = 0; c < count; c++) {
        output[first + c] = oribi_micro_requantise_s8(
            acc[c], a->multiplier[first + c], a->shift[first + c], a->output_zero, a->low, a->high);
    }
}

static void beside(const struct oribi_micro_depthwise_conv2d_s8_args *a, const int8_t *image,
                   int8_t *output)
{
    for (int32_t y = 0; y < a->out_h; y++) {
        TVMGEN_YIELD();
        for (int32_t x = 0; x < a->out_w; x++) {
            for (int32_t c = 0; c < a->out_c; c += BLOCK) {
                const int32_t left = a->out_c - c;
                block(a, image, y * a->stride_h - a->before_h, x * a->stride_w - a->before_w, c,
                      left < BLOCK ? left : BLOCK, output);
            }
            output += a->pitch;
        }
    }
}

/* Copies one channel, padded by the zero point to the plane of plane_h x plane_w that windows
 * see. */
static void copy_plane(const struct oribi_micro_depthwise_conv2d_s8_args *a, const int8_t *image,
                       int32_t channel, int32_t plane_h, int32_t plane_w, int8_t *plane)
{
    const int32_t columns = plane_w - a->before_w < a->in_w ? plane_w - a->before_w : a->in_w;
    (void)memset(plane, a->input_zero, (size_t)(plane_h * plane_w));
    for (int32_t y = 0; y < a->in_h && y + a->before_h < plane_h; y++) {
        int8_t *to = plane + (y + a->before_h) * plane_w + a->before_w;
        const int8_t *from = image + y * a->in_w * a->in_c + channel;
        for (int32_t x = 0; x < columns; x++) {
            to[x] = from[x * a->in_c];
        }
    }
}

static void in_place(const struct oribi_micro_depthwise_conv2d_s8_args *a, const int8_t *image,
                     int8_t *output, int8_t *plane)
{
    const int32_t plane_h = (a->out_h - 1) * a->stride_h + (a->filter_h - 1) * a->dilation_h + 1;
    const int32_t plane_w = (a->out_w - 1) * a->stride_w + (a->filter_w - 1) * a->dilation_w + 1;
    for (int32_t c = 0; c < a->out_c; c++) {
        TVMGEN_YIELD();
        copy_plane(a, image, c, plane_h, plane_w, plane);
        for (int32_t p = 0; p < a->out_h * a->out_w; p++) {
            const int8_t *corner =
                plane + p / a->out_w * a->stride_h * plane_w + p % a->out_w * a->stride_w;
            const int8_t *w = a->filter + c;
            int32_t acc = a->bias[c];
            for (int32_t i = 0; i < a->filter_h; i++) {
                const int8_t *row = corner + i * a->dilation_h * plane_w;
                for (int32_t j = 0; j < a->filter_w; j++) {
                    acc += row[j * a->dilation_w] * *w;
                    w += a->out_c;
                }
            }
            output[p * a->pitch + c] = oribi_micro_requantise_s8(acc, a->multiplier[c], a->shift[c],
                                                                 a->output_zero, a->low, a->high);
        }
    }
}

void oribi_micro_depthwise_conv2d_s8(const struct oribi_micro_depthwise_conv2d_s8_args *args,
                                     const int8_t *input, int8_t *output, void *scratch)
{
    const struct oribi_micro_depthwise_conv2d_s8_args *a = args;
    for (int32_t b = 0; b < a->batch; b++) {
        const int8_t *image = input + b * a->in_h * a->in_w * a->in_c;
        int8_t *to = output + b * a->out_h * a->out_w * a->out_c;
        if (a->in_place != 0) {
            in_place(a, image, to, (int8_t *)scratch);
        } else {
            beside(a, image, to);
        }
    }
}
