/* SPDX-License-Identifier: Apache-2.0 */
/* Two pixels of a convolution: their windows are widened to lanes in scratch, four inputs of the
 * one beside four of the other, then met by the weights of each pair of channels.
 */
#include "micro/conv2d_lanes_s8_pixels.h"

/* Four inputs become two words of lanes; the other pixel's two words lie between. */
static int32_t *widen(const int8_t *from, int32_t count, int32_t *to)
{
    for (; count > 0; count -= 4) {
        const int32_t four = oribi_micro_load4(from);
        from += 4;
        to[0] = oribi_micro_even_bytes(four);
        to[1] = oribi_micro_odd_bytes(four);
        to += 4;
    }
    return to;
}

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

static int8_t *copy(const int8_t *from, int32_t count, int8_t *to)
{
    for (; count > 0; count--) {
        *to++ = *from++;
    }
    return to;
}

static int8_t *copy_zeros(int32_t zero, int32_t count, int8_t *to)
{
    for (; count > 0; count--) {
        *to++ = (int8_t)zero;
    }
    return to;
}

/* The window of a pixel to lanes at `to`; by way of bytes at patch where pixels do not consist of
 * whole words. */
static void gather(const struct oribi_micro_conv2d_lanes_s8_args *a, const int8_t *image,
                   int32_t pixel, int32_t *to, int8_t *patch)
{
    const int32_t y = pixel / a->out_w * a->stride_h - a->before_h;
    const int32_t x = pixel % a->out_w * a->stride_w - a->before_w;
    const int32_t run = a->filter_w * a->in_c;
    const int32_t right = a->in_w - x < a->filter_w ? (a->in_w - x) * a->in_c : run;
    const int32_t left = x < 0 ? -x * a->in_c : 0;
    int32_t offset = (y * a->in_w + x) * a->in_c;
    int32_t *words = to;
    int8_t *bytes = patch;
    for (int32_t row = y; row < y + a->filter_h * a->dilation_h; row += a->dilation_h) {
        int32_t before = left, inside = right - left;
        if (row < 0 || row >= a->in_h || inside <= 0) {
            before = run;
            inside = 0;
        }
        const int8_t *from = inside > 0 ? image + offset + before : image;
        if (a->in_c % 4 == 0) {
            words = widen_zeros(a->input_zero, before, words);
            words = widen(from, inside, words);
            words = widen_zeros(a->input_zero, run - before - inside, words);
        } else {
            bytes = copy_zeros(a->input_zero, before, bytes);
            bytes = copy(from, inside, bytes);
            bytes = copy_zeros(a->input_zero, run - before - inside, bytes);
        }
        offset += a->dilation_h * a->in_w * a->in_c;
    }
    if (a->in_c % 4 != 0) {
        (void)copy_zeros(0, (int32_t)(patch + a->taps - bytes), bytes);
        (void)widen(patch, a->taps, to);
    } else {
        (void)widen_zeros(0, a->taps - a->filter_h * run, words);
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
    const int8_t *const first_end = first + (a->out_c & ~1);
    while (first != first_end) {
        struct oribi_micro_sums2x2 s;
        w = oribi_micro_sum2x2(window, end, w, &s);
        if (oribi_micro_lanes_is_general(w)) {
            oribi_micro_lanes_general(&a->output, w, s.a0, s.a1, first);
            oribi_micro_lanes_general(&a->output, w, s.b0, s.b1, first + distance);
        } else {
            const struct oribi_micro_lanes_pair pair = oribi_micro_lanes_read(&a->output, w);
            oribi_micro_lanes_store(&pair, s.a0, s.a1, first);
            oribi_micro_lanes_store(&pair, s.b0, s.b1, first + distance);
        }
        w += ORIBI_MICRO_LANES_RECORD;
        first += 2;
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
    int8_t *patch = (int8_t *)(window + args->taps);
    gather(args, image, pixel, window, patch);
    gather(args, image, pixel + count - 1, window + 2, patch);
    products(args, window, output, count > 1 ? args->out_c : 0);
}
