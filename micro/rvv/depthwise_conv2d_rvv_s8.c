/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise convolution of int8 in vectors of channels: of a block of them, the rows under a row of
 * results lie in scratch with their padding, each until the results no longer need it. So they may
 * be written where the image lies. Read next: rvv.h. */
#include "micro/rvv/depthwise_conv2d_rvv_s8.h"

#include "micro/port.h"

/* Brings row y of `count` channels, or padding, to its place; the ends of rows are padding
 * already. */
static void load_row(const struct oribi_micro_depthwise_conv2d_rvv_s8_args *a, const int8_t *input,
                     int32_t y, int32_t count, int8_t *row)
{
    const int32_t reach = a->columns - a->before_w;
    if (y < 0 || y >= a->in_h) {
        (void)oribi_micro_rvv_fill(a->input_zero, a->columns * count, row);
    } else {
        oribi_micro_rvv_columns(input + (intptr_t)y * a->in_w * a->layer.channels,
                                a->layer.channels, a->in_w < reach ? a->in_w : reach, count,
                                row + a->before_w * count);
    }
}

/* A row of results, two at a time. */
static void results(const struct oribi_micro_depthwise_conv2d_rvv_s8_args *a,
                    const int8_t *const *rows, int32_t channel, int32_t count, int8_t *to)
{
    struct oribi_micro_rvv_windows windows = {
        rows, a->filter_h, a->filter_w, a->dilation_w * count, 0, 0};
    for (int32_t x = 0; x < a->out_w; x += 2) {
        const int32_t more = x + 1 < a->out_w ? 1 : 0;
        windows.first = x * a->stride_w * count;
        windows.second = windows.first + more * a->stride_w * count;
        oribi_micro_rvv_two_windows(&a->layer, &windows, channel, count, to,
                                    to + more * a->layer.channels);
        to += 2 * (intptr_t)a->layer.channels;
    }
}

/* `count` channels from `channel` on, those of one block. */
static void block(const struct oribi_micro_depthwise_conv2d_rvv_s8_args *a, const int8_t *input,
                  int32_t channel, int32_t count, int8_t *output, int8_t *scratch)
{
    const int8_t *rows[ORIBI_MICRO_RVV_ROWS];
    const int32_t row_bytes = a->columns * count;
    int32_t next = 0; /* the row to come, counted from the first window's first */
    (void)oribi_micro_rvv_fill(a->input_zero, a->rows * row_bytes, scratch);
    for (int32_t y = 0; y < a->out_h; y++) {
        const int32_t top = y * a->stride_h;
        TVMGEN_YIELD();
        for (next = next < top ? top : next; next < top + a->rows; next++) {
            load_row(a, input + channel, next - a->before_h, count,
                     scratch + next % a->rows * row_bytes);
        }
        for (int32_t i = 0; i < a->filter_h; i++) {
            rows[i] = scratch + (top + i * a->dilation_h) % a->rows * row_bytes;
        }
        results(a, rows, channel, count, output + channel);
        output += (intptr_t)a->out_w * a->layer.channels;
    }
}

void oribi_micro_depthwise_conv2d_rvv_s8(
    const struct oribi_micro_depthwise_conv2d_rvv_s8_args *args, const int8_t *input,
    int8_t *output, void *scratch)
{
    const struct oribi_micro_depthwise_conv2d_rvv_s8_args *a = args;
    const int32_t channels = a->layer.channels;
    for (int32_t b = 0; b < a->batch; b++) {
        for (int32_t c = 0; c < channels; c += ORIBI_MICRO_RVV_BLOCK) {
            const int32_t left = channels - c;
            block(a, input, c, left < ORIBI_MICRO_RVV_BLOCK ? left : ORIBI_MICRO_RVV_BLOCK, output,
                  scratch);
        }
        input += (intptr_t)a->in_h * a->in_w * channels;
        output += (intptr_t)a->out_h * a->out_w * channels;
    }
}
