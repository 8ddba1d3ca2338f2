/* SPDX-License-Identifier: Apache-2.0 */
/* Butterflies of complex numbers. One of fft_s16_body.h, fft_s32_body.h and fft_f32_body.h,
 * included before, says what a `sample` is, what products and sums are made in (`wide`), and how
 * they become samples. */
#ifndef ORIBI_MICRO_FFT_BODY_H_
#define ORIBI_MICRO_FFT_BODY_H_

#include "micro/port.h"

typedef struct point {
    sample re, im;
} point;

static inline point make(wide re, wide im)
{
    const point made = {WRAP(re), WRAP(im)};
    return made;
}

static inline point add(point a, point b)
{
    return make((wide)a.re + (wide)b.re, (wide)a.im + (wide)b.im);
}

static inline point subtract(point a, point b)
{
    return make((wide)a.re - (wide)b.re, (wide)a.im - (wide)b.im);
}

static inline point multiply(point a, const sample *roots, int32_t at)
{
    const wide re = roots[2 * at], im = roots[2 * at + 1];
    const point made = {ROUND((wide)a.re * re - (wide)a.im * im),
                        ROUND((wide)a.re * im + (wide)a.im * re)};
    return made;
}

/* x / by where numbers would grow too large. */
static inline point divide(point a, int32_t by)
{
    const point made = {DIVIDE(a.re, by), DIVIDE(a.im, by)};
    (void)by;
    return made;
}

/* a + i b, or a - i b. */
static inline point turn(point a, point b, int32_t is_back)
{
    return is_back != 0 ? make((wide)a.re - (wide)b.im, (wide)a.im + (wide)b.re)
                        : make((wide)a.re + (wide)b.im, (wide)a.im - (wide)b.re);
}

static inline void pairs(const sample *roots, point *x, int32_t step, int32_t m)
{
    for (int32_t i = 0; i < m; i++) {
        const point a = divide(x[i], 2);
        const point b = multiply(divide(x[i + m], 2), roots, i * step);
        x[i + m] = subtract(a, b);
        x[i] = add(a, b);
    }
}

static inline void fours(const sample *roots, point *x, int32_t step, int32_t m, int32_t is_inverse)
{
    for (int32_t i = 0; i < m; i++) {
        const point first = divide(x[i], 4);
        const point a = multiply(divide(x[i + m], 4), roots, i * step);
        const point b = multiply(divide(x[i + 2 * m], 4), roots, 2 * i * step);
        const point c = multiply(divide(x[i + 3 * m], 4), roots, 3 * i * step);
        const point less = subtract(first, b), more = add(first, b);
        const point sum = add(a, c), difference = subtract(a, c);
        x[i] = add(more, sum);
        x[i + 2 * m] = subtract(more, sum);
        x[i + m] = turn(less, difference, is_inverse);
        x[i + 3 * m] = turn(less, difference, is_inverse == 0 ? 1 : 0);
    }
}

/* Where number i of n, a power of two, goes first: its digits turned round, fours, and last a two
 * where one is left. */
static inline int32_t place_of(int32_t i, int32_t n)
{
    int32_t from = i, to = 0, size = n;
    while (size > 1) {
        const int32_t p = size % 4 == 0 ? 4 : 2;
        size /= p;
        to += from % p * size;
        from /= p;
    }
    return to;
}

/* Of n numbers that lie at their places. */
static inline void transform(const sample *roots, int32_t n, int32_t is_inverse, point *x)
{
    int32_t m = n, i;
    while (m % 4 == 0) {
        m /= 4;
    }
    for (i = 0; m == 2 && i < n; i += 2) {
        pairs(roots, x + i, n / 2, 1);
    }
    for (; m < n; m *= 4) {
        TVMGEN_YIELD();
        for (i = 0; i < n; i += 4 * m) {
            fours(roots, x + i, n / (4 * m), m, is_inverse);
        }
    }
}

/* Complex number k of a row of `given` samples, zeros behind. */
static inline point take(const sample *row, int32_t given, int32_t k)
{
    const point taken = {2 * k < given ? row[2 * k] : (sample)0,
                         2 * k + 1 < given ? row[2 * k + 1] : (sample)0};
    return taken;
}

#endif
