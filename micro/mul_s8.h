/* SPDX-License-Identifier: Apache-2.0 */
/* Product of two int8 tensors, exact to TensorFlow Lite Micro. The arguments come from
 * binary_s8_prepare.h.
 */
#ifndef ORIBI_MICRO_MUL_S8_H_
#define ORIBI_MICRO_MUL_S8_H_

#include "micro/broadcast.h"

struct oribi_micro_mul_s8_args {
    struct oribi_micro_broadcast shape;
    int32_t a_zero, b_zero;
    int32_t output_zero, output_multiplier, output_shift;
    int32_t low, high;     /* bounds of the result, activation included */
    int32_t scratch_bytes; /* 0 */
};

/* Multiplies a by b, value by value.
 * Shapes   a and b broadcast to output, all dense.
 * Owns     nothing; output may be the memory of an input that has the output's shape.
 * Context  run: no allocation, no state; scratch may be NULL.
 * Source   TensorFlow Lite Micro's reference multiplication, bit for bit (docs/rounding.md).
 */
void oribi_micro_mul_s8(const struct oribi_micro_mul_s8_args *args, const int8_t *a,
                        const int8_t *b, int8_t *output, void *scratch);

#endif
