/* SPDX-License-Identifier: Apache-2.0 */
/* Running sums of int8 along one dimension. The arguments come from cumsum_s8_prepare.h. */
#ifndef ORIBI_MICRO_CUMSUM_S8_H_
#define ORIBI_MICRO_CUMSUM_S8_H_

#include <stdint.h>

struct oribi_micro_cumsum_s8_args {
    int32_t outer, n, inner;
    int32_t exclusive, reverse; /* leave the element itself out; begin at the end */
    int32_t input_zero, output_zero;
    int32_t start;                           /* of a sum */
    int32_t multiplier, shift;               /* halves what is summed */
    int32_t output_multiplier, output_shift; /* of a sum */
};

/* Shapes   input and output [outer, n, inner], dense.
 * Owns     nothing; output may be input.
 * Context  run: no allocation, no state. Sums wrap.
 * Source   TensorFlow Lite Micro's CUMSUM and ADD_N, bit for bit (docs/rounding.md).
 */
void oribi_micro_cumsum_s8(const struct oribi_micro_cumsum_s8_args *args, const int8_t *input,
                           int8_t *output);

#endif
