/* SPDX-License-Identifier: Apache-2.0 */
/* Results by floats that equal those by integers. A result grows with its sum, either way: so the
 * two are equal for all sums if each of the up to 255 steps of a result is at the same sum. Where
 * floats come near to a step, rounding may move it: each such step says between which bounds the
 * term must be, and a term between them all is right for every sum. Where none is, not for one of
 * the factors next to the scale, such are tried that are wrong at but a few steps and by one sum,
 * for which there are corrections.
 */
#include "cpu/quantised/quantized_panels.h"

#include "micro/fixed_point.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_STEPS = 255,
    BYTES = 256,    /* that there are */
    MOST = 1 << 30, /* of results: beyond int32 there are none */
    FACTORS = 3,    /* tried, of a channel */
    PLACES = 5      /* and of a sum's term */
};

/* What remains of x without whole numbers, in 2^-32; |x| is below 2^63. */
static uint32_t fraction(double x)
{
    return (uint32_t)(int64_t)((x - (double)(int64_t)x) * 4294967296.0);
}

/* Lists the numbers i below n, at most BYTES, for which at + i * by is nearer than `width` to a
 * whole number; returns how many they are. */
static int32_t find_near_whole(double at, double by, double width, int32_t n, uint8_t *out)
{
    enum { TOGETHER = 16 }; /* by vectors */
    const uint32_t window = width < 0.25 ? (uint32_t)(width * 8589934592.0) : UINT32_MAX;
    const uint32_t step = fraction(by);
    uint32_t ahead[TOGETHER], x = fraction(at) + window / 2;
    int32_t found = 0;
    for (uint32_t k = 0; k < TOGETHER; k++) {
        ahead[k] = k * step;
    }
    for (int32_t i = 0; i < n; i += TOGETHER, x += TOGETHER * step) {
        const uint32_t behind = x - window - 1;
        uint32_t any = window; /* its highest bit says whether one is in the window */
        for (int32_t k = 0; k < TOGETHER; k++) {
            any |= ~(x + ahead[k]) & (behind + ahead[k]);
        }
        for (int32_t k = 0; any >> 31 != 0 && k < TOGETHER && i + k < n; k++) {
            out[found] = (uint8_t)(i + k);
            found += x + ahead[k] <= window ? 1 : 0;
        }
    }
    return found;
}

/* The first sum of which a result is `result`. */
typedef struct step {
    int32_t sum, result;
    double turn; /* what floats must come to */
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

/* The first sum whose result is at least this one. Of its two roundings, in reverse: the high
 * product must reach half of the shift's last place, and where that is not above 0 exceed it. */
static int32_t first_sum(const search *s, int32_t result)
{
    const int64_t half = (2 * (int64_t)result - 1) * (INT64_C(1) << (-s->shift - 1));
    const int64_t high = half + (result > 0 ? 0 : 1);
    const int64_t product = high * (INT64_C(1) << 31) - (INT64_C(1) << 30);
    return (int32_t)(product / s->multiplier + (product % s->multiplier > 0 ? 1 : 0));
}

/* What a number must reach so that the float next to it is rounded to this result or one above: the
 * middle between the half below the result and a neighbour, as a tie is rounded to the even one,
 * twice. */
static double turn_of(const search *s, int32_t result)
{
    const float half = (float)(result + s->zero) - 0.5F;
    int32_t bits;
    float next;
    memcpy(&bits, &half, sizeof bits);
    bits += ((result + s->zero) % 2 == 0) == (half > 0) ? -1 : 1;
    memcpy(&next, &bits, sizeof next);
    return ((double)half + (double)next) / 2;
}

static step step_to(const search *s, int32_t sum, int32_t result)
{
    return (step){sum, result, turn_of(s, result)};
}

/* Notes the steps to those results from `first` to `last`, on one side of 0, that rounding might
 * move, of a factor some last places from what it should be and of a term up to two. */
static void find_near(search *s, int32_t places, int32_t first, int32_t last)
{
    uint8_t near[BYTES];
    const double sums = 1 / s->scale;
    const double at = (first - 0.5 + (first > 0 ? -s->tie : s->tie)) * sums;
    const int32_t most = abs(first) > abs(last) ? abs(first) : abs(last);
    /* In last places of 1: half of one for the factor's own rounding; the term's and the result's,
     * which are below 128 where it is signed, else 256; and what the numbers here are off by. */
    const double doubt = (places + 0.5) * most + (s->is_signed ? 104 : 232);
    const int32_t n = last < first ? 0
                                   : find_near_whole(at, sums, doubt * ldexp(sums, -23) + 1e-6,
                                                     last - first + 1, near);
    for (int32_t i = 0; i < n; i++) {
        const int32_t result = first + near[i];
        s->near[s->n++] = step_to(s, first_sum(s, result), result);
    }
}

/* Notes the steps between the least and the most result that are near. */
static void find_steps(search *s, int32_t places)
{
    const int32_t first = s->least.result, last = s->most.result;
    s->n = 0;
    find_near(s, places, first, last < 0 ? last : 0);
    find_near(s, places, first < 1 ? 1 : first, last);
}

/* Finds the least and the most result of the channel. False: they may overflow. */
static bool find_ends(const int64_t reach[2], search *s)
{
    if (reach[0] < INT32_MIN || reach[1] > INT32_MAX ||
        s->scale * fmax(-(double)reach[0], (double)reach[1]) > MOST) {
        return false;
    }
    const int32_t least = oribi_micro_scale((int32_t)reach[0], s->multiplier, s->shift);
    const int32_t most = oribi_micro_scale((int32_t)reach[1], s->multiplier, s->shift);
    const int32_t low = oribi_micro_clamp(least, s->low, s->high);
    const int32_t high = oribi_micro_clamp(most, s->low, s->high);
    s->least = step_to(s, (int32_t)reach[0], low + 1); /* which it must not reach */
    s->most = step_to(s, (int32_t)reach[1], high);
    return true;
}

/* A bound of the term: beyond it floats go wrong for `sum`, and would be right for the sum and
 * `more`; 0: for others, too. */
typedef struct bound {
    double at;
    int32_t sum, more;
} bound;

/* The narrowest bounds below and above, the narrowest first. Of those above all signs are changed.
 */
typedef struct bounds {
    bound side[2][ORIBI_MOST_APART + 1];
} bounds;

static void add_bound(bounds *all, int side, bound one)
{
    bound *b = all->side[side];
    for (int32_t i = 0; i <= ORIBI_MOST_APART; i++) {
        if (one.at > b[i].at) {
            const bound next = b[i];
            b[i] = one;
            one = next;
        }
    }
}

/* Adds the bound that has the result of a sum reach a step, or not. */
static inline void bound_sum(const search *s, double factor, int32_t sum, double turn, bool reaches,
                             int32_t more, bounds *all)
{
    const bool is_negative = s->is_signed && sum < 0;
    const double rest = turn - (double)(float)sum * factor;
    const int side = reaches != is_negative ? 0 : 1;
    const double at = reaches ? rest : -rest;
    if (at > all->side[side][ORIBI_MOST_APART].at) {
        add_bound(all, side, (bound){at, sum, more});
    }
}

/* Finds what bounds the term where steps are to be where they belong. False: no term remains with
 * which at most `most` sums are apart. */
static bool find_bounds(search *s, double factor, double place, int32_t most, bounds *out)
{
    const double ideal = s->zero + s->tie;
    const bound none = {-INFINITY, 0, 0};
    *out = (bounds){
        {{{ideal - 2 * place, 0, 0}, none, none}, {{-ideal - 2 * place, 0, 0}, none, none}}};
    if (s->is_signed) {
        add_bound(out, 0, (bound){0, 0, 0});
    }
    if (s->least.result <= s->high) {
        bound_sum(s, factor, s->least.sum, s->least.turn, false, 0, out);
    }
    if (s->most.result > s->low) {
        bound_sum(s, factor, s->most.sum, s->most.turn, true, 0, out);
    }
    bool is_left = true;
    for (int32_t i = 0; i < s->n && is_left; i++) {
        const step at = s->near[i];
        bound_sum(s, factor, at.sum, at.turn, true, 1, out);
        bound_sum(s, factor, at.sum - 1, at.turn, false, -1, out);
        is_left = out->side[0][most].at + out->side[1][most].at <= 0;
        if (!is_left) { /* of the next factor it is the first to be looked at */
            s->near[i] = s->near[0];
            s->near[0] = at;
        }
    }
    return is_left;
}

/* Takes a term between bounds, of which `below` and `above` many do not hold. False: there is none.
 */
static bool take_term(const bounds *all, int32_t below, int32_t above, oribi_quantized_real *out)
{
    const double guard = ldexp(1, -40); /* more than the bounds' own last places */
    const double least = all->side[0][below].at, most = -all->side[1][above].at;
    const float term = (float)((least + most) / 2);
    bool holds = term >= least + guard && term <= most - guard;
    out->term = term;
    out->n_apart = below + above;
    for (int32_t i = 0; holds && i < out->n_apart; i++) {
        const bound *b = i < below ? &all->side[0][i] : &all->side[1][i - below];
        holds = b->more != 0;
        out->apart[i] = b->sum;
        out->more[i] = b->more;
    }
    return holds;
}

/* Finds the term for a factor with which the fewest sums are apart, at most `most`. */
static bool find_term(search *s, double place, int32_t most, oribi_quantized_real *out)
{
    bounds all;
    const bool is_left = find_bounds(s, out->factor, place, most, &all);
    for (int32_t n = 0; is_left && n <= most; n++) {
        for (int32_t below = 0; below <= n; below++) {
            if (take_term(&all, below, n - below, out)) {
                return true;
            }
        }
    }
    return false;
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
    const double factor_place = ldexp(1, shift - 24), term_place = ldexp(1, is_signed ? -18 : -17);
    /* Terms are off by less than a sum, and sums of two results have others between them. */
    const bool has_more = s.scale > 16 * term_place && s.scale < 0.25;
    int32_t most = has_more ? ORIBI_MOST_APART : 0;
    /* A multiplier of 0 says nothing, and its shift is 0; the others are 2^30 and more. */
    if (shift > 0 || (shift == 0 && multiplier != 0) || !find_ends(reach, &s)) {
        return false;
    }
    bool is_found = false;
    for (int32_t i = 0; i < FACTORS && most >= 0; i++) {
        oribi_quantized_real real = {.factor = (float)(s.scale + place(i) * factor_place)};
        if (i < 2) {
            find_steps(&s, abs(place(i)));
        }
        if (real.factor >= 0 && find_term(&s, term_place, most, &real)) {
            *out = real;
            is_found = true;
            most = real.n_apart - 1;
        }
    }
    return is_found;
}

void oribi_quantized_product_find(const struct oribi_micro_mul_q_args *exact,
                                  oribi_quantized_product *out)
{
    enum { MOST_PRODUCT = 255 * 255 };
    const oribi_quantized_layer layer = {
        .zero = exact->output_zero, .low = exact->low, .high = exact->high};
    const int64_t reach[2] = {-MOST_PRODUCT, MOST_PRODUCT};
    const int32_t shift = exact->output_shift;
    oribi_quantized_real real = {0};
    const bool is_real =
        oribi_quantized_real_find(&layer, exact->output_multiplier, shift, reach, &real);
    const bool is_signed = is_real && layer.low < layer.zero;
    *out = (oribi_quantized_product){.a_zero = exact->a_zero,
                                     .b_zero = exact->b_zero,
                                     .factor = real.factor,
                                     .term = real.term,
                                     .n_apart = is_real ? real.n_apart : -1,
                                     .sign = is_signed ? INT32_MIN : 0,
                                     .added = is_signed || !is_real ? layer.zero : 0,
                                     .multiplier = exact->output_multiplier,
                                     .left = shift > 0 ? shift : 0,
                                     .right = shift > 0 ? 0 : -shift,
                                     .low = layer.low,
                                     .high = layer.high};
    for (int32_t k = 0; k < real.n_apart; k++) {
        out->apart[k] = (float)real.apart[k];
        out->more[k] = (float)real.more[k];
    }
}

/* --- Sums of two tensors ------------------------------------------------------------------------
 * Of the 65536 pairs of bytes those are tried whose sum is so near to the middle between two
 * results that rounding may take floats and integers apart.
 */

enum { FINER = 20, SUM_PLACES = 9 * PLACES, MOST_PAIRS = BYTES * BYTES };

/* Sides and the term of a sum as numbers. */
typedef struct real_sum {
    double a, b, term;
} real_sum;

static real_sum real_sum_of(const struct oribi_micro_add_scales_s8 *e)
{
    const double to_output = ldexp(e->output_multiplier, e->output_shift - 31 + FINER - 31);
    const double a = ldexp(e->a_multiplier, e->a_shift) * to_output;
    const double b = ldexp(e->b_multiplier, e->b_shift) * to_output * (e->subtract != 0 ? -1 : 1);
    return (real_sum){a, b, -a * e->a_zero - b * e->b_zero};
}

/* What is tried: with the zero point in the term, which is more exact, then with ties away from it,
 * which scales that are simple fractions of each other have many of. */
static void sum_place(const real_sum *real, int32_t i, oribi_quantized_sum *sum)
{
    const int32_t zero = sum->exact.output_zero;
    const bool has_ties = i >= SUM_PLACES;
    sum->of_a = (float)(real->a + real->a * ldexp(place(i / PLACES % 3), -23));
    sum->of_b = (float)(real->b + real->b * ldexp(place(i / PLACES / 3 % 3), -23));
    sum->term = (float)(has_ties ? real->term : real->term + zero + ldexp(place(i % PLACES), -18));
    sum->tie = has_ties ? ldexpf(1, i % PLACES - 20) : 0;
    sum->added = has_ties ? zero : 0;
}

/* Pairs, and their results by integers and by floats. */
typedef struct pairs {
    int8_t a[MOST_PAIRS], b[MOST_PAIRS], want[MOST_PAIRS], out[MOST_PAIRS];
} pairs;

/* Lists the pairs that rounding might decide; returns how many they are. */
static int32_t find_pairs(const struct oribi_micro_add_scales_s8 *e, const real_sum *real,
                          pairs *out)
{
    const int32_t half = BYTES / 2;
    const double most = half * (fabs(real->a) + fabs(real->b)) + fabs(real->term) + BYTES;
    /* Integers: two sides are rounded to whole numbers, twice, then their sum's high product.
     * Floats: what sum_place adds, and four roundings of a value of at most `most`. */
    const double of_integers = 3 * ldexp(e->output_multiplier, e->output_shift - 31);
    const double doubt = of_integers + ldexp(1, e->output_shift) + ldexp(most, -21) + ldexp(1, -15);
    int32_t n = 0;
    if (most > MOST) {
        return -1;
    }
    for (int32_t a = -half; a < half; a++) {
        uint8_t near[BYTES];
        const double at = real->a * a - real->b * half + real->term + 0.5;
        const int32_t found = find_near_whole(at, real->b, doubt, BYTES, near);
        for (int32_t i = 0; i < found; i++) {
            out->a[n] = (int8_t)a;
            out->b[n++] = (int8_t)(near[i] - half);
        }
    }
    return n;
}

/* Are results from `first` on by floats right, of as many pairs as there are bytes? */
static bool part_is_equal(const oribi_quantized_simd *simd, const oribi_quantized_sum *sum,
                          int32_t first, int32_t n, pairs *p)
{
    const int32_t count = n - first < BYTES ? n - first : BYTES;
    simd->add(sum, p->a + first, p->b + first, count, p->out + first);
    return memcmp(p->out + first, p->want + first, (size_t)count) == 0;
}

void oribi_quantized_sum_find(const oribi_quantized_simd *simd, oribi_quantized_sum *sum)
{
    const real_sum real = real_sum_of(&sum->exact);
    pairs *p = malloc(sizeof *p);
    const int32_t n = p != NULL ? find_pairs(&sum->exact, &real, p) : -1;
    const int32_t parts = (n + BYTES - 1) / BYTES;
    int32_t part = 0, n_equal = -1;
    if (n > 0) {
        oribi_micro_add_row_s8(&sum->exact, p->a, 1, p->b, 1, n, p->want);
    }
    for (int32_t i = 0; n >= 0 && i < 2 * SUM_PLACES && n_equal < parts; i++) {
        sum_place(&real, i, sum);
        for (n_equal = 0; n_equal < parts && part_is_equal(simd, sum, part * BYTES, n, p);
             n_equal++) {
            part = (part + 1) % parts; /* the next place is tried where this one failed first */
        }
    }
    sum->is_real = n >= 0 && n_equal == parts;
    free(p);
}
