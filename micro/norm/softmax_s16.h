/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of int16 by tables. The arguments come from softmax_s16_prepare.h. */
#ifndef ORIBI_MICRO_SOFTMAX_S16_H_
#define ORIBI_MICRO_SOFTMAX_S16_H_

#include <stdint.h>

struct oribi_micro_softmax_s16_args {
    int32_t rows, columns;
    int32_t multiplier, shift; /* brings a difference of inputs to 10 / 65535 */
    int32_t in_double;         /* 1: reciprocals of TensorFlow Lite */
};

/* Softmax of each row; the result has scale 1/32768.
 * Shapes   input and output [rows, columns], dense.
 * Owns     nothing; output may be the memory of input.
 * Context  run: no allocation, no state.
 * Source   TensorFlow Lite's reference softmax, bit for bit (docs/rounding.md).
 */
void oribi_micro_softmax_s16(const struct oribi_micro_softmax_s16_args *args, const int16_t *input,
                             int16_t *output);

#endif
