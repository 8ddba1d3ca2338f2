/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of one type as numbers of another. */
#ifndef ORIBI_MICRO_CAST_H_
#define ORIBI_MICRO_CAST_H_

#include <stdint.h>

struct oribi_micro_cast_args {
    int32_t count;
    int32_t in_kind, out_kind; /* of element.h */
};

/* Integers wrap; floats are cut towards zero and saturate, NaN becomes 0.
 * Shapes   input and output [count].
 * Owns     nothing; input and output do not overlap.
 * Context  run: no allocation, no state.
 */
void oribi_micro_cast(const struct oribi_micro_cast_args *args, const void *input, void *output);

#endif
