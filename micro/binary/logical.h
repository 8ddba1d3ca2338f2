/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of conditions: bytes of 0 or 1. */
#ifndef ORIBI_MICRO_LOGICAL_H_
#define ORIBI_MICRO_LOGICAL_H_

#include "micro/broadcast.h"

enum { ORIBI_MICRO_AND = 0, ORIBI_MICRO_OR = 1 };

struct oribi_micro_logical_args {
    int32_t kind;
    struct oribi_micro_broadcast shape; /* from broadcast_prepare.h */
};

/* 1 where both, or at least one, of a and b are not 0, else 0.
 * Shapes   a and b broadcast to output, all dense.
 * Owns     nothing; output may be the memory of an input that has the output's shape.
 * Context  run: no allocation, no state.
 */
void oribi_micro_logical(const struct oribi_micro_logical_args *args, const uint8_t *a,
                         const uint8_t *b, uint8_t *output);

#endif
