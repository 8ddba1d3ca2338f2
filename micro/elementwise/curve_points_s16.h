/* SPDX-License-Identifier: Apache-2.0 */
/* Logistic or tanh of each of int16. The arguments come from unary_16_prepare.h. */
#ifndef ORIBI_MICRO_CURVE_POINTS_S16_H_
#define ORIBI_MICRO_CURVE_POINTS_S16_H_

#include <stdint.h>

struct oribi_micro_curve_points_s16_args {
    int32_t count;
    int32_t is_tanh;
    int32_t multiplier, shift; /* of oribi_micro_curve_place */
};

/* The result has scale 1/32768.
 * Shapes   input and output [count].
 * Owns     nothing; output may be the memory of input.
 * Context  run: no allocation, no state.
 * Source   TensorFlow Lite's reference kernels, bit for bit (docs/rounding.md).
 */
void oribi_micro_curve_points_s16(const struct oribi_micro_curve_points_s16_args *args,
                                  const int16_t *input, int16_t *output);

#endif
