/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of int8 or uint8. The arguments come from softmax_8_prepare.h. */
#ifndef ORIBI_MICRO_SOFTMAX_8_H_
#define ORIBI_MICRO_SOFTMAX_8_H_

#include <stdint.h>

struct oribi_micro_softmax_8_args {
    int32_t rows, columns;
    int32_t multiplier, shift; /* brings a difference of inputs to Q5.26 */
    int32_t farthest;          /* differences below this count as 0 */
    int32_t scratch_bytes;     /* 0 */
};

/* Softmax of each row; the result has scale 1/256, and zero point -128 or 0.
 * Shapes   input and output [rows, columns], dense.
 * Owns     nothing; output may be the memory of input.
 * Context  run: no allocation, no state; scratch may be NULL.
 * Source   TensorFlow Lite's reference softmax, bit for bit (docs/rounding.md).
 */
void oribi_micro_softmax_s8(const struct oribi_micro_softmax_8_args *args, const int8_t *input,
                            int8_t *output, void *scratch);
void oribi_micro_softmax_u8(const struct oribi_micro_softmax_8_args *args, const uint8_t *input,
                            uint8_t *output, void *scratch);

#endif
