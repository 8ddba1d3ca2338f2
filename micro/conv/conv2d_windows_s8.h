/* SPDX-License-Identifier: Apache-2.0 */
/* The windows of two pixels of a convolution side by side in scratch, four inputs of the one beside
 * four of the other, as the products of a body want them: conv2d_lanes_s8_body.h as lanes,
 * conv2d_quads_s8_body.h as bytes. Before it includes this a body names
 *
 *   ORIBI_MICRO_FOUR_WORDS               words that four inputs take
 *   ORIBI_MICRO_PUT(from, count, to)     puts count inputs, a multiple of four, to words of one
 * pixel; the other's are left out. Returns to moved on ORIBI_MICRO_PUT2(from, distance, count, to)
 * the same of two pixels, `distance` bytes apart ORIBI_MICRO_PUT_ZEROS(zero, count, to)       count
 * inputs of this value to words of one pixel
 *
 * and may name sizes as constants, as an instance does.
 */
#ifndef ORIBI_MICRO_CONV2D_WINDOWS_S8_H_
#define ORIBI_MICRO_CONV2D_WINDOWS_S8_H_

#include "micro/conv/conv2d_lanes_s8_args.h"
#include "micro/memory.h"

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

/* The window of a pixel, some of it outside the image, at `to`. What is left of each row
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
            to = ORIBI_MICRO_PUT_ZEROS(a->input_zero, is_there ? before : run, to);
            if (is_there != 0) {
                to = ORIBI_MICRO_PUT(from, inside, to);
                to = ORIBI_MICRO_PUT_ZEROS(a->input_zero, run - before - inside, to);
            }
        } else {
            (void)memset(bytes, a->input_zero, (size_t)run);
            if (is_there != 0) {
                (void)memcpy(bytes + before, from, (size_t)inside);
            }
            to = ORIBI_MICRO_PUT(bytes, whole, to);
            ORIBI_MICRO_SHORT
            for (int32_t k = whole; k < run; k++) {
                *rest++ = bytes[k];
            }
        }
        w.y += a->dilation_h;
        w.offset += a->dilation_h * a->in_w * ORIBI_MICRO_IN_C;
    }
    if (whole != run) {
        (void)ORIBI_MICRO_PUT(rests, ORIBI_MICRO_TAPS - ORIBI_MICRO_ROWS * whole, to);
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
    (void)ORIBI_MICRO_PUT(rests, ORIBI_MICRO_TAPS - ORIBI_MICRO_ROWS * (ORIBI_MICRO_ROW_BYTES & ~3),
                          to);
}

/* Two windows inside the image, one `distance` behind the other. */
static void gather_inside(const struct oribi_micro_conv2d_lanes_s8_args *a, const int8_t *from,
                          int32_t distance, int32_t *to, int8_t *bytes)
{
    const int32_t run = ORIBI_MICRO_ROW_BYTES, whole = run & ~3;
    const int32_t step = a->dilation_h * a->in_w * ORIBI_MICRO_IN_C;
    const int8_t *row = from;
    for (int32_t i = ORIBI_MICRO_ROWS; i > 0; i--) {
        to = ORIBI_MICRO_PUT2(row, distance, whole, to);
        row += step;
    }
    if (whole != run) {
        gather_rests(a, from + whole, step, to, bytes + run);
        gather_rests(a, from + whole + distance, step, to + ORIBI_MICRO_FOUR_WORDS, bytes + run);
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
    gather_clipped(a, image, v, to + ORIBI_MICRO_FOUR_WORDS, bytes);
}

#endif
