/* SPDX-License-Identifier: Apache-2.0 */
/* One of two values for each place of a new dimension: the second where an index says so. Elements
 * of any type. */
#ifndef ORIBI_MICRO_ONE_HOT_H_
#define ORIBI_MICRO_ONE_HOT_H_

#include <stdint.h>

struct oribi_micro_one_hot_args {
    int32_t outer, depth, inner; /* depth: the new dimension */
    int32_t element_bytes;
};

/* A negative index counts from the end; one outside [-depth, depth) is nowhere.
 * Shapes   indices [outer, inner], values [2]: off, on; output [outer, depth, inner].
 * Owns     nothing; output overlaps no input.
 * Context  run: no allocation, no state.
 */
void oribi_micro_one_hot(const struct oribi_micro_one_hot_args *args, const int32_t *indices,
                         const void *values, void *output);

#endif
