/* SPDX-License-Identifier: Apache-2.0 */
/* Rectifiers of int8, uint8, or int16 with int8 slopes: a slope for each value below zero. The
 * arguments come from prelu_q_prepare.h.
 */
#ifndef ORIBI_MICRO_PRELU_Q_H_
#define ORIBI_MICRO_PRELU_Q_H_

#include "micro/broadcast.h"

struct oribi_micro_prelu_q_args {
    struct oribi_micro_broadcast shape; /* a: the input, b: the slopes */
    int32_t kind, slope_kind;           /* element.h */
    int32_t input_zero, slope_zero, output_zero;
    int32_t low, high; /* of the type */
    int32_t positive_multiplier, positive_shift;
    int32_t negative_multiplier, negative_shift;
};

/* Of int8, and of uint8 or int16, whose slopes are int8.
 * Shapes   slopes broadcast to input; output as input, all dense.
 * Owns     nothing; output may be the memory of input.
 * Context  run: no allocation, no state.
 * Source   TensorFlow Lite's reference, bit for bit (docs/rounding.md).
 */
void oribi_micro_prelu_s8(const struct oribi_micro_prelu_q_args *args, const int8_t *input,
                          const int8_t *slopes, int8_t *output);
void oribi_micro_wide_prelu(const struct oribi_micro_prelu_q_args *args, const void *input,
                            const void *slopes, void *output);

#endif
