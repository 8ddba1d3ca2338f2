/* SPDX-License-Identifier: Apache-2.0 */
/* Products of two quantised tensors of one type. The arguments come from binary_q_prepare.h. */
#ifndef ORIBI_MICRO_MUL_Q_H_
#define ORIBI_MICRO_MUL_Q_H_

#include "micro/broadcast.h"

struct oribi_micro_mul_q_args {
    struct oribi_micro_broadcast shape;
    int32_t kind; /* element.h */
    int32_t a_zero, b_zero;
    int32_t output_zero, output_multiplier, output_shift;
    int32_t low, high;     /* bounds of the result, activation included */
    int32_t scratch_bytes; /* 0 */
};

/* Each multiplies a by b, value by value: int8, and uint8 or int16.
 * Shapes   a and b broadcast to output, all dense.
 * Owns     nothing; output may be the memory of an input that has the output's shape.
 * Context  run: no allocation, no state; scratch may be NULL.
 * Source   TensorFlow Lite's reference multiplications, bit for bit (docs/rounding.md).
 */
void oribi_micro_mul_s8(const struct oribi_micro_mul_q_args *args, const int8_t *a, const int8_t *b,
                        int8_t *output, void *scratch);
void oribi_micro_wide_mul(const struct oribi_micro_mul_q_args *args, const void *a, const void *b,
                          void *output, void *scratch);

#endif
