/* SPDX-License-Identifier: Apache-2.0 */
/* Between the two products of attention: scores become powers of e, their sums are kept, and the
 * result of earlier blocks of keys is brought to the new scale. And both products of a row, which
 * read keys and values where they lie. The including file is compiled for one ISA, includes a
 * vector_*.h and defines ORIBI_ISA (cpu/base/isa.h) and WIDTH (cpu/base/lanes.h).
 */
#include "cpu/attention/attention.h"
#include "cpu/base/lanes.h"
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

enum { AT_ONCE = 4 }; /* rows of a matrix, each a chain of sums */

static inline lanes add_product(lanes a, lanes b, lanes sum)
{
    return (lanes)vector_multiply_add((vector)a, (vector)b, (vector)sum);
}

/* y[row] = a row of the matrix times x, plus y[row] where `adds`. */
static inline __attribute__((always_inline)) void dot_some(const oribi_attention_matrix *a,
                                                           int64_t row, const int n, const float *x,
                                                           bool adds, float *y)
{
    const float *first = a->data + row * a->row;
    lanes sums[AT_ONCE] = {{0.0f}};
    int64_t k = 0;
    for (; k + WIDTH <= a->columns; k += WIDTH) {
        const lanes values = *(const lanes *)(x + k);
        for (int i = 0; i < n; i++) {
            sums[i] = add_product(values, *(const lanes *)(first + i * a->row + k), sums[i]);
        }
    }
    for (int i = 0; i < n; i++) {
        float sum = sum_in(sums[i]);
        for (int64_t rest = k; rest < a->columns; rest++) {
            sum += x[rest] * first[i * a->row + rest];
        }
        y[row + i] = adds ? y[row + i] + sum : sum;
    }
}

static void dot_rows(const oribi_attention_matrix *a, const float *x, bool adds, float *y)
{
    int64_t row = 0;
    for (; row + AT_ONCE <= a->rows; row += AT_ONCE) {
        dot_some(a, row, AT_ONCE, x, adds, y);
    }
    for (; row < a->rows; row++) {
        dot_some(a, row, 1, x, adds, y);
    }
}

/* y += rows of the matrix, each times its number of x. */
static inline __attribute__((always_inline)) void
sum_some(const oribi_attention_matrix *a, int64_t row, const int n, const float *x, float *y)
{
    const float *first = a->data + row * a->row;
    lanes factors[AT_ONCE];
    int64_t i = 0;
    for (int r = 0; r < n; r++) {
        factors[r] = (lanes){0.0f} + x[row + r];
    }
    for (; i + WIDTH <= a->columns; i += WIDTH) {
        lanes sum = *(const lanes *)(y + i);
        for (int r = 0; r < n; r++) {
            sum = add_product(factors[r], *(const lanes *)(first + r * a->row + i), sum);
        }
        *(lanes *)(y + i) = sum;
    }
    for (; i < a->columns; i++) {
        for (int r = 0; r < n; r++) {
            y[i] += x[row + r] * first[r * a->row + i];
        }
    }
}

static void sum_rows(const oribi_attention_matrix *a, const float *x, bool adds, float *y)
{
    int64_t row = 0;
    if (!adds) {
        memset(y, 0, (size_t)a->columns * sizeof *y);
    }
    for (; row + AT_ONCE <= a->rows; row += AT_ONCE) {
        sum_some(a, row, AT_ONCE, x, y);
    }
    for (; row < a->rows; row++) {
        sum_some(a, row, 1, x, y);
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
