/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise convolution of int8 with windows of 3x3: of eight channels, the three rows under a row
 * of results lie in scratch with their padding, each until the results no longer need it. So they
 * may be written where the image lies. Read next: mve_3x3.h. */
#include "micro/mve/depthwise_conv2d_3x3_mve_s8.h"

#include "micro/mve/mve_3x3.h"
#include "micro/port.h"

/* Brings row y, or padding, to its place. */
static void load_row(const struct oribi_micro_depthwise_conv2d_3x3_mve_s8_args *a,
                     const int8_t *input, int32_t y, int8_t *row)
{
    const int32_t reach = a->columns - a->columns_before;
    if (y < 0 || y >= a->in_rows) {
        (void)oribi_micro_mve_fill(a->input_zero, ORIBI_MICRO_MVE_BLOCK * a->columns, row);
    } else {
        oribi_micro_mve_columns(input + y * a->in_row_step, a->in_column_step,
                                a->in_columns < reach ? a->in_columns : reach,
                                row + ORIBI_MICRO_MVE_BLOCK * a->columns_before);
    }
}

static void block(const struct oribi_micro_depthwise_conv2d_3x3_mve_s8_args *a, const int8_t *input,
                  const int32_t *w, const int32_t *bounds, int8_t *output, int8_t *scratch)
{
    const int32_t row_bytes = ORIBI_MICRO_MVE_BLOCK * a->columns, pairs = a->out_columns / 2;
    int8_t *rows[3] = {scratch, scratch + row_bytes, scratch + 2 * row_bytes};
    int32_t have = 0, y = -a->rows_before; /* rows that are there; the first row of the window */
    (void)oribi_micro_mve_fill(a->input_zero, 3 * row_bytes, scratch); /* the ends of rows stay */
    for (int32_t out_y = 0; out_y < a->out_rows; out_y++) {
        for (; have < 3; have++) {
            load_row(a, input, y + have, rows[have]);
        }
        struct oribi_micro_mve_3x3 k = {{rows[0], rows[1], rows[2]}, a->out_column_step, bounds};
        if (pairs > 0) {
            oribi_micro_mve_windows(&k, pairs, a->column_stride, w, output);
        }
        if (a->out_columns % 2 != 0) {
            const int32_t behind = ORIBI_MICRO_MVE_BLOCK * 2 * pairs * a->column_stride;
            k.rows[0] += behind;
            k.rows[1] += behind;
            k.rows[2] += behind;
            k.to_step = 0;
            oribi_micro_mve_windows(&k, 1, a->column_stride, w,
                                    output + 2 * pairs * a->out_column_step);
        }
        output += a->out_row_step;
        for (int32_t i = 0; i < a->row_stride; i++, y++) { /* the rows move up */
            int8_t *const first = rows[0];
            rows[0] = rows[1];
            rows[1] = rows[2];
            rows[2] = first;
            have -= have > 0;
        }
    }
}

void oribi_micro_depthwise_conv2d_3x3_mve_s8(
    const struct oribi_micro_depthwise_conv2d_3x3_mve_s8_args *args, const int8_t *input,
    int8_t *output, void *scratch)
{
    const struct oribi_micro_depthwise_conv2d_3x3_mve_s8_args *a = args;
    int32_t bounds[ORIBI_MICRO_MVE_BOUNDS];
    oribi_micro_mve_bounds(&a->output, bounds);
    for (int32_t b = 0; b < a->batch; b++) {
        const int32_t *w = a->filter;
        for (int32_t c = 0; c < a->channels; c += ORIBI_MICRO_MVE_BLOCK) {
            TVMGEN_YIELD();
            block(a, input + c, w, bounds, output + c, scratch);
            w += ORIBI_MICRO_MVE_BLOCK_WORDS;
        }
        input += a->in_rows * a->in_columns * a->channels;
        output += a->out_rows * a->out_columns * a->channels;
    }
}
