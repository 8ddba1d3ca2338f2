/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons of quantised bytes as the numbers that they stand for. The arguments come from
 * compare_q_prepare.h.
 */
#ifndef ORIBI_MICRO_COMPARE_Q_H_
#define ORIBI_MICRO_COMPARE_Q_H_

#include "micro/broadcast.h"

struct oribi_micro_compare_q_args {
    struct oribi_micro_broadcast shape;
    int32_t kind;       /* element.h */
    int32_t comparison; /* 0 less, 1 less or equal, 2 greater, 3 greater or equal, 4 equal, 5 not */
    int32_t a_zero, a_multiplier, a_shift;
    int32_t b_zero, b_multiplier, b_shift;
};

/* 1 where the comparison holds of what a and b are in 1/256, rounded; else 0.
 * Shapes   a and b broadcast to output, all dense.
 * Owns     nothing; output may be the memory of an input that has the output's shape.
 * Context  run: no allocation, no state.
 * Source   TensorFlow Lite's reference comparisons, bit for bit (docs/rounding.md).
 */
void oribi_micro_compare_q(const struct oribi_micro_compare_q_args *args, const void *a,
                           const void *b, uint8_t *output);

#endif
