/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise convolution of int8 with windows of 3x3. A channel is copied to a plane with its
 * padding; four bytes of each of three rows then hold the windows of two neighbours.
 */
#include "micro/depthwise_conv2d_3x3_s8.h"

#include "micro/dot_s8.h"
#include "micro/memory.h"
#include "micro/port.h"

/* Doubled weights as lanes: the outer ones of each row; the middles of rows 0 and 1; of row 2. */
struct weights {
    int32_t sides0, sides1, sides2, middles, middle2;
};

/* How a channel's results are made; rounding as in lanes_s8.h. */
struct scale {
    int32_t bias, multiplier, rounding, shift;
};

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

/* Twice the sums of two windows beside each other, from twice a bias. */
static inline void sum_two(const int8_t *x, int32_t columns, const struct weights *w, int32_t bias,
                           int32_t *first, int32_t *second)
{
    int32_t four = oribi_micro_load4(x);
    int32_t even = oribi_micro_even_bytes(four), odd = oribi_micro_odd_bytes(four);
    int32_t s = oribi_micro_dot2(even, w->sides0, bias), t = oribi_micro_dot2(odd, w->sides0, bias);
    s = oribi_micro_low_by_low(odd, w->middles, s);
    t = oribi_micro_high_by_low(even, w->middles, t);
    four = oribi_micro_load4(x + columns);
    even = oribi_micro_even_bytes(four);
    odd = oribi_micro_odd_bytes(four);
    s = oribi_micro_dot2(even, w->sides1, s);
    t = oribi_micro_dot2(odd, w->sides1, t);
    s = oribi_micro_low_by_high(odd, w->middles, s);
    t = oribi_micro_high_by_high(even, w->middles, t);
    four = oribi_micro_load4(x + 2 * columns);
    even = oribi_micro_even_bytes(four);
    odd = oribi_micro_odd_bytes(four);
    s = oribi_micro_dot2(even, w->sides2, s);
    t = oribi_micro_dot2(odd, w->sides2, t);
    *first = oribi_micro_low_by_low(odd, w->middle2, s);
    *second = oribi_micro_high_by_low(even, w->middle2, t);
}

/* Twice the sum of one window. */
static inline int32_t sum_one(const int8_t *x, int32_t columns, const struct weights *w,
                              int32_t bias)
{
    int32_t four = oribi_micro_load4(x);
    int32_t s = oribi_micro_dot2(oribi_micro_even_bytes(four), w->sides0, bias);
    s = oribi_micro_low_by_low(oribi_micro_odd_bytes(four), w->middles, s);
    four = oribi_micro_load4(x + columns);
    s = oribi_micro_dot2(oribi_micro_even_bytes(four), w->sides1, s);
    s = oribi_micro_low_by_high(oribi_micro_odd_bytes(four), w->middles, s);
    four = oribi_micro_load4(x + 2 * columns);
    s = oribi_micro_dot2(oribi_micro_even_bytes(four), w->sides2, s);
    return oribi_micro_low_by_low(oribi_micro_odd_bytes(four), w->middle2, s);
}

static void channel(const struct oribi_micro_depthwise_conv2d_3x3_s8_args *a, const int8_t *plane,
                    const struct weights *w, const struct scale *k, int8_t *output)
{
    const int32_t columns = a->plane_columns, step = a->out_column_step;
    const int32_t pairs_from = a->column_stride == 1 ? 2 : INT32_MAX;
    for (int32_t y = 0; y < a->out_rows; y++) {
        const int8_t *x = plane;
        int8_t *to = output;
        int32_t left = a->out_columns, s, t;
        for (; left >= pairs_from; left -= 2) {
            sum_two(x, columns, w, k->bias, &s, &t);
            x += 2;
            to[0] = oribi_micro_lanes_result(s, k->multiplier, k->rounding, k->shift);
            to[step] = oribi_micro_lanes_result(t, k->multiplier, k->rounding, k->shift);
            to += 2 * step;
        }
        for (; left > 0; left--) {
            s = sum_one(x, columns, w, k->bias);
            x += a->column_stride;
            *to = oribi_micro_lanes_result(s, k->multiplier, k->rounding, k->shift);
            to += step;
        }
        plane += a->row_stride * columns;
        output += a->out_row_step;
    }
}

/* A channel that needs the general arithmetic. */
static void general_channel(const struct oribi_micro_depthwise_conv2d_3x3_s8_args *a,
                            const int8_t *plane, const struct weights *w, const struct scale *k,
                            int8_t *output)
{
    for (int32_t y = 0; y < a->out_rows; y++) {
        for (int32_t x = 0; x < a->out_columns; x++) {
            const int32_t twice =
                sum_one(plane + y * a->row_stride * a->plane_columns + x * a->column_stride,
                        a->plane_columns, w, 0);
            output[y * a->out_row_step + x * a->out_column_step] = oribi_micro_requantise_s8(
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
        struct weights w;
        struct scale k;
        w.sides0 = oribi_micro_double_lanes(oribi_micro_even_bytes(record[0]));
        w.sides1 = oribi_micro_double_lanes(oribi_micro_odd_bytes(record[0]));
        w.sides2 = oribi_micro_double_lanes(oribi_micro_even_bytes(record[1]));
        w.middles = oribi_micro_double_lanes(oribi_micro_odd_bytes(record[1]));
        w.middle2 = oribi_micro_double_lanes(oribi_micro_even_bytes(record[4]));
        k.bias = record[2];
        k.multiplier = record[3];
        k.shift = record[4] >> 8;
        copy_plane(a, input + c, plane, rows_seen < a->in_rows ? rows_seen : a->in_rows,
                   columns_seen < a->in_columns ? columns_seen : a->in_columns);
        if (k.shift >= 0) {
            k.rounding = oribi_micro_shift_left(2 * a->output.zero + 1, k.shift);
            channel(a, plane, &w, &k, output + c);
        } else {
            general_channel(a, plane, &w, &k, output + c);
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
