/* SPDX-License-Identifier: Apache-2.0 */
/* Quantised layers for AVX-512 with VNNI: four products of bytes are added in int32 at once, 16
 * channels of up to eight pixels at a time. Inputs are bytes without a sign, 128 more than they
 * are; the packed bias makes up for it.
 */
#include "cpu/quantised/quantized_results_x86_vnni.h"

#include <string.h>

enum { PIXELS = 16, FOUR_GROUPS = 4 * GROUP, SIDE_BY_SIDE = ORIBI_SIDE_BY_SIDE };

static void *take(const int8_t *from, int64_t count, void *to)
{
    const __m512i bias = _mm512_set1_epi8((char)-128);
    int8_t *out = to;
    int64_t i = 0;
    for (; i + 64 <= count; i += 64) {
        _mm512_storeu_si512(out + i, _mm512_xor_si512(load(from + i), bias));
    }
    if (i < count) {
        const __mmask64 mask = below(count - i);
        const __m512i bytes = _mm512_maskz_loadu_epi8(mask, from + i);
        _mm512_mask_storeu_epi8(out + i, mask, _mm512_xor_si512(bytes, bias));
    }
    return out + count;
}

static void *fill(int32_t value, int64_t count, void *to)
{
    memset(to, (int)((uint8_t)value ^ 128U), (size_t)count);
    return (int8_t *)to + count;
}

/* --- Results --------------------------------------------------------------------------------- */

/* oribi_micro_scale (micro/fixed_point.h) of 16 sums: a high product rounded with ties up, then a
 * shift rounded with ties away from zero. A product never leaves int32, as multipliers are at least
 * 0. */
static __m512i scale(__m512i x, __m512i multiplier, __m512i left, __m512i right)
{
    const __m512i half = _mm512_set1_epi64(INT64_C(1) << 30), one = _mm512_set1_epi32(1);
    x = _mm512_sllv_epi32(x, left);
    const __m512i even = _mm512_add_epi64(_mm512_mul_epi32(x, multiplier), half);
    const __m512i odd = _mm512_add_epi64(
        _mm512_mul_epi32(_mm512_srli_epi64(x, 32), _mm512_srli_epi64(multiplier, 32)), half);
    x = _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 31), _mm512_slli_epi64(odd, 1));
    const __m512i mask = _mm512_sub_epi32(_mm512_sllv_epi32(one, right), one);
    const __m512i threshold =
        _mm512_sub_epi32(_mm512_srli_epi32(mask, 1), _mm512_srai_epi32(x, 31));
    const __mmask16 up = _mm512_cmpgt_epi32_mask(_mm512_and_si512(x, mask), threshold);
    x = _mm512_srav_epi32(x, right);
    return _mm512_mask_add_epi32(x, up, x, one);
}

__attribute__((noinline)) void oribi_quantized_vnni_exactly(const oribi_quantized_panels *p,
                                                            int32_t first, const __m512i *sums,
                                                            int32_t n, __mmask16 mask, int8_t *out,
                                                            int64_t stride)
{
    ending e = ending_of(p, first);
    e.added = _mm512_set1_epi32(p->zero);
    for (int32_t i = 0; i < n; i++) {
        const __m512i results = scale(sums[i], load(p->multiplier + first), load(p->left + first),
                                      load(p->right + first));
        _mm_mask_storeu_epi8(out + i * stride, mask, bytes_of(&e, results));
    }
}

/* Results of n pixels, some fours and then single ones; is_corrected is a constant. */
ALWAYS void finish_all(const ending *e, const bounds *of, const __m512i *s, int32_t n, int8_t *out,
                       int64_t stride, const bool is_corrected)
{
    const __m512i apart = load(e->apart), more = load(e->more);
#define RESULT(i)                                                                                  \
    rounded(e, is_corrected                                                                        \
                   ? _mm512_mask_add_epi32(s[i], _mm512_cmpeq_epi32_mask(s[i], apart), s[i], more) \
                   : s[i])
    for (; n >= 4; n -= 4, s += 4, out += 4 * stride) {
        const __m512i all = four_of(of, RESULT(0), RESULT(1), RESULT(2), RESULT(3));
        if (stride == ORIBI_PANEL) {
            _mm512_storeu_si512(out, all);
            continue;
        }
        store(_mm512_castsi512_si128(all), e->mask, out);
        store(_mm512_extracti32x4_epi32(all, 1), e->mask, out + stride);
        store(_mm512_extracti32x4_epi32(all, 2), e->mask, out + 2 * stride);
        store(_mm512_extracti32x4_epi32(all, 3), e->mask, out + 3 * stride);
    }
    for (int32_t i = 0; i < n; i++) {
        store(bytes_of(e, RESULT(i)), e->mask, out + i * stride);
    }
#undef RESULT
}

/* Results of n pixels of a panel, whose first channel is `first`. One function, as it is most of
 * the code of a tile. */
__attribute__((noinline)) static void finish_pixels(const oribi_quantized_panels *p, int32_t first,
                                                    __m512i *s, int32_t n, int8_t *out,
                                                    int64_t stride)
{
    const ending e = ending_of(p, first);
    const bounds of = {_mm512_set1_epi16((int16_t)p->added), _mm512_set1_epi8((int8_t)p->low),
                       _mm512_set1_epi8((int8_t)p->high)};
    out += first;
    if (e.n_apart == 0) {
        finish_all(&e, &of, s, n, out, stride, false);
    } else if (e.n_apart > 0) {
        for (int32_t i = 0; e.n_apart > 1 && i < n; i++) {
            s[i] = corrected(&e, s[i], 1);
        }
        finish_all(&e, &of, s, n, out, stride, true);
    } else {
        oribi_quantized_vnni_exactly(p, first, s, n, e.mask, out, stride);
    }
}

/* --- Tiles ----------------------------------------------------------------------------------- */

static __m512i four_inputs(const uint8_t *x)
{
    int32_t all;
    memcpy(&all, x, sizeof all);
    return _mm512_set1_epi32(all);
}

/* Four groups of a pixel and one panel. Broadcasting a group from memory takes twice as long as a
 * product, and spreading it takes the place of one: so one of four is broadcast, the others are
 * read once and spread. */
ALWAYS __m512i add_four(__m512i sum, const uint8_t *x, const int8_t *w)
{
    const __m512i all = _mm512_broadcast_i32x4(_mm_loadu_si128((const void *)x));
    sum = oribi_dot_of_bytes(sum, four_inputs(x), load(w));
    sum = oribi_dot_of_bytes(sum, _mm512_shuffle_epi32(all, 0x55), load(w + PANEL_BYTES));
    sum = oribi_dot_of_bytes(sum, _mm512_shuffle_epi32(all, 0xaa), load(w + 2 * PANEL_BYTES));
    return oribi_dot_of_bytes(sum, _mm512_shuffle_epi32(all, 0xff), load(w + 3 * PANEL_BYTES));
}

ALWAYS void begin_panels(const oribi_quantized_panels *p, int32_t panel, int32_t m, int32_t n,
                         __m512i (*s)[2])
{
    UNROLL_LOOP
    for (int32_t i = 0; i < n; i++) {
        UNROLL_LOOP
        for (int32_t k = 0; k < m; k++) {
            s[i][k] = load(p->bias + (panel + k) * ORIBI_PANEL);
        }
    }
}

ALWAYS void finish_panels(const oribi_quantized_panels *p, int32_t panel, __m512i (*s)[2],
                          int32_t m, int32_t n, int8_t *out, int64_t stride)
{
    UNROLL_LOOP
    for (int32_t k = 0; k < m; k++) {
        __m512i sums[PIXELS]; /* in memory: results of sums in registers are code for each */
        UNROLL_LOOP
        for (int32_t i = 0; i < n; i++) {
            sums[i] = s[i][k];
        }
        finish_pixels(p, (panel + k) * ORIBI_PANEL, sums, n, out, stride);
    }
}

/* m panels, 1 or 2, of n pixels; both are constants where this is inlined. Two panels share what is
 * read of the pixels. */
ALWAYS void panel_of(const oribi_quantized_panels *p, int32_t panel, const uint8_t *x,
                     const oribi_quantized_window *window, int32_t m, int32_t n, int8_t *out,
                     int64_t stride)
{
    const int64_t panel_bytes = (int64_t)p->groups * GROUP * ORIBI_PANEL;
    const int8_t *w = (const int8_t *)p->weights + panel * panel_bytes;
    const int64_t step = window->pixel_step, row_bytes = (int64_t)GROUP * window->row_groups;
    __m512i s[PIXELS][2];
    begin_panels(p, panel, m, n, s);
    for (int32_t r = 0; r < window->n_rows; r++, x += window->row_step) {
        int64_t k = 0;
        for (; n == PIXELS && k + FOUR_GROUPS <= row_bytes;
             k += FOUR_GROUPS, w += 4 * PANEL_BYTES) {
            UNROLL_LOOP
            for (int32_t i = 0; i < n; i++) {
                s[i][0] = add_four(s[i][0], x + i * step + k, w);
            }
        }
        for (; k < row_bytes; k += GROUP, w += GROUP * ORIBI_PANEL) {
            const __m512i left = load(w), right = m == 2 ? load(w + panel_bytes) : left;
            UNROLL_LOOP
            for (int32_t i = 0; i < n; i++) {
                const __m512i inputs = four_inputs(x + i * step + k);
                s[i][0] = oribi_dot_of_bytes(s[i][0], inputs, left);
                if (m == 2) {
                    s[i][1] = oribi_dot_of_bytes(s[i][1], inputs, right);
                }
            }
        }
    }
    finish_panels(p, panel, s, m, n, out, stride);
}

/* Is a row of the window three pixels, of which the next window has two, in whole groups? */
static bool has_three(const oribi_quantized_window *window)
{
    return window->pixel_step % GROUP == 0 &&
           (int64_t)GROUP * window->row_groups == 3 * window->pixel_step;
}

/* The same by windows of three pixels, of which two share two: what is read of a pixel is
 * multiplied for three results. */
ALWAYS void three_of_panel(const oribi_quantized_panels *p, int32_t panel, const uint8_t *x,
                           const oribi_quantized_window *window, int32_t m, int32_t n, int8_t *out,
                           int64_t stride)
{
    const int64_t panel_bytes = (int64_t)p->groups * PANEL_BYTES;
    const int8_t *w = (const int8_t *)p->weights + panel * panel_bytes;
    const int64_t step = window->pixel_step, next = step / GROUP * PANEL_BYTES; /* of weights */
    __m512i s[PIXELS][2];
    begin_panels(p, panel, m, n, s);
    for (int32_t r = 0; r < window->n_rows; r++, x += window->row_step, w += 2 * next) {
        for (int64_t k = 0; k < step; k += GROUP, w += PANEL_BYTES) {
            __m512i of[3][2];
            UNROLL_LOOP
            for (int32_t j = 0; j < 3; j++) {
                UNROLL_LOOP
                for (int32_t q = 0; q < m; q++) {
                    of[j][q] = load(w + j * next + q * panel_bytes);
                }
            }
            UNROLL_LOOP
            for (int32_t i = 0; i < n + 2; i++) {
                const __m512i inputs = four_inputs(x + i * step + k);
                UNROLL_LOOP
                for (int32_t j = 0; j < 3; j++) {
                    if (i < j || i - j >= n) {
                        continue;
                    }
                    UNROLL_LOOP
                    for (int32_t q = 0; q < m; q++) {
                        s[i - j][q] = oribi_dot_of_bytes(s[i - j][q], inputs, of[j][q]);
                    }
                }
            }
        }
    }
    finish_panels(p, panel, s, m, n, out, stride);
}

/* All panels of n pixels, 4 or 8. */
ALWAYS void panels_of(const oribi_quantized_panels *p, const uint8_t *x,
                      const oribi_quantized_window *window, int32_t n, int8_t *out, int64_t stride)
{
    int32_t panel = 0;
    for (; panel + 2 <= p->n_panels; panel += 2) {
        if (n == 8 && has_three(window)) {
            three_of_panel(p, panel, x, window, 2, n, out, stride);
        } else {
            panel_of(p, panel, x, window, 2, n, out, stride);
        }
    }
    if (panel < p->n_panels) {
        panel_of(p, panel, x, window, 1, n, out, stride);
    }
}

/* n panels of one pixel, so that a sum need not wait for the product before; n is a constant where
 * this is inlined. */
ALWAYS void pixel_of(const oribi_quantized_panels *p, int32_t panel, const uint8_t *x,
                     const oribi_quantized_window *window, int32_t n, int8_t *out)
{
    const bool is_by_fours = p->is_by_fours && n == SIDE_BY_SIDE;
    const int64_t panel_bytes = (int64_t)p->groups * PANEL_BYTES;
    const int64_t next = is_by_fours ? PANEL_BYTES : panel_bytes;
    const int64_t next_group = is_by_fours ? SIDE_BY_SIDE * PANEL_BYTES : PANEL_BYTES;
    const int64_t row_bytes = (int64_t)GROUP * window->row_groups;
    const int8_t *w = (const int8_t *)p->weights + panel * panel_bytes;
    __m512i s[SIDE_BY_SIDE];
    UNROLL_LOOP
    for (int32_t i = 0; i < n; i++) {
        s[i] = load(p->bias + (panel + i) * ORIBI_PANEL);
    }
    for (int32_t r = 0; r < window->n_rows; r++, x += window->row_step) {
        for (int64_t k = 0; k < row_bytes; k += GROUP, w += next_group) {
            const __m512i inputs = four_inputs(x + k);
            UNROLL_LOOP
            for (int32_t i = 0; i < n; i++) {
                s[i] = oribi_dot_of_bytes(s[i], inputs, load(w + i * next));
            }
        }
    }
    UNROLL_LOOP
    for (int32_t i = 0; i < n; i++) {
        finish_pixels(p, (panel + i) * ORIBI_PANEL, &s[i], 1, out, 0);
    }
}

static void tile(const oribi_quantized_panels *p, const void *inputs,
                 const oribi_quantized_window *window, int32_t n_pixels, int8_t *out,
                 int64_t stride)
{
    const uint8_t *x = inputs;
    int32_t done = 0;
    if (n_pixels == PIXELS && p->n_panels == 1) { /* as many sums as an instruction takes cycles */
        if (has_three(window)) {
            three_of_panel(p, 0, x, window, 1, PIXELS, out, stride);
        } else {
            panel_of(p, 0, x, window, 1, PIXELS, out, stride);
        }
        return;
    }
    for (; done + 8 <= n_pixels; done += 8) {
        panels_of(p, x + done * window->pixel_step, window, 8, out + done * stride, stride);
    }
    while (n_pixels >= 4 &&
           done + 2 <= n_pixels) { /* with pixels that are done: all weights once */
        done = done + 4 <= n_pixels ? done : n_pixels - 4;
        panels_of(p, x + done * window->pixel_step, window, 4, out + done * stride, stride);
        done += 4;
    }
    for (; done < n_pixels; done++) {
        const uint8_t *pixel = x + done * window->pixel_step;
        int8_t *to = out + done * stride;
        int32_t panel = 0;
        for (; panel + SIDE_BY_SIDE <= p->n_panels; panel += SIDE_BY_SIDE) {
            pixel_of(p, panel, pixel, window, SIDE_BY_SIDE, to);
        }
        for (; panel < p->n_panels; panel++) {
            pixel_of(p, panel, pixel, window, 1, to);
        }
    }
}

/* --- Sums ------------------------------------------------------------------------------------ */

/* Sixteen results before they are packed. */
ALWAYS __m512i sums_of(const oribi_quantized_sum *s, __m128i a, __m128i b)
{
    const __m512 x = _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(a));
    const __m512 y = _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(b));
    const __m512 right = _mm512_fmadd_ps(y, _mm512_set1_ps(s->of_b), _mm512_set1_ps(s->term));
    const __m512 sums = _mm512_fmadd_ps(x, _mm512_set1_ps(s->of_a), right);
    if (s->tie == 0) {
        return _mm512_cvtps_epi32(sums);
    }
    const __m512 tie = tie_of(sums, _mm512_set1_epi32(INT32_MIN), _mm512_set1_ps(s->tie));
    return _mm512_cvtps_epi32(_mm512_add_ps(sums, tie));
}

static __m128i sixteen(const int8_t *from)
{
    return _mm_loadu_si128((const void *)from);
}

static void add(const oribi_quantized_sum *s, const int8_t *a, const int8_t *b, int64_t count,
                int8_t *out)
{
    const bounds of = {_mm512_set1_epi16((int16_t)s->added), _mm512_set1_epi8(s->exact.low),
                       _mm512_set1_epi8(s->exact.high)};
    int64_t i = 0;
    for (; i + 64 <= count; i += 64) {
        const __m512i first = sums_of(s, sixteen(a + i), sixteen(b + i));
        const __m512i second = sums_of(s, sixteen(a + i + 16), sixteen(b + i + 16));
        const __m512i third = sums_of(s, sixteen(a + i + 32), sixteen(b + i + 32));
        const __m512i last = sums_of(s, sixteen(a + i + 48), sixteen(b + i + 48));
        _mm512_storeu_si512(out + i, four_of(&of, first, second, third, last));
    }
    for (; i < count; i += 16) {
        const __mmask16 mask = (__mmask16)below(count - i);
        const __m512i sums =
            sums_of(s, _mm_maskz_loadu_epi8(mask, a + i), _mm_maskz_loadu_epi8(mask, b + i));
        const __m512i all = four_of(&of, sums, sums, sums, sums);
        _mm_mask_storeu_epi8(out + i, mask, _mm512_castsi512_si128(all));
    }
}

const oribi_quantized_simd oribi_quantized_vnni = {
    {GROUP, 1, PIXELS, 128, true, false}, take, fill, tile, oribi_quantized_vnni_depthwise, add};
