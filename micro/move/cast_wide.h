/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of one type as numbers of another, 64 bits and truth values among them; cast.h has the
 * narrower ones. */
#ifndef ORIBI_MICRO_CAST_WIDE_H_
#define ORIBI_MICRO_CAST_WIDE_H_

#include <stdint.h>

struct oribi_micro_cast_wide_args {
    int32_t count;
    int32_t in_kind, out_kind; /* of element.h */
    int32_t to_truth;          /* 1 for all but 0 */
};

/* Integers wrap; reals are cut towards zero and saturate, NaN becomes 0, and 1 as a truth value.
 * Shapes   input and output [count].
 * Owns     nothing; input and output do not overlap.
 * Context  run: no allocation, no state.
 */
void oribi_micro_cast_wide(const struct oribi_micro_cast_wide_args *args, const void *input,
                           void *output);

#endif
