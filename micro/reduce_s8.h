/* SPDX-License-Identifier: Apache-2.0 */
/* Sums and means of int8 over some dimensions. The arguments come from reduce_s8_prepare.h. */
#ifndef ORIBI_MICRO_REDUCE_S8_H_
#define ORIBI_MICRO_REDUCE_S8_H_

#include <stdint.h>

enum { ORIBI_MICRO_REDUCE_S8_RANK = 4 };

struct oribi_micro_reduce_s8_axes { /* dimensions and how far the input steps along them */
    int32_t rank;                   /* at least 1 */
    int32_t dims[ORIBI_MICRO_REDUCE_S8_RANK], step[ORIBI_MICRO_REDUCE_S8_RANK];
};

struct oribi_micro_reduce_s8_args {
    struct oribi_micro_reduce_s8_axes kept, summed;
    int32_t zero_sum; /* of the input's zero point over the values of a sum */
    int32_t output_zero, output_multiplier, output_shift;
};

/* Shapes   input dense; output [kept dims], dense.
 * Owns     nothing; output and input do not overlap.
 * Context  run: no allocation, no state.
 * Source   TensorFlow Lite Micro's reference mean and sum, bit for bit (docs/rounding.md).
 */
void oribi_micro_reduce_s8(const struct oribi_micro_reduce_s8_args *args, const int8_t *input,
                           int8_t *output);

#endif
