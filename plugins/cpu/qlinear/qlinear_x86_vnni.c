/* SPDX-License-Identifier: Apache-2.0 */
/* Products of quantised matrices for AVX-512 with VNNI, whose groups of four bytes are multiplied
 * and added at once. See qlinear_panels.h. */

#include "cpu/base/dot_x86_vnni.h"

#define ORIBI_ISA   vnni
#define TILES_END   1
#define ENDS_FLOATS 1
/* A multiple of both numbers of rows, as images of 7 x 7, 14 x 14 and 56 x 56 are of 7. */
#define ORIBI_QLINEAR_LINES 56
#define FEWER_ROWS          7
#define TAPS_AT_ONCE        16
#define ROLLS               1 /* qlinear_rolled.h */
enum { ROWS = 8, COLUMNS = 32, HALF = COLUMNS / 2 };
#include "cpu/qlinear/qlinear_quads.h"

#include "cpu/qlinear/qlinear_loops.h"

static inline __m512i load(const void *from)
{
    return _mm512_loadu_si512(from);
}

static inline __m128i sixteen(const void *from)
{
    return _mm_loadu_si128(from);
}

/* Of sixteen columns from one on those that are among the first `count`. */
ALWAYS __mmask16 columns_from(int32_t first, int32_t count)
{
    return count - first >= HALF ? 0xffff : (__mmask16)((1U << (count - first)) - 1);
}

/* --- Results --------------------------------------------------------------------------------- */

/* What results become bytes by. */
typedef struct bounds {
    __m512 low, high;
    __m512i zero;
} bounds;

ALWAYS bounds bounds_of(const ending *e)
{
    return (bounds){_mm512_set1_ps((float)(e->low - e->zero)),
                    _mm512_set1_ps((float)(e->high - e->zero)), _mm512_set1_epi32(e->zero)};
}

/* oribi_micro_qlinear_byte of sixteen sums: a NaN is the least. */
ALWAYS __m128i bytes_of(const bounds *of, __m512i sums, __m512 multipliers)
{
    const __m512 value = _mm512_mul_ps(_mm512_cvtepi32_ps(sums), multipliers);
    const __m512 bounded = _mm512_min_ps(_mm512_max_ps(value, of->low), of->high);
    return _mm512_cvtepi32_epi8(_mm512_add_epi32(_mm512_cvtps_epi32(bounded), of->zero));
}

static inline void store_lines(const ending *e, const int32_t *sums, int32_t lines, int32_t count,
                               uint8_t *to, int64_t step)
{
    const bounds of = bounds_of(e);
    for (int32_t c = 0; c < count; c += HALF) {
        const __mmask16 mask = columns_from(c, count);
        const __m512 by = _mm512_maskz_loadu_ps(mask, e->multipliers + c);
        for (int32_t r = 0; r < lines; r++) {
            const __m512i some = _mm512_maskz_loadu_epi32(mask, sums + r * COLUMNS + c);
            _mm_mask_storeu_epi8(to + r * step + c, mask, bytes_of(&of, some, by));
        }
    }
}

/* --- Tiles ----------------------------------------------------------------------------------- */

/* store_scaled of a tile. */
ALWAYS void end_floats(const tile *t, __m512i sum[][2], int rows, int halves)
{
    const scaling *s = &t->end->floats;
    const __m512 scale = _mm512_set1_ps(s->scales[0]);
    const __m512 low = _mm512_set1_ps(s->low), high = _mm512_set1_ps(s->high);
    UNROLL_LOOP
    for (int h = 0; h < halves; h++) {
        const __mmask16 mask = columns_from(h * HALF, t->count);
        const __m512 by = _mm512_maskz_loadu_ps(mask, t->end->multipliers + h * HALF);
        const __m512 bias = _mm512_maskz_loadu_ps(mask, s->bias + h * HALF);
        UNROLL_LOOP
        for (int r = 0; r < rows; r++) {
            const __m512 product = _mm512_mul_ps(_mm512_cvtepi32_ps(sum[r][h]), by);
            const __m512 y = _mm512_add_ps(_mm512_mul_ps(product, scale), bias);
            _mm512_mask_storeu_ps(t->to + r * t->to_step + h * HALF * (int)sizeof(float), mask,
                                  _mm512_min_ps(high, _mm512_max_ps(low, y))); /* keeps a NaN */
        }
    }
}

ALWAYS void end_tile(const tile *t, __m512i sum[][2], int rows, int halves)
{
    if (t->end->floats.scales != NULL) {
        end_floats(t, sum, rows, halves);
        return;
    }
    const bounds of = bounds_of(t->end);
    UNROLL_LOOP
    for (int h = 0; h < halves; h++) {
        const __mmask16 mask = columns_from(h * HALF, t->count);
        const __m512 by = _mm512_maskz_loadu_ps(mask, t->end->multipliers + h * HALF);
        UNROLL_LOOP
        for (int r = 0; r < rows; r++) {
            _mm_mask_storeu_epi8(t->to + r * t->to_step + h * HALF, mask,
                                 bytes_of(&of, sum[r][h], by));
        }
    }
}

/* A group of numbers for each column. */
ALWAYS __m512i four_at(const number *from)
{
    int32_t bits;
    memcpy(&bits, from, sizeof bits);
    return _mm512_set1_epi32(bits);
}

/* Of a panel's columns the first half, or both. */
ALWAYS void tile_of(const tile *t, const weight *panel, int32_t groups, int rows, int halves)
{
    __m512i sum[ROWS][2];
    UNROLL_LOOP
    for (int r = 0; r < rows; r++) {
        sum[r][0] = load(t->begin + r * t->begin_step);
        sum[r][1] = halves == 1 ? sum[r][0] : load(t->begin + r * t->begin_step + HALF);
    }
    for (int32_t g = 0; g < groups; g++, panel += EACH) {
        const __m512i left = load(panel), right = halves == 1 ? left : load(panel + EACH / 2);
        UNROLL_LOOP
        for (int r = 0; r < rows; r++) {
            const __m512i four = four_at(t->numbers + r * t->step + GROUP * g);
            sum[r][0] = oribi_dot_of_bytes(sum[r][0], four, left);
            if (halves == 2) {
                sum[r][1] = oribi_dot_of_bytes(sum[r][1], four, right);
            }
        }
    }
    if (t->end != NULL) {
        end_tile(t, sum, rows, halves);
        return;
    }
    UNROLL_LOOP
    for (int r = 0; r < rows; r++) {
        _mm512_storeu_si512(t->sums + r * COLUMNS, sum[r][0]);
        _mm512_storeu_si512(t->sums + r * COLUMNS + HALF, sum[r][1]);
    }
}

ALWAYS void add_tile(const block *b, int32_t r, const panel_part *part, int rows, tile *t)
{
    t->numbers = line_at(b, r, &t->step);
    if (t->count <= HALF) {
        tile_of(t, part->groups, b->groups, rows, 1);
    } else {
        tile_of(t, part->groups, b->groups, rows, 2);
    }
}

/* Six vectors of weights, each read once for all windows, and sums of all of them in registers. */
ALWAYS void rolled_tile(const tile *t, const weight *panel, const rolled_window *window, int rows,
                        int halves, int stride)
{
    const int64_t next = (int64_t)window->depth / GROUP * EACH; /* of weights, to the next column */
    const number *x = t->numbers;
    __m512i sum[ROWS][2];
    UNROLL_LOOP
    for (int i = 0; i < rows * halves; i++) {
        sum[i / halves][i % halves] = load(t->begin + i % halves * HALF);
    }
    for (int32_t y = 0; y < window->rows; y++, x += window->row_step, panel += 2 * next) {
        for (int32_t k = 0; k < window->depth; k += GROUP, panel += EACH) {
            __m512i w[3][2];
            UNROLL_LOOP
            for (int i = 0; i < 3 * halves; i++) {
                w[i / halves][i % halves] =
                    load(panel + i / halves * next + i % halves * (EACH / 2));
            }
            UNROLL_LOOP
            for (int i = 0; i < (rows - 1) * stride + 3; i++) { /* pixels */
                const __m512i four = four_at(x + i * t->step + k);
                UNROLL_LOOP
                for (int j = 0; j < 3 * halves; j++) {
                    const int from = i - j / halves, h = j % halves; /* where a window begins */
                    if (from >= 0 && from % stride == 0 && from / stride < rows) {
                        __m512i *const to = &sum[from / stride][h];
                        *to = oribi_dot_of_bytes(*to, four, w[j / halves][h]);
                    }
                }
            }
        }
    }
    end_tile(t, sum, rows, halves);
}

/* --- Depthwise layers ------------------------------------------------------------------------
 * Weights that are bytes lie by columns of the window, those of up to four taps side by side, so
 * that a pixel finds the columns that it shares with the one before in registers. */

enum { DEEP = 4 /* taps that are multiplied at once */ };

static int32_t quads_of(int32_t rows)
{
    return rows / DEEP + (rows % DEEP != 0 ? 1 : 0);
}

static inline bool narrow_taps(int16_t *taps, int64_t step, int32_t n, int32_t columns)
{
    const int32_t rows = n / columns, quads = quads_of(rows), pairs = n / 2 + n % 2;
    int8_t bytes[MOST_TAPS / 2][DEEP * TAPS_BLOCK] = {{0}};
    if (n > MOST_TAPS || columns * quads > pairs) {
        return false;
    }
    for (int32_t tap = 0; tap < n; tap++) {
        const int32_t y = tap / columns, quad = tap % columns * quads + y / DEEP;
        for (int32_t c = 0; c < TAPS_BLOCK; c++) {
            const int32_t w = taps[tap / 2 * step + 2 * c + tap % 2];
            if (w < INT8_MIN || w > INT8_MAX) {
                return false;
            }
            bytes[quad][DEEP * c + y % DEEP] = (int8_t)w;
        }
    }
    for (int32_t i = 0; i < columns * quads; i++) {
        memcpy(taps + i * step, bytes[i], sizeof bytes[i]);
    }
    return true;
}

#define FOUR(c)    (c), (c) + 16, (c) + 32, (c) + 48
#define SIXTEEN(c) FOUR(c), FOUR((c) + 1), FOUR((c) + 2), FOUR((c) + 3)
static const uint8_t by_channel[64] = {SIXTEEN(0), SIXTEEN(4), SIXTEEN(8), SIXTEEN(12)};

/* Sixteen channels of up to DEEP taps of a column, channel by channel; others are multiplied by
 * 0. */
ALWAYS __m512i column_of(const tap_list *t, const uint8_t *const *from, int32_t rows, int64_t at)
{
    __m512i x = _mm512_castsi128_si512(sixteen(from[0] + at));
    if (rows > 1) {
        x = _mm512_inserti32x4(x, sixteen(from[t->columns] + at), 1);
    }
    if (rows > 2) {
        x = _mm512_inserti32x4(x, sixteen(from[2 * t->columns] + at), 2);
    }
    if (rows > 3) {
        x = _mm512_inserti32x4(x, sixteen(from[3 * t->columns] + at), 3);
    }
    return _mm512_xor_si512(_mm512_permutexvar_epi8(load(by_channel), x),
                            _mm512_set1_epi8((char)t->flip));
}

/* Sums of sixteen channels from `first` on whose weights are bytes; those of the pixel are
 * `behind`. */
ALWAYS __m512i sum_narrow(const tap_list *t, int64_t behind, int32_t first)
{
    const int16_t *w = t->weights + 2 * first;
    __m512i sum = load(t->begin + first);
    for (int32_t x = 0; x < t->columns; x++) {
        for (int32_t y = 0; y < t->rows; y += DEEP, w += t->step) {
            const uint8_t *const *from = t->from + y * t->columns + x;
            sum = oribi_dot_of_bytes(sum, column_of(t, from, t->rows - y, behind + first), load(w));
        }
    }
    return sum;
}

/* The same of `mask` channels, whose weights are int16 in pairs. */
ALWAYS __m512i sum_wide(const tap_list *t, int64_t behind, int32_t first, __mmask16 mask)
{
    const __m128i flips = _mm_set1_epi8((char)t->flip);
    const int16_t *w = t->weights + 2 * first;
    __m512i sum = _mm512_maskz_loadu_epi32(mask, t->begin + first);
    for (int32_t k = 0; k < t->n; k++, w += t->step) {
        const __m128i x = _mm_maskz_loadu_epi8(mask, t->from[2 * k] + behind + first);
        const __m128i y = _mm_maskz_loadu_epi8(mask, t->from[2 * k + 1] + behind + first);
        const __m128i u = _mm_xor_si128(x, flips), v = _mm_xor_si128(y, flips);
        const __m256i pairs = _mm256_set_m128i(_mm_unpackhi_epi8(u, v), _mm_unpacklo_epi8(u, v));
        sum = _mm512_dpwssd_epi32(sum, _mm512_cvtepu8_epi16(pairs),
                                  _mm512_maskz_loadu_epi32(mask, w));
    }
    return sum;
}

ALWAYS bool is_narrow(const tap_list *t, int32_t first, int32_t count)
{
    return first + TAPS_BLOCK <= count && t->narrow[first / TAPS_BLOCK] != 0;
}

static inline void add_taps(const tap_list *t, int32_t count, int32_t *sums)
{
    for (int32_t first = 0; first < count; first += TAPS_BLOCK) {
        const __mmask16 mask = columns_from(first, count);
        const __m512i sum = is_narrow(t, first, count) ? sum_narrow(t, t->at, first)
                                                       : sum_wide(t, t->at, first, mask);
        _mm512_mask_storeu_epi32(sums + first, mask, sum);
    }
}

/* Where bytes of pixels go. */
typedef struct pixels {
    int32_t n;
    int64_t step, to_step; /* from one's taps and results to those of the next */
    uint8_t *to;
    bounds of;
    __m512 multipliers;
} pixels;

/* Bytes of sixteen channels by windows of 3 x 3, of which two pixels share 3 - slide columns. */
ALWAYS void end_three(const tap_list *t, int32_t first, const pixels *p, const int slide)
{
    const int16_t *w = t->weights + 2 * first;
    const __m512i w0 = load(w), w1 = load(w + t->step), w2 = load(w + 2 * t->step);
    const __m512i begin = load(t->begin + first);
    int64_t at = t->at + first;
    __m512i x0 = column_of(t, t->from, 3, at), x1 = column_of(t, t->from + 1, 3, at);
    for (int32_t i = 0; i < p->n; i++, at += p->step) {
        const __m512i x2 = column_of(t, t->from + 2, 3, at);
        __m512i sum = oribi_dot_of_bytes(begin, x0, w0);
        sum = oribi_dot_of_bytes(oribi_dot_of_bytes(sum, x1, w1), x2, w2);
        _mm_storeu_si128((void *)(p->to + i * p->to_step), bytes_of(&p->of, sum, p->multipliers));
        x0 = slide == 1 ? x1 : x2;
        if (slide == 1) {
            x1 = x2;
        } else if (i + 1 < p->n) {
            x1 = column_of(t, t->from + 1, 3, at + p->step);
        }
    }
}

static inline int32_t end_taps(const tap_list *t, int32_t count, int32_t n, int64_t step,
                               const ending *e, uint8_t *to, int64_t to_step)
{
    pixels p = {.n = n, .step = step, .to_step = to_step, .of = bounds_of(e)};
    for (int32_t first = 0; first < count; first += TAPS_BLOCK) {
        const __mmask16 mask = columns_from(first, count);
        const bool are_bytes = is_narrow(t, first, count);
        p.to = to + first;
        p.multipliers = _mm512_maskz_loadu_ps(mask, e->multipliers + first);
        if (are_bytes && t->rows == 3 && t->columns == 3 && t->slide == 1) {
            end_three(t, first, &p, 1);
        } else if (are_bytes && t->rows == 3 && t->columns == 3 && (t->slide == 2 || n == 1)) {
            end_three(t, first, &p, 2);
        } else {
            for (int32_t i = 0; i < n; i++) {
                const int64_t behind = t->at + i * step;
                const __m512i sum =
                    are_bytes ? sum_narrow(t, behind, first) : sum_wide(t, behind, first, mask);
                _mm_mask_storeu_epi8(p.to + i * to_step, mask, bytes_of(&p.of, sum, p.multipliers));
            }
        }
    }
    return count;
}
