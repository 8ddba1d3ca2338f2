/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise convolution of int8 with windows of 3x3. A channel is copied to a plane with its
 * padding; four bytes of each of three rows then hold the windows of two neighbours. The body of a
 * file that is nothing else: depthwise_conv2d_3x3_s8.c for any layer, or an instance for layers
 * that have sizes in common, which names them as constants before it includes this.
 */
#ifndef ORIBI_MICRO_DEPTHWISE_CONV2D_3X3_S8_BODY_H_
#define ORIBI_MICRO_DEPTHWISE_CONV2D_3X3_S8_BODY_H_

#include "micro/depthwise/depthwise_conv2d_3x3_s8_args.h"
#include "micro/dot_s8.h"
#include "micro/dsp_3x3.h"
#include "micro/memory.h"
#include "micro/port.h"

#ifndef ORIBI_MICRO_IS_PLAIN
#define ORIBI_MICRO_IS_PLAIN 0
#endif

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

/* An instance may know how many results a row has, an even number of neighbours, that rows of them
 * follow each other without a gap, and that no channel is general. */
static void channel(const struct oribi_micro_depthwise_conv2d_3x3_s8_args *a, const int8_t *plane,
                    const struct oribi_micro_3x3 *k, int8_t *output)
{
#ifdef ORIBI_MICRO_COLUMNS
    oribi_micro_rows_3x3(plane, a->out_rows, k, output);
#else
    const int32_t columns = a->plane_columns, next = a->column_stride;
    const int32_t pairs = next == 1 ? a->out_columns & ~1 : 0, width = a->out_columns * next;
    const int32_t row = a->row_stride * columns, out_row = a->out_row_step;
    for (int32_t y = a->out_rows; y > 0; y--) {
        const int8_t *const pairs_end = plane + pairs, *const end = plane + width;
        int8_t *const to = oribi_micro_pairs_3x3(plane, pairs_end, columns, k, output);
        (void)oribi_micro_singles_3x3(pairs_end, end, next, columns, k, to);
        plane += row;
        output += out_row;
    }
#endif
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
    (void)memset(plane, a->input_zero, (size_t)(plane_rows * a->plane_columns + 1));
    for (int32_t c = 0; c < a->channels; c++) {
        TVMGEN_YIELD();
        const int32_t sides = record[0], rest = record[1], last = record[4];
        struct oribi_micro_3x3 k;
        k.sides0 = oribi_micro_double_lanes(oribi_micro_even_bytes(sides));
        k.sides1 = oribi_micro_double_lanes(oribi_micro_odd_bytes(sides));
        k.sides2 = oribi_micro_double_lanes(oribi_micro_even_bytes(rest));
        k.middles = oribi_micro_double_lanes(oribi_micro_odd_bytes(rest));
        k.middle0 = oribi_micro_double_lanes(oribi_micro_even_bytes(last));
        k.bias = record[2];
        k.multiplier = record[3];
        k.shift = last >> 8;
        k.step = a->out_column_step;
        copy_plane(a, input + c, plane, rows_seen < a->in_rows ? rows_seen : a->in_rows,
                   columns_seen < a->in_columns ? columns_seen : a->in_columns);
        if (ORIBI_MICRO_IS_PLAIN || k.shift >= 0) {
            k.rounding = oribi_micro_shift_left(2 * a->output.zero + 1, k.shift);
            channel(a, plane, &k, output + c);
        } else {
            general_channel(a, plane, &k, output + c);
        }
        record += ORIBI_MICRO_LANES_RECORD;
    }
}

/* See depthwise_conv2d_3x3_s8.h. */
static inline void all_images(const struct oribi_micro_depthwise_conv2d_3x3_s8_args *a,
                              const int8_t *input, int8_t *output, void *scratch)
{
    for (int32_t b = 0; b < a->batch; b++) {
        image(a, input, output, (int8_t *)scratch);
        input += a->in_rows * a->in_columns * a->channels;
        output += a->out_rows * a->out_columns * a->channels;
    }
}

#endif
