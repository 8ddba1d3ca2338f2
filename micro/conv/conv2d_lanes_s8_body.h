/* SPDX-License-Identifier: Apache-2.0 */
/* Two pixels of a convolution: their windows are widened to lanes in scratch, four inputs of the
 * one beside four of the other, then met by the weights of each pair of channels. The body of a
 * file that is nothing else: conv2d_lanes_s8_pixels.c for any layer, or an instance for layers that
 * have sizes in common, which names them as constants before it includes this. Nothing but sizes
 * changes: the results are the same.
 */
#ifndef ORIBI_MICRO_CONV2D_LANES_S8_BODY_H_
#define ORIBI_MICRO_CONV2D_LANES_S8_BODY_H_

#include "micro/conv/conv2d_lanes_s8_args.h"
#include "micro/memory.h"
#include "micro/port.h"

/* What an instance may know: all taps of a window (with the padding of weights; ORIBI_MICRO_UNROLL
 * has their loop written out, dsp.h), its rows and the bytes of one, channels of the input, whether
 * the layer is a point (conv2d_lanes_s8_args.h), and that its own channels are even in number and
 * none of their pairs general. */
#ifndef ORIBI_MICRO_TAPS
#define ORIBI_MICRO_TAPS (a->taps)
#endif
#ifndef ORIBI_MICRO_ROWS
#define ORIBI_MICRO_ROWS      (a->filter_h)
#define ORIBI_MICRO_ROW_BYTES (a->filter_w * ORIBI_MICRO_IN_C)
#endif
#ifndef ORIBI_MICRO_IN_C
#define ORIBI_MICRO_IN_C (a->in_c)
#endif
#ifndef ORIBI_MICRO_IS_POINT
#define ORIBI_MICRO_IS_POINT (a->is_point)
#endif
#ifndef ORIBI_MICRO_IS_PLAIN
#define ORIBI_MICRO_IS_PLAIN 0
#endif

static int32_t *widen_zeros(int32_t zero, int32_t count, int32_t *to)
{
    const int32_t lanes = oribi_micro_lanes(zero, zero);
    ORIBI_MICRO_SHORT
    for (; count > 0; count -= 4) {
        to[0] = lanes;
        to[1] = lanes;
        to += 4;
    }
    return to;
}

/* Where the window of a pixel lies, in rows, columns and bytes of the image. */
struct window {
    int32_t y, x, offset;
};

static void set_offset(const struct oribi_micro_conv2d_lanes_s8_args *a, struct window *w)
{
    w->offset = (w->y * a->in_w + w->x) * ORIBI_MICRO_IN_C;
}

static struct window window_of(const struct oribi_micro_conv2d_lanes_s8_args *a, int32_t pixel)
{
    const int32_t out_y = pixel / a->out_w;
    struct window w;
    w.y = out_y * a->stride_h - a->before_h;
    w.x = (pixel - out_y * a->out_w) * a->stride_w - a->before_w;
    set_offset(a, &w);
    return w;
}

/* The window of the pixel behind. */
static struct window window_after(const struct oribi_micro_conv2d_lanes_s8_args *a, struct window w)
{
    w.x += a->stride_w;
    if (w.x + a->before_w >= a->out_w * a->stride_w) {
        w.x = -a->before_w;
        w.y += a->stride_h;
    }
    set_offset(a, &w);
    return w;
}

static int32_t is_inside(const struct oribi_micro_conv2d_lanes_s8_args *a, struct window w)
{
    return w.y >= 0 && w.x >= 0 && w.x + a->filter_w <= a->in_w &&
           w.y + (ORIBI_MICRO_ROWS - 1) * a->dilation_h < a->in_h;
}

/* The window of a pixel, some of it outside the image, to lanes at `to`. What is left of each row
 * behind its whole words comes last, collected at bytes behind the place of a clipped row. Whatever
 * then lies in the padding of taps meets weights of 0. */
static void gather_clipped(const struct oribi_micro_conv2d_lanes_s8_args *a, const int8_t *image,
                           struct window w, int32_t *to, int8_t *bytes)
{
    const int32_t run = ORIBI_MICRO_ROW_BYTES, whole = run & ~3;
    const int32_t first = w.x < 0 ? -w.x : 0;
    const int32_t end = a->in_w - w.x < a->filter_w ? a->in_w - w.x : a->filter_w;
    const int32_t before = first * ORIBI_MICRO_IN_C,
                  inside = end > first ? (end - first) * ORIBI_MICRO_IN_C : 0;
    int8_t *const rests = bytes + run, *rest = rests;
    ORIBI_MICRO_SHORT
    for (int32_t i = 0; i < ORIBI_MICRO_ROWS; i++) {
        const int32_t is_there = w.y >= 0 && w.y < a->in_h && inside > 0;
        const int8_t *from = image + (is_there ? w.offset + before : 0);
        if (ORIBI_MICRO_IN_C % 4 == 0) {
            to = widen_zeros(a->input_zero, is_there ? before : run, to);
            if (is_there) {
                to = oribi_micro_widen(from, inside, to);
                to = widen_zeros(a->input_zero, run - before - inside, to);
            }
        } else {
            memset(bytes, a->input_zero, (size_t)run);
            if (is_there) {
                memcpy(bytes + before, from, (size_t)inside);
            }
            to = oribi_micro_widen(bytes, whole, to);
            ORIBI_MICRO_SHORT
            for (int32_t k = whole; k < run; k++) {
                *rest++ = bytes[k];
            }
        }
        w.y += a->dilation_h;
        w.offset += a->dilation_h * a->in_w * ORIBI_MICRO_IN_C;
    }
    if (whole != run) {
        (void)oribi_micro_widen(rests, ORIBI_MICRO_TAPS - ORIBI_MICRO_ROWS * whole, to);
    }
}

/* What is left of the rows at `from`, which lie step bytes apart: three bytes of each at most. */
static void gather_rests(const struct oribi_micro_conv2d_lanes_s8_args *a, const int8_t *from,
                         int32_t step, int32_t *to, int8_t *rests)
{
    const int32_t left = ORIBI_MICRO_ROW_BYTES & 3;
    int8_t *rest = rests;
    (void)a;
    ORIBI_MICRO_SHORT
    for (int32_t i = ORIBI_MICRO_ROWS; i > 0; i--) {
        rest[0] = from[0];
        if (left > 1) {
            rest[1] = from[1];
        }
        if (left > 2) {
            rest[2] = from[2];
        }
        rest += left;
        from += step;
    }
    (void)oribi_micro_widen(rests,
                            ORIBI_MICRO_TAPS - ORIBI_MICRO_ROWS * (ORIBI_MICRO_ROW_BYTES & ~3), to);
}

/* Two windows inside the image, one `distance` behind the other. */
static void gather_inside(const struct oribi_micro_conv2d_lanes_s8_args *a, const int8_t *from,
                          int32_t distance, int32_t *to, int8_t *bytes)
{
    const int32_t run = ORIBI_MICRO_ROW_BYTES, whole = run & ~3;
    const int32_t step = a->dilation_h * a->in_w * ORIBI_MICRO_IN_C;
    const int8_t *row = from;
    for (int32_t i = ORIBI_MICRO_ROWS; i > 0; i--) {
        to = oribi_micro_widen2(row, distance, whole, to);
        row += step;
    }
    if (whole != run) {
        gather_rests(a, from + whole, step, to, bytes + run);
        gather_rests(a, from + whole + distance, step, to + 2, bytes + run);
    }
}

/* The windows of `count` pixels, the second beside the first. */
static void gather(const struct oribi_micro_conv2d_lanes_s8_args *a, const int8_t *image,
                   int32_t pixel, int32_t count, int32_t *to, int8_t *bytes)
{
    const struct window w = window_of(a, pixel);
    const struct window v = count > 1 ? window_after(a, w) : w;
    if (is_inside(a, w) && is_inside(a, v)) {
        gather_inside(a, image + w.offset, v.offset - w.offset, to, bytes);
        return;
    }
    gather_clipped(a, image, w, to, bytes);
    gather_clipped(a, image, v, to + 2, bytes);
}

/* The channel that no other shares its lanes with. */
static int8_t last_channel(const struct oribi_micro_conv2d_lanes_s8_args *a, const int32_t *window,
                           const int32_t *w)
{
    int8_t both[2];
    int32_t sum = 0;
    ORIBI_MICRO_SHORT
    for (int32_t k = 0; k < ORIBI_MICRO_TAPS; k += 4) {
        sum = oribi_micro_dot2(w[0], window[k], sum);
        sum = oribi_micro_dot2(w[1], window[k + 1], sum);
        w += 2;
    }
    if (oribi_micro_lanes_is_general(w)) {
        oribi_micro_lanes_general(&a->output, w, sum, sum, both);
    } else {
        const struct oribi_micro_lanes_pair pair = oribi_micro_lanes_read(&a->output, w);
        oribi_micro_lanes_store(&pair, sum, sum, both);
    }
    return both[0];
}

/* Where the pairs that are not general end which begin with the channel at `first`. */
static int8_t *plain_until(const struct oribi_micro_conv2d_lanes_s8_args *a, const int32_t *w,
                           int8_t *first, int8_t *last)
{
    const int32_t words = ORIBI_MICRO_TAPS / 2;
    if (ORIBI_MICRO_IS_PLAIN || a->has_general == 0) {
        return last;
    }
    while (first != last && !oribi_micro_lanes_is_general(w + words)) {
        w += words + ORIBI_MICRO_LANES_RECORD;
        first += 2;
    }
    return first;
}

static void products(const struct oribi_micro_conv2d_lanes_s8_args *a, const int32_t *window,
                     int8_t *first, int32_t distance)
{
    const int32_t *w = a->filter;
    const struct oribi_micro_pairs2x2 layer = {window, window + ORIBI_MICRO_TAPS,
                                               2 * a->output.zero + 1, distance};
    int8_t *const last = first + (a->out_c & ~1);
    while (first != last) {
        int8_t *const until = plain_until(a, w, first, last);
        if (until != first) {
            w = oribi_micro_pairs2x2(&layer, w, first, until);
            first = until;
        } else {
            struct oribi_micro_sums2x2 s;
            w = oribi_micro_sum2x2(window, layer.end, w, &s);
            oribi_micro_lanes_general(&a->output, w, s.a0, s.a1, first);
            oribi_micro_lanes_general(&a->output, w, s.b0, s.b1, first + distance);
            w += ORIBI_MICRO_LANES_RECORD;
            first += 2;
        }
    }
    if (!ORIBI_MICRO_IS_PLAIN && a->out_c % 2 != 0) {
        first[0] = last_channel(a, window, w);
        first[distance] = last_channel(a, window + 2, w);
    }
}

/* See conv2d_lanes_s8_pixels.h. */
static void two_pixels(const struct oribi_micro_conv2d_lanes_s8_args *a, const int8_t *image,
                       int32_t pixel, int32_t count, int8_t *output, void *scratch)
{
    int32_t *window = scratch;
    if (ORIBI_MICRO_IS_POINT) {
        (void)oribi_micro_widen2(image + pixel * ORIBI_MICRO_IN_C, (count - 1) * ORIBI_MICRO_IN_C,
                                 ORIBI_MICRO_IN_C, window);
    } else {
        gather(a, image, pixel, count, window, (int8_t *)(window + ORIBI_MICRO_TAPS));
    }
    products(a, window, output, count > 1 ? a->out_c : 0);
}

/* See conv2d_lanes_s8.h. */
static inline void all_pixels(const struct oribi_micro_conv2d_lanes_s8_args *a, const int8_t *input,
                              int8_t *output, void *scratch)
{
    const int32_t pixels = a->out_h * a->out_w;
    for (int32_t b = 0; b < a->batch; b++) {
        for (int32_t p = 0; p < pixels; p += 2) {
            TVMGEN_YIELD();
            two_pixels(a, input, p, p + 1 < pixels ? 2 : 1, output + p * a->out_c, scratch);
        }
        input += a->in_h * a->in_w * ORIBI_MICRO_IN_C;
        output += pixels * a->out_c;
    }
}

#endif
