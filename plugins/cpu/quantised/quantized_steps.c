/* SPDX-License-Identifier: Apache-2.0 */
/* Results by floats that equal those by integers. A result grows with its sum, either way: so the
 * two are equal for all sums if each of the up to 255 steps of a result is at the same sum. Where
 * floats come near to a step, rounding may move it, and what they compute with is changed in its
 * last places until none has moved, or but a few by one sum, for which there are corrections.
 */
#include "cpu/quantised/quantized_panels.h"

#include "micro/fixed_point.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_STEPS = 255,
    MOST_SUM = 1 << 24, /* every integer up to it is a float */
    MOST = 1 << 30,     /* of results: beyond int32 there are none */
    PLACES = 5          /* tried, of the factor and of the term */
};

/* The first sum of which a result is `result`. */
typedef struct step {
    int32_t sum, result;
} step;

typedef struct search {
    int32_t multiplier, shift;
    double scale, tie; /* the same as one number; half of the last place that the shift keeps */
    bool is_signed;    /* the term has the sum's sign, else the zero point is in it */
    int32_t zero;      /* that is in it, or 0 */
    int32_t low, high; /* of results without their zero point, as all steps are */
    step least, most;  /* of sums that there are */
    int32_t n;
    step near[MOST_STEPS];
} search;

static int32_t exact(const search *s, int32_t sum)
{
    return oribi_micro_scale(sum, s->multiplier, s->shift);
}

/* Notes the step to a result, about at this sum. */
static void note(search *s, int32_t sum, int32_t result)
{
    while (exact(s, sum) < result) {
        sum++;
    }
    while (exact(s, sum - 1) >= result) {
        sum--;
    }
    s->near[s->n++] = (step){sum, result};
}

/* Notes the steps to all results between the least and the most that rounding might move. */
static void find_near(search *s)
{
    const double sums = 1 / s->scale, last = ldexp(sums, -23);
    for (int32_t r = s->least.result + 1; r <= s->most.result; r++) {
        /* Of a factor and a term that are three last places from what they should be, and of a
         * value of at most 256; in sums, as what follows. */
        const double doubt = (3 * abs(r) + 272) * last;
        const double at = (r - 0.5 + (r > 0 ? -s->tie : s->tie)) * sums;
        const int32_t sum = (int32_t)at;
        const double behind = fabs(at - sum);
        if (behind <= doubt || behind >= 1 - doubt || abs(sum) >= MOST_SUM) {
            note(s, sum, r);
        }
    }
}

/* Finds the least and the most result of the channel, and steps between them that are near. */
static bool find_steps(const int64_t reach[2], search *s)
{
    if (reach[0] < INT32_MIN || reach[1] > INT32_MAX ||
        s->scale * fmax(-(double)reach[0], (double)reach[1]) > MOST) {
        return false;
    }
    s->least.sum = (int32_t)reach[0];
    s->most.sum = (int32_t)reach[1];
    s->least.result = oribi_micro_clamp(exact(s, s->least.sum), s->low, s->high);
    s->most.result = oribi_micro_clamp(exact(s, s->most.sum), s->low, s->high);
    find_near(s);
    return true;
}

/* Is the result by floats at least this one? They round a tie to the even one. */
static bool reaches(const search *s, const oribi_quantized_real *real, int32_t sum, int32_t result)
{
    const float term = s->is_signed && sum < 0 ? -real->term : real->term;
    const float y = fmaf((float)sum, real->factor, term);
    const float half = (float)(result + s->zero) - 0.5F;
    return y > half || (y == half && (result + s->zero) % 2 == 0);
}

/* Is a step where it belongs, or one sum away, which is noted? */
static bool is_step_equal(const search *s, step at, oribi_quantized_real *real)
{
    const bool is_before = reaches(s, real, at.sum - 1, at.result);
    if (!is_before && reaches(s, real, at.sum, at.result)) {
        return true;
    }
    if (real->n_apart == ORIBI_MOST_APART || reaches(s, real, at.sum - 2, at.result) ||
        !reaches(s, real, at.sum + 1, at.result)) {
        return false;
    }
    real->apart[real->n_apart] = is_before ? at.sum - 1 : at.sum;
    real->more[real->n_apart++] = is_before ? -1 : 1;
    return true;
}

/* Are all steps where they belong, but for a few sums? The one that is not is looked at first of
 * the next place. */
static bool is_equal(search *s, oribi_quantized_real *real)
{
    if ((s->least.result < s->high && reaches(s, real, s->least.sum, s->least.result + 1)) ||
        (s->most.result > s->low && !reaches(s, real, s->most.sum, s->most.result))) {
        return false;
    }
    for (int32_t i = 0; i < s->n; i++) {
        const step at = s->near[i];
        if (!is_step_equal(s, at, real)) {
            s->near[i] = s->near[0];
            s->near[0] = at;
            return false;
        }
    }
    return true;
}

/* 0, 1, -1, 2, -2. */
static int32_t place(int32_t i)
{
    return i % 2 != 0 ? (i + 1) / 2 : -i / 2;
}

bool oribi_quantized_real_find(const oribi_quantized_layer *layer, int32_t multiplier,
                               int32_t shift, const int64_t reach[2], oribi_quantized_real *out)
{
    const bool is_signed = layer->low < layer->zero;
    search s = {.multiplier = multiplier,
                .shift = shift,
                .scale = ldexp(multiplier, shift - 31),
                .tie = ldexp(1, shift - 1),
                .is_signed = is_signed,
                .zero = is_signed ? 0 : layer->zero,
                .low = layer->low - layer->zero,
                .high = layer->high - layer->zero};
    bool is_found = false;
    /* A multiplier of 0 says nothing, and its shift is 0; the others are 2^30 and more. */
    if (shift > 0 || (shift == 0 && multiplier != 0) || !find_steps(reach, &s)) {
        return false;
    }
    for (int32_t i = 0; i < PLACES * PLACES; i++) {
        const double factor = s.scale + ldexp(place(i % PLACES), shift - 24);
        const double term = s.zero + s.tie + ldexp(place(i / PLACES), is_signed ? -18 : -17);
        oribi_quantized_real real = {.factor = (float)factor, .term = (float)term};
        if ((is_signed && term <= 0) || factor < 0 || !is_equal(&s, &real)) {
            continue;
        }
        if (!is_found || real.n_apart < out->n_apart) {
            *out = real;
        }
        is_found = true;
        if (real.n_apart == 0) {
            break;
        }
    }
    return is_found;
}

/* --- Sums of two tensors ------------------------------------------------------------------------
 * Bytes have 65536 pairs: all are tried.
 */

enum { BYTES = 256, FINER = 20, SUM_PLACES = 9 * PLACES };

/* A side at the finer scale: micro/elementwise/add_row_s8.c. */
static void find_side(int32_t zero, int32_t multiplier, int32_t shift, int32_t *out)
{
    for (int32_t i = 0; i < BYTES; i++) {
        const int32_t x = oribi_micro_shift_left(i - BYTES / 2 - zero, FINER);
        out[i] = oribi_micro_scale(x, multiplier, shift);
    }
}

/* The least sum between two whose result is at least this one; `high` where there is none below. */
static int32_t first_sum(const struct oribi_micro_add_scales_s8 *s, int32_t result, int32_t low,
                         int32_t high)
{
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        const int32_t at = oribi_micro_scale(middle, s->output_multiplier, s->output_shift);
        if (at + s->output_zero >= result) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* The results of all pairs, by integers. In a row sums grow, so that each begins where a step to
 * its result is. */
static void find_sums(const struct oribi_micro_add_scales_s8 *s, int8_t *out)
{
    int32_t left[BYTES], right[BYTES], first[BYTES + 1];
    const int32_t last = BYTES - 1, n = s->high - s->low;
    find_side(s->a_zero, s->a_multiplier, s->a_shift, left);
    find_side(s->b_zero, s->b_multiplier, s->b_shift, right);
    for (int32_t j = 0; s->subtract != 0 && j < BYTES; j++) {
        right[j] = -right[j];
    }
    const int32_t b = s->subtract != 0 ? last : 0, by = b == 0 ? 1 : -1; /* sums grow from b on */
    const int32_t most = left[last] + right[last - b] + 1;
    for (int32_t k = 1; k <= n; k++) {
        first[k] = first_sum(s, s->low + k, k == 1 ? left[0] + right[b] : first[k - 1], most);
    }
    first[n + 1] = INT32_MAX; /* no sum reaches it */
    for (int32_t i = 0; i < BYTES; i++) {
        int8_t *row = out + i * BYTES;
        int32_t k = 1;
        for (int32_t j = 0, at = b; j < BYTES; j++, at += by) {
            while (left[i] + right[at] >= first[k]) {
                k++;
            }
            row[at] = (int8_t)(s->low + k - 1);
        }
    }
}

/* The results of pairs whose left byte is the one of a row; returns whether they are right. */
static bool row_is_equal(const oribi_quantized_simd *simd, const oribi_quantized_sum *sum,
                         const int8_t *all, int32_t row, const int8_t *want)
{
    int8_t left[BYTES], out[BYTES];
    memset(left, all[row], sizeof left);
    simd->add(sum, left, all, BYTES, out);
    return memcmp(out, want + row * BYTES, sizeof out) == 0;
}

/* What is tried: with the zero point in the term, which is more exact, then with ties away from it,
 * which scales that are simple fractions of each other have many of. */
static void sum_place(oribi_quantized_sum *sum, int32_t i)
{
    const struct oribi_micro_add_scales_s8 *e = &sum->exact;
    const double to_output = ldexp(e->output_multiplier, e->output_shift - 31 + FINER - 31);
    const double a = ldexp(e->a_multiplier, e->a_shift) * to_output;
    const double b = ldexp(e->b_multiplier, e->b_shift) * to_output * (e->subtract != 0 ? -1 : 1);
    const double term = -a * e->a_zero - b * e->b_zero;
    const bool has_ties = i >= SUM_PLACES;
    sum->of_a = (float)(a + a * ldexp(place(i / PLACES % 3), -23));
    sum->of_b = (float)(b + b * ldexp(place(i / PLACES / 3 % 3), -23));
    sum->term = (float)(has_ties ? term : term + e->output_zero + ldexp(place(i % PLACES), -18));
    sum->tie = has_ties ? ldexpf(1, i % PLACES - 20) : 0;
    sum->added = has_ties ? e->output_zero : 0;
}

void oribi_quantized_sum_find(const oribi_quantized_simd *simd, oribi_quantized_sum *sum)
{
    int8_t all[BYTES];
    int8_t *want = malloc(BYTES * BYTES);
    int32_t row = 0, n_equal = 0;
    for (int32_t i = 0; i < BYTES; i++) {
        all[i] = (int8_t)(i - BYTES / 2);
    }
    if (want != NULL) {
        find_sums(&sum->exact, want);
    }
    for (int32_t i = 0; want != NULL && i < 2 * SUM_PLACES && n_equal < BYTES; i++) {
        sum_place(sum, i);
        for (n_equal = 0; n_equal < BYTES && row_is_equal(simd, sum, all, row, want); n_equal++) {
            row = (row + 1) % BYTES; /* the next place is tried where this one failed first */
        }
    }
    sum->is_real = n_equal == BYTES;
    free(want);
}
