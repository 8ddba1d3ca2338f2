/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of quantised bytes divided by their Euclidean norms; the result is in 1/128. */
#ifndef ORIBI_MICRO_L2_NORMALIZE_8_H_
#define ORIBI_MICRO_L2_NORMALIZE_8_H_

#include <stdint.h>

struct oribi_micro_l2_normalize_8_args {
    int32_t rows, columns; /* at most 32768 columns, so that squares fit */
    int32_t is_unsigned;   /* 1: uint8, whose result has the zero point 128; int8 has 0 */
    int32_t input_zero;
};

/* Shapes   input and output [rows, columns].
 * Owns     nothing; output may be the memory of input.
 * Context  run: no allocation, no state.
 * Source   TensorFlow Lite's reference kernels, bit for bit (docs/rounding.md).
 */
void oribi_micro_l2_normalize_8(const struct oribi_micro_l2_normalize_8_args *args,
                                const void *input, void *output);

#endif
