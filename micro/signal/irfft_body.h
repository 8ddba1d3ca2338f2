/* SPDX-License-Identifier: Apache-2.0 */
/* n / 2 + 1 complex numbers become n real ones. Read first: fft_body.h. */
#ifndef ORIBI_MICRO_IRFFT_BODY_H_
#define ORIBI_MICRO_IRFFT_BODY_H_

#include "micro/signal/fft_body.h"

static inline void backward(const sample *roots, int32_t n, const sample *row, int32_t given,
                            point *out)
{
    const int32_t half = n / 2;
    const sample *twists = roots + n;
    const point first = take(row, given, 0), last = take(row, given, half);
    out[0] = divide(make((wide)first.re + (wide)last.re, (wide)first.re - (wide)last.re), 2);
    for (int32_t k = 1; k <= half / 2; k++) {
        const point far = take(row, given, half - k);
        const point mirror = make(far.re, -(wide)far.im);
        const point a = divide(take(row, given, k), 2), b = divide(mirror, 2);
        const point even = add(a, b), odd = multiply(subtract(a, b), twists, k - 1);
        const point less = subtract(even, odd);
        out[place_of(k, half)] = add(even, odd);
        out[place_of(half - k, half)] = make(less.re, -(wide)less.im);
    }
    transform(roots, half, 1, out);
}

#endif
