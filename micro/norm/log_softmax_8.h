/* SPDX-License-Identifier: Apache-2.0 */
/* Logarithm of softmax of int8 or uint8. The arguments come from log_softmax_8_prepare.h. */
#ifndef ORIBI_MICRO_LOG_SOFTMAX_8_H_
#define ORIBI_MICRO_LOG_SOFTMAX_8_H_

#include <stdint.h>

struct oribi_micro_log_softmax_8_args {
    int32_t rows, columns;
    int32_t is_unsigned;
    int32_t multiplier, shift;           /* brings a difference of inputs to Q5.26 */
    int32_t back_multiplier, back_shift; /* and back */
    int32_t farthest;                    /* differences below this count as 0 */
};

/* Of each row; the result has scale 1/16, and the type's largest value as its zero point.
 * Shapes   input and output [rows, columns], dense.
 * Owns     nothing; output may be the memory of input.
 * Context  run: no allocation, no state.
 * Source   TensorFlow Lite's reference, bit for bit (docs/rounding.md).
 */
void oribi_micro_log_softmax_8(const struct oribi_micro_log_softmax_8_args *args, const void *input,
                               void *output);

#endif
