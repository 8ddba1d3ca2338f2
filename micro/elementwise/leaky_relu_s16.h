/* SPDX-License-Identifier: Apache-2.0 */
/* Rectifier of int16 with one slope below zero. The arguments come from unary_16_prepare.h. */
#ifndef ORIBI_MICRO_LEAKY_RELU_S16_H_
#define ORIBI_MICRO_LEAKY_RELU_S16_H_

#include <stdint.h>

struct oribi_micro_leaky_relu_s16_args {
    int32_t count;
    int32_t positive_multiplier, positive_shift;
    int32_t negative_multiplier, negative_shift;
};

/* Shapes   input and output [count].
 * Owns     nothing; output may be the memory of input.
 * Context  run: no allocation, no state.
 * Source   TensorFlow Lite's reference kernels, bit for bit (docs/rounding.md).
 */
void oribi_micro_leaky_relu_s16(const struct oribi_micro_leaky_relu_s16_args *args,
                                const int16_t *input, int16_t *output);

#endif
