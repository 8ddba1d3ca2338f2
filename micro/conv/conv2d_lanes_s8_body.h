/* SPDX-License-Identifier: Apache-2.0 */
/* Two pixels of a convolution: their windows are widened to lanes in scratch, four inputs of the
 * one beside four of the other, then met by the weights of each pair of channels. The body of a
 * file that is nothing else: conv2d_lanes_s8_pixels.c for any layer, or an instance for layers that
 * have sizes in common, which names them as constants before it includes this. Nothing but sizes
 * changes: the results are the same.
 */
#ifndef ORIBI_MICRO_CONV2D_LANES_S8_BODY_H_
#define ORIBI_MICRO_CONV2D_LANES_S8_BODY_H_

#include "micro/dsp.h"
#include "micro/port.h"

/* What an instance may know: all taps of a window (with the padding of weights; ORIBI_MICRO_UNROLL
 * has their loop written out, dsp.h), its rows and the bytes of one, channels of the input, whether
 * the layer is a point (conv2d_lanes_s8_args.h), and that its own channels are even in number and
 * none of their pairs general. */
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

#define ORIBI_MICRO_FOUR_WORDS 2
#define ORIBI_MICRO_PUT        oribi_micro_widen
#define ORIBI_MICRO_PUT2       oribi_micro_widen2
#define ORIBI_MICRO_PUT_ZEROS  widen_zeros
#include "micro/conv/conv2d_windows_s8.h"

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
    if (oribi_micro_lanes_is_general(w) != 0) {
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
    if (ORIBI_MICRO_IS_PLAIN || !ORIBI_MICRO_HAS_GENERAL || a->output.has_general == 0) {
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
    if (ORIBI_MICRO_IS_POINT != 0) {
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
