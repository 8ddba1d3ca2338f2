/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by what tries plans: compile_choose.c, choose_rings.c. */
#ifndef ORIBI_COMPILE_SCHEDULE_CHOOSE_H_
#define ORIBI_COMPILE_SCHEDULE_CHOOSE_H_

#include "compile/plan/planning.h"

/* Bytes of the pools, the last one (which is the least wanted) first. */
typedef struct oribi_need {
    int64_t bytes[ORIBI_POOLS];
} oribi_need;

/* -1: a is less, 1: more, 0: neither. */
int oribi__need_compare(const oribi_need *a, const oribi_need *b);
/* Plans as things are now: better (-1), as good (0) or worse (1) than `best`, which is updated when
 * better. What does not fit into the pools is worse than anything. */
bool oribi__try_plan(oribi_program *program, oribi_need *best, int *out_better, TF_Status *status);
/* Makes calls with rings as --rings says, and plans with them. */
bool oribi__choose_rings(oribi_program *program, oribi_lowering *lowering, oribi_need *best,
                         TF_Status *status);

#endif
