/* SPDX-License-Identifier: Apache-2.0 */
/* Quantised layers for AVX-512 with VNNI: four products of bytes are added in int32 at once, 16
 * channels of up to eight pixels at a time. Inputs are bytes without a sign, 128 more than they
 * are; the packed bias makes up for it.
 */
#include "cpu/base/dot_x86_vnni.h"
#include "cpu/quantised/quantized_panels.h"

#include <string.h>

enum { PIXELS = 8, GROUP = 4, SIDE_BY_SIDE = 4 /* panels */ };

static __m512i load(const void *from)
{
    return _mm512_loadu_si512(from);
}

static __mmask64 below(int64_t count)
{
    return count >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1;
}

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

/* Holds what the results of a panel need. */
typedef struct ending {
    __m512i multiplier, left, right, zero, low, high;
    __mmask16 mask; /* channels that exist */
} ending;

static inline ending ending_of(const oribi_quantized_panels *p, int32_t first)
{
    const ending e = {load(p->multiplier + first),
                      load(p->left + first),
                      load(p->right + first),
                      _mm512_set1_epi32(p->zero),
                      _mm512_set1_epi32(p->low),
                      _mm512_set1_epi32(p->high),
                      (__mmask16)below(p->n_channels - first)};
    return e;
}

static inline void finish(const ending *e, __m512i sums, int8_t *out)
{
    sums = scale(sums, e->multiplier, e->left, e->right);
    sums = _mm512_add_epi32(sums, e->zero);
    sums = _mm512_min_epi32(_mm512_max_epi32(sums, e->low), e->high);
    _mm_mask_storeu_epi8(out, e->mask, _mm512_cvtepi32_epi8(sums));
}

/* --- Tiles ----------------------------------------------------------------------------------- */

static __m512i four_inputs(const uint8_t *x)
{
    int32_t all;
    memcpy(&all, x, sizeof all);
    return _mm512_set1_epi32(all);
}

/* m panels, 1 or 2, of n pixels; both are constants where this is inlined. Two panels share what is
 * read of the pixels. */
static inline void panel_of(const oribi_quantized_panels *p, int32_t panel, const uint8_t *x,
                            const oribi_quantized_window *window, int32_t m, int32_t n, int8_t *out,
                            int64_t stride)
{
    const int64_t panel_bytes = (int64_t)p->groups * GROUP * ORIBI_PANEL;
    const int8_t *w = (const int8_t *)p->weights + panel * panel_bytes;
    const int64_t step = window->pixel_step, row_bytes = (int64_t)GROUP * window->row_groups;
    __m512i s[PIXELS][2];
    for (int32_t i = 0; i < n; i++) {
        for (int32_t k = 0; k < m; k++) {
            s[i][k] = load(p->bias + (panel + k) * ORIBI_PANEL);
        }
    }
    for (int32_t r = 0; r < window->n_rows; r++, x += window->row_step) {
        for (int64_t k = 0; k < row_bytes; k += GROUP, w += GROUP * ORIBI_PANEL) {
            const __m512i left = load(w), right = m == 2 ? load(w + panel_bytes) : left;
            for (int32_t i = 0; i < n; i++) {
                const __m512i inputs = four_inputs(x + i * step + k);
                s[i][0] = oribi_dot_of_bytes(s[i][0], inputs, left);
                if (m == 2) {
                    s[i][1] = oribi_dot_of_bytes(s[i][1], inputs, right);
                }
            }
        }
    }
    for (int32_t k = 0; k < m; k++) {
        const int32_t first = (panel + k) * ORIBI_PANEL;
        const ending e = ending_of(p, first);
        for (int32_t i = 0; i < n; i++) {
            finish(&e, s[i][k], out + i * stride + first);
        }
    }
}

/* All panels of n pixels. */
static inline void panels_of(const oribi_quantized_panels *p, const uint8_t *x,
                             const oribi_quantized_window *window, int32_t n, int8_t *out,
                             int64_t stride)
{
    int32_t panel = 0;
    for (; panel + 2 <= p->n_panels; panel += 2) {
        panel_of(p, panel, x, window, 2, n, out, stride);
    }
    if (panel < p->n_panels) {
        panel_of(p, panel, x, window, 1, n, out, stride);
    }
}

/* n panels of one pixel, so that a sum need not wait for the product before; n is a constant where
 * this is inlined. */
static inline void pixel_of(const oribi_quantized_panels *p, int32_t panel, const uint8_t *x,
                            const oribi_quantized_window *window, int32_t n, int8_t *out)
{
    const int64_t panel_bytes = (int64_t)p->groups * GROUP * ORIBI_PANEL;
    const int64_t row_bytes = (int64_t)GROUP * window->row_groups;
    const int8_t *w = (const int8_t *)p->weights + panel * panel_bytes;
    __m512i s[SIDE_BY_SIDE];
    for (int32_t i = 0; i < n; i++) {
        s[i] = load(p->bias + (panel + i) * ORIBI_PANEL);
    }
    for (int32_t r = 0; r < window->n_rows; r++, x += window->row_step) {
        for (int64_t k = 0; k < row_bytes; k += GROUP, w += GROUP * ORIBI_PANEL) {
            const __m512i inputs = four_inputs(x + k);
            for (int32_t i = 0; i < n; i++) {
                s[i] = oribi_dot_of_bytes(s[i], inputs, load(w + i * panel_bytes));
            }
        }
    }
    for (int32_t i = 0; i < n; i++) {
        const ending e = ending_of(p, (panel + i) * ORIBI_PANEL);
        finish(&e, s[i], out + (panel + i) * ORIBI_PANEL);
    }
}

static void tile(const oribi_quantized_panels *p, const void *inputs,
                 const oribi_quantized_window *window, int32_t n_pixels, int8_t *out,
                 int64_t stride)
{
    const uint8_t *x = inputs;
    int32_t done = 0;
    if (n_pixels >= 4) {
        done = n_pixels == PIXELS ? PIXELS : 4;
        if (done == PIXELS) {
            panels_of(p, x, window, PIXELS, out, stride);
        } else {
            panels_of(p, x, window, 4, out, stride);
        }
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

/* --- Depthwise ------------------------------------------------------------------------------- */

/* 16 inputs of each of four taps, by channel. */
static inline __m512i four_taps(const int8_t *const *taps, int64_t at, __mmask16 mask,
                                __m512i order)
{
    __m512i x = _mm512_castsi128_si512(_mm_maskz_loadu_epi8(mask, taps[0] + at));
    x = _mm512_inserti32x4(x, _mm_maskz_loadu_epi8(mask, taps[1] + at), 1);
    x = _mm512_inserti32x4(x, _mm_maskz_loadu_epi8(mask, taps[2] + at), 2);
    x = _mm512_inserti32x4(x, _mm_maskz_loadu_epi8(mask, taps[3] + at), 3);
    return _mm512_xor_si512(_mm512_permutexvar_epi8(order, x), _mm512_set1_epi8((char)-128));
}

static void depthwise(const oribi_quantized_panels *p, const int8_t *const *taps, int32_t n_pixels,
                      int64_t step, int8_t *out)
{
    uint8_t places[64];
    for (int32_t i = 0; i < 64; i++) {
        places[i] = (uint8_t)(i % GROUP * ORIBI_PANEL + i / GROUP);
    }
    const __m512i order = load(places);
    const int8_t *w = p->weights;
    for (int32_t first = 0; first < p->n_channels; first += ORIBI_PANEL) {
        const ending e = ending_of(p, first);
        const __m512i bias = load(p->bias + first);
        for (int32_t i = 0; i < n_pixels; i++) {
            __m512i sums = bias;
            for (int32_t k = 0; k < p->groups; k++) {
                const __m512i x = four_taps(taps + GROUP * k, i * step + first, e.mask, order);
                sums = oribi_dot_of_bytes(sums, x, load(w + (int64_t)k * GROUP * ORIBI_PANEL));
            }
            finish(&e, sums, out + (int64_t)i * p->n_channels + first);
        }
        w += (int64_t)p->groups * GROUP * ORIBI_PANEL;
    }
}

/* --- Sums ------------------------------------------------------------------------------------ */

/* One side at the common, finer scale: micro/add_row_s8.c. */
static __m512i finer(__m128i bytes, int32_t zero, int32_t multiplier, int32_t shift)
{
    const __m512i x = _mm512_cvtepi8_epi32(bytes);
    return scale(_mm512_slli_epi32(_mm512_sub_epi32(x, _mm512_set1_epi32(zero)), 20),
                 _mm512_set1_epi32(multiplier), _mm512_setzero_si512(), _mm512_set1_epi32(-shift));
}

static void add(const struct oribi_micro_add_scales_s8 *s, const int8_t *a, const int8_t *b,
                int64_t count, int8_t *out)
{
    for (int64_t i = 0; i < count; i += 16) {
        const __mmask16 mask = (__mmask16)below(count - i);
        const __m512i left =
            finer(_mm_maskz_loadu_epi8(mask, a + i), s->a_zero, s->a_multiplier, s->a_shift);
        const __m512i right =
            finer(_mm_maskz_loadu_epi8(mask, b + i), s->b_zero, s->b_multiplier, s->b_shift);
        __m512i sum =
            s->subtract != 0 ? _mm512_sub_epi32(left, right) : _mm512_add_epi32(left, right);
        sum = scale(sum, _mm512_set1_epi32(s->output_multiplier), _mm512_setzero_si512(),
                    _mm512_set1_epi32(-s->output_shift));
        sum = _mm512_add_epi32(sum, _mm512_set1_epi32(s->output_zero));
        sum = _mm512_max_epi32(sum, _mm512_set1_epi32(s->low));
        sum = _mm512_min_epi32(sum, _mm512_set1_epi32(s->high));
        _mm_mask_storeu_epi8(out + i, mask, _mm512_cvtepi32_epi8(sum));
    }
}

const oribi_quantized_simd oribi_quantized_vnni = {
    {GROUP, 1, PIXELS, 128, false}, take, fill, tile, depthwise, add};
