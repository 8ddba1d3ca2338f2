/* SPDX-License-Identifier: Apache-2.0 */
/* Layers of ONNX>QLinearConv2D whose windows have three columns, of which neighbours share two or
 * one: they are read from a padded image rather than gathered, and what is read of a pixel is
 * multiplied for all windows that it is in. Of the sets that do so (ROLLS). */
#ifndef ORIBI_PLUGINS_CPU_QLINEAR_ROLLED_H_
#define ORIBI_PLUGINS_CPU_QLINEAR_ROLLED_H_

#include "cpu/qlinear/qlinear_windows.h"

#ifndef ROLLS
static bool run_rolled(oribi_kit_run *run, const layer *l)
{
    (void)run;
    (void)l;
    return false;
}
#else

/* How the windows of a tile lie in a padded image. */
typedef struct rolled_window {
    int64_t row_step; /* numbers from row to row */
    int32_t rows, depth;
} rolled_window;

/* `rows` windows, which begin `stride` pixels apart, and a panel of which `halves` are wanted; all
 * three are constants. t->step: from pixel to pixel. */
ALWAYS void rolled_tile(const tile *t, const weight *panel, const rolled_window *window, int rows,
                        int halves, int stride);

typedef struct rolled_call {
    const layer *l;
    number *image;
    int64_t height, width; /* of a padded image, in pixels */
} rolled_call;

static void rolled_sizes(rolled_call *call)
{
    const struct oribi_micro_qlinear_conv2d_args *a = call->l->a;
    call->width = (int64_t)(a->out_w - 1) * a->stride_w + a->filter_w;
    call->height =
        (int64_t)(a->out_h - 1) * a->stride_h + (int64_t)(a->filter_h - 1) * a->dilation_h + 1;
}

/* Is a layer of this kind, and its padded image not much larger than the image? */
static bool rolls(const rolled_call *call)
{
    const layer *l = call->l;
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    return a->groups == 1 && a->filter_w == 3 && a->stride_w <= 2 && a->dilation_w == 1 &&
           a->in_c % GROUP == 0 && a->out_w >= FEWER_ROWS && !l->has_row_part && ends_at_once(l) &&
           call->height <= 2 * (int64_t)a->in_h && call->width <= 2 * (int64_t)a->in_w;
}

static void pad_rows(void *object, int64_t begin, int64_t end)
{
    const rolled_call *call = object;
    const layer *l = call->l;
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    const uint32_t flip = a->input_signed != 0 ? 128U : 0U;
    const number zero = (number)zero_number(flip, a->input_zero);
    const int64_t inside =
        call->width - a->before_w < a->in_w ? call->width - a->before_w : a->in_w;
    for (int64_t row = begin; row < end; row++) {
        const uint8_t *from = pixel(l, row / call->height, row % call->height - a->before_h, 0);
        number *to = call->image + row * call->width * a->in_c;
        const int64_t count = from != NULL ? inside * a->in_c : 0;
        const int64_t first = from != NULL ? (int64_t)a->before_w * a->in_c : 0;
        const int64_t behind = call->width * a->in_c - first - count;
        memset(to, zero, (size_t)first);
        for (int64_t i = 0; i < count; i++) {
            to[first + i] = (number)(from[i] ^ flip ^ LESS);
        }
        memset(to + first + count, zero, (size_t)behind);
    }
}

ALWAYS void rolled_half(const tile *t, const weight *panel, const rolled_window *window, int rows,
                        int stride)
{
    if (t->count > COLUMNS / 2) {
        rolled_tile(t, panel, window, rows, 2, stride);
    } else {
        rolled_tile(t, panel, window, rows, 1, stride);
    }
}

/* Channels [first, first + t->count) of the pixels of a row. */
static void rolled_panel(const rolled_call *call, int64_t row, int32_t first, tile *t)
{
    const layer *l = call->l;
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    const rolled_window window = {a->dilation_h * call->width * a->in_c, a->filter_h, a->in_c};
    const weight *panel =
        part_of(panel_at(l->packed, first / COLUMNS, l->inner), l->inner, 0).groups;
    const int64_t line = row / a->out_h * call->height + row % a->out_h * a->stride_h;
    const number *from = call->image + line * call->width * a->in_c;
    uint8_t *to = (uint8_t *)l->output + row * a->out_w * t->to_step + first * width_of(a->output);
    const bool are_fewer = (a->out_w + ROWS - 1) / ROWS * FEWER_ROWS >= a->out_w;
    const int32_t rows = are_fewer ? FEWER_ROWS : ROWS, last = a->out_w - rows;
    for (int32_t x = 0; x < a->out_w; x += rows) {
        const int64_t at = x < last ? x : last; /* the last ones twice if tiles are not whole */
        t->numbers = from + at * a->stride_w * a->in_c;
        t->to = to + at * t->to_step;
        if (a->stride_w == 1 && are_fewer) {
            rolled_half(t, panel, &window, FEWER_ROWS, 1);
        } else if (a->stride_w == 1) {
            rolled_half(t, panel, &window, ROWS, 1);
        } else if (are_fewer) {
            rolled_half(t, panel, &window, FEWER_ROWS, 2);
        } else {
            rolled_half(t, panel, &window, ROWS, 2);
        }
    }
}

/* A unit is a row of pixels, and a part of the channels, which all rows meet before the next. */
static void rolled_rows(void *object, int64_t begin, int64_t end)
{
    const rolled_call *call = object;
    const layer *l = call->l;
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    const int64_t rows = (int64_t)a->batch * a->out_h;
    for (int64_t unit = begin; unit < end; unit++) {
        const int32_t part = (int32_t)(unit / rows) * PANEL;
        const int32_t count = a->out_c - part < PANEL ? a->out_c - part : PANEL;
        for (int32_t c = part; c < part + count; c += COLUMNS) {
            const ending e = ending_from(l, c);
            tile t = {.step = a->in_c,
                      .begin = l->begins + c,
                      .count = a->out_c - c < COLUMNS ? a->out_c - c : COLUMNS,
                      .end = &e,
                      .to_step = a->out_c * width_of(a->output)};
            rolled_panel(call, unit % rows, c, &t);
        }
    }
}

/* False: the layer is of another kind, or there is no memory, and the run has failed. */
static bool run_rolled(oribi_kit_run *run, const layer *l)
{
    enum { PER_CYCLE = 16 * GROUP };
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    TF_Tensor *tensor = NULL;
    rolled_call call = {.l = l};
    rolled_sizes(&call);
    const int64_t rows = a->batch * call.height, bytes = call.width * a->in_c;
    call.image = rolls(&call) ? oribi_kit_scratch(run, rows * bytes, &tensor) : NULL;
    if (call.image == NULL) {
        return false;
    }
    const int64_t cost = (int64_t)a->out_w * l->inner * a->out_c / PER_CYCLE / l->parts + 1;
    oribi_kit_parallel(run, rows, bytes / 32 + 1, &call, pad_rows);
    oribi_kit_parallel(run, (int64_t)a->batch * a->out_h * l->parts, cost, &call, rolled_rows);
    TF_DeleteTensor(tensor);
    return true;
}

#endif
#endif
