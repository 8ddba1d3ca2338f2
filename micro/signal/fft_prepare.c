/* SPDX-License-Identifier: Apache-2.0 */
/* Roots in double, rounded to the element type as KISS FFT does. */
#include "micro/signal/fft_prepare.h"

#include <math.h>

#include "micro/element.h"

#define PI 3.141592653589793238462643383279502884197169399375105820974944

static void put(int32_t kind, double value, int32_t at, void *roots)
{
    if (kind == ORIBI_MICRO_F32) {
        ((float *)roots)[at] = (float)value;
    } else if (kind == ORIBI_MICRO_S16) {
        ((int16_t *)roots)[at] = (int16_t)floor(.5 + INT16_MAX * value);
    } else {
        ((int32_t *)roots)[at] = (int32_t)floor(.5 + INT32_MAX * value);
    }
}

static void put_root(int32_t kind, double phase, int32_t is_inverse, int32_t at, void *roots)
{
    const double turned = is_inverse != 0 ? -phase : phase;
    put(kind, cos(turned), 2 * at, roots);
    put(kind, sin(turned), 2 * at + 1, roots);
}

void oribi_micro_fft_roots(int32_t kind, int32_t n, int32_t is_inverse, void *roots)
{
    const int32_t half = n / 2;
    for (int32_t i = 0; i < half; i++) {
        put_root(kind, -2 * PI * i / half, is_inverse, i, roots);
    }
    for (int32_t i = 0; i < half / 2; i++) {
        put_root(kind, -PI * ((double)(i + 1) / half + .5), is_inverse, half + i, roots);
    }
}
