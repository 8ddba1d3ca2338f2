/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of a tensor along one dimension, chosen by indices. Elements of any type. */
#ifndef ORIBI_MICRO_GATHER_H_
#define ORIBI_MICRO_GATHER_H_

#include <stdint.h>

struct oribi_micro_gather_args {
    int32_t batch; /* leading dimensions that input and indices share */
    int32_t rows;  /* dimensions between those and the chosen one */
    int32_t choices, indices;
    int32_t bytes; /* of a slice */
};

/* Shapes   input [batch, rows, choices, bytes], indices [batch, indices], output [batch, rows,
 *          indices, bytes], all dense.
 * Units    an index outside [0, choices) reads the nearest slice: memory stays safe.
 * Owns     nothing; output overlaps no input.
 * Context  run: no allocation, no state.
 */
void oribi_micro_gather(const struct oribi_micro_gather_args *args, const void *input,
                        const int32_t *indices, void *output);

#endif
