/* SPDX-License-Identifier: Apache-2.0 */
/* Several tensors side by side along one dimension: concatenation, packing. Elements of any type.
 */
#ifndef ORIBI_MICRO_JOIN_H_
#define ORIBI_MICRO_JOIN_H_

#include <stdint.h>

struct oribi_micro_join_args {
    int32_t parts, rows;  /* rows: product of the dimensions before the joined one */
    const int32_t *bytes; /* of a row of each part */
};

/* Shapes   inputs[i] rows x bytes[i]; output rows x their sum, dense.
 * Owns     nothing; output overlaps no input, but that an input may lie where it goes.
 * Context  run: no allocation, no state.
 */
void oribi_micro_join(const struct oribi_micro_join_args *args, const void *const *inputs,
                      void *output);

#endif
