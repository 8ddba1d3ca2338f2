/* SPDX-License-Identifier: Apache-2.0 */
/* Sum or difference of two tensors of uint8 or of int16, or the square of it, of different scales.
 * The arguments come from binary_q_prepare.h.
 */
#ifndef ORIBI_MICRO_WIDE_ADD_H_
#define ORIBI_MICRO_WIDE_ADD_H_

#include "micro/broadcast.h"

struct oribi_micro_wide_add_args {
    struct oribi_micro_broadcast shape;
    int32_t kind;      /* element.h */
    int32_t subtract;  /* 1: a - b */
    int32_t squares;   /* 1: the square of that; then int8 and int16 */
    int32_t is_binary; /* 1: scales are powers of two, shifts alone bring inputs to the output's */
    int32_t finer;     /* bits by which the common scale is finer */
    int32_t a_zero, a_multiplier, a_shift;
    int32_t b_zero, b_multiplier, b_shift;
    int32_t output_zero, output_multiplier, output_shift;
    int32_t low, high; /* bounds of the result, activation included */
};

/* Adds a and b, or subtracts b from a.
 * Shapes   a and b broadcast to output, all dense.
 * Owns     nothing; output may be the memory of an input that has the output's shape.
 * Context  run: no allocation, no state.
 * Source   TensorFlow Lite's reference addition and subtraction, bit for bit (docs/rounding.md).
 */
void oribi_micro_wide_add(const struct oribi_micro_wide_add_args *args, const void *a,
                          const void *b, void *output);

#endif
