/* SPDX-License-Identifier: Apache-2.0 */
/* The larger or smaller of two quantised tensors of one type and one scale, value by value. */
#ifndef ORIBI_MICRO_EXTREME_Q_H_
#define ORIBI_MICRO_EXTREME_Q_H_

#include "micro/broadcast.h"

struct oribi_micro_extreme_q_args {
    struct oribi_micro_broadcast shape;
    int32_t kind;     /* element.h */
    int32_t is_least; /* 1: the smaller */
};

/* Of int8, and of uint8 or int16.
 * Shapes   a and b broadcast to output, all dense.
 * Owns     nothing; output may be the memory of an input that has the output's shape.
 * Context  run: no allocation, no state.
 * Source   TensorFlow Lite Micro's reference, bit for bit (docs/rounding.md).
 */
void oribi_micro_extreme_s8(const struct oribi_micro_extreme_q_args *args, const int8_t *a,
                            const int8_t *b, int8_t *output);
void oribi_micro_wide_extreme(const struct oribi_micro_extreme_q_args *args, const void *a,
                              const void *b, void *output);

#endif
