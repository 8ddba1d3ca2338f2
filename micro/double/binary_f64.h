/* SPDX-License-Identifier: Apache-2.0 */
/* Functions and comparisons of two doubles, all in one file: models that compute in double are
 * few. */
#ifndef ORIBI_MICRO_BINARY_F64_H_
#define ORIBI_MICRO_BINARY_F64_H_

#include "micro/broadcast.h"

enum {
    ORIBI_MICRO_F64_LESS,
    ORIBI_MICRO_F64_LESS_EQUAL,
    ORIBI_MICRO_F64_GREATER,
    ORIBI_MICRO_F64_GREATER_EQUAL,
    ORIBI_MICRO_F64_EQUAL,
    ORIBI_MICRO_F64_NOT_EQUAL, /* up to here a byte, 0 or 1 */
    ORIBI_MICRO_F64_ADD,
    ORIBI_MICRO_F64_SUB,
    ORIBI_MICRO_F64_MUL,
    ORIBI_MICRO_F64_DIV,
    ORIBI_MICRO_F64_FLOOR_DIV,
    ORIBI_MICRO_F64_MAXIMUM,
    ORIBI_MICRO_F64_MINIMUM,
    ORIBI_MICRO_F64_POW,
    ORIBI_MICRO_F64_PRELU,
    ORIBI_MICRO_F64_SQUARED_DIFFERENCE,
    ORIBI_MICRO_F64_BINARY_COUNT
};

struct oribi_micro_binary_f64_args {
    int32_t function;
    struct oribi_micro_broadcast shape; /* from broadcast_prepare.h */
};

/* Writes the function of a and b.
 * Shapes   a and b broadcast to output, all dense; output has doubles, or bytes of a comparison.
 * Owns     nothing; an output of doubles may be the memory of an input that has its shape.
 * Context  run: no allocation, no state.
 * Source   each operation rounds once (float_rules.h); powers as math_double.h says.
 */
void oribi_micro_binary_f64(const struct oribi_micro_binary_f64_args *args, const double *a,
                            const double *b, void *output);

#endif
