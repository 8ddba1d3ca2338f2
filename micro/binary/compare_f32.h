/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons of floats. */
#ifndef ORIBI_MICRO_COMPARE_F32_H_
#define ORIBI_MICRO_COMPARE_F32_H_

#include "micro/broadcast.h"

enum {
    ORIBI_MICRO_LESS = 0,
    ORIBI_MICRO_LESS_EQUAL = 1,
    ORIBI_MICRO_GREATER = 2,
    ORIBI_MICRO_GREATER_EQUAL = 3,
    ORIBI_MICRO_EQUAL = 4,
    ORIBI_MICRO_NOT_EQUAL = 5
};

struct oribi_micro_compare_f32_args {
    int32_t kind;
    struct oribi_micro_broadcast shape; /* from broadcast_prepare.h */
};

/* 1 where the comparison holds, else 0. A NaN is not equal to anything.
 * Shapes   a and b broadcast to output, all dense.
 * Owns     nothing; output overlaps no input.
 * Context  run: no allocation, no state.
 */
void oribi_micro_compare_f32(const struct oribi_micro_compare_f32_args *args, const float *a,
                             const float *b, uint8_t *output);

#endif
