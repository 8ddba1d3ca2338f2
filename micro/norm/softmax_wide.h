/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of int8 or uint8 into int16. The arguments come from softmax_8_prepare.h. */
#ifndef ORIBI_MICRO_SOFTMAX_WIDE_H_
#define ORIBI_MICRO_SOFTMAX_WIDE_H_

#include <stdint.h>

struct oribi_micro_softmax_wide_args {
    int32_t rows, columns;
    int32_t is_unsigned;
    int32_t multiplier, shift; /* brings a difference of inputs to Q5.26 */
    int32_t farthest;          /* differences below this count as 0 */
};

/* Softmax of each row; the result has scale 1/65536, and zero point -32768.
 * Shapes   input and output [rows, columns], dense.
 * Owns     nothing; output is not the memory of input.
 * Context  run: no allocation, no state.
 * Source   TensorFlow Lite's reference softmax, bit for bit (docs/rounding.md).
 */
void oribi_micro_softmax_wide(const struct oribi_micro_softmax_wide_args *args, const void *input,
                              int16_t *output);

#endif
