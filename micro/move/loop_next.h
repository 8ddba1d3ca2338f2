/* SPDX-License-Identifier: Apache-2.0 */
/* An iteration of a loop ends: what it collects is put behind what is there, what it carries
 * becomes what the body made of it. Read first: loop_begin.h. */
#ifndef ORIBI_MICRO_LOOP_NEXT_H_
#define ORIBI_MICRO_LOOP_NEXT_H_

#include <stdint.h>

struct oribi_micro_loop_next_args {
    int32_t n_carried, n_collected;
    const int32_t *bytes; /* of each that is carried, then of an element of each collected */
};

/* Shapes   inputs: the trip count, int64; whether another iteration takes place, a byte that is
 *          true unless 0; what is carried on; the elements. outputs: those of loop_begin, which it
 *          reads, too; then what is collected, of room for all iterations.
 * Owns     nothing; an input that is carried on may be the output of the same place, and overlaps
 * no other; the rest overlaps nothing. Context  run: no allocation, no state.
 */
void oribi_micro_loop_next(const struct oribi_micro_loop_next_args *args, const void *const *inputs,
                           void *const *outputs);

#endif
