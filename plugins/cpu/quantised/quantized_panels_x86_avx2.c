/* SPDX-License-Identifier: Apache-2.0 */
/* Quantised layers for AVX2: pairs of products of int16 are added in int32, 16 channels of up to
 * four pixels at a time. */
#include "cpu/base/add_x86_avx2.h"
#include "cpu/quantised/quantized_panels.h"

#include <string.h>

enum { PIXELS = 4, SIDE_BY_SIDE = 4 /* panels */ };

static __m256i load(const void *from)
{
    return _mm256_loadu_si256(from);
}

static void *take(const int8_t *from, int64_t count, void *to)
{
    int16_t *out = to;
    int64_t i = 0;
    for (; i + 16 <= count; i += 16) {
        const __m128i bytes = _mm_loadu_si128((const void *)(from + i));
        _mm256_storeu_si256((void *)(out + i), _mm256_cvtepi8_epi16(bytes));
    }
    for (; i < count; i++) {
        out[i] = from[i];
    }
    return out + count;
}

static void *fill(int32_t value, int64_t count, void *to)
{
    int16_t *out = to;
    for (int64_t i = 0; i < count; i++) {
        out[i] = (int16_t)value;
    }
    return out + count;
}

/* --- Results --------------------------------------------------------------------------------- */

/* oribi_micro_scale (micro/fixed_point.h) of 8 sums: a high product rounded with ties up, then a
 * shift rounded with ties away from zero. A product never leaves int32, as multipliers are at least
 * 0. */
static __m256i scale(__m256i x, __m256i multiplier, __m256i left, __m256i right)
{
    const __m256i half = _mm256_set1_epi64x(INT64_C(1) << 30), one = _mm256_set1_epi32(1);
    x = _mm256_sllv_epi32(x, left);
    const __m256i even = _mm256_add_epi64(_mm256_mul_epi32(x, multiplier), half);
    const __m256i odd = _mm256_add_epi64(
        _mm256_mul_epi32(_mm256_srli_epi64(x, 32), _mm256_srli_epi64(multiplier, 32)), half);
    x = _mm256_blend_epi32(_mm256_srli_epi64(even, 31), _mm256_slli_epi64(odd, 1), 0xaa);
    const __m256i mask = _mm256_sub_epi32(_mm256_sllv_epi32(one, right), one);
    const __m256i remainder = _mm256_and_si256(x, mask);
    const __m256i threshold =
        _mm256_sub_epi32(_mm256_srli_epi32(mask, 1), _mm256_srai_epi32(x, 31));
    return _mm256_sub_epi32(_mm256_srav_epi32(x, right), _mm256_cmpgt_epi32(remainder, threshold));
}

/* As scale, where sums are short (quantized_panels.h): half of what the shift drops is in the
 * product already; a negative sum has 1 less, as its ties go the other way. */
static inline __m256i scale_short(__m256i x, const oribi_quantized_panels *p, int32_t at)
{
    const __m256i multiplier = load(p->multiplier + at);
    const __m256i even = _mm256_add_epi64(_mm256_mul_epi32(x, multiplier), load(p->rounding + at));
    const __m256i odd = _mm256_add_epi64(
        _mm256_mul_epi32(_mm256_srli_epi64(x, 32), _mm256_srli_epi64(multiplier, 32)),
        load(p->rounding + at + 4));
    const __m256i both =
        _mm256_blend_epi32(_mm256_srli_epi64(even, 31), _mm256_slli_epi64(odd, 1), 0xaa);
    return _mm256_srav_epi32(_mm256_add_epi32(both, _mm256_srai_epi32(x, 31)), load(p->right + at));
}

/* Writes the first `count` of 16 bytes. */
static inline void store_first(__m128i bytes, int32_t count, int8_t *out)
{
    if (count >= ORIBI_PANEL) {
        _mm_storeu_si128((void *)out, bytes);
        return;
    }
    if ((count & 8) != 0) {
        _mm_storel_epi64((void *)out, bytes);
        bytes = _mm_unpackhi_epi64(bytes, bytes);
        out += 8;
    }
    int64_t left = _mm_cvtsi128_si64(bytes);
    for (int32_t i = 0; i < (count & 7); i++, left >>= 8) {
        out[i] = (int8_t)left;
    }
}

/* `count` results of the channels from `first` of the arrays on, from two vectors of sums. */
static inline void finish(const oribi_quantized_panels *p, int32_t first, __m256i s0, __m256i s1,
                          int32_t count, int8_t *out)
{
    if (p->is_short[first / ORIBI_PANEL]) {
        s0 = scale_short(s0, p, first);
        s1 = scale_short(s1, p, first + 8);
    } else {
        s0 = scale(s0, load(p->multiplier + first), load(p->left + first), load(p->right + first));
        s1 = scale(s1, load(p->multiplier + first + 8), load(p->left + first + 8),
                   load(p->right + first + 8));
    }
    /* Both packings saturate beyond the bounds; they give the order of the model again. */
    const __m256i words =
        _mm256_adds_epi16(_mm256_packs_epi32(s0, s1), _mm256_set1_epi16((int16_t)p->zero));
    __m128i bytes =
        _mm_packs_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    bytes = _mm_max_epi8(bytes, _mm_set1_epi8((int8_t)p->low));
    store_first(_mm_min_epi8(bytes, _mm_set1_epi8((int8_t)p->high)), count, out);
}

/* --- Tiles ----------------------------------------------------------------------------------- */

static __m256i two_inputs(const char *x)
{
    int32_t both;
    memcpy(&both, x, sizeof both);
    return _mm256_set1_epi32(both);
}

/* A panel of n pixels; n is a constant where this is inlined. */
static inline void panel_of(const oribi_quantized_panels *p, int32_t panel, const char *x,
                            const oribi_quantized_window *window, int32_t n, int8_t *out,
                            int64_t stride)
{
    const int16_t *w = (const int16_t *)p->weights + (int64_t)panel * p->groups * 2 * ORIBI_PANEL;
    const int32_t first = panel * ORIBI_PANEL;
    __m256i s[PIXELS][2];
    for (int32_t i = 0; i < n; i++) {
        s[i][0] = load(p->bias + first);
        s[i][1] = load(p->bias + first + 8);
    }
    for (int32_t r = 0; r < window->n_rows; r++, x += window->row_step) {
        for (int64_t k = 0; k < window->row_groups; k++, w += 2 * ORIBI_PANEL) {
            const __m256i w0 = load(w), w1 = load(w + ORIBI_PANEL);
            for (int32_t i = 0; i < n; i++) {
                const __m256i both = two_inputs(x + i * window->pixel_step + 4 * k);
                s[i][0] = oribi_add_in_place(s[i][0], _mm256_madd_epi16(w0, both));
                s[i][1] = oribi_add_in_place(s[i][1], _mm256_madd_epi16(w1, both));
            }
        }
    }
    for (int32_t i = 0; i < n; i++) {
        finish(p, first, s[i][0], s[i][1], p->n_channels - first, out + i * stride + first);
    }
}

/* m panels of bytes of one row; m is a constant where this is inlined. */
static inline void bytes_of(const oribi_quantized_panels *p, int32_t panel, const char *x,
                            int32_t m, int8_t *out)
{
    const int64_t panel_bytes = (int64_t)p->groups * 2 * ORIBI_PANEL;
    const int8_t *w = (const int8_t *)p->weights + panel * panel_bytes;
    __m256i s[SIDE_BY_SIDE][2];
    for (int32_t i = 0; i < m; i++) {
        s[i][0] = load(p->bias + (panel + i) * ORIBI_PANEL);
        s[i][1] = load(p->bias + (panel + i) * ORIBI_PANEL + 8);
    }
    for (int64_t k = 0; k < p->groups; k++, w += 2 * ORIBI_PANEL) {
        const __m256i both = two_inputs(x + 4 * k);
        for (int32_t i = 0; i < m; i++) {
            const __m128i *of = (const void *)(w + i * panel_bytes);
            const __m256i w0 = _mm256_cvtepi8_epi16(_mm_loadu_si128(of));
            const __m256i w1 = _mm256_cvtepi8_epi16(_mm_loadu_si128(of + 1));
            s[i][0] = oribi_add_in_place(s[i][0], _mm256_madd_epi16(w0, both));
            s[i][1] = oribi_add_in_place(s[i][1], _mm256_madd_epi16(w1, both));
        }
    }
    for (int32_t i = 0; i < m; i++) {
        const int32_t first = (panel + i) * ORIBI_PANEL;
        finish(p, first, s[i][0], s[i][1], p->n_channels - first, out + first);
    }
}

static void row_of(const oribi_quantized_panels *p, const char *x, int8_t *out)
{
    int32_t panel = 0;
    for (; panel + SIDE_BY_SIDE <= p->n_panels; panel += SIDE_BY_SIDE) {
        bytes_of(p, panel, x, SIDE_BY_SIDE, out);
    }
    for (; panel < p->n_panels; panel++) {
        bytes_of(p, panel, x, 1, out);
    }
}

static void tile(const oribi_quantized_panels *p, const void *x,
                 const oribi_quantized_window *window, int32_t n_pixels, int8_t *out,
                 int64_t stride)
{
    if (p->weight_bytes == 1) {
        for (int32_t i = 0; i < n_pixels; i++) {
            row_of(p, (const char *)x + window->pixel_step * i, out + i * stride);
        }
        return;
    }
    for (int32_t panel = 0; panel < p->n_panels; panel++) {
        if (n_pixels == PIXELS) {
            panel_of(p, panel, x, window, PIXELS, out, stride);
            continue;
        }
        for (int32_t i = 0; i < n_pixels; i++) {
            panel_of(p, panel, (const char *)x + window->pixel_step * i, window, 1,
                     out + i * stride, stride);
        }
    }
}

/* --- Depthwise ------------------------------------------------------------------------------- */

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

/* `count` results of each of n pixels, which begin with those of panel's first channel; n is a
 * constant where this is inlined. */
static inline void depthwise_panel(const oribi_quantized_panels *p, int32_t panel,
                                   const int8_t *const *taps, int64_t at, int64_t step, int32_t n,
                                   int32_t count, int8_t *out)
{
    const int16_t *w = (const int16_t *)p->weights + (int64_t)panel * p->groups * 2 * ORIBI_PANEL;
    const int32_t first = panel * ORIBI_PANEL;
    __m256i s[2][2];
    for (int32_t i = 0; i < n; i++) {
        s[i][0] = load(p->bias + first);
        s[i][1] = load(p->bias + first + 8);
    }
    for (int32_t k = 0; k < p->groups; k++, w += 2 * ORIBI_PANEL) {
        const int8_t *even = taps[2 * k] + at, *odd = taps[2 * k + 1] + at;
        for (int32_t i = 0; i < n; i++) {
            const __m256i x0 = _mm256_cvtepi8_epi16(load_first(even + i * step, count));
            const __m256i x1 = _mm256_cvtepi8_epi16(load_first(odd + i * step, count));
            const __m256i low = _mm256_unpacklo_epi16(x0, x1);
            const __m256i high = _mm256_unpackhi_epi16(x0, x1);
            s[i][0] = oribi_add_in_place(s[i][0], _mm256_madd_epi16(low, load(w)));
            s[i][1] = oribi_add_in_place(s[i][1], _mm256_madd_epi16(high, load(w + ORIBI_PANEL)));
        }
    }
    for (int32_t i = 0; i < n; i++) {
        finish(p, first, s[i][0], s[i][1], count, out + (int64_t)i * p->n_channels);
    }
}

static void depthwise(const oribi_quantized_panels *p, const int8_t *const *taps, int32_t n_pixels,
                      int64_t step, int32_t slide, int8_t *out)
{
    const int32_t channels = p->n_channels;
    (void)slide;
    int64_t width = channels;
    if (step == channels && ORIBI_PANEL % channels == 0) { /* a panel of several pixels */
        width = (int64_t)n_pixels * channels;
        n_pixels = 1;
    }
    for (int64_t first = 0; first < width; first += ORIBI_PANEL) {
        const int32_t panel = first < channels ? (int32_t)(first / ORIBI_PANEL) : 0;
        const int32_t count = width - first < ORIBI_PANEL ? (int32_t)(width - first) : ORIBI_PANEL;
        for (int32_t i = 0; i < n_pixels; i++) {
            const int64_t at = i * step + first;
            int8_t *to = out + (int64_t)i * channels + first;
            if (count < ORIBI_PANEL) {
                depthwise_panel(p, panel, taps, at, 0, 1, count, to);
            } else if (i + 1 < n_pixels) {
                depthwise_panel(p, panel, taps, at, step, 2, ORIBI_PANEL, to);
                i++;
            } else {
                depthwise_panel(p, panel, taps, at, 0, 1, ORIBI_PANEL, to);
            }
        }
    }
}

/* --- Sums ------------------------------------------------------------------------------------ */

/* One side at the common, finer scale: micro/add_row_s8.c. */
static __m256i finer(int64_t bytes, int32_t zero, int32_t multiplier, int32_t shift)
{
    const __m256i x = _mm256_cvtepi8_epi32(_mm_cvtsi64_si128(bytes));
    return scale(_mm256_slli_epi32(_mm256_sub_epi32(x, _mm256_set1_epi32(zero)), 20),
                 _mm256_set1_epi32(multiplier), _mm256_setzero_si256(), _mm256_set1_epi32(-shift));
}

static void add(const struct oribi_micro_add_scales_s8 *s, const int8_t *a, const int8_t *b,
                int64_t count, int8_t *out)
{
    for (int64_t i = 0; i < count; i += 8) {
        const size_t n = count - i < 8 ? (size_t)(count - i) : 8;
        int64_t of_a = 0, of_b = 0;
        memcpy(&of_a, a + i, n);
        memcpy(&of_b, b + i, n);
        const __m256i left = finer(of_a, s->a_zero, s->a_multiplier, s->a_shift);
        const __m256i right = finer(of_b, s->b_zero, s->b_multiplier, s->b_shift);
        __m256i sum =
            s->subtract != 0 ? _mm256_sub_epi32(left, right) : _mm256_add_epi32(left, right);
        sum = scale(sum, _mm256_set1_epi32(s->output_multiplier), _mm256_setzero_si256(),
                    _mm256_set1_epi32(-s->output_shift));
        sum = _mm256_add_epi32(sum, _mm256_set1_epi32(s->output_zero));
        sum = _mm256_max_epi32(sum, _mm256_set1_epi32(s->low));
        sum = _mm256_min_epi32(sum, _mm256_set1_epi32(s->high));
        const __m128i words =
            _mm_packs_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
        of_a = _mm_cvtsi128_si64(_mm_packs_epi16(words, words));
        memcpy(out + i, &of_a, n);
    }
}

const oribi_quantized_simd oribi_quantized_avx2 = {
    {2, 2, PIXELS, 32, false, true}, take, fill, tile, depthwise, add};
