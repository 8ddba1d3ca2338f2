/* SPDX-License-Identifier: Apache-2.0 */
/* The k largest elements of each line, best first, and where they lie; among equals the first is
 * better. Elements of any kind. */
#ifndef ORIBI_MICRO_TOP_K_H_
#define ORIBI_MICRO_TOP_K_H_

#include <stdint.h>

struct oribi_micro_top_k_args {
    int32_t lines, n, k;
    int32_t kind;          /* of element.h */
    int32_t element_bytes; /* of such an element */
    int32_t index_kind;    /* of an integer */
};

/* Shapes   input [lines, n]; values, indices [lines, k].
 * Owns     nothing; outputs do not overlap the input. scratch: k int32.
 * Context  run: no allocation, no state. An element that is a NaN is worse than none before it.
 */
void oribi_micro_top_k(const struct oribi_micro_top_k_args *args, const void *input, void *values,
                       void *indices, uint8_t *scratch);

#endif
