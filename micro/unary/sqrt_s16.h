/* SPDX-License-Identifier: Apache-2.0 */
/* Square roots of int16, cut to whole steps. */
#ifndef ORIBI_MICRO_SQRT_S16_H_
#define ORIBI_MICRO_SQRT_S16_H_

#include <stdint.h>

struct oribi_micro_sqrt_s16_args {
    int32_t count;
    float input_scale, output_scale;
};

/* Shapes   input and output [count]; of a number below zero the result is 0.
 * Owns     nothing; output may be the memory of input.
 * Context  run: no allocation, no state.
 * Source   TensorFlow Lite's reference kernels, bit for bit (docs/rounding.md).
 */
void oribi_micro_sqrt_s16(const struct oribi_micro_sqrt_s16_args *args, const int16_t *input,
                          int16_t *output);

#endif
