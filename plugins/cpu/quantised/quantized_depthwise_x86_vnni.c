/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise layers of int8 for AVX-512 with VNNI. A group is up to four taps of a column of the
 * window, so that a pixel finds the columns that it shares with the one before in registers.
 */
#include "cpu/quantised/quantized_results_x86_vnni.h"

#define FOUR(c)    (c), (c) + 16, (c) + 32, (c) + 48
#define SIXTEEN(c) FOUR(c), FOUR((c) + 1), FOUR((c) + 2), FOUR((c) + 3)
static const uint8_t by_channel[64] = {SIXTEEN(0), SIXTEEN(4), SIXTEEN(8), SIXTEEN(12)};

/* Sixteen inputs of each of four taps, or those of the mask. */
static inline __m512i column_of(const int8_t *const *taps, int64_t at, __mmask16 mask)
{
    __m512i x = _mm512_castsi128_si512(_mm_maskz_loadu_epi8(mask, taps[0] + at));
    x = _mm512_inserti32x4(x, _mm_maskz_loadu_epi8(mask, taps[1] + at), 1);
    x = _mm512_inserti32x4(x, _mm_maskz_loadu_epi8(mask, taps[2] + at), 2);
    x = _mm512_inserti32x4(x, _mm_maskz_loadu_epi8(mask, taps[3] + at), 3);
    return _mm512_xor_si512(_mm512_permutexvar_epi8(load(by_channel), x),
                            _mm512_set1_epi8((char)-128));
}

/* Up to four taps: the weights of those that are missing are 0. */
ALWAYS __m512i some_of(const int8_t *const *taps, int64_t at, const int rows)
{
    __m512i x = _mm512_castsi128_si512(_mm_loadu_si128((const void *)(taps[0] + at)));
    if (rows > 1) {
        x = _mm512_inserti32x4(x, _mm_loadu_si128((const void *)(taps[1] + at)), 1);
    }
    if (rows > 2) {
        x = _mm512_inserti32x4(x, _mm_loadu_si128((const void *)(taps[2] + at)), 2);
    }
    if (rows > 3) {
        x = _mm512_inserti32x4(x, _mm_loadu_si128((const void *)(taps[3] + at)), 3);
    }
    return _mm512_xor_si512(_mm512_permutexvar_epi8(load(by_channel), x),
                            _mm512_set1_epi8((char)-128));
}

/* Sixteen results, n times: inputs from `at` on and `step` behind, results `stride` behind. */
typedef struct strip {
    const int8_t *w;
    int64_t at, step, stride;
    int32_t n;
    __m512i bias;
} strip;

ALWAYS __m512i floats_of(const ending *e, __m512i sums, const bool is_plain)
{
    return is_plain ? rounded(e, sums) : rounded(e, corrected(e, sums, e->n_apart));
}

/* By windows of `size` x `size`, of which two share size - slide columns; 3 or 5. */
ALWAYS void square(const strip *s, const int8_t *const *taps, const ending *e, const int size,
                   const int slide, const bool is_plain, int8_t *out)
{
    enum { MOST = 10 };
    const int of_column = (size + GROUP - 1) / GROUP, n = size * of_column;
    const int new = n - slide *of_column; /* the first group that the pixel before does not have */
    __m512i x[MOST];
    int64_t at = s->at;
    if (s->n == 0) {
        return;
    }
    UNROLL_LOOP
    for (int k = 0; k < new; k++) {
        x[k] = some_of(taps + GROUP * k, at, size - k % of_column * GROUP);
    }
    for (int32_t i = 0; i < s->n; i++, at += s->step, out += s->stride) {
        __m512i sums = s->bias;
        UNROLL_LOOP
        for (int k = new; k < n; k++) {
            x[k] = some_of(taps + GROUP * k, at, size - k % of_column * GROUP);
        }
        UNROLL_LOOP
        for (int k = 0; k < n; k++) {
            sums = oribi_dot_of_bytes(sums, x[k], load(s->w + k * PANEL_BYTES));
        }
        _mm_storeu_si128((void *)out, bytes_of(e, floats_of(e, sums, is_plain)));
        UNROLL_LOOP
        for (int k = 0; k < new; k++) {
            x[k] = x[k + slide * of_column];
        }
    }
}

ALWAYS __m512i window_of(const strip *s, int32_t groups, const int8_t *const *taps, int64_t at,
                         __mmask16 mask)
{
    __m512i sums = s->bias;
    for (int32_t k = 0; k < groups; k++) {
        sums = oribi_dot_of_bytes(sums, column_of(taps + GROUP * k, at, mask),
                                  load(s->w + (int64_t)k * GROUP * ORIBI_PANEL));
    }
    return sums;
}

ALWAYS void any_window(const strip *s, int32_t groups, const int8_t *const *taps, const ending *e,
                       int8_t *out)
{
    for (int32_t i = 0; i < s->n; i++, out += s->stride) {
        const __m512i sums = window_of(s, groups, taps, s->at + i * s->step, e->mask);
        store(bytes_of(e, floats_of(e, sums, false)), e->mask, out);
    }
}

__attribute__((noinline)) static void exact_window(const oribi_quantized_panels *p, const strip *s,
                                                   int32_t first, const int8_t *const *taps,
                                                   const ending *e, int8_t *out)
{
    for (int32_t i = 0; i < s->n; i++, out += s->stride) {
        const __m512i sums = window_of(s, p->groups, taps, s->at + i * s->step, e->mask);
        const __m512i results =
            scale(sums, load(p->multiplier + first), load(p->left + first), load(p->right + first));
        store(bytes_of(e, results), e->mask, out);
    }
}

/* Inlined, as an ending in memory would cost as much as a short strip. */
ALWAYS void strip_of(const oribi_quantized_panels *p, int32_t first, const strip *s,
                     const int8_t *const *taps, int32_t slide, const ending *e, int8_t *out)
{
    const bool is_three = p->groups == 3 && p->row_taps == 3 && e->mask == 0xffff;
    const bool is_five = p->groups == 10 && p->row_taps == 5 && e->mask == 0xffff;
    if (e->n_apart < 0) {
        exact_window(p, s, first, taps, e, out);
    } else if (is_three && slide == 1 && e->n_apart == 0) {
        square(s, taps, e, 3, 1, true, out);
    } else if (is_three && slide == 1) {
        square(s, taps, e, 3, 1, false, out);
    } else if (is_three && (slide == 2 || s->n == 1)) {
        square(s, taps, e, 3, 2, false, out);
    } else if (is_five && slide == 1) {
        square(s, taps, e, 5, 1, false, out);
    } else if (is_five && (slide == 2 || s->n == 1)) {
        square(s, taps, e, 5, 2, false, out);
    } else {
        any_window(s, p->groups, taps, e, out);
    }
}

void oribi_quantized_vnni_depthwise(const oribi_quantized_panels *p, const int8_t *const *taps,
                                    int32_t n_pixels, int64_t step, int32_t slide, int8_t *out)
{
    const int32_t channels = p->n_channels;
    strip s = {p->weights, 0, step, channels, n_pixels, load(p->bias)};
    if (step != channels || ORIBI_PANEL % channels != 0) {
        for (int32_t first = 0; first < channels; first += ORIBI_PANEL) {
            const ending e = ending_of(p, first);
            s.at = first;
            s.bias = load(p->bias + first);
            strip_of(p, first, &s, taps, slide, &e, out + first);
            s.w += (int64_t)p->groups * GROUP * ORIBI_PANEL;
        }
        return;
    }
    /* A panel is several pixels, the last one perhaps not all of it. */
    const int64_t width = (int64_t)n_pixels * channels;
    ending e = ending_of(p, 0);
    e.mask = 0xffff;
    s.n = (int32_t)(width / ORIBI_PANEL);
    s.step = s.stride = ORIBI_PANEL;
    strip_of(p, 0, &s, taps, slide * (ORIBI_PANEL / channels), &e, out);
    s.at = (int64_t)s.n * ORIBI_PANEL;
    s.n = 1;
    e.mask = (__mmask16)below(width - s.at);
    strip_of(p, 0, &s, taps, 0, &e, out + s.at);
}
