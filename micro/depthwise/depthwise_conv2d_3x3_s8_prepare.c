/* SPDX-License-Identifier: Apache-2.0 */
/* What depthwise_conv2d_3x3_s8 needs of the plain convolution's arguments, and which way round its
 * planes lie; what it costs.
 */
#include "micro/depthwise/depthwise_conv2d_3x3_s8_prepare.h"

#include "micro/lanes_prepare.h"
#include "micro/nibbles/nibbles_prepare.h"

int32_t
oribi_micro_depthwise_conv2d_3x3_s8_fits(const struct oribi_micro_depthwise_conv2d_s8_args *plain)
{
    const struct oribi_micro_depthwise_conv2d_s8_args *a = plain;
    return a->depth_multiplier == 1 && a->filter_h == 3 && a->filter_w == 3 && a->dilation_h == 1 &&
           a->dilation_w == 1 && a->out_c < INT32_MAX / 64;
}

/* Four int8, the first in the lowest byte. */
static int32_t bytes(int32_t b0, int32_t b1, int32_t b2, int32_t b3)
{
    return (int32_t)(((uint32_t)b0 & 0xffU) | ((uint32_t)b1 & 0xffU) << 8 |
                     ((uint32_t)b2 & 0xffU) << 16 | (uint32_t)b3 << 24);
}

/* The 5 words of a channel, whose weights lie so far apart along rows and columns. */
static void pack(const struct oribi_micro_depthwise_conv2d_s8_args *a, int32_t channel, int32_t row,
                 int32_t column, int32_t *words)
{
    const struct oribi_micro_lanes_output output = {(int8_t)a->output_zero, (int8_t)a->low,
                                                    (int8_t)a->high, 0};
    int32_t w[3][3], magnitude = 0;
    for (int32_t i = 0; i < 3; i++) {
        for (int32_t j = 0; j < 3; j++) {
            w[i][j] = a->filter[channel + i * row + j * column];
            magnitude += w[i][j] < 0 ? -w[i][j] : w[i][j];
        }
    }
    const struct oribi_micro_lanes_channel c = oribi_micro_lanes_channel(
        a->bias[channel], a->multiplier[channel], a->shift[channel], magnitude, &output);
    const int32_t keep = c.is_constant != 0 ? 0 : 1;
    const int32_t less = c.is_fast != 0 ? 1 : ORIBI_MICRO_LANES_GENERAL;
    words[0] = bytes(keep * w[0][0], keep * w[1][0], keep * w[0][2], keep * w[1][2]);
    words[1] = bytes(keep * w[2][0], keep * w[1][1], keep * w[2][2], keep * w[2][1]);
    words[2] = (c.is_fast != 0 ? 2 : 1) * c.bias;
    words[3] = c.multiplier;
    words[4] = 256 * (c.right - less) + (keep * w[0][1] & 0xff);
}

/* What a plane of so many results costs: two neighbours of a row are made at once. */
static int64_t cost(int32_t rows, int32_t columns, int32_t column_stride)
{
    const int64_t pairs = column_stride == 1 ? columns / 2 : 0;
    return rows * (2 + 8 * pairs + 5 * (columns - 2 * pairs));
}

static void set_rows(const struct oribi_micro_depthwise_conv2d_s8_args *a, int32_t along_width,
                     struct oribi_micro_depthwise_conv2d_3x3_s8_args *args)
{
    const int32_t c = a->in_c;
    args->in_rows = along_width ? a->in_h : a->in_w;
    args->in_columns = along_width ? a->in_w : a->in_h;
    args->in_row_step = along_width ? a->in_w * c : c;
    args->in_column_step = along_width ? c : a->in_w * c;
    args->out_rows = along_width ? a->out_h : a->out_w;
    args->out_columns = along_width ? a->out_w : a->out_h;
    args->out_row_step = along_width ? a->out_w * c : c;
    args->out_column_step = along_width ? c : a->out_w * c;
    args->row_stride = along_width ? a->stride_h : a->stride_w;
    args->column_stride = along_width ? a->stride_w : a->stride_h;
    args->rows_before = along_width ? a->before_h : a->before_w;
    args->columns_before = along_width ? a->before_w : a->before_h;
}

int32_t oribi_micro_depthwise_conv2d_3x3_s8_prepare(
    const struct oribi_micro_depthwise_conv2d_s8_args *plain, int32_t *words,
    struct oribi_micro_depthwise_conv2d_3x3_s8_args *args)
{
    const struct oribi_micro_depthwise_conv2d_s8_args *a = plain;
    const int32_t along_width =
        cost(a->out_h, a->out_w, a->stride_w) <= cost(a->out_w, a->out_h, a->stride_h);
    set_rows(a, along_width, args);
    const int64_t rows = (int64_t)(args->out_rows - 1) * args->row_stride + 3;
    const int64_t columns = (int64_t)(args->out_columns - 1) * args->column_stride + 3;
    if (rows >= INT32_MAX / columns) {
        return ORIBI_MICRO_TOO_LARGE;
    }
    args->output.has_general = 0;
    for (int32_t c = 0; c < a->out_c; c++) {
        pack(a, c, along_width ? 3 * a->out_c : a->out_c, along_width ? a->out_c : 3 * a->out_c,
             words + c * ORIBI_MICRO_LANES_RECORD);
        if (oribi_micro_lanes_is_general(words + c * ORIBI_MICRO_LANES_RECORD)) {
            args->output.has_general = 1;
        }
    }
    args->filter = words;
    args->batch = a->batch;
    args->channels = a->out_c;
    args->plane_columns = (int32_t)columns;
    args->input_zero = a->input_zero;
    args->output.zero = (int8_t)a->output_zero;
    args->output.low = (int8_t)a->low;
    args->output.high = (int8_t)a->high;
    args->scratch_bytes = (int32_t)(rows * columns) + 1;
    return ORIBI_MICRO_OK;
}

/* --- Costs ----------------------------------------------------------------------------------- */

enum {
    /* Instructions of a channel, of a row and of results; of a row and of four inputs that are
     * copied to its plane. */
    CHANNEL = 110,
    PLANE_ROW = 18,
    PLANE_FOUR = 12,
    RESULT_ROW = 32,
    RESULT_PAIR = 38,
    RESULT_SINGLE = 28,
    UNROLLED_ROW = 3,
    UNROLLED_PAIR = 35,
    /* Bytes of code: of the kernel, of an instance, of each of its pairs. */
    KERNEL_CODE = 1500,
    ROWS_CODE = 700,
    PAIR_CODE = 140
};

/* With rows of results that cost so much each. */
static int64_t cost_of_rows(const struct oribi_micro_depthwise_conv2d_3x3_s8_args *a, int64_t row)
{
    const int64_t copy = a->in_rows * (PLANE_ROW + (int64_t)PLANE_FOUR * a->in_columns / 4);
    return (int64_t)a->batch * a->channels * (CHANNEL + copy + row * a->out_rows);
}

static int64_t instructions(const void *args)
{
    const struct oribi_micro_depthwise_conv2d_3x3_s8_args *a = args;
    const int64_t pairs = a->column_stride == 1 ? a->out_columns / 2 : 0;
    return cost_of_rows(a, RESULT_ROW + pairs * RESULT_PAIR +
                               (a->out_columns - 2 * pairs) * RESULT_SINGLE);
}

static int32_t classes(const void *args, struct oribi_micro_class out[ORIBI_MICRO_CLASSES])
{
    const struct oribi_micro_depthwise_conv2d_3x3_s8_args *a = args;
    const int32_t columns = a->out_columns;
    if (columns % 2 != 0 || columns > 8 || a->column_stride != 1 || a->row_stride != 1 ||
        a->out_row_step != columns * a->out_column_step || a->output.has_general != 0) {
        return 0;
    }
    struct oribi_micro_class c = {.name = "w%d",
                                  .what = "rows of %d results beside each other",
                                  .numbers = {columns},
                                  .constants = {{"IS_PLAIN", 1}, {"COLUMNS", columns}},
                                  .n_constants = 2,
                                  .code_bytes = ROWS_CODE + PAIR_CODE * columns / 2};
    c.instructions = cost_of_rows(a, UNROLLED_ROW + columns / 2 * UNROLLED_PAIR);
    out[0] = c;
    return 1;
}

const struct oribi_micro_costs oribi_micro_depthwise_conv2d_3x3_s8_costs = {
    .kernel = "depthwise_conv2d_3x3_s8",
    .body = "all_images",
    .code_bytes = KERNEL_CODE,
    .instructions = instructions,
    .classes = classes,
};

static int64_t words_of(const void *plain)
{
    const struct oribi_micro_depthwise_conv2d_s8_args *a = plain;
    return oribi_micro_depthwise_conv2d_3x3_s8_fits(a)
               ? (int64_t)a->out_c * ORIBI_MICRO_LANES_RECORD
               : 0;
}

static int64_t prepare(const void *plain, int32_t *words, void *args)
{
    struct oribi_micro_depthwise_conv2d_3x3_s8_args *to = args;
    const int32_t code = oribi_micro_depthwise_conv2d_3x3_s8_prepare(plain, words, to);
    return code != ORIBI_MICRO_OK ? code : to->scratch_bytes;
}

const struct oribi_micro_variant oribi_micro_depthwise_conv2d_3x3_s8_variant = {
    "depthwise_conv2d_3x3_s8", &oribi_micro_depthwise_conv2d_3x3_s8_costs, words_of, prepare,
    &oribi_micro_depthwise_conv2d_3x3_nibbles};

/* Of kernels that read no byte behind the plane. */
static int64_t prepare_plane(const void *plain, int32_t *words, void *args)
{
    struct oribi_micro_depthwise_conv2d_3x3_s8_args *to = args;
    const int64_t bytes = prepare(plain, words, args);
    to->scratch_bytes -= bytes < 0 ? 0 : 1;
    return bytes < 0 ? bytes : to->scratch_bytes;
}

const struct oribi_micro_variant oribi_micro_depthwise_conv2d_3x3_plain_s8_variant = {
    .kernel = "depthwise_conv2d_3x3_plain_s8",
    .words = words_of,
    .prepare = prepare_plane,
    .nibbles = &oribi_micro_depthwise_conv2d_3x3_nibbles};
const struct oribi_micro_variant oribi_micro_depthwise_conv2d_3x3_v6m_s8_variant = {
    .kernel = "depthwise_conv2d_3x3_v6m_s8",
    .words = words_of,
    .prepare = prepare_plane,
    .nibbles = &oribi_micro_depthwise_conv2d_3x3_nibbles};
