/* SPDX-License-Identifier: Apache-2.0 */
/* n real numbers as n / 2 complex ones, whose transform gives n / 2 + 1. Read first: fft_body.h. */
#ifndef ORIBI_MICRO_RFFT_BODY_H_
#define ORIBI_MICRO_RFFT_BODY_H_

#include "micro/signal/fft_body.h"

static inline point halved(wide re, wide im)
{
    const point made = {HALF(re), HALF(im)};
    return made;
}

static inline void forward(const sample *roots, int32_t n, const sample *row, int32_t given,
                           point *out)
{
    const int32_t half = n / 2;
    const sample *twists = roots + n;
    for (int32_t i = 0; i < half; i++) {
        out[place_of(i, half)] = take(row, given, i);
    }
    transform(roots, half, 0, out);
    const point zero = divide(out[0], 2);
    out[0] = make((wide)zero.re + (wide)zero.im, 0);
    out[half] = make((wide)zero.re - (wide)zero.im, 0);
    for (int32_t k = 1; k <= half / 2; k++) {
        const point mirror = make(out[half - k].re, -(wide)out[half - k].im);
        const point a = divide(out[k], 2), b = divide(mirror, 2);
        const point sum = add(a, b), turned = multiply(subtract(a, b), twists, k - 1);
        out[k] = halved((wide)sum.re + (wide)turned.re, (wide)sum.im + (wide)turned.im);
        out[half - k] = halved((wide)sum.re - (wide)turned.re, (wide)turned.im - (wide)sum.im);
    }
}

#endif
