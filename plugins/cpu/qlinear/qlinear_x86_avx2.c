/* SPDX-License-Identifier: Apache-2.0 */
/* Products of quantised matrices for AVX2. See qlinear_panels.h. */

#include "cpu/base/add_x86_avx2.h"

#define ORIBI_ISA avx2
enum { ROWS = 4, COLUMNS = 16 };
#include "cpu/qlinear/qlinear_octets.h"

#include "cpu/qlinear/qlinear_loops.h"

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

/* _mm256_maddubs_epi16 by weights in memory. In assembler, because gcc 12 would load them once for
 * all rows, and then has no register for one of the sums. */
static inline __m256i pairs_from(__m256i x, const weight *w)
{
    __m256i pairs;
    __asm__("vpmaddubsw %2, %1, %0" : "=x"(pairs) : "x"(x), "m"(*(const __m256i *)(const void *)w));
    return pairs;
}

/* Products of both halves of a group, in int16, and no sum of them saturates: qlinear_octets.h. */
static inline __m256i both_halves(__m256i x, const weight *w, __m256i y, const weight *v)
{
    return _mm256_add_epi16(_mm256_maddubs_epi16(x, load(w)), pairs_from(y, v));
}

/* --- Results --------------------------------------------------------------------------------- */

/* What results become bytes by: with a sign, which those without one get while they are bounded. */
typedef struct bounds {
    __m256 high;
    __m256i zero, least, most, flip;
} bounds;

ALWAYS bounds bounds_of(const ending *e)
{
    const int32_t less = e->kind == ORIBI_MICRO_QLINEAR_S8 ? 0 : 128;
    return (bounds){_mm256_set1_ps((float)(e->high - e->zero)),
                    _mm256_set1_epi16((int16_t)(e->zero - less)),
                    _mm256_set1_epi8((char)(e->low - less)),
                    _mm256_set1_epi8((char)(e->high - less)), _mm256_set1_epi8((char)less)};
}

/* Eight results less the zero point, as int32. What exceeds those is the least number, and so is a
 * NaN: large ones are bounded before. */
ALWAYS __m256i results_of(__m256i sums, __m256 multipliers, __m256 high)
{
    const __m256 value = _mm256_mul_ps(_mm256_cvtepi32_ps(sums), multipliers);
    return _mm256_cvtps_epi32(_mm256_min_ps(high, value));
}

/* Bytes, before they are bounded: the zero point is added to int16, which saturate. */
ALWAYS __m256i words_of(const bounds *of, __m256i one, __m256i other)
{
    return _mm256_packs_epi16(_mm256_adds_epi16(one, of->zero), _mm256_adds_epi16(other, of->zero));
}

ALWAYS __m256i bounded(const bounds *of, __m256i bytes)
{
    return _mm256_xor_si256(_mm256_min_epi8(_mm256_max_epi8(bytes, of->least), of->most), of->flip);
}

/* Bytes of two lots of 16 results as packs_epi32 leaves them, in their order. */
ALWAYS __m256i bytes_of(const bounds *of, __m256i one, __m256i other)
{
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    return bounded(of, _mm256_permutevar8x32_epi32(words_of(of, one, other), order));
}

/* Sixteen results of sums in memory. */
ALWAYS __m256i sixteen_of(const int32_t *sums, const float *by, __m256 high)
{
    return _mm256_packs_epi32(results_of(load(sums), _mm256_loadu_ps(by), high),
                              results_of(load(sums + 8), _mm256_loadu_ps(by + 8), high));
}

static inline void store_lines(const ending *e, const int32_t *sums, int32_t lines, int32_t count,
                               uint8_t *to, int64_t step)
{
    const bounds of = bounds_of(e);
    const float *by = e->multipliers;
    for (int32_t r = 0; r < lines; r++, to += step, sums += COLUMNS) {
        int32_t c = 0;
        for (; c + 32 <= count; c += 32) {
            const __m256i one = sixteen_of(sums + c, by + c, of.high);
            const __m256i other = sixteen_of(sums + c + 16, by + c + 16, of.high);
            _mm256_storeu_si256((void *)(to + c), bytes_of(&of, one, other));
        }
        for (; c + 16 <= count; c += 16) {
            const __m256i one = sixteen_of(sums + c, by + c, of.high);
            _mm_storeu_si128((void *)(to + c), _mm256_castsi256_si128(bytes_of(&of, one, one)));
        }
        for (; c + 8 <= count; c += 8) {
            const __m256i few = results_of(load(sums + c), _mm256_loadu_ps(by + c), of.high);
            const __m256i one = _mm256_packs_epi32(few, few);
            const __m256i bytes = bytes_of(&of, one, one);
            _mm_storel_epi64((void *)(to + c), _mm256_castsi256_si128(bytes));
        }
        store_bytes(e, sums, c, count, to);
    }
}

/* --- Tiles ----------------------------------------------------------------------------------- */

ALWAYS __m256i add_pairs(__m256i sum, __m256i pairs)
{
    return oribi_add_in_place(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}

/* What of four numbers is multiplied: all, or what is out of bounds, above or below those. */
enum { ALL, ABOVE, BELOW };

ALWAYS __m256i part_of_four(__m256i x, int part, __m256i bound)
{
    return part == ALL     ? x
           : part == ABOVE ? _mm256_subs_epu8(x, bound)
                           : _mm256_subs_epu8(bound, x);
}

ALWAYS void add_octet(const number *numbers, int64_t step, const weight *w, int rows,
                      __m256i s[][2], int part, __m256i bound)
{
    UNROLL_LOOP
    for (int r = 0; r < rows; r++) {
        const number *from = numbers + r * step;
        const __m256i x = part_of_four(four_of(from), part, bound);
        const __m256i y = part_of_four(four_of(from + GROUP / 2), part, bound);
        s[r][0] = add_pairs(s[r][0], both_halves(x, w, y, w + HALF));
        s[r][1] = add_pairs(s[r][1], both_halves(x, w + HALF / 2, y, w + HALF + HALF / 2));
    }
}

ALWAYS void add_octets(const tile *t, const weight *w, int32_t groups, int rows, __m256i s[][2])
{
    const __m256i none = _mm256_setzero_si256();
    for (int32_t g = 0; g < groups; g++) {
        add_octet(t->numbers + g * GROUP, t->step, w + g * EACH, rows, s, ALL, none);
    }
}

/* Products of four numbers of each row and half a group. */
ALWAYS void add_half(const number *numbers, int64_t step, const weight *w, int rows, __m256i s[][2])
{
    UNROLL_LOOP
    for (int r = 0; r < rows; r++) {
        const __m256i x = four_of(numbers + r * step);
        s[r][0] = add_pairs(s[r][0], _mm256_maddubs_epi16(x, load(w)));
        s[r][1] = add_pairs(s[r][1], _mm256_maddubs_epi16(x, load(w + HALF / 2)));
    }
}

/* Products with n extras of eight columns. */
ALWAYS void add_extras(const tile *t, const int32_t *places, const weight *w, int32_t n, int rows,
                       __m256i s[][2], int side, int part, __m256i bound)
{
    for (int32_t e = 0; e < n; e++, w += EXTRA) {
        const number *numbers = t->numbers + places[e];
        const __m256i extra = load(w);
        UNROLL_LOOP
        for (int r = 0; r < rows; r++) {
            const __m256i x = part_of_four(four_of(numbers + r * t->step), part, bound);
            s[r][side] = add_pairs(s[r][side], _mm256_maddubs_epi16(x, extra));
        }
    }
}

ALWAYS void add_both_extras(const tile *t, const panel_part *p, int rows, __m256i s[][2], int part,
                            __m256i bound)
{
    add_extras(t, p->places, p->extras, p->n_left, rows, s, 0, part, bound);
    add_extras(t, p->places + p->n_left, p->extras + (int64_t)p->n_left * EXTRA, p->n_right, rows,
               s, 1, part, bound);
}

/* The products of those groups that have numbers out of bounds, with what is. */
ALWAYS void add_out(const tile *t, const panel_part *p, uint64_t groups, int rows, __m256i s[][2],
                    int part, int32_t limit)
{
    const __m256i bound = _mm256_set1_epi8((char)limit);
    for (uint64_t left = groups; left != 0; left &= left - 1) {
        const int32_t g = __builtin_ctzll(left);
        add_octet(t->numbers + g * GROUP, t->step, p->groups + g * EACH, rows, s, part, bound);
    }
    add_both_extras(t, p, rows, s, part, bound);
}

ALWAYS void negate(int rows, __m256i s[][2])
{
    UNROLL_LOOP
    for (int r = 0; r < rows; r++) {
        s[r][0] = _mm256_sub_epi32(_mm256_setzero_si256(), s[r][0]);
        s[r][1] = _mm256_sub_epi32(_mm256_setzero_si256(), s[r][1]);
    }
}

/* Products of a tile with a panel of seven. */
ALWAYS void add_seven(const block *b, int32_t r, const tile *t, const panel_part *p, int rows,
                      __m256i s[][2])
{
    const tile low = {.numbers = b->low + r * CHUNK, .step = CHUNK};
    uint64_t above = 0, below = 0;
    for (int i = 0; i < rows; i++) {
        above |= b->above[r + i];
        below |= b->below[r + i];
    }
    add_octets(&low, p->groups, b->groups, rows, s);
    add_both_extras(&low, p, rows, s, ALL, _mm256_setzero_si256());
    if (above != 0) {
        add_out(t, p, above, rows, s, ABOVE, b->base + SEVEN);
    }
    if (below != 0) {
        negate(rows, s);
        add_out(t, p, below, rows, s, BELOW, b->base);
        negate(rows, s);
    }
}

/* Bit g: is any of the eight bytes of group g not 0? */
ALWAYS uint64_t groups_with_any(__m256i bytes)
{
    const __m256i none = _mm256_cmpeq_epi64(bytes, _mm256_setzero_si256());
    return ~(uint64_t)_mm256_movemask_pd(_mm256_castsi256_pd(none)) & 15;
}

static void split_line(block *b, int32_t r)
{
    enum { BYTES = 32 };
    const __m256i bottom = _mm256_set1_epi8((char)b->base), most = _mm256_set1_epi8(SEVEN);
    const int32_t n = b->groups * GROUP;
    int64_t step;
    const number *from = line_at(b, r, &step);
    uint64_t above = 0, below = 0;
    for (int32_t i = 0; i < n; i += BYTES) {
        const int32_t left = n - i;
        uint8_t last[BYTES] = {0};
        __m256i x;
        if (left >= BYTES) {
            x = load(from + i);
        } else { /* behind the line may be the end of the image */
            memcpy(last, from + i, (size_t)left);
            x = load(last);
        }
        const __m256i up = _mm256_subs_epu8(x, bottom), low = _mm256_min_epu8(up, most);
        above |= groups_with_any(_mm256_subs_epu8(up, most)) << (i / GROUP);
        below |= groups_with_any(_mm256_subs_epu8(bottom, x)) << (i / GROUP);
        _mm256_storeu_si256((void *)(b->low + r * CHUNK + i), low);
    }
    const uint64_t groups = b->groups < 64 ? (UINT64_C(1) << b->groups) - 1 : UINT64_MAX;
    b->above[r] = above & groups;
    b->below[r] = below & groups;
}

/* The products of a group, in pairs. */
ALWAYS void add_wide(const int16_t *numbers, const weight *w, int32_t groups, int rows,
                     __m256i s[][2])
{
    for (int32_t g = 0; g < groups; g++, w += 2 * EACH, numbers += GROUP) {
        UNROLL_LOOP
        for (int p = 0; p < GROUP / 2; p++) {
            const __m256i left = load(w + p * EACH / 2), right = load(w + p * EACH / 2 + EACH / 4);
            UNROLL_LOOP
            for (int r = 0; r < rows; r++) {
                const __m256i x = two_of(numbers + r * CHUNK + 2 * p);
                s[r][0] = oribi_add_in_place(s[r][0], _mm256_madd_epi16(x, left));
                s[r][1] = oribi_add_in_place(s[r][1], _mm256_madd_epi16(x, right));
            }
        }
    }
}

/* Bytes of a tile, of two rows at a time. */
ALWAYS void end_tile(const tile *t, __m256i s[][2], int rows)
{
    const bounds of = bounds_of(t->end);
    const __m256 left = _mm256_loadu_ps(t->end->multipliers);
    const __m256 right = _mm256_loadu_ps(t->end->multipliers + 8);
    UNROLL_LOOP
    for (int r = 0; r < rows; r += 2) {
        const int next = r + 1 < rows ? r + 1 : r;
        const __m256i one = _mm256_packs_epi32(results_of(s[r][0], left, of.high),
                                               results_of(s[r][1], right, of.high));
        const __m256i other = _mm256_packs_epi32(results_of(s[next][0], left, of.high),
                                                 results_of(s[next][1], right, of.high));
        const __m256i bytes = bytes_of(&of, one, other);
        _mm_storeu_si128((void *)(t->to + r * t->to_step), _mm256_castsi256_si128(bytes));
        _mm_storeu_si128((void *)(t->to + next * t->to_step), _mm256_extracti128_si256(bytes, 1));
    }
}

ALWAYS void add_tile(const block *b, int32_t r, const panel_part *part, int rows, tile *t)
{
    __m256i s[ROWS][2];
    t->numbers = line_at(b, r, &t->step);
    UNROLL_LOOP
    for (int i = 0; i < rows; i++) {
        s[i][0] = load(t->begin + i * t->begin_step);
        s[i][1] = load(t->begin + i * t->begin_step + 8);
    }
    if (part->form == WIDE) {
        add_wide(b->wide + r * CHUNK, part->groups, b->groups, rows, s);
    } else if (part->form == OF_QUADS) {
        for (int32_t q = 0; q < 2 * b->groups; q++) {
            add_half(t->numbers + q * (GROUP / 2), t->step, part->groups + q * HALF, rows, s);
        }
    } else if (part->form == OF_SEVEN) {
        add_seven(b, r, t, part, rows, s);
    } else {
        add_octets(t, part->groups, b->groups, rows, s);
        add_both_extras(t, part, rows, s, ALL, _mm256_setzero_si256());
    }
    if (t->end != NULL) {
        end_tile(t, s, rows);
        return;
    }
    UNROLL_LOOP
    for (int i = 0; i < rows; i++) {
        _mm256_storeu_si256((__m256i *)(t->sums + i * COLUMNS), s[i][0]);
        _mm256_storeu_si256((__m256i *)(t->sums + i * COLUMNS + 8), s[i][1]);
    }
}

/* --- Depthwise layers ------------------------------------------------------------------------ */

/* Bytes of a pair of taps side by side, as int16: of 8 channels. */
ALWAYS __m256i pair_products(__m128i pairs, const int16_t *w)
{
    return _mm256_madd_epi16(_mm256_cvtepu8_epi16(pairs), load(w));
}

/* Sums of 16 channels from `at` on; bytes are `behind` those of the first pixel. */
ALWAYS void add_sixteen(const tap_list *t, int64_t behind, int32_t at, __m256i s[2])
{
    const __m128i flips = _mm_set1_epi8((char)t->flip);
    const int16_t *w = t->weights + 2 * at;
    s[0] = load(t->begin + at);
    s[1] = load(t->begin + at + 8);
    for (int32_t k = 0; k < t->n; k++, w += t->step) {
        const __m128i x = _mm_loadu_si128((const void *)(t->from[2 * k] + behind + at));
        const __m128i y = _mm_loadu_si128((const void *)(t->from[2 * k + 1] + behind + at));
        const __m128i u = _mm_xor_si128(x, flips), v = _mm_xor_si128(y, flips);
        s[0] = _mm256_add_epi32(s[0], pair_products(_mm_unpacklo_epi8(u, v), w));
        s[1] = _mm256_add_epi32(s[1], pair_products(_mm_unpackhi_epi8(u, v), w + 16));
    }
}

/* Weights of pairs as bytes, in the order in which bytes of two ymm registers meet. Sums of a pair
 * fit an int16 as those of qlinear_octets.h. */
static inline bool narrow_taps(int16_t *taps, int64_t step, int32_t n, int32_t columns)
{
    const int32_t pairs = n / 2 + n % 2;
    (void)columns;
    for (int32_t k = 0; k < pairs; k++) {
        for (int32_t c = 0; c < TAPS_BLOCK; c++) {
            const int32_t w = taps[k * step + 2 * c], v = taps[k * step + 2 * c + 1];
            const int32_t more = (w > 0 ? w : 0) + (v > 0 ? v : 0);
            const int32_t less = (w < 0 ? w : 0) + (v < 0 ? v : 0);
            if (more > LIMIT || less < -LIMIT || w > INT8_MAX || v > INT8_MAX) {
                return false;
            }
        }
    }
    for (int32_t k = 0; k < pairs; k++) {
        int8_t bytes[2 * TAPS_BLOCK];
        for (int32_t c = 0; c < TAPS_BLOCK; c++) {
            /* eights of channels: 0 and 2 are the lanes of the first vector, 1 and 3 of the other
             */
            const int32_t at = c / 8 % 2 * TAPS_BLOCK + c / 16 * 16 + c % 8 * 2;
            bytes[at] = (int8_t)taps[k * step + 2 * c];
            bytes[at + 1] = (int8_t)taps[k * step + 2 * c + 1];
        }
        memcpy(taps + k * step, bytes, sizeof bytes);
    }
    return true;
}

/* Products of a pair of taps of 32 channels as int16: those of the first eight of each 16, and the
 * others. */
ALWAYS void pair_of_bytes(const tap_list *t, int32_t k, int64_t behind, int32_t at, __m256i to[2])
{
    const __m256i flips = _mm256_set1_epi8((char)t->flip);
    const int16_t *w = t->weights + 2 * at + k * t->step;
    const __m256i x = _mm256_xor_si256(flips, load(t->from[2 * k] + behind + at));
    const __m256i y = _mm256_xor_si256(flips, load(t->from[2 * k + 1] + behind + at));
    to[0] = _mm256_maddubs_epi16(_mm256_unpacklo_epi8(x, y), load(w));
    to[1] = _mm256_maddubs_epi16(_mm256_unpackhi_epi8(x, y), load(w + TAPS_BLOCK / 2));
}

ALWAYS void add_fours(const __m256i p[2], const __m256i q[2], __m256i s[4])
{
    s[0] = add_pairs(s[0], _mm256_unpacklo_epi16(p[0], q[0]));
    s[1] = add_pairs(s[1], _mm256_unpackhi_epi16(p[0], q[0]));
    s[2] = add_pairs(s[2], _mm256_unpacklo_epi16(p[1], q[1]));
    s[3] = add_pairs(s[3], _mm256_unpackhi_epi16(p[1], q[1]));
}

/* Four numbers, and four that lie 16 behind: as channels lie in the sums of 32. */
ALWAYS __m256i fours_of(const void *from)
{
    const __m128i *four = from;
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(four)),
                                   _mm_loadu_si128(four + 4), 1);
}

/* Sums of 32 channels whose weights are bytes, without what they begin with: s[i] has channels 4 i
 * and 16 + 4 i, four of each. */
ALWAYS void add_narrow(const tap_list *t, int64_t behind, int32_t at, __m256i s[4])
{
    __m256i p[2], q[2];
    int32_t k = 0;
    for (; k + 2 <= t->n; k += 2) {
        pair_of_bytes(t, k, behind, at, p);
        pair_of_bytes(t, k + 1, behind, at, q);
        add_fours(p, q, s);
    }
    if (k < t->n) {
        const __m256i none[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
        pair_of_bytes(t, k, behind, at, p);
        add_fours(p, none, s);
    }
}

ALWAYS bool is_narrow(const tap_list *t, int32_t at, int32_t count)
{
    return at + TAPS_BLOCK <= count && t->narrow[at / TAPS_BLOCK] != 0;
}

static inline void add_taps(const tap_list *t, int32_t count, int32_t *sums)
{
    int32_t first = 0;
    while (first + 16 <= count) {
        __m256i *to = (void *)(sums + first), s[4];
        if (is_narrow(t, first, count)) {
            for (int i = 0; i < 4; i++) {
                s[i] = fours_of(t->begin + first + 4 * i);
            }
            add_narrow(t, t->at, first, s);
            _mm256_storeu_si256(to, _mm256_permute2x128_si256(s[0], s[1], 0x20));
            _mm256_storeu_si256(to + 1, _mm256_permute2x128_si256(s[2], s[3], 0x20));
            _mm256_storeu_si256(to + 2, _mm256_permute2x128_si256(s[0], s[1], 0x31));
            _mm256_storeu_si256(to + 3, _mm256_permute2x128_si256(s[2], s[3], 0x31));
            first += TAPS_BLOCK;
        } else {
            add_sixteen(t, t->at, first, s);
            _mm256_storeu_si256(to, s[0]);
            _mm256_storeu_si256(to + 1, s[1]);
            first += 16;
        }
    }
    if (first < count) {
        sum_taps(t, first, count, sums);
    }
}

/* Bytes of 32 channels of pixels. As sums lie, packing puts them in order. */
ALWAYS void end_narrow(const tap_list *t, int32_t at, int32_t n, int64_t step, const ending *e,
                       uint8_t *to, int64_t to_step)
{
    const bounds of = bounds_of(e);
    __m256i begins[4];
    __m256 by[4];
    for (int i = 0; i < 4; i++) {
        begins[i] = fours_of(t->begin + at + 4 * i);
        by[i] = _mm256_castsi256_ps(fours_of(e->multipliers + at + 4 * i));
    }
    for (int32_t pixel = 0; pixel < n; pixel++, to += to_step) {
        __m256i s[4] = {begins[0], begins[1], begins[2], begins[3]};
        add_narrow(t, t->at + pixel * step, at, s);
        const __m256i one =
            _mm256_packs_epi32(results_of(s[0], by[0], of.high), results_of(s[1], by[1], of.high));
        const __m256i other =
            _mm256_packs_epi32(results_of(s[2], by[2], of.high), results_of(s[3], by[3], of.high));
        _mm256_storeu_si256((void *)(to + at), bounded(&of, words_of(&of, one, other)));
    }
}

static inline int32_t end_taps(const tap_list *t, int32_t count, int32_t n, int64_t step,
                               const ending *e, uint8_t *to, int64_t to_step)
{
    int32_t first = 0;
    while (first + 16 <= count) {
        if (is_narrow(t, first, count)) {
            end_narrow(t, first, n, step, e, to, to_step);
            first += TAPS_BLOCK;
            continue;
        }
        const bounds of = bounds_of(e);
        const __m256 left = _mm256_loadu_ps(e->multipliers + first);
        const __m256 right = _mm256_loadu_ps(e->multipliers + first + 8);
        for (int32_t pixel = 0; pixel < n; pixel++) {
            __m256i s[2];
            add_sixteen(t, t->at + pixel * step, first, s);
            const __m256i one = _mm256_packs_epi32(results_of(s[0], left, of.high),
                                                   results_of(s[1], right, of.high));
            _mm_storeu_si128((void *)(to + pixel * to_step + first),
                             _mm256_castsi256_si128(bytes_of(&of, one, one)));
        }
        first += 16;
    }
    return first;
}
