/* SPDX-License-Identifier: Apache-2.0 */
/* Sums, differences, products, quotients, bounds and comparisons of integers that meet by
 * broadcasting, of any width up to 64 bits: the counting that models do beside their arithmetic. */
#ifndef ORIBI_MICRO_BINARY_INT_H_
#define ORIBI_MICRO_BINARY_INT_H_

#include "micro/broadcast.h"

enum {
    ORIBI_MICRO_INT_LESS,
    ORIBI_MICRO_INT_LESS_EQUAL,
    ORIBI_MICRO_INT_GREATER,
    ORIBI_MICRO_INT_GREATER_EQUAL,
    ORIBI_MICRO_INT_EQUAL,
    ORIBI_MICRO_INT_NOT_EQUAL, /* up to here a byte, 0 or 1 */
    ORIBI_MICRO_INT_ADD,
    ORIBI_MICRO_INT_SUB,
    ORIBI_MICRO_INT_MUL,
    ORIBI_MICRO_INT_MAXIMUM,
    ORIBI_MICRO_INT_MINIMUM,
    ORIBI_MICRO_INT_DIV,       /* cut towards zero */
    ORIBI_MICRO_INT_FLOOR_DIV, /* rounded down */
    ORIBI_MICRO_INT_FLOOR_MOD, /* of the divisor's sign */
    ORIBI_MICRO_INT_SQUARED_DIFFERENCE
};

struct oribi_micro_binary_int_args {
    int32_t function;
    int32_t kind, out_kind;             /* of element.h */
    struct oribi_micro_broadcast shape; /* from broadcast_prepare.h */
};

/* Results wrap; what is divided by zero, which the host refuses, is 0.
 * Shapes   a and b broadcast to output, all dense.
 * Owns     nothing; output overlaps no input.
 * Context  run: no allocation, no state.
 */
void oribi_micro_binary_int(const struct oribi_micro_binary_int_args *args, const void *a,
                            const void *b, void *output);

#endif
