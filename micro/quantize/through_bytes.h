/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of floats to the nearest of 255 or 256 steps of their own range, in floats: what TensorFlow
 * Lite's operators with weights of int8 make of their inputs.
 */
#ifndef ORIBI_MICRO_THROUGH_BYTES_H_
#define ORIBI_MICRO_THROUGH_BYTES_H_

#include <stdint.h>

struct oribi_micro_through_bytes_args {
    int32_t rows, columns;
    int32_t asymmetric; /* 1: of what lies between the ends of the row and 0; 0: of the largest */
};

/* Shapes   input and output [rows, columns].
 * Owns     nothing; output may be the memory of input.
 * Context  run: no allocation, no state.
 * Source   TensorFlow Lite's reference kernels (docs/rounding.md).
 */
void oribi_micro_through_bytes(const struct oribi_micro_through_bytes_args *args,
                               const float *input, float *output);

/* The step that stands for 0 where 256 of them reach from low to high: by the end of which it has
 * the smaller error. *scale: the size of a step. */
static inline float oribi_micro_through_bytes_zero(double low, double high, float *scale)
{
    const double step = (high - low) / 255.0;
    const double from_low = low / step, from_high = high / step;
    const double error_low = 128.0 + (from_low < 0.0 ? -from_low : from_low);
    const double error_high = 127.0 + (from_high < 0.0 ? -from_high : from_high);
    const double wanted = error_low < error_high ? -128.0 - from_low : 127.0 - from_high;
    *scale = (float)step;
    if (!(wanted > -128.0 && wanted < 127.0)) { /* a NaN, too, has no step */
        return wanted >= 127.0 ? 127.0F : -128.0F;
    }
    const int32_t whole = (int32_t)wanted;
    const double rest = wanted - (double)whole;
    return (float)(rest >= 0.5 ? whole + 1 : rest <= -0.5 ? whole - 1 : whole);
}

/* To the nearest within these bounds, ties away from zero; a NaN stays one. */
static inline float oribi_micro_through_bytes_nearest(float x, float low, float high)
{
    if (!(x > low && x < high)) {
        return x <= low ? low : x >= high ? high : x;
    }
    const float whole = (float)(int32_t)x, rest = x - whole;
    return rest >= 0.5F ? whole + 1.0F : rest <= -0.5F ? whole - 1.0F : whole;
}

#endif
