/* SPDX-License-Identifier: Apache-2.0 */
/* Largest and least of integers along any axes; of truth values, whether any or all hold. */
#ifndef ORIBI_MICRO_REDUCE_EXTREME_H_
#define ORIBI_MICRO_REDUCE_EXTREME_H_

#include "micro/reduce/reduce_f32.h"

struct oribi_micro_reduce_extreme_args {
    int32_t is_least;
    int32_t kind; /* of element.h, an integer */
    struct oribi_micro_reduce_f32_args walk;
};

/* Shapes   as reductions of float.
 * Owns     nothing; output is not the input's memory.
 * Context  run: no allocation, no state.
 */
void oribi_micro_reduce_extreme(const struct oribi_micro_reduce_extreme_args *args,
                                const void *input, void *output);

#endif
