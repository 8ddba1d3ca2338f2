/* SPDX-License-Identifier: Apache-2.0 */
/* Copies a box of a tensor, its dimensions in any order and direction: transposes, slices, strided
 * slices. Elements of any type. The arguments come from move_prepare.h.
 */
#ifndef ORIBI_MICRO_MOVE_H_
#define ORIBI_MICRO_MOVE_H_

#include <stdint.h>

enum { ORIBI_MICRO_MOVE_RANK = 6 };

struct oribi_micro_move_args {
    int32_t rank;                        /* at least 1 */
    int32_t dims[ORIBI_MICRO_MOVE_RANK]; /* of the output, runs apart */
    int32_t step[ORIBI_MICRO_MOVE_RANK]; /* bytes in the input, may be negative */
    int32_t start;                       /* byte of the input where the output begins */
    int32_t run_bytes;                   /* that lie together in both */
};

/* Shapes   output dims x run_bytes, dense; the input as step says.
 * Owns     nothing; output and input do not overlap.
 * Context  run: no allocation, no state.
 */
void oribi_micro_move(const struct oribi_micro_move_args *args, const void *input, void *output);

#endif
