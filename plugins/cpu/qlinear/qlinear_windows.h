/* SPDX-License-Identifier: Apache-2.0 */
/* What a layer of ONNX>QLinearConv2D is, where its windows lie, and where its results go. Read
 * next: qlinear_conv_loops.h, qlinear_depthwise_loops.h. */
#ifndef ORIBI_PLUGINS_CPU_QLINEAR_WINDOWS_H_
#define ORIBI_PLUGINS_CPU_QLINEAR_WINDOWS_H_

#include "cpu/qlinear/qlinear_kernels.h"
#include "cpu/qlinear/qlinear_panels.h"

/* A depthwise layer's weights, less their zero points (qlinear_taps.h), of each channel their
 * total, and of each block of channels whether they are bytes. */
typedef struct packed_taps {
    int16_t *weights;
    int32_t *totals;
    uint8_t *narrow;
} packed_taps;

typedef struct layer {
    const struct oribi_micro_qlinear_conv2d_args *a;
    const uint8_t *x, *w;
    const int32_t *bias, *zeros;
    const float *multipliers;
    scaling floats; /* of a hybrid layer, of all channels */
    void *output;
    weight *packed;
    int32_t *begins;      /* what sums begin with, of each panel; depthwise: of each channel */
    packed_taps taps;     /* depthwise */
    const uint8_t *blank; /* depthwise: pixels of the padding, a row of the image */
    bool has_row_part;    /* qlinear_quads.h */
    bool is_direct;       /* windows are read where they lie */
    bool is_loose;        /* windows inside are gathered in whole lots of LOOSE */
    int32_t depth, inner; /* of a group: channels, numbers of a window */
    int32_t run, runs;    /* numbers of a window's row that lie side by side, lots of them */
    int64_t run_step, row_step, reach; /* bytes from run to run, from row to row, of a window */
    int32_t each, panels;              /* of a group: results, panels of them */
    int32_t parts;                     /* of a group: blocks of PANEL results */
    int64_t rows;
} layer;

/* The pixel at (y, x) of image b; NULL in the padding. */
static const uint8_t *pixel(const layer *l, int64_t b, int64_t y, int64_t x)
{
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    const bool is_inside = y >= 0 && y < a->in_h && x >= 0 && x < a->in_w;
    return is_inside ? l->x + ((b * a->in_h + y) * a->in_w + x) * a->in_c : NULL;
}

static void fill_with(number value, int32_t count, number *to)
{
    for (int32_t i = 0; i < count; i++) {
        to[i] = value;
    }
}

/* Where the window of a result begins: perhaps in the padding. */
typedef struct place {
    int64_t image, y, x;
} place;

static place place_of(const layer *l, int64_t row)
{
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    const int64_t line = row / a->out_w;
    return (place){line / a->out_h, line % a->out_h * a->stride_h - a->before_h,
                   (row - line * a->out_w) * a->stride_w - a->before_w};
}

/* The place of the result behind. */
static void step_place(const layer *l, place *at)
{
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    at->x += a->stride_w;
    if (at->x + a->before_w == (int64_t)a->out_w * a->stride_w) {
        at->x = -(int64_t)a->before_w;
        at->y += a->stride_h;
    }
    if (at->y + a->before_h == (int64_t)a->out_h * a->stride_h) {
        at->y = -(int64_t)a->before_h;
        at->image++;
    }
}

/* How windows lie in an image. */
static void find_runs(layer *l)
{
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    const bool is_row = a->groups == 1 && a->dilation_w == 1;
    l->run = (is_row ? a->filter_w : 1) * l->depth;
    l->runs = is_row ? 1 : a->filter_w;
    l->run_step = (int64_t)a->dilation_w * a->in_c;
    l->row_step = (int64_t)a->dilation_h * a->in_w * a->in_c;
    l->reach = (a->filter_h - 1) * l->row_step + (l->runs - 1) * l->run_step + l->run + LOOSE +
               (int64_t)(a->groups - 1) * l->depth;
    l->is_loose = l->inner + LOOSE <= CHUNK;
}

/* Of `left` results from a place on, those of a row of results whose windows lie in the image, and
 * in the input what is read behind them; 0: not the first one's. */
static int32_t windows_inside(const layer *l, const place *at, int32_t left)
{
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    const int64_t last_x = a->in_w - 1 - (int64_t)(a->filter_w - 1) * a->dilation_w; /* may begin */
    const int64_t last_y = a->in_h - 1 - (int64_t)(a->filter_h - 1) * a->dilation_h;
    if (!l->is_loose || at->x < 0 || at->y < 0 || at->x > last_x || at->y > last_y) {
        return 0;
    }
    const int64_t step = (int64_t)a->stride_w * a->in_c;
    const int64_t behind = (int64_t)a->batch * a->in_h * a->in_w * a->in_c - l->reach;
    const int64_t room = behind - (pixel(l, at->image, at->y, at->x) - l->x);
    const int64_t of_row = a->out_w - (at->x + a->before_w) / a->stride_w;
    int64_t n = (last_x - at->x) / a->stride_w + 1;
    n = n < of_row ? n : of_row;
    n = room < 0 ? 0 : n < room / step + 1 ? n : room / step + 1;
    return (int32_t)(n < left ? n : left);
}

/* Such windows, a line each. */
static void gather_inside(const layer *l, const place *at, int32_t group, int32_t n, number *to)
{
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    const uint32_t flip = a->input_signed != 0 ? 128U : 0U;
    const int64_t step = (int64_t)a->stride_w * a->in_c;
    const uint8_t *from = pixel(l, at->image, at->y, at->x) + (int64_t)group * l->depth;
    for (int32_t line = 0; line < n; line++, from += step, to += CHUNK) {
        number *run = to;
        for (int32_t y = 0; y < a->filter_h; y++) {
            const uint8_t *row = from + y * l->row_step;
            for (int32_t i = 0; i < l->runs; i++, row += l->run_step, run += l->run) {
                take_loosely(row, l->run, flip, a->input_zero, run);
            }
        }
    }
}

/* Numbers [first, last) of the window at a place, for one group. Taps of a row whose channels lie
 * side by side are one run. */
static void gather(const layer *l, const place *at, int32_t group, int32_t first, int32_t last,
                   number *to)
{
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    const uint32_t flip = a->input_signed != 0 ? 128U : 0U;
    const bool is_row =
        a->groups == 1 && a->dilation_w == 1 && at->x >= 0 && at->x + a->filter_w <= a->in_w;
    const int32_t taps = is_row ? a->filter_w : 1, run = taps * l->depth;
    int32_t y = first / run / (a->filter_w / taps), x = first / run % (a->filter_w / taps);
    for (int32_t k = first, d = first % run; k < last; d = 0) {
        const int32_t left = last - k, n = run - d < left ? run - d : left;
        const uint8_t *from = pixel(l, at->image, at->y + (int64_t)y * a->dilation_h,
                                    at->x + (int64_t)x * a->dilation_w);
        if (from != NULL) {
            take_bytes(from + group * l->depth + d, n, flip, a->input_zero, to);
        } else {
            fill_with((number)zero_number(flip, a->input_zero), n, to);
        }
        to += n;
        k += n;
        if (++x == a->filter_w / taps) {
            x = 0;
            y++;
        }
    }
}

/* From channel `first` on. */
static inline ending ending_from(const layer *l, int32_t first)
{
    ending e = {.kind = l->a->output,
                .zero = l->a->output_zero,
                .low = l->a->low,
                .high = l->a->high,
                .multipliers = l->multipliers + first,
                .floats = l->floats};
    if (e.floats.scales != NULL) {
        e.floats.bias += first;
    }
    return e;
}

/* `count` results from channel `first` on, of `lines` pixels from `row` on. */
static inline void conv_store(const layer *l, int64_t row, int32_t lines, int32_t first,
                              int32_t count, const int32_t *sums)
{
    const ending e = ending_from(l, first);
    const int64_t width = width_of(l->a->output), step = l->a->out_c * width;
    store_results(&e, sums, lines, count, (char *)l->output + row * step + first * width, step);
}

static bool makes_bytes(const layer *l)
{
    return width_of(l->a->output) == 1;
}

/* May tiles end with results? */
static bool ends_at_once(const layer *l)
{
    return makes_bytes(l) || (ENDS_FLOATS != 0 && l->floats.scales != NULL);
}

#endif
