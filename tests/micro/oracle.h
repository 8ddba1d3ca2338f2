/* SPDX-License-Identifier: Apache-2.0 */
/* What int8 layers compute, said once more and plainly: sums of (x - zero) * w in int64, scales
 * from doubles, two roundings by division. Includes nothing of micro/, folds nothing, packs
 * nothing.
 */
#ifndef ORIBI_TESTS_MICRO_ORACLE_H_
#define ORIBI_TESTS_MICRO_ORACLE_H_

#include "tests/micro/random.h"

#include <math.h>
#include <stdint.h>

typedef struct oracle_output {
    int32_t zero, low, high;
} oracle_output;

/* A tensor of images, [batch, h, w, c]. */
typedef struct oracle_window {
    int32_t batch, in_h, in_w, in_c, in_zero;
    int32_t filter_h, filter_w, stride_h, stride_w, dilation_h, dilation_w;
    int32_t padding, pads[4], out_h, out_w; /* pads: above, below, left, right */
} oracle_window;

/* Floor of a / 2^n. */
static inline int64_t oracle_floor(int64_t a, int n)
{
    const int64_t d = INT64_C(1) << n;
    return a >= 0 ? a / d : -((-a + d - 1) / d);
}

/* acc * real as TensorFlow Lite Micro rounds it: to a 31 bit mantissa, then half up at the product,
 * then half away from zero at the shift. real is below 1. */
static inline int64_t oracle_scale(int64_t acc, double real)
{
    int exponent;
    int64_t mantissa = llround(ldexp(frexp(real, &exponent), 31));
    if (mantissa == INT64_C(1) << 31) {
        mantissa /= 2;
        exponent++;
    }
    if (exponent > 0) {
        acc *= INT64_C(1) << exponent;
        exponent = 0;
    }
    if (exponent < -31) {
        return 0;
    }
    const int64_t high = oracle_floor(acc * mantissa + (INT64_C(1) << 30), 31);
    const int64_t half = exponent == 0 ? 0 : INT64_C(1) << (-exponent - 1);
    return high >= 0 ? (high + half) >> -exponent : -((-high + half) >> -exponent);
}

static inline int8_t oracle_result(int64_t acc, double real, const oracle_output *o)
{
    const int64_t value = oracle_scale(acc, real) + o->zero;
    return (int8_t)(value < o->low ? o->low : value > o->high ? o->high : value);
}

/* Input of the window's tap less its zero point; 0 in the padding. */
static inline int64_t oracle_input(const oracle_window *w, const int8_t *x, int32_t b, int32_t y,
                                   int32_t column, int32_t c)
{
    if (y < 0 || y >= w->in_h || column < 0 || column >= w->in_w) {
        return 0;
    }
    return x[((b * w->in_h + y) * w->in_w + column) * w->in_c + c] - w->in_zero;
}

/* One result of a convolution; weights of its channel are [filter_h, filter_w, depth] at w_step
 * apart, and its inputs start at channel first. */
static inline int64_t oracle_window_sum(const oracle_window *w, const int8_t *x,
                                        const int8_t *filter, int32_t w_step, int32_t first,
                                        int32_t depth, int32_t b, int32_t y, int32_t column)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < w->filter_h; i++) {
        for (int32_t j = 0; j < w->filter_w; j++) {
            for (int32_t c = 0; c < depth; c++) {
                sum +=
                    oracle_input(w, x, b, y * w->stride_h - w->pads[0] + i * w->dilation_h,
                                 column * w->stride_w - w->pads[2] + j * w->dilation_w, first + c) *
                    filter[((i * w->filter_w + j) * depth + c) * w_step];
            }
        }
    }
    return sum;
}

/* Along one axis, padded as VALID (0), SAME (1: zeros before, as many as behind or one fewer), or
 * by numbers (2) that let each window meet the image. */
static inline void oracle_pad_axis(uint64_t *seed, int32_t padding, int32_t in, int32_t reach,
                                   int32_t stride, int32_t *out, int32_t *pads)
{
    const int32_t least = padding == 2 ? random_in(seed, 0, reach - 1) : 0;
    const int32_t wanted = reach - in - least;
    *out = (in + stride - 1) / stride;
    const int32_t missing = (*out - 1) * stride + reach - in;
    pads[0] = padding == 1 && missing > 0 ? missing / 2 : least;
    pads[1] = padding == 2 ? random_in(seed, wanted > 0 ? wanted : 0, reach - 1) : 0;
    if (padding != 1) {
        *out = (in + pads[0] + pads[1] - reach) / stride + 1;
    }
}

/* Fills what follows from the rest and the kind of padding. */
static inline void oracle_pad(uint64_t *seed, oracle_window *w)
{
    oracle_pad_axis(seed, w->padding, w->in_h, (w->filter_h - 1) * w->dilation_h + 1, w->stride_h,
                    &w->out_h, w->pads);
    oracle_pad_axis(seed, w->padding, w->in_w, (w->filter_w - 1) * w->dilation_w + 1, w->stride_w,
                    &w->out_w, w->pads + 2);
}

#endif
