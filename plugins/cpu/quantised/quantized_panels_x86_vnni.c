/* SPDX-License-Identifier: Apache-2.0 */
/* Quantised layers for AVX-512 with VNNI: four products of bytes are added in int32 at once, 16
 * channels of up to eight pixels at a time. Inputs are bytes without a sign, 128 more than they
 * are; the packed bias makes up for it.
 */
#include "cpu/base/dot_x86_vnni.h"
#include "cpu/base/unrolled.h"
#include "cpu/quantised/quantized_panels.h"

#include <string.h>

enum {
    PIXELS = 16,
    GROUP = 4,
    FOUR_GROUPS = 4 * GROUP,
    PANEL_BYTES = GROUP * ORIBI_PANEL, /* of a group */
    SIDE_BY_SIDE = 4                   /* panels */
};

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

/* The same with half of what the right shift drops added to the product already, and 1 less for a
 * negative x, as its ties go the other way, where there is a shift: quantized_panels.h. */
typedef struct rescaling {
    __m512i multiplier, even, odd, right, sign; /* even, odd: what is added to products */
} rescaling;

/* Products lose `bits`. */
static inline __m512i rescale(const rescaling *s, __m512i x, const int bits)
{
    const __m512i even = _mm512_add_epi64(_mm512_mul_epi32(x, s->multiplier), s->even);
    const __m512i odd = _mm512_add_epi64(
        _mm512_mul_epi32(_mm512_srli_epi64(x, 32), _mm512_srli_epi64(s->multiplier, 32)), s->odd);
    const __m512i both = _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, (unsigned)bits),
                                                 _mm512_slli_epi64(odd, (unsigned)(32 - bits)));
    const __m512i less = _mm512_and_si512(_mm512_srai_epi32(x, 31), s->sign);
    return _mm512_srav_epi32(_mm512_add_epi32(both, less), s->right);
}

/* Holds what the results of a panel need. */
typedef struct ending {
    rescaling fast;
    __m512i left, zero, low, high;
    __mmask16 mask; /* channels that exist */
    bool is_short;
} ending;

/* Of two halves of eight sums what is added to products of every other one. */
static inline __m512i roundings(const int64_t *from)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256((const void *)from)),
                              _mm256_loadu_si256((const void *)(from + 8)), 1);
}

static inline ending ending_of(const oribi_quantized_panels *p, int32_t first)
{
    const rescaling fast = {load(p->multiplier + first), roundings(p->rounding + first),
                            roundings(p->rounding + first + 4), load(p->right + first),
                            _mm512_set1_epi32(-1)};
    const ending e = {fast,
                      load(p->left + first),
                      _mm512_set1_epi32(p->zero),
                      _mm512_set1_epi32(p->low),
                      _mm512_set1_epi32(p->high),
                      (__mmask16)below(p->n_channels - first),
                      p->is_short[first / ORIBI_PANEL]};
    return e;
}

static inline __m128i bytes_of(const ending *e, __m512i sums)
{
    sums = e->is_short ? rescale(&e->fast, sums, 31)
                       : scale(sums, e->fast.multiplier, e->left, e->fast.right);
    sums = _mm512_add_epi32(sums, e->zero);
    return _mm512_cvtepi32_epi8(_mm512_min_epi32(_mm512_max_epi32(sums, e->low), e->high));
}

static inline void finish(const ending *e, __m512i sums, int8_t *out)
{
    _mm_mask_storeu_epi8(out, e->mask, bytes_of(e, sums));
}

/* Results of a panel, whose first channel is `first`. One function, as it is most of the code of a
 * tile. */
__attribute__((noinline)) static void finish_pixels(const oribi_quantized_panels *p, int32_t first,
                                                    const __m512i *sums, int32_t n, int8_t *out,
                                                    int64_t stride)
{
    const ending e = ending_of(p, first);
    for (int32_t i = 0; i < n; i++) {
        finish(&e, sums[i], out + i * stride + first);
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
    UNROLL_LOOP
    for (int32_t i = 0; i < n; i++) {
        UNROLL_LOOP
        for (int32_t k = 0; k < m; k++) {
            s[i][k] = load(p->bias + (panel + k) * ORIBI_PANEL);
        }
    }
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

/* All panels of n pixels, 4 or 8. */
ALWAYS void panels_of(const oribi_quantized_panels *p, const uint8_t *x,
                      const oribi_quantized_window *window, int32_t n, int8_t *out, int64_t stride)
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
ALWAYS void pixel_of(const oribi_quantized_panels *p, int32_t panel, const uint8_t *x,
                     const oribi_quantized_window *window, int32_t n, int8_t *out)
{
    const int64_t panel_bytes = (int64_t)p->groups * GROUP * ORIBI_PANEL;
    const int64_t row_bytes = (int64_t)GROUP * window->row_groups;
    const int8_t *w = (const int8_t *)p->weights + panel * panel_bytes;
    __m512i s[SIDE_BY_SIDE];
    UNROLL_LOOP
    for (int32_t i = 0; i < n; i++) {
        s[i] = load(p->bias + (panel + i) * ORIBI_PANEL);
    }
    for (int32_t r = 0; r < window->n_rows; r++, x += window->row_step) {
        for (int64_t k = 0; k < row_bytes; k += GROUP, w += GROUP * ORIBI_PANEL) {
            const __m512i inputs = four_inputs(x + k);
            UNROLL_LOOP
            for (int32_t i = 0; i < n; i++) {
                s[i] = oribi_dot_of_bytes(s[i], inputs, load(w + i * panel_bytes));
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
        panel_of(p, 0, x, window, 1, PIXELS, out, stride);
        return;
    }
    for (; done + 8 <= n_pixels; done += 8) {
        panels_of(p, x + done * window->pixel_step, window, 8, out + done * stride, stride);
    }
    if (done + 4 <= n_pixels) {
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

/* --- Depthwise -------------------------------------------------------------------------------
 * A group is up to four taps of a column of the window, so that a pixel finds the columns that it
 * shares with the one before in registers. */

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

/* Three of them: the weights of the fourth are 0. */
static inline __m512i three_of(const int8_t *const *taps, int64_t at)
{
    __m512i x = _mm512_castsi128_si512(_mm_loadu_si128((const void *)(taps[0] + at)));
    x = _mm512_inserti32x4(x, _mm_loadu_si128((const void *)(taps[1] + at)), 1);
    x = _mm512_inserti32x4(x, _mm_loadu_si128((const void *)(taps[2] + at)), 2);
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

/* By windows of 3 x 3, of which two share 3 - slide columns. */
ALWAYS void three_by_three(const strip *s, const int8_t *const *taps, const ending *e,
                           const int slide, int8_t *out)
{
    const __m512i w0 = load(s->w), w1 = load(s->w + PANEL_BYTES), w2 = load(s->w + 2 * PANEL_BYTES);
    int64_t at = s->at;
    if (s->n == 0) {
        return;
    }
    __m512i x0 = three_of(taps, at), x1 = three_of(taps + GROUP, at);
    for (int32_t i = 0; i < s->n; i++, at += s->step, out += s->stride) {
        const __m512i x2 = three_of(taps + 2 * GROUP, at);
        const __m512i sums = oribi_dot_of_bytes(oribi_dot_of_bytes(s->bias, x0, w0), x1, w1);
        _mm_storeu_si128((void *)out, bytes_of(e, oribi_dot_of_bytes(sums, x2, w2)));
        x0 = slide == 1 ? x1 : x2;
        x1 = slide == 1 ? x2 : i + 1 < s->n ? three_of(taps + GROUP, at + s->step) : x1;
    }
}

ALWAYS void any_window(const strip *s, int32_t groups, const int8_t *const *taps, const ending *e,
                       int8_t *out)
{
    int64_t at = s->at;
    for (int32_t i = 0; i < s->n; i++, at += s->step, out += s->stride) {
        __m512i sums = s->bias;
        for (int32_t k = 0; k < groups; k++) {
            sums = oribi_dot_of_bytes(sums, column_of(taps + GROUP * k, at, e->mask),
                                      load(s->w + (int64_t)k * GROUP * ORIBI_PANEL));
        }
        finish(e, sums, out);
    }
}

/* Inlined, as an ending in memory would cost as much as a short strip. */
ALWAYS void strip_of(const oribi_quantized_panels *p, const strip *s, const int8_t *const *taps,
                     int32_t slide, const ending *e, int8_t *out)
{
    const bool is_three = p->groups == 3 && p->row_taps == 3 && e->mask == 0xffff;
    if (is_three && slide == 1) {
        three_by_three(s, taps, e, 1, out);
    } else if (is_three && (slide == 2 || s->n == 1)) {
        three_by_three(s, taps, e, 2, out);
    } else {
        any_window(s, p->groups, taps, e, out);
    }
}

static void depthwise(const oribi_quantized_panels *p, const int8_t *const *taps, int32_t n_pixels,
                      int64_t step, int32_t slide, int8_t *out)
{
    const int32_t channels = p->n_channels;
    strip s = {p->weights, 0, step, channels, n_pixels, load(p->bias)};
    if (step != channels || ORIBI_PANEL % channels != 0) {
        for (int32_t first = 0; first < channels; first += ORIBI_PANEL) {
            const ending e = ending_of(p, first);
            s.at = first;
            s.bias = load(p->bias + first);
            strip_of(p, &s, taps, slide, &e, out + first);
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
    strip_of(p, &s, taps, slide * (ORIBI_PANEL / channels), &e, out);
    s.at = (int64_t)s.n * ORIBI_PANEL;
    s.n = 1;
    e.mask = (__mmask16)below(width - s.at);
    any_window(&s, p->groups, taps, &e, out + s.at);
}

/* --- Sums ------------------------------------------------------------------------------------ */

/* How a side comes to the common, finer scale (micro/add_row_s8.c), or the sum to that of the
 * result: of 31 bits that are dropped, `less` are none, as x is not shifted to the left by them. No
 * product with what is added to it leaves int32 once it is shifted. */
static rescaling rescaling_of(int32_t multiplier, int32_t shift, int less)
{
    const int64_t half = shift < 0 ? INT64_C(1) << (-shift - 1) : 0;
    const __m512i rounding =
        _mm512_set1_epi64(((INT64_C(1) << 30) + half * (INT64_C(1) << 31)) >> less);
    return (rescaling){_mm512_set1_epi32(multiplier), rounding, rounding, _mm512_set1_epi32(-shift),
                       _mm512_set1_epi32(shift < 0 ? -1 : 0)};
}

/* Everything that the sums of two rows need. */
typedef struct adding {
    rescaling a, b, sum;
    __m512i a_zero, b_zero, zero, low, high;
    __mmask16 minus; /* lanes whose right side is taken away: all or none */
} adding;

enum { FINER = 20 };

ALWAYS __m128i sums_of(const adding *s, __m128i a, __m128i b)
{
    const __m512i x = _mm512_sub_epi32(_mm512_cvtepi8_epi32(a), s->a_zero);
    const __m512i y = _mm512_sub_epi32(_mm512_cvtepi8_epi32(b), s->b_zero);
    const __m512i left = rescale(&s->a, x, 31 - FINER), right = rescale(&s->b, y, 31 - FINER);
    __m512i sum = _mm512_add_epi32(left, right);
    sum = _mm512_mask_sub_epi32(sum, s->minus, left, right);
    sum = _mm512_add_epi32(rescale(&s->sum, sum, 31), s->zero);
    return _mm512_cvtepi32_epi8(_mm512_min_epi32(_mm512_max_epi32(sum, s->low), s->high));
}

static void add(const struct oribi_micro_add_scales_s8 *s, const int8_t *a, const int8_t *b,
                int64_t count, int8_t *out)
{
    const adding sums = {rescaling_of(s->a_multiplier, s->a_shift, FINER),
                         rescaling_of(s->b_multiplier, s->b_shift, FINER),
                         rescaling_of(s->output_multiplier, s->output_shift, 0),
                         _mm512_set1_epi32(s->a_zero),
                         _mm512_set1_epi32(s->b_zero),
                         _mm512_set1_epi32(s->output_zero),
                         _mm512_set1_epi32(s->low),
                         _mm512_set1_epi32(s->high),
                         s->subtract != 0 ? 0xffff : 0};
    int64_t i = 0;
    for (; i + 16 <= count; i += 16) {
        const __m128i x = _mm_loadu_si128((const void *)(a + i));
        const __m128i y = _mm_loadu_si128((const void *)(b + i));
        _mm_storeu_si128((void *)(out + i), sums_of(&sums, x, y));
    }
    if (i < count) {
        const __mmask16 mask = (__mmask16)below(count - i);
        const __m128i x = _mm_maskz_loadu_epi8(mask, a + i), y = _mm_maskz_loadu_epi8(mask, b + i);
        _mm_mask_storeu_epi8(out + i, mask, sums_of(&sums, x, y));
    }
}

const oribi_quantized_simd oribi_quantized_vnni = {
    {GROUP, 1, PIXELS, 128, true, false}, take, fill, tile, depthwise, add};
