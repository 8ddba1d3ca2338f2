/* SPDX-License-Identifier: Apache-2.0 */
/* A loop begins: what it carries gets its first values. The operators of the body follow, which run
 * while `goes_on`, and then loop_next.h. */
#ifndef ORIBI_MICRO_LOOP_BEGIN_H_
#define ORIBI_MICRO_LOOP_BEGIN_H_

#include <stdint.h>

struct oribi_micro_loop_begin_args {
    int32_t n_carried;
    const int32_t *bytes; /* of each */
};

/* Shapes   inputs: the trip count, int64; whether the first iteration takes place, a byte that is
 *          true unless 0; what is carried. outputs: the number of the iteration, int64; whether it
 *          takes place, 0 or 1; what is carried.
 * Owns     nothing; outputs overlap no input.
 * Context  run: no allocation, no state.
 */
void oribi_micro_loop_begin(const struct oribi_micro_loop_begin_args *args,
                            const void *const *inputs, void *const *outputs);

#endif
