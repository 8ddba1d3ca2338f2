/* SPDX-License-Identifier: Apache-2.0 */
/* Quantised layers for AVX2: pairs of products of int16 are added in int32, 16 channels of up to
 * six pixels at a time. */
#include "cpu/base/add_x86_avx2.h"
#include "cpu/base/unrolled.h"
#include "cpu/quantised/quantized_panels.h"

#include <string.h>

enum { PIXELS = 6, LEAST = 4, SIDE_BY_SIDE = ORIBI_SIDE_BY_SIDE };

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

/* What the results of eight channels are made by, n_apart of which are apart: see
 * quantized_panels.h. Below 0 they are made by integers. */
typedef struct ending {
    __m256 factor, term;
    __m256i apart[ORIBI_MOST_APART], more[ORIBI_MOST_APART];
    __m256i multiplier, odd, left, right, mask;
} ending;

ALWAYS ending ending_of(const oribi_quantized_panels *p, int32_t panel, int32_t half,
                        const int n_apart)
{
    const int64_t at = panel * ORIBI_PANEL + half * 8;
    const int64_t places = (int64_t)panel * ORIBI_MOST_APART * ORIBI_PANEL + half * 8;
    ending e = {.factor = _mm256_setzero_ps()};
    if (n_apart < 0) {
        const __m256i one = _mm256_set1_epi32(1);
        e.multiplier = load(p->multiplier + at);
        e.odd = _mm256_srli_epi64(e.multiplier, 32);
        e.left = load(p->left + at);
        e.right = load(p->right + at);
        e.mask = _mm256_sub_epi32(_mm256_sllv_epi32(one, e.right), one);
        return e;
    }
    e.factor = _mm256_loadu_ps(p->factor + at);
    e.term = _mm256_loadu_ps(p->term + at);
    UNROLL_LOOP
    for (int k = 0; k < n_apart; k++) {
        e.apart[k] = load(p->apart + places + k * ORIBI_PANEL);
        e.more[k] = load(p->more + places + k * ORIBI_PANEL);
    }
    return e;
}

/* oribi_micro_scale (micro/fixed_point.h) of 8 sums: a high product rounded with ties up, then a
 * shift rounded with ties away from zero. A product never leaves int32, as multipliers are at least
 * 0. */
ALWAYS __m256i scaled(const ending *e, __m256i x)
{
    const __m256i half = _mm256_set1_epi64x(INT64_C(1) << 30);
    x = _mm256_sllv_epi32(x, e->left);
    const __m256i even = _mm256_add_epi64(_mm256_mul_epi32(x, e->multiplier), half);
    const __m256i odd = _mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(x, 32), e->odd), half);
    x = _mm256_blend_epi32(_mm256_srli_epi64(even, 31), _mm256_slli_epi64(odd, 1), 0xaa);
    const __m256i remainder = _mm256_and_si256(x, e->mask);
    const __m256i threshold =
        _mm256_sub_epi32(_mm256_srli_epi32(e->mask, 1), _mm256_srai_epi32(x, 31));
    return _mm256_sub_epi32(_mm256_srav_epi32(x, e->right),
                            _mm256_cmpgt_epi32(remainder, threshold));
}

/* `tie` with the sign of x where `sign` says so. */
ALWAYS __m256 tie_of(__m256 x, __m256 sign, __m256 tie)
{
    return _mm256_or_ps(_mm256_and_ps(x, sign), tie);
}

/* The integer next to x * factor + term, by floats. */
ALWAYS __m256i rounded_of(__m256 x, __m256 factor, __m256 term, __m256 sign)
{
    return _mm256_cvtps_epi32(_mm256_fmadd_ps(x, factor, tie_of(x, sign, term)));
}

/* Results without what is added. Sums that are apart become their neighbours, whose results they
 * have. */
ALWAYS __m256i results_of(const ending *e, __m256i sums, const int n_apart, const bool has_sign)
{
    if (n_apart < 0) {
        return scaled(e, sums);
    }
    UNROLL_LOOP
    for (int k = 0; k < n_apart; k++) {
        const __m256i is_apart = _mm256_cmpeq_epi32(sums, e->apart[k]);
        sums = _mm256_add_epi32(sums, _mm256_and_si256(is_apart, e->more[k]));
    }
    const __m256 x = _mm256_cvtepi32_ps(sums), sign = _mm256_set1_ps(-0.0F);
    const __m256 term = has_sign ? tie_of(x, sign, e->term) : e->term;
    return _mm256_cvtps_epi32(_mm256_fmadd_ps(x, e->factor, term));
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

/* `count` results of a panel of each of n pixels, from two vectors of sums; those of two pixels are
 * packed together. n_apart and has_sign are the panel's, constants. */
ALWAYS void finish_all(const oribi_quantized_panels *p, int32_t panel, __m256i (*s)[2], int32_t n,
                       int32_t count, int8_t *out, int64_t stride, const int n_apart,
                       const bool has_sign)
{
    const ending left = ending_of(p, panel, 0, n_apart), right = ending_of(p, panel, 1, n_apart);
    const __m256i added = _mm256_set1_epi16((int16_t)(n_apart < 0 ? p->zero : p->added));
    const __m256i low = _mm256_set1_epi8((char)p->low), high = _mm256_set1_epi8((char)p->high);
    __m256i words[2];
    for (int32_t i = 0; i < n; i += 2, out += 2 * stride) {
        UNROLL_LOOP
        for (int k = 0; k < 2; k++) {
            const __m256i *sums = s[i + k < n ? i + k : i];
            const __m256i both = _mm256_packs_epi32(results_of(&left, sums[0], n_apart, has_sign),
                                                    results_of(&right, sums[1], n_apart, has_sign));
            words[k] = _mm256_adds_epi16(both, added);
        }
        /* Both packings saturate beyond the bounds; they give the order of the model again. */
        const __m256i bytes =
            _mm256_min_epi8(_mm256_max_epi8(_mm256_packs_epi16(words[0], words[1]), low), high);
        const __m256i pixels = _mm256_permute4x64_epi64(bytes, 0xd8);
        store_first(_mm256_castsi256_si128(pixels), count, out);
        if (i + 1 < n) {
            store_first(_mm256_extracti128_si256(pixels, 1), count, out + stride);
        }
    }
}

/* One function, as it would be most of the code of a tile. */
__attribute__((noinline)) static void finish(const oribi_quantized_panels *p, int32_t panel,
                                             __m256i (*s)[2], int32_t n, int32_t count, int8_t *out,
                                             int64_t stride)
{
    const int n_apart = p->n_apart[panel];
    const bool has_sign = p->sign != 0;
    if (n_apart < 0) {
        finish_all(p, panel, s, n, count, out, stride, -1, false);
    } else if (n_apart == 0 && !has_sign) {
        finish_all(p, panel, s, n, count, out, stride, 0, false);
    } else if (n_apart == 0) {
        finish_all(p, panel, s, n, count, out, stride, 0, true);
    } else if (!has_sign) {
        finish_all(p, panel, s, n, count, out, stride, ORIBI_MOST_APART, false);
    } else {
        finish_all(p, panel, s, n, count, out, stride, ORIBI_MOST_APART, true);
    }
}

/* --- Tiles ----------------------------------------------------------------------------------- */

static __m256i two_inputs(const char *x)
{
    int32_t both;
    memcpy(&both, x, sizeof both);
    return _mm256_set1_epi32(both);
}

/* A panel of n pixels; n is a constant where this is inlined. */
ALWAYS void panel_of(const oribi_quantized_panels *p, int32_t panel, const char *x,
                     const oribi_quantized_window *window, int32_t n, int8_t *out, int64_t stride)
{
    const int16_t *w = (const int16_t *)p->weights + (int64_t)panel * p->groups * 2 * ORIBI_PANEL;
    const int32_t first = panel * ORIBI_PANEL;
    __m256i s[PIXELS][2];
    UNROLL_LOOP
    for (int32_t i = 0; i < n; i++) {
        s[i][0] = load(p->bias + first);
        s[i][1] = load(p->bias + first + 8);
    }
    for (int32_t r = 0; r < window->n_rows; r++, x += window->row_step) {
        for (int64_t k = 0; k < window->row_groups; k++, w += 2 * ORIBI_PANEL) {
            const __m256i w0 = load(w), w1 = load(w + ORIBI_PANEL);
            UNROLL_LOOP
            for (int32_t i = 0; i < n; i++) {
                const __m256i both = two_inputs(x + i * window->pixel_step + 4 * k);
                s[i][0] = oribi_add_in_place(s[i][0], _mm256_madd_epi16(w0, both));
                s[i][1] = oribi_add_in_place(s[i][1], _mm256_madd_epi16(w1, both));
            }
        }
    }
    finish(p, panel, s, n, p->n_channels - first, out + first, stride);
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
        finish(p, panel + i, &s[i], 1, p->n_channels - first, out + first, 0);
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

/* A panel of up to PIXELS pixels. */
static void pixels_of(const oribi_quantized_panels *p, int32_t panel, const char *x,
                      const oribi_quantized_window *window, int32_t n, int8_t *out, int64_t stride)
{
    switch (n) {
    case 1:
        panel_of(p, panel, x, window, 1, out, stride);
        break;
    case 2:
        panel_of(p, panel, x, window, 2, out, stride);
        break;
    case 3:
        panel_of(p, panel, x, window, 3, out, stride);
        break;
    case 4:
        panel_of(p, panel, x, window, 4, out, stride);
        break;
    case 5:
        panel_of(p, panel, x, window, 5, out, stride);
        break;
    default:
        panel_of(p, panel, x, window, PIXELS, out, stride);
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
        const char *from = x;
        /* Tiles are as equal as can be, as one of a pixel or two takes as long as one of three. */
        for (int32_t left = n_pixels, n; left > 0; left -= n) {
            n = left / ((left + PIXELS - 1) / PIXELS);
            pixels_of(p, panel, from, window, n, out + (n_pixels - left) * stride, stride);
            from += n * window->pixel_step;
        }
    }
}

#include "cpu/quantised/quantized_depthwise_x86_avx2.h"

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
    __m256 product = _mm256_mul_ps(_mm256_cvtepi32_ps(x), _mm256_cvtepi32_ps(y));
    if (p->n_apart < 0) {
        const ending e = {.multiplier = _mm256_set1_epi32(p->multiplier),
                          .odd = _mm256_set1_epi64x(p->multiplier),
                          .left = _mm256_set1_epi32(p->left),
                          .right = _mm256_set1_epi32(p->right),
                          .mask = _mm256_set1_epi32((int32_t)((1U << p->right) - 1))};
        return scaled(&e, _mm256_cvtps_epi32(product));
    }
    for (int32_t k = 0; k < p->n_apart; k++) { /* it becomes its neighbour, whose result it has */
        const __m256 is_apart = _mm256_cmp_ps(product, _mm256_set1_ps(p->apart[k]), _CMP_EQ_OQ);
        product = _mm256_add_ps(product, _mm256_and_ps(is_apart, _mm256_set1_ps(p->more[k])));
    }
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
    {2, 2, PIXELS, LEAST, 32, 3, true}, take, fill, tile, depthwise, add, multiply};
