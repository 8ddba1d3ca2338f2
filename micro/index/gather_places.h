/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of a tensor, one for each tuple of indices. Elements of any type. */
#ifndef ORIBI_MICRO_GATHER_PLACES_H_
#define ORIBI_MICRO_GATHER_PLACES_H_

#include "micro/index/places.h"

struct oribi_micro_gather_places_args {
    int32_t element_bytes;
    struct oribi_micro_places places;
};

/* Shapes   input dense; indices [tuples, index_rank], output [tuples, slice].
 * Owns     nothing; output overlaps no input.
 * Context  run: no allocation, no state.
 */
void oribi_micro_gather_places(const struct oribi_micro_gather_places_args *args, const void *input,
                               const int32_t *indices, void *output);

#endif
