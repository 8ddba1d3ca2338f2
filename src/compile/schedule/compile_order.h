/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by compile_order.c (the search) and order_blocks.c (what is live while calls run in some
 * order).
 */
#ifndef ORIBI_COMPILE_ORDER_H_
#define ORIBI_COMPILE_ORDER_H_

#include "compile/schedule/compile_steps.h"

enum { ORIBI_ORDER_READY = 32 }; /* states of a search that one leads to, on average at most */

typedef struct oribi_order_block { /* lives from the first call that touches it to the last */
    int64_t bytes;
    uint64_t *touching; /* bit per call */
    bool from_start, to_end;
} oribi_order_block;

typedef struct oribi_order {
    const oribi_program *c;
    oribi_arena arena;
    int32_t n, n_words; /* calls, and words of bits for them */
    oribi_order_block *blocks;
    int32_t n_blocks;
    int32_t *block_of;      /* by value; -1: not in a pool */
    int32_t *touched;       /* blocks, by call */
    int32_t *touched_start; /* by call, n + 1 of them */
    uint64_t *needs;        /* by call, n_words each: the calls before it */
    int64_t live_at_start;
} oribi_order;

/* False: no memory; the arena is to be destroyed all the same. */
bool oribi__order_init(oribi_order *order, const oribi_program *program);
bool oribi__order_is_ready(const oribi_order *order, const uint64_t *done, int32_t call);
/* Runs a call after `done`: live bytes before it become those after it; out_peak are those while it
 * runs, with its scratch and what its aliases can save. */
void oribi__order_run(const oribi_order *order, const uint64_t *done, int32_t call, int64_t *live,
                      int64_t *out_peak);
/* The peak of the calls in their present order, and the bound that no order can beat. */
int64_t oribi__order_given_peak(const oribi_order *order);
int64_t oribi__order_least_peak(const oribi_order *order);

#endif
