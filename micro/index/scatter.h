/* SPDX-License-Identifier: Apache-2.0 */
/* A tensor with slices of it updated, one for each tuple of indices, in their order. */
#ifndef ORIBI_MICRO_SCATTER_H_
#define ORIBI_MICRO_SCATTER_H_

#include "micro/index/places.h"

/* What becomes of an element and its update. */
enum {
    ORIBI_MICRO_SCATTER_REPLACE,
    ORIBI_MICRO_SCATTER_ADD,
    ORIBI_MICRO_SCATTER_MULTIPLY,
    ORIBI_MICRO_SCATTER_MAXIMUM,
    ORIBI_MICRO_SCATTER_MINIMUM
};

struct oribi_micro_scatter_args {
    int32_t kind; /* of element.h */
    int32_t element_bytes;
    int32_t count; /* elements of the tensor */
    int32_t meeting;
    struct oribi_micro_places places;
};

/* Integers wrap; a NaN wins.
 * Shapes   input and output [count]; indices [tuples, index_rank], updates [tuples, slice].
 * Owns     nothing; output overlaps no input.
 * Context  run: no allocation, no state.
 */
void oribi_micro_scatter(const struct oribi_micro_scatter_args *args, const void *input,
                         const int32_t *indices, const void *updates, void *output);

#endif
