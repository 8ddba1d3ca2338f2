/* SPDX-License-Identifier: Apache-2.0 */
/* Quantised layers for AVX2: pairs of products of int16 are added in int32, 16 channels of up to
 * four pixels at a time. */
#include "cpu/base/add_x86_avx2.h"
#include "cpu/base/unrolled.h"
#include "cpu/quantised/quantized_panels.h"

#include <string.h>

enum { PIXELS = 4, SIDE_BY_SIDE = ORIBI_SIDE_BY_SIDE };

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
__attribute__((noinline)) static __m256i scale(__m256i x, const oribi_quantized_panels *p,
                                               int32_t at)
{
    const __m256i half = _mm256_set1_epi64x(INT64_C(1) << 30), one = _mm256_set1_epi32(1);
    const __m256i multiplier = load(p->multiplier + at), right = load(p->right + at);
    x = _mm256_sllv_epi32(x, load(p->left + at));
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

/* `tie` with the sign of x where `sign` says so. */
ALWAYS __m256 tie_of(__m256 x, __m256 sign, __m256 tie)
{
    return _mm256_or_ps(_mm256_and_ps(x, sign), tie);
}

/* Results without what is added, by floats: quantized_panels.h. */
ALWAYS __m256i rounded_of(__m256 x, __m256 factor, __m256 term, __m256 sign)
{
    return _mm256_cvtps_epi32(_mm256_fmadd_ps(x, factor, tie_of(x, sign, term)));
}

ALWAYS __m256i rounded(__m256i sums, __m256 factor, __m256 term, __m256 sign)
{
    return rounded_of(_mm256_cvtepi32_ps(sums), factor, term, sign);
}

/* Sums of which n are apart become their neighbours, whose results they have. */
static inline __m256i corrected(__m256i sums, const int32_t *apart, const int32_t *more, int32_t n)
{
    for (int32_t k = 0; k < n; k++, apart += ORIBI_PANEL, more += ORIBI_PANEL) {
        const __m256i is_apart = _mm256_cmpeq_epi32(sums, load(apart));
        sums = _mm256_add_epi32(sums, _mm256_and_si256(is_apart, load(more)));
    }
    return sums;
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

/* `count` results of the channels from `first` of the arrays on, of each of n pixels, from two
 * vectors of sums. */
ALWAYS void finish(const oribi_quantized_panels *p, int32_t first, __m256i (*s)[2], int32_t n,
                   int32_t count, int8_t *out, int64_t stride)
{
    const int32_t n_apart = p->n_apart[first / ORIBI_PANEL];
    const int32_t *apart = p->apart + (int64_t)first * ORIBI_MOST_APART;
    const int32_t *more = p->more + (int64_t)first * ORIBI_MOST_APART;
    const __m256 sign = _mm256_castsi256_ps(_mm256_set1_epi32(p->sign));
    const __m256 factor = _mm256_loadu_ps(p->factor + first),
                 term = _mm256_loadu_ps(p->term + first);
    const __m256 factor_1 = _mm256_loadu_ps(p->factor + first + 8);
    const __m256 term_1 = _mm256_loadu_ps(p->term + first + 8);
    const __m256i added = _mm256_set1_epi16((int16_t)(n_apart < 0 ? p->zero : p->added));
    const __m128i low = _mm_set1_epi8((int8_t)p->low), high = _mm_set1_epi8((int8_t)p->high);
    for (int32_t i = 0; i < n; i++, out += stride) {
        if (n_apart > 0) {
            s[i][0] = corrected(s[i][0], apart, more, n_apart);
            s[i][1] = corrected(s[i][1], apart + 8, more + 8, n_apart);
        }
        __m256i y0 = rounded(s[i][0], factor, term, sign);
        __m256i y1 = rounded(s[i][1], factor_1, term_1, sign);
        if (n_apart < 0) {
            y0 = scale(s[i][0], p, first);
            y1 = scale(s[i][1], p, first + 8);
        }
        /* Both packings saturate beyond the bounds; they give the order of the model again. */
        const __m256i words = _mm256_adds_epi16(_mm256_packs_epi32(y0, y1), added);
        __m128i bytes =
            _mm_packs_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
        store_first(_mm_min_epi8(_mm_max_epi8(bytes, low), high), count, out);
    }
}

/* One function, as it would be most of the code of a tile. */
__attribute__((noinline)) static void finish_pixels(const oribi_quantized_panels *p, int32_t first,
                                                    __m256i (*s)[2], int32_t n, int8_t *out,
                                                    int64_t stride)
{
    finish(p, first, s, n, p->n_channels - first, out + first, stride);
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
    finish_pixels(p, first, s, n, out, stride);
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
        finish_pixels(p, first, &s[i], 1, out, 0);
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
    for (int32_t done = 0; done < n_pixels; done += PIXELS) {
        for (int32_t panel = 0; panel < p->n_panels; panel++) {
            if (n_pixels - done >= PIXELS) {
                panel_of(p, panel, (const char *)x + window->pixel_step * done, window, PIXELS,
                         out + done * stride, stride);
                continue;
            }
            for (int32_t i = done; i < n_pixels; i++) {
                panel_of(p, panel, (const char *)x + window->pixel_step * i, window, 1,
                         out + i * stride, stride);
            }
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
    finish(p, first, s, n, count, out, p->n_channels);
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

/* --- Sums and products of two tensors --------------------------------------------------------- */

ALWAYS __m256i eight(const int8_t *from)
{
    return _mm256_cvtepi8_epi32(_mm_loadl_epi64((const void *)from));
}

/* Eight results before they are packed. */
typedef __m256i pair_results(const void *how, const int8_t *a, const int8_t *b);

ALWAYS __m256i sums_of(const void *how, const int8_t *a, const int8_t *b)
{
    const oribi_quantized_sum *s = how;
    const __m256 x = _mm256_cvtepi32_ps(eight(a)), y = _mm256_cvtepi32_ps(eight(b));
    const __m256 right = _mm256_fmadd_ps(y, _mm256_set1_ps(s->of_b), _mm256_set1_ps(s->term));
    const __m256 sums = _mm256_fmadd_ps(x, _mm256_set1_ps(s->of_a), right);
    const __m256 sign = _mm256_castsi256_ps(_mm256_set1_epi32(s->tie == 0 ? 0 : INT32_MIN));
    return _mm256_cvtps_epi32(_mm256_add_ps(sums, tie_of(sums, sign, _mm256_set1_ps(s->tie))));
}

ALWAYS __m256i products_of(const void *how, const int8_t *a, const int8_t *b)
{
    const oribi_quantized_product *p = how;
    const __m256i x = _mm256_sub_epi32(eight(a), _mm256_set1_epi32(p->a_zero));
    const __m256i y = _mm256_sub_epi32(eight(b), _mm256_set1_epi32(p->b_zero));
    const __m256 product = _mm256_mul_ps(_mm256_cvtepi32_ps(x), _mm256_cvtepi32_ps(y));
    return rounded_of(product, _mm256_set1_ps(p->factor), _mm256_set1_ps(p->term),
                      _mm256_castsi256_ps(_mm256_set1_epi32(p->sign)));
}

/* What is added to results, and bounds of bytes. */
typedef struct bounds {
    __m256i added;
    __m128i low, high;
} bounds;

static bounds bounds_of(int32_t added, int32_t low, int32_t high)
{
    return (bounds){_mm256_set1_epi16((int16_t)added), _mm_set1_epi8((char)low),
                    _mm_set1_epi8((char)high)};
}

/* Results of 16 pairs. */
ALWAYS __m128i bytes_of_pairs(const bounds *of, pair_results *results, const void *how,
                              const int8_t *a, const int8_t *b)
{
    const __m256i both = _mm256_packs_epi32(results(how, a, b), results(how, a + 8, b + 8));
    const __m256i words = _mm256_adds_epi16(_mm256_permute4x64_epi64(both, 0xd8), of->added);
    const __m128i bytes =
        _mm_packs_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    return _mm_min_epi8(_mm_max_epi8(bytes, of->low), of->high);
}

ALWAYS void each_pair(const bounds *of, pair_results *results, const void *how, const int8_t *a,
                      const int8_t *b, int64_t count, int8_t *out)
{
    int64_t i = 0;
    for (; i + ORIBI_PANEL <= count; i += ORIBI_PANEL) {
        _mm_storeu_si128((void *)(out + i), bytes_of_pairs(of, results, how, a + i, b + i));
    }
    if (i < count) {
        int8_t left[ORIBI_PANEL] = {0}, right[ORIBI_PANEL] = {0};
        memcpy(left, a + i, (size_t)(count - i));
        memcpy(right, b + i, (size_t)(count - i));
        store_first(bytes_of_pairs(of, results, how, left, right), (int32_t)(count - i), out + i);
    }
}

static void add(const oribi_quantized_sum *s, const int8_t *a, const int8_t *b, int64_t count,
                int8_t *out)
{
    const bounds of = bounds_of(s->added, s->exact.low, s->exact.high);
    each_pair(&of, sums_of, s, a, b, count, out);
}

static void multiply(const oribi_quantized_product *p, const int8_t *a, const int8_t *b,
                     int64_t count, int8_t *out)
{
    const bounds of = bounds_of(p->added, p->low, p->high);
    each_pair(&of, products_of, p, a, b, count, out);
}

const oribi_quantized_simd oribi_quantized_avx2 = {
    {2, 2, PIXELS, PIXELS, 32, false, true}, take, fill, tile, depthwise, add, multiply};
