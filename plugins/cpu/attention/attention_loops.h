/* SPDX-License-Identifier: Apache-2.0 */
/* Between the two products of attention: scores become powers of e, their sums are kept, and the
 * result of earlier blocks of keys is brought to the new scale. And both products of a row, which
 * read keys and values where they lie. The including file is compiled for one ISA, includes a
 * vector_*.h and defines ORIBI_ISA (cpu/base/isa.h) and WIDTH (cpu/base/lanes.h).
 */
#include "cpu/attention/attention.h"
#include "cpu/base/lanes.h"
#include "cpu/base/unrolled.h"
#include "cpu/base/vector_math.h"

static void cap_scores(float *s, int64_t n, float scale, float cap)
{
    const float inverse = scale / cap;
    for (int64_t i = 0; i < n; i++) {
        s[i] = cap * vector_tanh(s[i] * inverse);
    }
}

/* s becomes s * scale + mask; returns the largest, NaN passed over. */
static float scale_scores(float *s, int64_t n, float scale, const float *mask)
{
    lanes a = (lanes){0.0f} - __builtin_inff(), b = a;
    float largest = -__builtin_inff();
    int64_t i = 0;
    for (; i + 2 * WIDTH <= n; i += 2 * WIDTH) {
        lanes x = *(const lanes *)(s + i) * scale, y = *(const lanes *)(s + i + WIDTH) * scale;
        if (mask != NULL) {
            x += *(const lanes *)(mask + i);
            y += *(const lanes *)(mask + i + WIDTH);
        }
        *(lanes *)(s + i) = x;
        *(lanes *)(s + i + WIDTH) = y;
        a = larger_of(a, x);
        b = larger_of(b, y);
    }
    if (i > 0) {
        largest = largest_in(larger_of(a, b));
    }
    for (; i < n; i++) {
        s[i] = s[i] * scale + (mask != NULL ? mask[i] : 0.0f);
        largest = s[i] > largest ? s[i] : largest;
    }
    return largest;
}

/* s becomes e^(s - largest), whose sum is returned. */
static float powers_of(float *s, int64_t n, float largest)
{
    for (int64_t i = 0; i < n; i++) {
        s[i] = vector_exp_negative(s[i] - largest);
    }
    return sum_of(s, n);
}

/* Where nothing was seen so far, the largest is -inf: no sum may depend on it. */
static void row_powers(const oribi_attention_block *block, int64_t r)
{
    const oribi_attention_range all = {0, block->n};
    const oribi_attention_range seen = block->seen != NULL ? block->seen[r] : all;
    const int64_t n = seen.end - seen.begin;
    const float *mask = block->mask != NULL ? block->mask + r * block->mask_row + seen.begin : NULL;
    float *s = block->scores + r * block->stride + seen.begin, scale = block->scale;
    if (block->softcap > 0.0f) {
        cap_scores(s, n, scale, block->softcap);
        scale = 1.0f;
    }
    const float here = scale_scores(s, n, scale, mask);
    const float before = block->out != NULL ? block->largest[r] : -__builtin_inff();
    const float largest = here > before ? here : before;
    const float origin = largest == -__builtin_inff() ? 0.0f : largest;
    float sum = powers_of(s, n, origin);
    memset(s - seen.begin, 0, (size_t)seen.begin * sizeof *s);
    memset(s + n, 0, (size_t)(block->n - seen.end) * sizeof *s);
    if (block->out != NULL) {
        const float share =
            before == -__builtin_inff() ? 0.0f : vector_exp_negative(before - origin);
        float *out = block->out + r * block->out_stride;
        sum += block->totals[r] * share;
        for (int64_t i = 0; share != 1.0f && i < block->width; i++) {
            out[i] *= share;
        }
    }
    block->largest[r] = largest;
    block->totals[r] = sum;
}

#define POWERS_(set) oribi_attention_powers_##set
#define POWERS(set)  POWERS_(set)
void POWERS(ORIBI_ISA)(const oribi_attention_block *block)
{
    for (int64_t r = 0; r < block->n_rows; r++) {
        row_powers(block, r);
    }
}

/* --- Products of one row --------------------------------------------------------------------- */

enum { STRIP = WIDTH == 16 ? 4 : 8 }; /* registers of columns that all rows meet */

static inline lanes add_product(lanes a, lanes b, lanes sum)
{
    return (lanes)vector_multiply_add((vector)a, (vector)b, (vector)sum);
}

/* y[0 .. n) += the last columns, from `column` on, of n rows times those of x. */
static __attribute__((noinline)) void dot_rest(const oribi_attention_matrix *a, const float *first,
                                               int64_t column, int n, const float *x, float *y)
{
    for (int i = 0; i < n; i++, first += a->row) {
        for (int64_t k = column; k < a->columns; k++) {
            y[i] += x[k] * first[k];
        }
    }
}

/* y[0 .. n) = each of n rows of the matrix times x, plus y where `adds`. The registers of rows that
 * are missing hold the last one again. */
static inline __attribute__((always_inline)) void dot_some(const oribi_attention_matrix *a,
                                                           const float *first, const int n,
                                                           const float *x, bool adds, float *y)
{
    lanes sums[WIDTH] = {{0.0f}};
    const int64_t last = n < WIDTH ? (n - 1) * a->row : INT64_MAX;
    int64_t k = 0;
    for (; k + WIDTH <= a->columns; k += WIDTH) {
        const lanes values = *(const lanes *)(x + k);
        UNROLL_LOOP
        for (int i = 0; i < WIDTH; i++) {
            const int64_t at = i * a->row < last ? i * a->row : last;
            sums[i] = add_product(values, *(const lanes *)(first + at + k), sums[i]);
        }
    }
    lanes before = {0.0f};
    if (adds) {
        memcpy(&before, y, (size_t)n * sizeof *y);
    }
    before += sums_in(sums);
    memcpy(y, &before, (size_t)n * sizeof *y);
    if (k < a->columns) {
        dot_rest(a, first, k, n, x, y);
    }
}

static void dot_rows(const oribi_attention_matrix *a, const float *x, bool adds, float *y)
{
    const float *first = a->data;
    int64_t left = a->rows;
    for (; left >= WIDTH; left -= WIDTH, first += WIDTH * a->row, y += WIDTH) {
        dot_some(a, first, WIDTH, x, adds, y);
    }
    if (left > 0) {
        dot_some(a, first, (int)left, x, adds, y);
    }
}

/* n registers of y += the rows from `first` on, each times its number of x. */
static inline __attribute__((always_inline)) void
sum_some(const oribi_attention_matrix *a, const float *first, const int n, const float *x, float *y)
{
    lanes sums[STRIP];
    memcpy(sums, y, (size_t)n * sizeof *sums);
    for (int64_t row = 0; row < a->rows; row++, first += a->row) {
        const lanes factor = (lanes){0.0f} + x[row];
        UNROLL_LOOP
        for (int i = 0; i < n; i++) {
            sums[i] = add_product(factor, *(const lanes *)(first + i * WIDTH), sums[i]);
        }
    }
    memcpy(y, sums, (size_t)n * sizeof *sums);
}

static void sum_rows(const oribi_attention_matrix *a, const float *x, bool adds, float *y)
{
    int64_t i = 0;
    if (!adds) {
        memset(y, 0, (size_t)a->columns * sizeof *y);
    }
    for (; i + STRIP * WIDTH <= a->columns; i += STRIP * WIDTH) {
        sum_some(a, a->data + i, STRIP, x, y + i);
    }
    for (; i + WIDTH <= a->columns; i += WIDTH) {
        sum_some(a, a->data + i, 1, x, y + i);
    }
    for (; i < a->columns; i++) {
        for (int64_t row = 0; row < a->rows; row++) {
            y[i] += x[row] * a->data[row * a->row + i];
        }
    }
}

#define ROW_(set) oribi_attention_row_##set
#define ROW(set)  ROW_(set)
void ROW(ORIBI_ISA)(const oribi_attention_matrix *a, const float *x, bool adds, float *y)
{
    if (a->is_turned) {
        sum_rows(a, x, adds, y);
    } else {
        dot_rows(a, x, adds, y);
    }
}
