/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise convolution of int8 with windows of 3x3 on a core without lanes: a channel is copied to
 * a plane with its padding, and four neighbours of a row are summed at once. The body of
 * depthwise_conv2d_3x3_plain_s8.c, and of depthwise_conv2d_3x3_v6m_s8.c, which says that
 * ORIBI_MICRO_BIASED is 1: the plane then holds unsigned bytes, 128 more than the inputs
 * (quads_s8.h), and the bias is less by what that adds to a sum.
 */
#ifndef ORIBI_MICRO_DEPTHWISE_CONV2D_3X3_PLAIN_S8_BODY_H_
#define ORIBI_MICRO_DEPTHWISE_CONV2D_3X3_PLAIN_S8_BODY_H_

#include "micro/depthwise/depthwise_conv2d_3x3_s8_args.h"
#include "micro/memory.h"
#include "micro/port.h"
#include "micro/quads/quads_s8.h"

#if ORIBI_MICRO_BIASED
typedef uint8_t plane_byte;
#else
typedef int8_t plane_byte;
#endif

struct plane_channel {
    int32_t w[9]; /* row by row */
    int32_t bias, multiplier, rounding, shift;
};

/* Of a record of five words: see depthwise_conv2d_3x3_s8_prepare.c. */
static void read_channel(const int32_t *record, int32_t zero, struct plane_channel *c)
{
    static const uint8_t from[9] = {0, 8, 2, 1, 5, 3, 4, 7, 6};
    int32_t sum = 0;
    for (int32_t i = 0; i < 9; i++) {
        const uint32_t word = (uint32_t)record[from[i] == 8 ? 4 : from[i] >> 2];
        c->w[i] = (int8_t)(uint8_t)(word >> 8 * (from[i] & 3) & 0xffU);
        sum += c->w[i];
    }
    c->bias = record[2];
    c->multiplier = record[3];
    c->shift = record[4] >> 8;
    c->rounding = c->shift >= 0 ? oribi_micro_shift_left(2 * zero + 1, c->shift) : 0;
    if (ORIBI_MICRO_BIASED) {
        c->bias -= 128 * sum * (c->shift >= 0 ? 2 : 1);
    }
}

/* The channel's interior; the border stays as it was filled. */
static void copy_plane(const struct oribi_micro_depthwise_conv2d_3x3_s8_args *a, const int8_t *from,
                       plane_byte *plane, int32_t rows, int32_t columns)
{
    const int32_t step = a->in_column_step;
    plane += a->rows_before * a->plane_columns + a->columns_before;
    for (; rows > 0; rows--) {
        const int8_t *x = from;
        plane_byte *const end = plane + columns;
        for (plane_byte *to = plane; to != end; to++) {
            *to = (plane_byte)oribi_micro_quads_input(*x);
            x += step;
        }
        from += a->in_row_step;
        plane += a->plane_columns;
    }
}

/* The sums of n neighbours, a constant. */
static inline void neighbours(const plane_byte *x, int32_t columns, const int32_t *w, int32_t n,
                              int32_t *sums)
{
    for (int32_t i = 0; i < n; i++) {
        sums[i] = 0;
    }
    for (int32_t row = 0; row < 3; row++) {
        const int32_t w0 = w[0], w1 = w[1], w2 = w[2];
        for (int32_t i = 0; i < n; i++) {
            sums[i] += x[i] * w0;
            sums[i] += x[i + 1] * w1;
            sums[i] += x[i + 2] * w2;
        }
        x += columns;
        w += 3;
    }
}

static inline int8_t *results(const struct plane_channel *c, const int32_t *sums, int32_t n,
                              int32_t step, int8_t *to)
{
    for (int32_t i = 0; i < n; i++) {
        *to = oribi_micro_quads_result(c->bias + 2 * sums[i], c->multiplier, c->rounding, c->shift);
        to += step;
    }
    return to;
}

static void channel(const struct oribi_micro_depthwise_conv2d_3x3_s8_args *a,
                    const plane_byte *plane, const struct plane_channel *c, int8_t *output)
{
    const int32_t columns = a->plane_columns, next = a->column_stride, step = a->out_column_step;
    for (int32_t y = a->out_rows; y > 0; y--) {
        const plane_byte *x = plane;
        int8_t *to = output;
        int32_t left = a->out_columns, sums[4];
        for (; next == 1 && left >= 4; left -= 4) {
            neighbours(x, columns, c->w, 4, sums);
            to = results(c, sums, 4, step, to);
            x += 4;
        }
        if (next == 1 && left >= 2) {
            neighbours(x, columns, c->w, 2, sums);
            to = results(c, sums, 2, step, to);
            x += 2;
            left -= 2;
        }
        for (; left > 0; left--) {
            neighbours(x, columns, c->w, 1, sums);
            to = results(c, sums, 1, step, to);
            x += next;
        }
        plane += a->row_stride * columns;
        output += a->out_row_step;
    }
}

/* A channel that needs the general arithmetic. */
static void general_channel(const struct oribi_micro_depthwise_conv2d_3x3_s8_args *a,
                            const plane_byte *plane, const struct plane_channel *c, int8_t *output)
{
    const int32_t record[9] = {c->bias, 0, 0, 0, c->multiplier, 0, 0, 0, c->shift};
    for (int32_t y = 0; y < a->out_rows; y++) {
        for (int32_t x = 0; x < a->out_columns; x++) {
            int32_t sum;
            neighbours(plane + y * a->row_stride * a->plane_columns + x * a->column_stride,
                       a->plane_columns, c->w, 1, &sum);
            oribi_micro_quads_general(&a->output, record, &sum,
                                      output + y * a->out_row_step + x * a->out_column_step, 1);
        }
    }
}

static void image(const struct oribi_micro_depthwise_conv2d_3x3_s8_args *a, const int8_t *input,
                  int8_t *output, plane_byte *plane)
{
    const int32_t plane_rows = (a->out_rows - 1) * a->row_stride + 3;
    const int32_t rows_seen = plane_rows - a->rows_before;
    const int32_t columns_seen = a->plane_columns - a->columns_before;
    const int32_t *record = a->filter;
    (void)memset(plane, oribi_micro_quads_input(a->input_zero),
                 (size_t)(plane_rows * a->plane_columns));
    for (int32_t k = 0; k < a->channels; k++) {
        struct plane_channel c;
        TVMGEN_YIELD();
        read_channel(record, a->output.zero, &c);
        copy_plane(a, input + k, plane, rows_seen < a->in_rows ? rows_seen : a->in_rows,
                   columns_seen < a->in_columns ? columns_seen : a->in_columns);
        if (c.shift >= 0) {
            channel(a, plane, &c, output + k);
        } else {
            general_channel(a, plane, &c, output + k);
        }
        record += ORIBI_MICRO_LANES_RECORD;
    }
}

/* See depthwise_conv2d_3x3_s8.h. */
static inline void all_images(const struct oribi_micro_depthwise_conv2d_3x3_s8_args *a,
                              const int8_t *input, int8_t *output, void *scratch)
{
    for (int32_t b = 0; b < a->batch; b++) {
        image(a, input, output, (plane_byte *)scratch);
        input += a->in_rows * a->in_columns * a->channels;
        output += a->out_rows * a->out_columns * a->channels;
    }
}

#endif
