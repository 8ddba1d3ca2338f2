/* SPDX-License-Identifier: Apache-2.0 */
/* What lies on one side of a diagonal of matrices; zeros elsewhere. Elements of any type. */
#ifndef ORIBI_MICRO_TRILU_H_
#define ORIBI_MICRO_TRILU_H_

#include <stdint.h>

struct oribi_micro_trilu_args {
    int32_t matrices, rows, columns;
    int32_t element_bytes;
    int32_t diagonal; /* 0 is the main one, above it is above; within [-rows, columns] */
    int32_t upper;    /* keep what is on and above it; 0: on and below */
};

/* Shapes   input and output [matrices, rows, columns], dense.
 * Owns     nothing; output may be input.
 * Context  run: no allocation, no state.
 */
void oribi_micro_trilu(const struct oribi_micro_trilu_args *args, const void *input, void *output);

#endif
