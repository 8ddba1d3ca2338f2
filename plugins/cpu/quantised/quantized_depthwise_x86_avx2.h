/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise layers of int8 for AVX2: 16 channels, of which two taps lie side by side as int16. A
 * part of quantized_panels_x86_avx2.c, which makes results of sums. */
#ifndef ORIBI_PLUGINS_CPU_QUANTIZED_DEPTHWISE_X86_AVX2_H_
#define ORIBI_PLUGINS_CPU_QUANTIZED_DEPTHWISE_X86_AVX2_H_

#include "cpu/base/add_x86_avx2.h"
#include "cpu/base/unrolled.h"
#include "cpu/quantised/quantized_panels.h"

#include <string.h>

static __m256i load(const void *from);
static void finish(const oribi_quantized_panels *p, int32_t panel, __m256i (*s)[2], int32_t n,
                   int32_t count, int8_t *out, int64_t stride);

/* The first `count` of 16 bytes, and nothing behind them is read; others are unspecified. */
static inline __m128i load_first(const int8_t *from, int32_t count)
{
    uint64_t low = 0, high = 0;
    if (count >= ORIBI_PANEL) {
        return _mm_loadu_si128((const void *)from);
    }
    if (count >= 8) {
        memcpy(&low, from, sizeof low);
        memcpy(&high, from + count - 8, sizeof high);
        return _mm_set_epi64x((int64_t)(high >> 1 >> (127 - 8 * count)), (int64_t)low);
    }
    for (int32_t i = count; i-- > 0;) {
        low = low << 8 | (uint8_t)from[i];
    }
    return _mm_set_epi64x(0, (int64_t)low);
}

enum {
    GROUP = 2 * ORIBI_PANEL, /* weights of a group */
    COLUMN = 4               /* taps of two groups */
};

/* A panel of pixels of a depthwise layer: inputs from `at` on, those of the next pixel `step`
 * behind; `count` channels. */
typedef struct strip {
    const int8_t *const *taps;
    const int16_t *w;
    const __m256i *bias;
    int64_t at, step;
    int32_t groups, count;
} strip;

/* Adds the products of two taps, whose inputs lie side by side. */
ALWAYS void add_taps(const __m256i x[2], const __m256i w[2], __m256i s[2])
{
    s[0] = oribi_add_in_place(s[0], _mm256_madd_epi16(x[0], w[0]));
    s[1] = oribi_add_in_place(s[1], _mm256_madd_epi16(x[1], w[1]));
}

ALWAYS void side_by_side(__m256i x, __m256i y, __m256i to[2])
{
    to[0] = _mm256_unpacklo_epi16(x, y);
    to[1] = _mm256_unpackhi_epi16(x, y);
}

ALWAYS __m256i inputs_of(const int8_t *from)
{
    return _mm256_cvtepi8_epi16(_mm_loadu_si128((const void *)from));
}

/* Sums of n pixels, a constant. */
ALWAYS void any_windows(const strip *t, int64_t at, bool is_whole, int32_t n, __m256i (*s)[2])
{
    UNROLL_LOOP
    for (int32_t i = 0; i < n; i++) {
        s[i][0] = load(t->bias);
        s[i][1] = load(t->bias + 1);
    }
    for (int32_t k = 0; k < t->groups; k++) {
        const int8_t *even = t->taps[2 * k] + at, *odd = t->taps[2 * k + 1] + at;
        const __m256i w[2] = {load(t->w + k * GROUP), load(t->w + k * GROUP + ORIBI_PANEL)};
        UNROLL_LOOP
        for (int32_t i = 0; i < n; i++, even += t->step, odd += t->step) {
            __m256i both[2];
            if (is_whole) {
                side_by_side(inputs_of(even), inputs_of(odd), both);
            } else {
                side_by_side(_mm256_cvtepi8_epi16(load_first(even, t->count)),
                             _mm256_cvtepi8_epi16(load_first(odd, t->count)), both);
            }
            add_taps(both, w, s[i]);
        }
    }
}

/* The weights of a window of 3 x 3, of whose groups each column has two: those of the two upper
 * rows as they are, and those of the lower row of two columns, as they meet a window that begins
 * with the first of these, and one that begins with the second. */
typedef struct three_weights {
    __m256i upper[3][2], lower[2][2], behind[2][2];
} three_weights;

ALWAYS three_weights three_of(const int16_t *w)
{
    three_weights t;
    UNROLL_LOOP
    for (int i = 0; i < 2; i++, w += ORIBI_PANEL) {
        const __m256i left = load(w + GROUP), middle = load(w + 3 * GROUP);
        const __m256i right = load(w + 5 * GROUP);
        t.upper[0][i] = load(w);
        t.upper[1][i] = load(w + 2 * GROUP);
        t.upper[2][i] = load(w + 4 * GROUP);
        t.lower[0][i] = _mm256_or_si256(left, _mm256_slli_epi32(middle, 16));
        t.lower[1][i] = right;
        t.behind[0][i] = _mm256_slli_epi32(left, 16);
        t.behind[1][i] = _mm256_or_si256(middle, _mm256_slli_epi32(right, 16));
    }
    return t;
}

/* The inputs of a column of the window: its upper rows side by side; returns the lower one. */
ALWAYS __m256i column_of(const int8_t *const *taps, int64_t at, __m256i upper[2])
{
    side_by_side(inputs_of(taps[0] + at), inputs_of(taps[1] + at), upper);
    return inputs_of(taps[2] + at);
}

/* Sums of n pixels, of which each shares two columns with the next one: two at a time, so that
 * lower rows meet in pairs. Writes one more where n is odd. */
ALWAYS void sliding_windows(const strip *t, int64_t at, int32_t n, __m256i (*s)[2])
{
    const three_weights w = three_of(t->w);
    __m256i first[2], second[2], third[2], fourth[2], lower[2], next[2];
    const __m256i left = column_of(t->taps, at, first);
    side_by_side(left, column_of(t->taps + COLUMN, at, second), lower);
    for (int32_t i = 0; i < n; i += 2, s += 2, at += 2 * t->step) {
        s[0][0] = s[1][0] = load(t->bias);
        s[0][1] = s[1][1] = load(t->bias + 1);
        const __m256i x = column_of(t->taps + 2 * COLUMN, at, third);
        const __m256i y = column_of(t->taps + 2 * COLUMN, i + 1 < n ? at + t->step : at, fourth);
        side_by_side(x, y, next);
        add_taps(first, w.upper[0], s[0]);
        add_taps(second, w.upper[1], s[0]);
        add_taps(third, w.upper[2], s[0]);
        add_taps(lower, w.lower[0], s[0]);
        add_taps(next, w.lower[1], s[0]);
        add_taps(second, w.upper[0], s[1]);
        add_taps(third, w.upper[1], s[1]);
        add_taps(fourth, w.upper[2], s[1]);
        add_taps(lower, w.behind[0], s[1]);
        add_taps(next, w.behind[1], s[1]);
        UNROLL_LOOP
        for (int k = 0; k < 2; k++) {
            first[k] = third[k];
            second[k] = fourth[k];
            lower[k] = next[k];
        }
    }
}

/* The same of pixels of which each shares a column with the next one. */
ALWAYS void striding_windows(const strip *t, int64_t at, int32_t n, __m256i (*s)[2])
{
    const three_weights w = three_of(t->w);
    __m256i first[2], second[2], third[2], lower[2], last[2];
    __m256i left = column_of(t->taps, at, first);
    for (int32_t i = 0; i < n; i++, s++, at += t->step) {
        s[0][0] = load(t->bias);
        s[0][1] = load(t->bias + 1);
        side_by_side(left, column_of(t->taps + COLUMN, at, second), lower);
        left = column_of(t->taps + 2 * COLUMN, at, third);
        side_by_side(left, left, last);
        add_taps(first, w.upper[0], s[0]);
        add_taps(second, w.upper[1], s[0]);
        add_taps(third, w.upper[2], s[0]);
        add_taps(lower, w.lower[0], s[0]);
        add_taps(last, w.lower[1], s[0]);
        first[0] = third[0];
        first[1] = third[1];
    }
}

/* Results of n pixels, `stride` apart; their windows begin `slide` columns behind, or that is 0. */
static void strip_of(const oribi_quantized_panels *p, int32_t panel, const strip *t, int32_t n,
                     int32_t slide, int8_t *out, int64_t stride)
{
    enum { STRIP = 16 };
    const bool is_three = p->groups == 6 && p->row_taps == 3 && t->count == ORIBI_PANEL;
    __m256i sums[STRIP][2];
    for (int32_t done = 0, some; done < n; done += some) {
        const int64_t at = t->at + done * t->step;
        some = n - done < STRIP ? n - done : STRIP;
        if (is_three && slide == 1) {
            sliding_windows(t, at, some, sums);
        } else if (is_three && (slide == 2 || n == 1)) {
            striding_windows(t, at, some, sums);
        } else {
            const bool is_whole = t->count == ORIBI_PANEL;
            int32_t i = 0;
            for (; is_whole && i + 2 <= some; i += 2) {
                any_windows(t, at + i * t->step, true, 2, sums + i);
            }
            for (; i < some; i++) {
                any_windows(t, at + i * t->step, is_whole, 1, sums + i);
            }
        }
        finish(p, panel, sums, some, t->count, out, stride);
        out += some * stride;
    }
}

static void depthwise(const oribi_quantized_panels *p, const int8_t *const *taps, int32_t n_pixels,
                      int64_t step, int32_t slide, int8_t *out)
{
    const int32_t channels = p->n_channels;
    strip t = {taps, p->weights, (const void *)p->bias, 0, step, p->groups, ORIBI_PANEL};
    if (step != channels || ORIBI_PANEL % channels != 0) {
        for (int32_t panel = 0; panel < p->n_panels; panel++) {
            const int32_t left = channels - panel * ORIBI_PANEL;
            t.count = left < ORIBI_PANEL ? left : ORIBI_PANEL;
            strip_of(p, panel, &t, n_pixels, slide, out + panel * ORIBI_PANEL, channels);
            t.w += p->groups * GROUP;
            t.bias += 2;
            t.at += ORIBI_PANEL;
        }
        return;
    }
    /* A panel is several pixels, the last one perhaps not all of it. */
    const int64_t width = (int64_t)n_pixels * channels;
    const int32_t whole = (int32_t)(width / ORIBI_PANEL);
    t.step = ORIBI_PANEL;
    strip_of(p, 0, &t, whole, slide * (ORIBI_PANEL / channels), out, ORIBI_PANEL);
    t.at = (int64_t)whole * ORIBI_PANEL;
    t.count = (int32_t)(width - t.at);
    if (t.count > 0) {
        strip_of(p, 0, &t, 1, 0, out + t.at, 0);
    }
}

#endif
