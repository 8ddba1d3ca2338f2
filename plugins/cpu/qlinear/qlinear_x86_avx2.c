/* SPDX-License-Identifier: Apache-2.0 */
/* Products of quantised matrices for AVX2. See qlinear_panels.h. */

#include "cpu/base/add_x86_avx2.h"

#define ORIBI_ISA avx2
enum { ROWS = 4, COLUMNS = 16 };
#include "cpu/qlinear/qlinear_octets.h"

#include "cpu/qlinear/qlinear_loops.h"

/* Number of rows is a constant where these are inlined, and so sums are in registers. */
#define ALWAYS __attribute__((always_inline)) static inline

static inline __m256i load(const void *from)
{
    return _mm256_loadu_si256(from);
}

static inline __m256i two_of(const int16_t *from)
{
    int32_t bits;
    memcpy(&bits, from, sizeof bits);
    return _mm256_set1_epi32(bits);
}

static inline __m256i four_of(const number *from)
{
    int32_t bits;
    memcpy(&bits, from, sizeof bits);
    return _mm256_set1_epi32(bits);
}

/* Products of both halves of a group, in int16, and no sum of them saturates: qlinear_octets.h. */
static inline __m256i both_halves(__m256i x, const weight *w, __m256i y, const weight *v)
{
    return _mm256_add_epi16(_mm256_maddubs_epi16(x, load(w)), _mm256_maddubs_epi16(y, load(v)));
}

ALWAYS void load_sums(const int32_t *sums, int rows, __m256i to[][2])
{
    for (int r = 0; r < rows; r++) {
        to[r][0] = load(sums + r * PANEL);
        to[r][1] = load(sums + r * PANEL + 8);
    }
}

ALWAYS void store_sums(__m256i from[][2], int rows, int32_t *sums)
{
    for (int r = 0; r < rows; r++) {
        _mm256_storeu_si256((__m256i *)(sums + r * PANEL), from[r][0]);
        _mm256_storeu_si256((__m256i *)(sums + r * PANEL + 8), from[r][1]);
    }
}

ALWAYS __m256i add_pairs(__m256i sum, __m256i pairs)
{
    return oribi_add_in_place(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}

ALWAYS void tile_of(const number *numbers, const weight *panel, int32_t groups, int rows,
                    int32_t *sums)
{
    __m256i s[ROWS][2];
    load_sums(sums, rows, s);
    for (int32_t g = 0; g < groups; g++, panel += EACH, numbers += GROUP) {
        for (int r = 0; r < rows; r++) {
            const __m256i x = four_of(numbers + r * CHUNK), y = four_of(numbers + r * CHUNK + 4);
            s[r][0] = add_pairs(s[r][0], both_halves(x, panel, y, panel + HALF));
            s[r][1] =
                add_pairs(s[r][1], both_halves(x, panel + HALF / 2, y, panel + HALF + HALF / 2));
        }
    }
    store_sums(s, rows, sums);
}

ALWAYS void wide_tile_of(const int16_t *numbers, const weight *panel, int32_t pairs, int rows,
                         int32_t *sums)
{
    __m256i s[ROWS][2];
    load_sums(sums, rows, s);
    for (int32_t p = 0; p < pairs; p++, panel += 4 * COLUMNS, numbers += 2) {
        const __m256i left = load(panel), right = load(panel + 2 * COLUMNS);
        for (int r = 0; r < rows; r++) {
            const __m256i x = two_of(numbers + r * CHUNK);
            s[r][0] = oribi_add_in_place(s[r][0], _mm256_madd_epi16(x, left));
            s[r][1] = oribi_add_in_place(s[r][1], _mm256_madd_epi16(x, right));
        }
    }
    store_sums(s, rows, sums);
}

ALWAYS void add_extras(const number *numbers, const weight *panel, int32_t inner, int32_t at,
                       int rows, int32_t *sums)
{
    const int32_t *begins = panel_tables(panel, inner), *places = begins + chunks_of(inner) + 1;
    const int32_t begin = begins[at / CHUNK], end = begins[at / CHUNK + 1];
    const weight *w =
        (const weight *)begins + tables_bytes(inner, kind_of(panel).extras) + (int64_t)begin * HALF;
    if (begin == end) {
        return;
    }
    __m256i s[ROWS][2];
    load_sums(sums, rows, s);
    for (int32_t e = begin; e < end; e++, w += HALF) {
        for (int r = 0; r < rows; r++) {
            const __m256i x = four_of(numbers + r * CHUNK + places[e]);
            s[r][0] = add_pairs(s[r][0], _mm256_maddubs_epi16(x, load(w)));
            s[r][1] = add_pairs(s[r][1], _mm256_maddubs_epi16(x, load(w + HALF / 2)));
        }
    }
    store_sums(s, rows, sums);
}

/* 16 bytes as int16, less their zero point; zeros in the padding. */
ALWAYS __m256i words_of(const tap_list *t, int32_t k, int32_t first)
{
    if (k >= t->n || t->from[k] == NULL) {
        return _mm256_setzero_si256();
    }
    const __m128i bytes = _mm_xor_si128(_mm_loadu_si128((const void *)(t->from[k] + t->at + first)),
                                        _mm_set1_epi8((char)t->flip));
    return _mm256_sub_epi16(_mm256_cvtepu8_epi16(bytes), _mm256_set1_epi16((int16_t)t->less));
}

static inline void add_taps(const tap_list *t, int32_t count, int32_t *sums)
{
    int32_t first = 0;
    for (; first + 16 <= count; first += 16) {
        __m256i low = _mm256_setzero_si256(), high = low; /* of both halves of 8 channels */
        for (int32_t k = 0; k < t->n; k += 2) {
            const int16_t *w = t->weights + k * t->step + first;
            const __m256i x = words_of(t, k, first), y = words_of(t, k + 1, first);
            const __m256i v = load(w),
                          u = k + 1 < t->n ? load(w + t->step) : v; /* or that meets 0 */
            low = oribi_add_in_place(
                low, _mm256_madd_epi16(_mm256_unpacklo_epi16(x, y), _mm256_unpacklo_epi16(v, u)));
            high = oribi_add_in_place(
                high, _mm256_madd_epi16(_mm256_unpackhi_epi16(x, y), _mm256_unpackhi_epi16(v, u)));
        }
        _mm256_storeu_si256((__m256i *)(sums + first), _mm256_permute2x128_si256(low, high, 0x20));
        _mm256_storeu_si256((__m256i *)(sums + first + 8),
                            _mm256_permute2x128_si256(low, high, 0x31));
    }
    if (first < count) {
        sum_taps(t, first, count, sums);
    }
}

/* Eight results as int32, of which a byte counts. */
ALWAYS __m256i results_of(const ending *e, const int32_t *sums, int32_t at)
{
    const __m256 low = _mm256_set1_ps((float)(e->low - e->zero));
    const __m256 high = _mm256_set1_ps((float)(e->high - e->zero));
    const __m256i sum = _mm256_add_epi32(load(sums + at), load(e->bias + at));
    __m256 value = _mm256_mul_ps(_mm256_cvtepi32_ps(sum), _mm256_loadu_ps(e->multipliers + at));
    value = _mm256_min_ps(_mm256_max_ps(value, low), high); /* a NaN becomes low */
    const __m256i result = _mm256_add_epi32(_mm256_cvtps_epi32(value), _mm256_set1_epi32(e->zero));
    return _mm256_and_si256(result, _mm256_set1_epi32(255));
}

static inline int32_t store_vectors(const ending *e, const int32_t *sums, int32_t count,
                                    uint8_t *to)
{
    int32_t c = 0;
    for (; c + 8 <= count; c += 8) {
        const __m256i results = results_of(e, sums, c);
        const __m128i words =
            _mm_packus_epi32(_mm256_castsi256_si128(results), _mm256_extracti128_si256(results, 1));
        _mm_storel_epi64((void *)(to + c), _mm_packus_epi16(words, words));
    }
    return c;
}
