/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX>QLinearConv2D where each channel has a filter of its own: pixels of a row are done together,
 * as their taps lie side by side (qlinear_taps.h). */
#ifndef ORIBI_PLUGINS_CPU_QLINEAR_DEPTHWISE_LOOPS_H_
#define ORIBI_PLUGINS_CPU_QLINEAR_DEPTHWISE_LOOPS_H_

#include "cpu/qlinear/qlinear_windows.h"

static int32_t pairs_of(int32_t taps)
{
    return taps / 2 + taps % 2;
}

static int64_t taps_bytes(int32_t inner, int64_t channels)
{
    return pairs_of(inner) * 2 * channels * (int64_t)sizeof(int16_t) +
           channels * (int64_t)sizeof(int32_t) + channels / TAPS_BLOCK;
}

static packed_taps taps_in(void *memory, int32_t inner, int64_t channels)
{
    int32_t *totals = memory;
    int16_t *weights_at = (int16_t *)(void *)(totals + channels);
    return (packed_taps){weights_at, totals,
                         (uint8_t *)(weights_at + pairs_of(inner) * 2 * channels)};
}

static void pack_taps(const layer *l, const packed_taps *to)
{
    const int32_t channels = l->a->out_c, n = pairs_of(l->inner);
    memset(to->weights, 0, (size_t)n * 2 * (size_t)channels * sizeof *to->weights);
    memset(to->totals, 0, (size_t)channels * sizeof *to->totals);
    for (int32_t tap = 0; tap < l->inner; tap++) {
        const uint8_t *from = l->w + (int64_t)tap * channels;
        int16_t *pair = to->weights + (int64_t)(tap / 2) * channels * 2 + tap % 2;
        for (int32_t c = 0; c < channels; c++) {
            const int32_t zero = l->zeros != NULL ? l->zeros[c] : 0;
            const int32_t w = oribi_micro_qlinear_get(from, c, l->a->filter_signed) - zero;
            pair[2 * c] = (int16_t)w;
            to->totals[c] += w;
        }
    }
    for (int32_t c = 0; c + TAPS_BLOCK <= channels; c += TAPS_BLOCK) {
        to->narrow[c / TAPS_BLOCK] =
            narrow_taps(to->weights + 2 * c, 2 * channels, l->inner, l->a->filter_w) ? 1 : 0;
    }
}

/* Taps [first, first + n) of the window at a place. */
static void find_taps(const layer *l, const place *at, int32_t first, int32_t n,
                      const uint8_t **from)
{
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    int32_t y = first / a->filter_w, x = first % a->filter_w;
    for (int32_t i = 0; i < n; i++) {
        const uint8_t *x_at = pixel(l, at->image, at->y + (int64_t)y * a->dilation_h,
                                    at->x + (int64_t)x * a->dilation_w);
        from[i] = x_at != NULL ? x_at : l->blank;
        if (++x == a->filter_w) {
            x = 0;
            y++;
        }
    }
    from[n] = l->blank; /* the other half of a last pair */
}

/* Taps [tap, tap + n), whose bytes of channel c are `at` behind `from`. */
static tap_list taps_of(const layer *l, const uint8_t *const *from, int64_t at, int32_t tap,
                        int32_t n, int32_t c)
{
    const int32_t channels = l->a->out_c, columns = l->a->filter_w;
    const bool is_whole = l->a->stride_w % l->a->dilation_w == 0;
    return (tap_list){.from = from,
                      .at = at,
                      .weights = l->taps.weights + (int64_t)tap * channels + 2 * c,
                      .step = 2 * channels,
                      .n = pairs_of(n),
                      .columns = columns,
                      .rows = l->a->filter_h,
                      .slide = is_whole ? l->a->stride_w / l->a->dilation_w : 0,
                      .flip = l->a->input_signed != 0 ? 128U : 0U,
                      .begin = l->begins + c,
                      .narrow = l->taps.narrow + c / TAPS_BLOCK};
}

/* Channels [c, c + count) of one pixel whose taps are known, `at` behind the first's, or are looked
 * up a few at a time. */
static void depthwise_pixel(const layer *l, int64_t row, const place *window, const uint8_t **from,
                            int64_t at, int32_t c, int32_t count)
{
    int32_t sums[PANEL];
    for (int32_t tap = 0; tap < l->inner; tap += MOST_TAPS) {
        const int32_t left = l->inner - tap, n = left < MOST_TAPS ? left : MOST_TAPS;
        if (l->inner > MOST_TAPS) {
            find_taps(l, window, tap, n, from);
        }
        tap_list taps = taps_of(l, from, at, tap, n, c);
        taps.begin = tap == 0 ? taps.begin : sums;
        add_taps(&taps, count, sums);
    }
    conv_store(l, row, 1, c, count, sums);
}

/* Pixels [row, row + n) whose windows begin at a place and step along a row of the image: taps of
 * the first are looked up, those of the others lie behind. */
static void depthwise_pixels(const layer *l, int64_t row, int32_t n, const place *window)
{
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    const int64_t step = (int64_t)a->stride_w * a->in_c;
    const uint8_t *from[MOST_TAPS + 1];
    const bool are_known = l->inner <= MOST_TAPS;
    if (are_known) {
        find_taps(l, window, 0, l->inner, from);
    }
    for (int32_t c = 0; c < a->out_c; c += PANEL) {
        const int32_t count = a->out_c - c < PANEL ? a->out_c - c : PANEL;
        int32_t done = 0;
        if (are_known && makes_bytes(l)) {
            const ending e = ending_from(l, c);
            const tap_list taps = taps_of(l, from, c, 0, l->inner, c);
            done = end_taps(&taps, count, n, step, &e, (uint8_t *)l->output + row * a->out_c + c,
                            a->out_c);
        }
        for (int32_t i = 0; done < count && i < n; i++) {
            depthwise_pixel(l, row + i, window, from, c + done + i * step, c + done, count - done);
        }
    }
}

/* Of `left` pixels from a place on, those whose windows lie within the columns of the image, if the
 * first one's does, and in one row of results; else 1. */
static int32_t pixels_between(const layer *l, const place *at, int64_t left)
{
    const struct oribi_micro_qlinear_conv2d_args *a = l->a;
    const int64_t last = a->in_w - 1 - (int64_t)(a->filter_w - 1) * a->dilation_w; /* may begin */
    if (at->x < 0 || at->x > last || l->inner > MOST_TAPS) {
        return 1;
    }
    const int64_t of_row = a->out_w - (at->x + a->before_w) / a->stride_w;
    const int64_t fit = (last - at->x) / a->stride_w + 1;
    const int64_t n = fit < of_row ? fit : of_row;
    return (int32_t)(n < left ? n : left);
}

static void run_depthwise(void *object, int64_t begin, int64_t end)
{
    const layer *l = object;
    const int64_t first = begin * l->a->out_w, last = end * l->a->out_w;
    place at = place_of(l, first);
    for (int64_t row = first; row < last;) {
        const int32_t n = pixels_between(l, &at, last - row);
        depthwise_pixels(l, row, n, &at);
        row += n;
        at.x += (int64_t)(n - 1) * l->a->stride_w;
        step_place(l, &at);
    }
}

/* Weights, where they are not packed yet, what sums begin with, and pixels of the padding; in the
 * memory behind l->begins. */
static void conv_begin_depthwise(layer *l)
{
    const int32_t channels = l->a->out_c;
    const int32_t zero = l->a->input_zero + (l->a->input_signed != 0 ? 128 : 0);
    uint8_t *rest = (uint8_t *)(l->begins + channels);
    if (l->taps.weights == NULL) {
        l->taps = taps_in(rest, l->inner, channels);
        pack_taps(l, &l->taps);
        rest += taps_bytes(l->inner, channels);
    }
    for (int32_t c = 0; c < channels; c++) {
        const uint32_t bias = l->bias != NULL ? (uint32_t)l->bias[c] : 0U;
        l->begins[c] = (int32_t)(bias - (uint32_t)zero * (uint32_t)l->taps.totals[c]);
    }
    memset(rest, l->a->input_zero & UINT8_MAX, (size_t)l->a->in_w * (size_t)channels);
    l->blank = rest;
}

#endif
