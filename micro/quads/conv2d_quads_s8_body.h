/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution on a core without lanes, two pixels at a time: their windows as bytes in scratch,
 * four of the one beside four of the other, then met by the weights of four channels at a time. The
 * body of conv2d_quads_s8.c, and of conv2d_quads_v6m_s8.c, which says that ORIBI_MICRO_BIASED is 1.
 */
#ifndef ORIBI_MICRO_CONV2D_QUADS_S8_BODY_H_
#define ORIBI_MICRO_CONV2D_QUADS_S8_BODY_H_

#include "micro/port.h"
#include "micro/quads/quads_s8.h"

#define ORIBI_MICRO_FOUR_WORDS 1
#define ORIBI_MICRO_PUT        oribi_micro_quads_put
#define ORIBI_MICRO_PUT2       oribi_micro_quads_put2
#define ORIBI_MICRO_PUT_ZEROS  oribi_micro_quads_put_zeros
#include "micro/conv/conv2d_windows_s8.h"

static void products(const struct oribi_micro_conv2d_lanes_s8_args *a, const int8_t *window,
                     int8_t *to, int32_t distance)
{
    const int8_t *const end = window + 2 * a->taps;
    const int32_t excess_a = oribi_micro_quads_excess(window, end, 8);
    const int32_t excess_b = oribi_micro_quads_excess(window + 4, end + 4, 8);
    const int32_t *w = a->filter;
    for (int32_t left = a->out_c; left > 0; left -= 4) {
        struct oribi_micro_quads_sums s;
        w = oribi_micro_quads_sum2(window, end, w, &s);
        oribi_micro_quads_less(s.a, excess_a);
        oribi_micro_quads_less(s.b, excess_b);
        oribi_micro_quads_store2(&a->output, w, &s, to, distance, left < 4 ? left : 4);
        w += ORIBI_MICRO_QUADS_RECORD;
        to += 4;
    }
}

/* As oribi_micro_conv2d_lanes_s8_pixels (conv2d_lanes_s8_pixels.h). */
static void two_pixels(const struct oribi_micro_conv2d_lanes_s8_args *a, const int8_t *image,
                       int32_t pixel, int32_t count, int8_t *output, void *scratch)
{
    int32_t *window = scratch;
    if (a->is_point != 0) {
        (void)oribi_micro_quads_put2(image + pixel * a->in_c, (count - 1) * a->in_c, a->in_c,
                                     window);
    } else {
        gather(a, image, pixel, count, window, (int8_t *)(window + a->taps / 2));
    }
    products(a, (const int8_t *)window, output, count > 1 ? a->out_c : 0);
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
        input += a->in_h * a->in_w * a->in_c;
        output += pixels * a->out_c;
    }
}

#endif
