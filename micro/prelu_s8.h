/* SPDX-License-Identifier: Apache-2.0 */
/* Rectifier of int8 with a slope for each value below zero. The arguments come from
 * prelu_s8_prepare.h.
 */
#ifndef ORIBI_MICRO_PRELU_S8_H_
#define ORIBI_MICRO_PRELU_S8_H_

#include "micro/broadcast.h"

struct oribi_micro_prelu_s8_args {
    struct oribi_micro_broadcast shape; /* a: the input, b: the slopes */
    int32_t input_zero, slope_zero, output_zero;
    int32_t positive_multiplier, positive_shift;
    int32_t negative_multiplier, negative_shift;
};

/* Shapes   slopes broadcast to input; output as input, all dense.
 * Owns     nothing; output may be the memory of input.
 * Context  run: no allocation, no state.
 * Source   TensorFlow Lite Micro's reference, bit for bit (docs/rounding.md).
 */
void oribi_micro_prelu_s8(const struct oribi_micro_prelu_s8_args *args, const int8_t *input,
                          const int8_t *slopes, int8_t *output);

#endif
