/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise convolution of int8 with windows of 3x3. A channel is copied to a plane with its
 * padding; four bytes of each of three rows then hold the windows of two neighbours.
 */
#include "micro/depthwise_conv2d_3x3_s8.h"

#include "micro/dot_s8.h"
#include "micro/memory.h"
#include "micro/port.h"

/* The channel's interior; the border stays as it was filled. */
static void copy_plane(const struct oribi_micro_depthwise_conv2d_3x3_s8_args *a, const int8_t *from,
                       int8_t *plane, int32_t rows, int32_t columns)
{
    const int32_t step = a->in_column_step;
    plane += a->rows_before * a->plane_columns + a->columns_before;
    for (; rows > 0; rows--) {
        const int8_t *x = from;
        int8_t *to = plane;
        int32_t left = columns;
        for (; left >= 4; left -= 4) {
            oribi_micro_store4(to, oribi_micro_load4_apart(x, step));
            x += 4 * step;
            to += 4;
        }
        for (; left > 0; left--) {
            *to++ = *x;
            x += step;
        }
        from += a->in_row_step;
        plane += a->plane_columns;
    }
}

static void channel(const struct oribi_micro_depthwise_conv2d_3x3_s8_args *a, const int8_t *plane,
                    const struct oribi_micro_3x3 *k, int8_t *output)
{
    const int32_t columns = a->plane_columns, step = k->step, next = a->column_stride;
    const int32_t pairs = next == 1 ? a->out_columns & ~1 : 0;
    for (int32_t y = a->out_rows; y > 0; y--) {
        const int8_t *x = plane, *const pairs_end = plane + pairs;
        const int8_t *const end = plane + a->out_columns * next;
        int8_t *to = output;
        for (; x != pairs_end; x += 2) {
            oribi_micro_two_3x3(x, columns, k, to);
            to += 2 * step;
        }
        for (; x != end; x += next) {
            oribi_micro_one_3x3(x, columns, k, to);
            to += step;
        }
        plane += a->row_stride * columns;
        output += a->out_row_step;
    }
}

/* A channel that needs the general arithmetic. */
static void general_channel(const struct oribi_micro_depthwise_conv2d_3x3_s8_args *a,
                            const int8_t *plane, const struct oribi_micro_3x3 *k, int8_t *output)
{
    for (int32_t y = 0; y < a->out_rows; y++) {
        for (int32_t x = 0; x < a->out_columns; x++) {
            const int32_t twice = oribi_micro_sum_3x3(plane + y * a->row_stride * a->plane_columns +
                                                          x * a->column_stride,
                                                      a->plane_columns, k);
            output[y * a->out_row_step + x * k->step] = oribi_micro_requantise_s8(
                k->bias + (twice >> 1), k->multiplier, -(k->shift + ORIBI_MICRO_LANES_GENERAL),
                a->output.zero, a->output.low, a->output.high);
        }
    }
}

static void image(const struct oribi_micro_depthwise_conv2d_3x3_s8_args *a, const int8_t *input,
                  int8_t *output, int8_t *plane)
{
    const int32_t plane_rows = (a->out_rows - 1) * a->row_stride + 3;
    const int32_t rows_seen = plane_rows - a->rows_before;
    const int32_t columns_seen = a->plane_columns - a->columns_before;
    const int32_t *record = a->filter;
    memset(plane, a->input_zero, (size_t)(plane_rows * a->plane_columns + 1));
    for (int32_t c = 0; c < a->channels; c++) {
        TVMGEN_YIELD();
        struct oribi_micro_3x3 k;
        k.sides0 = oribi_micro_double_lanes(oribi_micro_even_bytes(record[0]));
        k.sides1 = oribi_micro_double_lanes(oribi_micro_odd_bytes(record[0]));
        k.sides2 = oribi_micro_double_lanes(oribi_micro_even_bytes(record[1]));
        k.middles = oribi_micro_double_lanes(oribi_micro_odd_bytes(record[1]));
        k.middle0 = oribi_micro_double_lanes(oribi_micro_even_bytes(record[4]));
        k.bias = record[2];
        k.multiplier = record[3];
        k.shift = record[4] >> 8;
        k.step = a->out_column_step;
        copy_plane(a, input + c, plane, rows_seen < a->in_rows ? rows_seen : a->in_rows,
                   columns_seen < a->in_columns ? columns_seen : a->in_columns);
        if (k.shift >= 0) {
            k.rounding = oribi_micro_shift_left(2 * a->output.zero + 1, k.shift);
            channel(a, plane, &k, output + c);
        } else {
            general_channel(a, plane, &k, output + c);
        }
        record += ORIBI_MICRO_LANES_RECORD;
    }
}

void oribi_micro_depthwise_conv2d_3x3_s8(
    const struct oribi_micro_depthwise_conv2d_3x3_s8_args *args, const int8_t *input,
    int8_t *output, void *scratch)
{
    const struct oribi_micro_depthwise_conv2d_3x3_s8_args *a = args;
    for (int32_t b = 0; b < a->batch; b++) {
        image(a, input, output, (int8_t *)scratch);
        input += a->in_rows * a->in_columns * a->channels;
        output += a->out_rows * a->out_columns * a->channels;
    }
}
