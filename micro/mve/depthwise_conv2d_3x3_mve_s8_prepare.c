/* SPDX-License-Identifier: Apache-2.0 */
/* What depthwise_conv2d_3x3_mve_s8 needs of the plain convolution's arguments. */
#include "micro/mve/depthwise_conv2d_3x3_mve_s8_prepare.h"

#include <stddef.h>

#include "micro/mve/mve_3x3.h"
#include "micro/mve/mve_prepare.h"
#include "micro/nibbles/nibbles_prepare.h"
#include "micro/prepare.h"

/* Columns of a row in scratch: results are made in pairs. */
static int64_t columns_of(int32_t out, int32_t stride)
{
    return (int64_t)((out + 1) / 2 * 2 - 1) * stride + 3;
}

/* Instructions of a block of channels, about. */
static int64_t cost(int32_t rows, int32_t columns)
{
    return (int64_t)rows * (100 + 4 * columns + 136 * ((columns + 1) / 2));
}

/* May the image's columns be the rows, as results lie where the same column was, and is it cheaper
 * so? */
static int32_t is_turned(const struct oribi_micro_depthwise_conv2d_s8_args *a)
{
    return a->out_h == a->in_h && a->out_w == a->in_w && a->stride_h == 1 && a->stride_w == 1 &&
           cost(a->out_w, a->out_h) < cost(a->out_h, a->out_w);
}

static int32_t sizes_fit(const struct oribi_micro_depthwise_conv2d_s8_args *a)
{
    const int32_t sizes[] = {a->batch, a->in_h, a->in_w, a->out_h, a->out_w, a->out_c};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (sizes[i] > INT16_MAX) {
            return 0;
        }
    }
    return a->stride_h <= INT8_MAX && a->stride_w <= 2 &&
           columns_of(a->out_w, a->stride_w) <= INT16_MAX && columns_of(a->out_h, 1) <= INT16_MAX;
}

static int64_t words_of(const void *plain)
{
    const struct oribi_micro_depthwise_conv2d_s8_args *a = plain;
    if (a->depth_multiplier != 1 || a->filter_h != 3 || a->filter_w != 3 || a->dilation_h != 1 ||
        a->dilation_w != 1 || a->out_c % ORIBI_MICRO_MVE_BLOCK != 0 || !sizes_fit(a) ||
        !oribi_micro_mve_shifts_fit(a->shift, a->out_c)) {
        return 0;
    }
    for (int32_t i = 0; i < 9 * a->out_c; i++) {
        if (a->filter[i] == INT8_MIN) {
            return 0;
        }
    }
    return (int64_t)a->out_c / ORIBI_MICRO_MVE_BLOCK * ORIBI_MICRO_MVE_BLOCK_WORDS;
}

/* The words of the block that begins with channel `first`. */
static void pack(const struct oribi_micro_depthwise_conv2d_s8_args *a, int32_t turned,
                 int32_t first, int32_t *words)
{
    int32_t *const weights = words + ORIBI_MICRO_MVE_BIASES;
    int32_t *const record = weights + ORIBI_MICRO_MVE_WEIGHTS;
    for (int32_t i = 0; i < ORIBI_MICRO_MVE_WEIGHTS; i++) {
        weights[i] = 0;
    }
    for (int32_t c = 0; c < ORIBI_MICRO_MVE_BLOCK; c++) {
        const int32_t at = c % 2 * 4 + c / 2;
        words[at] = a->bias[first + c];
        record[at] = a->multiplier[first + c];
        record[8 + at] = a->shift[first + c];
        for (int32_t tap = 0; tap < 9; tap++) {
            const int32_t byte = ORIBI_MICRO_MVE_BLOCK * tap + c;
            const int32_t from = turned ? tap % 3 * 3 + tap / 3 : tap;
            const uint32_t weight = (uint32_t)a->filter[from * a->out_c + first + c] & 0xffU;
            weights[byte / 4] = (int32_t)((uint32_t)weights[byte / 4] | weight << 8 * (byte % 4));
        }
    }
}

static void set_rows(const struct oribi_micro_depthwise_conv2d_s8_args *a, int32_t turned,
                     struct oribi_micro_depthwise_conv2d_3x3_mve_s8_args *to)
{
    const int32_t c = a->out_c;
    to->in_rows = (int16_t)(turned ? a->in_w : a->in_h);
    to->in_columns = (int16_t)(turned ? a->in_h : a->in_w);
    to->in_row_step = turned ? c : a->in_w * c;
    to->in_column_step = turned ? a->in_w * c : c;
    to->out_rows = (int16_t)(turned ? a->out_w : a->out_h);
    to->out_columns = (int16_t)(turned ? a->out_h : a->out_w);
    to->out_row_step = turned ? c : a->out_w * c;
    to->out_column_step = turned ? a->out_w * c : c;
    to->row_stride = (int8_t)a->stride_h; /* both are 1 where rows are columns */
    to->column_stride = (int8_t)a->stride_w;
    to->rows_before = (int8_t)(turned ? a->before_w : a->before_h);
    to->columns_before = (int8_t)(turned ? a->before_h : a->before_w);
    to->columns = (int16_t)columns_of(to->out_columns, to->column_stride);
}

static int64_t prepare(const void *plain, int32_t *words, void *args)
{
    const struct oribi_micro_depthwise_conv2d_s8_args *a = plain;
    struct oribi_micro_depthwise_conv2d_3x3_mve_s8_args *to = args;
    for (int32_t c = 0; c < a->out_c; c += ORIBI_MICRO_MVE_BLOCK) {
        pack(a, is_turned(a), c, words + c / ORIBI_MICRO_MVE_BLOCK * ORIBI_MICRO_MVE_BLOCK_WORDS);
    }
    to->filter = words;
    to->batch = (int16_t)a->batch;
    to->channels = (int16_t)a->out_c;
    set_rows(a, is_turned(a), to);
    to->input_zero = (int8_t)a->input_zero;
    to->output.zero = (int8_t)a->output_zero;
    to->output.low = (int8_t)a->low;
    to->output.high = (int8_t)a->high;
    return 3 * ORIBI_MICRO_MVE_BLOCK * (int64_t)to->columns;
}

const struct oribi_micro_variant oribi_micro_depthwise_conv2d_3x3_mve_s8_variant = {
    .kernel = "depthwise_conv2d_3x3_mve_s8",
    .words = words_of,
    .prepare = prepare,
    .nibbles = &oribi_micro_depthwise_conv2d_3x3_mve_nibbles};
