/* SPDX-License-Identifier: Apache-2.0 */
/* The larger or smaller of two int8 tensors of one scale, value by value. */
#ifndef ORIBI_MICRO_EXTREME_S8_H_
#define ORIBI_MICRO_EXTREME_S8_H_

#include "micro/broadcast.h"

struct oribi_micro_extreme_s8_args {
    struct oribi_micro_broadcast shape;
    int32_t is_least; /* 1: the smaller */
};

/* Shapes   a and b broadcast to output, all dense.
 * Owns     nothing; output may be the memory of an input that has the output's shape.
 * Context  run: no allocation, no state.
 */
void oribi_micro_extreme_s8(const struct oribi_micro_extreme_s8_args *args, const int8_t *a,
                            const int8_t *b, int8_t *output);

#endif
