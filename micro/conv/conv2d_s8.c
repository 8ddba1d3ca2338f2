/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution of int8: windows inside the image are summed where they lie, windows over the border
 * are first copied to scratch, with the zero point for what is missing. Read next: dot_s8.h.
 */
#include "micro/conv/conv2d_s8.h"

#include "micro/dot_s8.h"
#include "micro/memory.h"
#include "micro/port.h"

/* The inputs of one result pixel: `rows` runs of `run` bytes, `stride` apart. */
struct window {
    const int8_t *data;
    int32_t rows, run, stride;
};

/* Writes `count` result channels from `first` on. */
static void window_sum(const struct oribi_micro_conv2d_s8_args *a, struct window w, int32_t first,
                       int32_t count, int8_t *output)
{
    const int32_t taps = w.rows * w.run;
    const int32_t end = first + count;
    int32_t c = first;
    for (; c + 4 <= end; c += 4) {
        const int8_t *filter = a->filter + c * taps;
        int32_t acc[4] = {a->bias[c], a->bias[c + 1], a->bias[c + 2], a->bias[c + 3]};
        for (int32_t r = 0; r < w.rows; r++) {
            oribi_micro_dot4_s8(w.data + r * w.stride, filter + r * w.run, taps, w.run, acc);
        }
        for (int32_t i = 0; i < 4; i++) {
            output[c + i] = oribi_micro_requantise_s8(acc[i], a->multiplier[c + i], a->shift[c + i],
                                                      a->output_zero, a->low, a->high);
        }
    }
    for (; c < end; c++) {
        int32_t acc = a->bias[c];
        for (int32_t r = 0; r < w.rows; r++) {
            acc = oribi_micro_dot_s8(w.data + r * w.stride, a->filter + c * taps + r * w.run, w.run,
                                     acc);
        }
        output[c] = oribi_micro_requantise_s8(acc, a->multiplier[c], a->shift[c], a->output_zero,
                                              a->low, a->high);
    }
}

/* Copies the channels from `first` on of the window whose corner is (y, x). */
static void gather(const struct oribi_micro_conv2d_s8_args *a, const int8_t *image, int32_t y,
                   int32_t x, int32_t first, int8_t *patch)
{
    const int32_t depth = a->depth;
    for (int32_t i = 0; i < a->filter_h; i++) {
        const int32_t row = y + i * a->dilation_h;
        for (int32_t j = 0; j < a->filter_w; j++) {
            const int32_t column = x + j * a->dilation_w;
            if (row < 0 || row >= a->in_h || column < 0 || column >= a->in_w) {
                (void)memset(patch, a->input_zero, (size_t)depth);
            } else {
                (void)memcpy(patch, image + (row * a->in_w + column) * a->in_c + first,
                             (size_t)depth);
            }
            patch += depth;
        }
    }
}

static void pixel(const struct oribi_micro_conv2d_s8_args *a, const int8_t *image, int32_t y,
                  int32_t x, int8_t *output, int8_t *patch)
{
    const int32_t depth = a->depth, outputs = a->out_c / a->groups;
    const int inside = y >= 0 && x >= 0 && y + (a->filter_h - 1) * a->dilation_h < a->in_h &&
                       x + a->filter_w <= a->in_w;
    struct window w;
    if (inside && a->gather == 0) {
        w.data = image + (y * a->in_w + x) * a->in_c;
        w.rows = a->filter_h;
        w.run = a->filter_w * a->in_c;
        w.stride = a->dilation_h * a->in_w * a->in_c;
        window_sum(a, w, 0, a->out_c, output);
        return;
    }
    w.data = patch;
    w.rows = 1;
    w.run = a->filter_h * a->filter_w * depth;
    w.stride = 0;
    for (int32_t g = 0; g < a->groups; g++) {
        gather(a, image, y, x, g * depth, patch);
        window_sum(a, w, g * outputs, outputs, output);
    }
}

void oribi_micro_conv2d_s8(const struct oribi_micro_conv2d_s8_args *args, const int8_t *input,
                           int8_t *output, void *scratch)
{
    const struct oribi_micro_conv2d_s8_args *a = args;
    for (int32_t b = 0; b < a->batch; b++) {
        const int8_t *image = input + b * a->in_h * a->in_w * a->in_c;
        for (int32_t y = 0; y < a->out_h; y++) {
            TVMGEN_YIELD();
            for (int32_t x = 0; x < a->out_w; x++) {
                pixel(a, image, y * a->stride_h - a->before_h, x * a->stride_w - a->before_w,
                      output, (int8_t *)scratch);
                output += a->pitch;
            }
        }
    }
}
