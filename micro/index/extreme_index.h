/* SPDX-License-Identifier: Apache-2.0 */
/* Where the largest, or least, element lies along one dimension: the first of equals. Elements of
 * any kind. */
#ifndef ORIBI_MICRO_EXTREME_INDEX_H_
#define ORIBI_MICRO_EXTREME_INDEX_H_

#include <stdint.h>

struct oribi_micro_extreme_index_args {
    int32_t outer, n, inner;
    int32_t kind;     /* of element.h */
    int32_t out_kind; /* of an integer */
    int32_t is_least;
};

/* A NaN is never better than what was seen before it.
 * Shapes   input [outer, n, inner], output [outer, inner], dense.
 * Owns     nothing; output and input do not overlap.
 * Context  run: no allocation, no state.
 */
void oribi_micro_extreme_index(const struct oribi_micro_extreme_index_args *args, const void *input,
                               void *output);

#endif
