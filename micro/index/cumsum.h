/* SPDX-License-Identifier: Apache-2.0 */
/* Running sums along one dimension, of floats and int32. */
#ifndef ORIBI_MICRO_CUMSUM_H_
#define ORIBI_MICRO_CUMSUM_H_

#include <stdint.h>

struct oribi_micro_cumsum_args {
    int32_t outer, n, inner;
    int32_t is_real;            /* floats; 0: int32, which wraps */
    int32_t exclusive, reverse; /* leave the element itself out; begin at the end */
};

/* Shapes   input and output [outer, n, inner], dense.
 * Owns     nothing; output may be input.
 * Context  run: no allocation, no state.
 */
void oribi_micro_cumsum(const struct oribi_micro_cumsum_args *args, const void *input,
                        void *output);

#endif
