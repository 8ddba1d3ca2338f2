/* SPDX-License-Identifier: Apache-2.0 */
/* Quantised layers for AVX-512 with VNNI: four products of bytes are added in int32 at once, 16
 * channels of up to eight pixels at a time. Inputs are bytes without a sign, 128 more than they
 * are; the packed bias makes up for it.
 */
#include "cpu/quantised/quantized_results_x86_vnni.h"

#include <string.h>

enum {
    PIXELS = 16,
    EIGHT = 8,
    SEVEN = 7,
    LEAST = 4,
    FOUR_GROUPS = 4 * GROUP,
    SIDE_BY_SIDE = ORIBI_SIDE_BY_SIDE
};

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

/* Results of n pixels, some fours and then single ones; n_apart is the panel's, a constant. */
ALWAYS void finish_all(const oribi_quantized_panels *p, const ending *e, int32_t first,
                       const __m512i *s, int32_t n, int8_t *out, int64_t stride,
                       const int32_t n_apart)
{
    const bounds of = {_mm512_set1_epi16((int16_t)(n_apart < 0 ? p->zero : p->added)),
                       _mm512_set1_epi8((int8_t)p->low), _mm512_set1_epi8((int8_t)p->high)};
    const __m512i multiplier = load(p->multiplier + first), left = load(p->left + first),
                  right = load(p->right + first);
#define RESULT(i)                                                                                  \
    (n_apart < 0 ? scale(s[i], multiplier, left, right) : rounded(e, corrected(e, s[i], n_apart)))
    for (; n >= 4; n -= 4, s += 4, out += 4 * stride) {
        const __m512i all = four_of(&of, RESULT(0), RESULT(1), RESULT(2), RESULT(3));
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

/* One function, as it is most of the code of a tile. */
__attribute__((noinline)) void oribi_quantized_vnni_finish(const oribi_quantized_panels *p,
                                                           int32_t first, const __m512i *s,
                                                           int32_t n, int8_t *out, int64_t stride)
{
    const ending e = ending_of(p, first);
    switch (e.n_apart) {
    case 0:
        finish_all(p, &e, first, s, n, out, stride, 0);
        break;
    case 1:
        finish_all(p, &e, first, s, n, out, stride, 1);
        break;
    case 2:
        finish_all(p, &e, first, s, n, out, stride, 2);
        break;
    default:
        finish_all(p, &e, first, s, n, out, stride, -1);
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
        const int32_t first = (panel + k) * ORIBI_PANEL;
        oribi_quantized_vnni_finish(p, first, sums, n, out + first, stride);
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

/* Results of four panels of one pixel; false where some are not plain floats or do not exist. */
ALWAYS bool finish_four(const oribi_quantized_panels *p, int32_t first, const __m512i *s,
                        int8_t *out)
{
    const bounds of = {_mm512_set1_epi16((int16_t)p->added), _mm512_set1_epi8((int8_t)p->low),
                       _mm512_set1_epi8((int8_t)p->high)};
    const int8_t *n_apart = p->n_apart + first / ORIBI_PANEL;
    __m512i results[SIDE_BY_SIDE];
    if ((n_apart[0] | n_apart[1] | n_apart[2] | n_apart[3]) != 0 ||
        first + SIDE_BY_SIDE * ORIBI_PANEL > p->n_channels) {
        return false;
    }
    UNROLL_LOOP
    for (int32_t i = 0; i < SIDE_BY_SIDE; i++) {
        const int32_t at = first + i * ORIBI_PANEL;
        results[i] = rounded_by(s[i], _mm512_loadu_ps(p->factor + at),
                                _mm512_loadu_ps(p->term + at), _mm512_set1_epi32(p->sign));
    }
    _mm512_storeu_si512(out + first, four_of(&of, results[0], results[1], results[2], results[3]));
    return true;
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
    if (n == SIDE_BY_SIDE && finish_four(p, panel * ORIBI_PANEL, s, out)) {
        return;
    }
    UNROLL_LOOP
    for (int32_t i = 0; i < n; i++) {
        const int32_t first = (panel + i) * ORIBI_PANEL;
        oribi_quantized_vnni_finish(p, first, &s[i], 1, out + first, 0);
    }
}

/* How many pixels are done next of those that are left: eights and sevens, so that none is done
 * twice where that can be; of a last panel as many sums as an instruction takes cycles. May be more
 * than are left, not more than all. */
static int32_t pixels_of(int32_t left, int32_t all, bool is_single)
{
    const int32_t most = is_single ? PIXELS : EIGHT, missing = (EIGHT - left % EIGHT) % EIGHT;
    if (!is_single && missing != 0 && SEVEN * missing <= left) {
        return SEVEN;
    }
    if (left >= most || (left > most / 2 && all >= most)) {
        return most;
    }
    return is_single && left > LEAST && all >= EIGHT ? EIGHT : LEAST;
}

/* A panel and the one behind it, if there is one, of n pixels. */
static void panels_of(const oribi_quantized_panels *p, int32_t panel, const uint8_t *x,
                      const oribi_quantized_window *window, int32_t n, int8_t *out, int64_t stride)
{
    const bool is_three = has_three(window);
    if (panel + 1 == p->n_panels) {
        if (n == PIXELS && is_three) {
            three_of_panel(p, panel, x, window, 1, PIXELS, out, stride);
        } else if (n == PIXELS) {
            panel_of(p, panel, x, window, 1, PIXELS, out, stride);
        } else if (n == EIGHT) {
            panel_of(p, panel, x, window, 1, EIGHT, out, stride);
        } else {
            panel_of(p, panel, x, window, 1, LEAST, out, stride);
        }
    } else if (n == EIGHT && is_three) {
        three_of_panel(p, panel, x, window, 2, EIGHT, out, stride);
    } else if (n == EIGHT) {
        panel_of(p, panel, x, window, 2, EIGHT, out, stride);
    } else if (n == SEVEN && is_three) {
        three_of_panel(p, panel, x, window, 2, SEVEN, out, stride);
    } else if (n == SEVEN) {
        panel_of(p, panel, x, window, 2, SEVEN, out, stride);
    } else {
        panel_of(p, panel, x, window, 2, LEAST, out, stride);
    }
}

static void all_panels_of_pixel(const oribi_quantized_panels *p, const uint8_t *x,
                                const oribi_quantized_window *window, int8_t *out)
{
    int32_t panel = 0;
    for (; panel + SIDE_BY_SIDE <= p->n_panels; panel += SIDE_BY_SIDE) {
        pixel_of(p, panel, x, window, SIDE_BY_SIDE, out);
    }
    for (; panel < p->n_panels; panel++) {
        pixel_of(p, panel, x, window, 1, out);
    }
}

/* Two panels' weights stay in the first level while all pixels meet them. */
static void tile(const oribi_quantized_panels *p, const void *inputs,
                 const oribi_quantized_window *window, int32_t n_pixels, int8_t *out,
                 int64_t stride)
{
    const uint8_t *x = inputs;
    /* One that is left behind tiles is not worth one more of them. */
    const bool has_odd =
        n_pixels == LEAST + 1 || (n_pixels % EIGHT == 1 && n_pixels < SEVEN * SEVEN);
    const int32_t all = n_pixels < LEAST ? 0 : n_pixels - (has_odd ? 1 : 0);
    for (int32_t panel = 0; all > 0 && panel < p->n_panels; panel += 2) {
        for (int32_t done = 0; done < all;) {
            const int32_t n = pixels_of(all - done, all, panel + 1 == p->n_panels);
            const int32_t first = done + n <= all ? done : all - n;
            panels_of(p, panel, x + first * window->pixel_step, window, n, out + first * stride,
                      stride);
            done = first + n;
        }
    }
    for (int32_t i = all; i < n_pixels; i++) {
        all_panels_of_pixel(p, x + i * window->pixel_step, window, out + i * stride);
    }
}

/* --- Sums and products of two tensors --------------------------------------------------------- */

/* Sixteen results before they are packed. */
typedef __m512i pair_results(const void *how, __m128i a, __m128i b);

ALWAYS __m512i sums_of(const void *how, __m128i a, __m128i b)
{
    const oribi_quantized_sum *s = how;
    const __m512 x = _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(a));
    const __m512 y = _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(b));
    const __m512 right = _mm512_fmadd_ps(y, _mm512_set1_ps(s->of_b), _mm512_set1_ps(s->term));
    const __m512 sums = _mm512_fmadd_ps(x, _mm512_set1_ps(s->of_a), right);
    if (s->tie == 0) {
        return _mm512_cvtps_epi32(sums);
    }
    return _mm512_cvtps_epi32(
        _mm512_add_ps(sums, tie_of(sums, _mm512_set1_epi32(INT32_MIN), _mm512_set1_ps(s->tie))));
}

ALWAYS __m512i products_of(const void *how, __m128i a, __m128i b)
{
    const oribi_quantized_product *p = how;
    const __m512i x = _mm512_sub_epi32(_mm512_cvtepi8_epi32(a), _mm512_set1_epi32(p->a_zero));
    const __m512i y = _mm512_sub_epi32(_mm512_cvtepi8_epi32(b), _mm512_set1_epi32(p->b_zero));
    __m512 product = _mm512_mul_ps(_mm512_cvtepi32_ps(x), _mm512_cvtepi32_ps(y));
    if (p->n_apart < 0) {
        return scale(_mm512_cvtps_epi32(product), _mm512_set1_epi32(p->multiplier),
                     _mm512_set1_epi32(p->left), _mm512_set1_epi32(p->right));
    }
    for (int32_t k = 0; k < p->n_apart; k++) { /* it becomes its neighbour, whose result it has */
        const __mmask16 is_apart =
            _mm512_cmp_ps_mask(product, _mm512_set1_ps(p->apart[k]), _CMP_EQ_OQ);
        product = _mm512_mask_add_ps(product, is_apart, product, _mm512_set1_ps(p->more[k]));
    }
    return rounded_of(product, _mm512_set1_ps(p->factor), _mm512_set1_ps(p->term),
                      _mm512_set1_epi32(p->sign));
}

static __m128i sixteen(const int8_t *from)
{
    return _mm_loadu_si128((const void *)from);
}

ALWAYS void each_pair(const bounds *of, pair_results *results, const void *how, const int8_t *a,
                      const int8_t *b, int64_t count, int8_t *out)
{
    int64_t i = 0;
    for (; i + 64 <= count; i += 64) {
        const __m512i first = results(how, sixteen(a + i), sixteen(b + i));
        const __m512i second = results(how, sixteen(a + i + 16), sixteen(b + i + 16));
        const __m512i third = results(how, sixteen(a + i + 32), sixteen(b + i + 32));
        const __m512i last = results(how, sixteen(a + i + 48), sixteen(b + i + 48));
        _mm512_storeu_si512(out + i, four_of(of, first, second, third, last));
    }
    for (; i < count; i += 16) {
        const __mmask16 mask = (__mmask16)below(count - i);
        const __m512i some =
            results(how, _mm_maskz_loadu_epi8(mask, a + i), _mm_maskz_loadu_epi8(mask, b + i));
        const __m512i all = four_of(of, some, some, some, some);
        _mm_mask_storeu_epi8(out + i, mask, _mm512_castsi512_si128(all));
    }
}

static bounds bounds_of(int32_t added, int32_t low, int32_t high)
{
    return (bounds){_mm512_set1_epi16((int16_t)added), _mm512_set1_epi8((char)low),
                    _mm512_set1_epi8((char)high)};
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

const oribi_quantized_simd oribi_quantized_vnni = {
    {GROUP, 1, PIXELS, LEAST, 128, ORIBI_ANY_ROWS, false},
    take,
    fill,
    tile,
    oribi_quantized_vnni_depthwise,
    add,
    multiply};
