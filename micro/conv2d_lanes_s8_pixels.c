/* SPDX-License-Identifier: Apache-2.0 */
/* Two pixels of a convolution: their windows are widened to lanes in scratch, four inputs of the
 * one beside four of the other, then met by the weights of each pair of channels.
 */
#include "micro/conv2d_lanes_s8_pixels.h"

static int32_t *widen_zeros(int32_t zero, int32_t count, int32_t *to)
{
    const int32_t lanes = oribi_micro_lanes(zero, zero);
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

static struct window window_of(const struct oribi_micro_conv2d_lanes_s8_args *a, int32_t pixel)
{
    const int32_t out_y = pixel / a->out_w;
    struct window w;
    w.y = out_y * a->stride_h - a->before_h;
    w.x = (pixel - out_y * a->out_w) * a->stride_w - a->before_w;
    w.offset = (w.y * a->in_w + w.x) * a->in_c;
    return w;
}

/* A row of bytes of which only some are inside the image. */
static void clip_row(const int8_t *from, int32_t before, int32_t inside, int32_t run, int32_t zero,
                     int8_t *to)
{
    for (int32_t i = 0; i < run; i++) {
        const int32_t k = i - before;
        to[i] = k < 0 || k >= inside ? (int8_t)zero : from[k];
    }
}

/* The window of a pixel to lanes at `to`. What is left of each row behind its whole words comes
 * last, collected at bytes behind the place of a clipped row. Whatever then lies in the padding of
 * taps meets weights of 0. */
static void gather_clipped(const struct oribi_micro_conv2d_lanes_s8_args *a, const int8_t *image,
                           struct window w, int32_t *to, int8_t *bytes)
{
    const int32_t run = a->filter_w * a->in_c, whole = run & ~3;
    const int32_t first = w.x < 0 ? -w.x : 0;
    const int32_t end = a->in_w - w.x < a->filter_w ? a->in_w - w.x : a->filter_w;
    const int32_t before = first * a->in_c, inside = end > first ? (end - first) * a->in_c : 0;
    int8_t *const rests = bytes + run, *rest = rests;
    for (int32_t i = 0; i < a->filter_h; i++) {
        const int32_t is_there = w.y >= 0 && w.y < a->in_h && inside > 0;
        const int8_t *from = image + (is_there ? w.offset + before : 0);
        if (a->in_c % 4 == 0) {
            to = widen_zeros(a->input_zero, is_there ? before : run, to);
            if (is_there) {
                to = oribi_micro_widen(from, inside, to);
                to = widen_zeros(a->input_zero, run - before - inside, to);
            }
        } else {
            clip_row(from, before, is_there ? inside : 0, run, a->input_zero, bytes);
            to = oribi_micro_widen(bytes, whole, to);
            for (int32_t k = whole; k < run; k++) {
                *rest++ = bytes[k];
            }
        }
        w.y += a->dilation_h;
        w.offset += a->dilation_h * a->in_w * a->in_c;
    }
    if (whole != run) {
        (void)oribi_micro_widen(rests, a->taps - a->filter_h * whole, to);
    }
}

/* The same, short where the whole window is inside the image. */
static void gather(const struct oribi_micro_conv2d_lanes_s8_args *a, const int8_t *image,
                   int32_t pixel, int32_t *to, int8_t *bytes)
{
    const struct window w = window_of(a, pixel);
    if (w.y < 0 || w.x < 0 || w.x + a->filter_w > a->in_w ||
        w.y + (a->filter_h - 1) * a->dilation_h >= a->in_h) {
        gather_clipped(a, image, w, to, bytes);
        return;
    }
    const int32_t run = a->filter_w * a->in_c, left = run & 3;
    const int32_t step = a->dilation_h * a->in_w * a->in_c;
    const int8_t *from = image + w.offset;
    int8_t *const rests = bytes + run, *rest = rests;
    for (int32_t i = a->filter_h; i > 0; i--) {
        const int8_t *row = from;
        to = oribi_micro_widen(row, run - left, to);
        if (left != 0) { /* three bytes at most */
            row += run - left;
            rest[0] = row[0];
            if (left > 1) {
                rest[1] = row[1];
            }
            if (left > 2) {
                rest[2] = row[2];
            }
            rest += left;
        }
        from += step;
    }
    if (left != 0) {
        (void)oribi_micro_widen(rests, a->taps - a->filter_h * (run - left), to);
    }
}

/* The channel that no other shares its lanes with. */
static int8_t last_channel(const struct oribi_micro_conv2d_lanes_s8_args *a, const int32_t *window,
                           const int32_t *w)
{
    int8_t both[2];
    int32_t sum = 0;
    for (int32_t k = 0; k < a->taps; k += 4) {
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

static void products(const struct oribi_micro_conv2d_lanes_s8_args *a, const int32_t *window,
                     int8_t *first, int32_t distance)
{
    const int32_t *w = a->filter, *const end = window + a->taps;
    const int32_t twice_zero = 2 * a->output.zero + 1;
    const int8_t *const first_end = first + (a->out_c & ~1);
    while (first != first_end && a->has_general == 0) {
        struct oribi_micro_sums2x2 s;
        w = oribi_micro_sum2x2(window, end, w, &s);
        first = oribi_micro_finish2x2(&s, w, twice_zero, first, distance);
        w += ORIBI_MICRO_LANES_RECORD;
    }
    for (; first != first_end; first += 2) {
        struct oribi_micro_sums2x2 s;
        w = oribi_micro_sum2x2(window, end, w, &s);
        if (oribi_micro_lanes_is_general(w)) {
            oribi_micro_lanes_general(&a->output, w, s.a0, s.a1, first);
            oribi_micro_lanes_general(&a->output, w, s.b0, s.b1, first + distance);
        } else {
            (void)oribi_micro_finish2x2(&s, w, twice_zero, first, distance);
        }
        w += ORIBI_MICRO_LANES_RECORD;
    }
    if (a->out_c % 2 != 0) {
        first[0] = last_channel(a, window, w);
        first[distance] = last_channel(a, window + 2, w);
    }
}

void oribi_micro_conv2d_lanes_s8_pixels(const struct oribi_micro_conv2d_lanes_s8_args *args,
                                        const int8_t *image, int32_t pixel, int32_t count,
                                        int8_t *output, void *scratch)
{
    int32_t *window = scratch;
    int8_t *bytes = (int8_t *)(window + args->taps);
    if (args->is_point != 0) {
        const int8_t *from = image + pixel * args->in_c;
        (void)oribi_micro_widen(from, args->in_c, window);
        (void)oribi_micro_widen(from + (count - 1) * args->in_c, args->in_c, window + 2);
    } else {
        gather(args, image, pixel, window, bytes);
        gather(args, image, pixel + count - 1, window + 2, bytes);
    }
    products(args, window, output, count > 1 ? args->out_c : 0);
}
