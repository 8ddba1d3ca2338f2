/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the planner's files: plan.c (entry, checks, result), plan_bound.c (lower bounds),
 * plan_conflict.c (who may not overlap whom), plan_place.c (one order to one layout), plan_search.c
 * (which orders), plan_time.c (one pass over time, for the largest problems).
 *
 * The model: each pair of buffers that live at a common step is an edge. For an edge j -> i the
 * offsets off(j) with off(i) - j's bytes < off(j) < off(i) + i's bytes are forbidden; an alias
 * takes a window out of that. A layout is made by placing the buffers one after the other at the
 * lowest offset that no placed neighbour forbids, so a search over orders is a search over layouts,
 * and some order gives a best one (sort a best layout by offset: each buffer then lands there or
 * lower; windows that end on both sides can break this, so with them the search may miss it).
 *
 * No floating point and no unstable sort: the same input gives the same plan on every host.
 */
#ifndef ORIBI_PLAN_PLANNER_INTERNAL_H_
#define ORIBI_PLAN_PLANNER_INTERNAL_H_

#include "base/arena.h"
#include "plan/plan.h"

enum { PLAN_MAX_POOLS = 32, PLAN_MAX_EDGES = 1 << 22 };
#define PLAN_EDGE_ALIASED 0x80000000u

/* The smallest multiple of `unit`, a power of two, that is not below n; the largest one of all
 * where that would be above all numbers. plan.c has refused problems in which that could happen. */
static inline uint64_t oribi__plan_round_up(uint64_t n, uint64_t unit)
{
    const uint64_t mask = unit - 1, above = n + mask;
    return (above < n ? UINT64_MAX : above) & ~mask;
}

typedef struct plan_window { /* allowed, both included: off(owner) - off(other) */
    int32_t owner, other;
    int64_t from, to; /* within the reach of the two */
} plan_window;

typedef struct plan_problem {
    const oribi_plan_buffer *buffers;
    int32_t n;
    const oribi_plan_alias *aliases;
    int32_t n_aliases;
    const oribi_plan_pool *pools;
    int32_t n_pools;
    oribi_arena arena;
    /* Edges of j: edges[edge_start[j]] up to edge_start[j + 1]. NULL: too many for a search. */
    uint32_t *edges;
    int64_t *edge_start;
    plan_window *windows; /* sorted by owner, then other, then from */
    int32_t n_windows;
    int32_t *by_first_use, *by_last_use;  /* all buffers, by that step, then index */
    uint64_t group_bound[PLAN_MAX_POOLS]; /* of the buffers whose first allowed pool it is */
    uint64_t work;                        /* steps taken so far, see oribi_plan_bounds */
} plan_problem;

typedef struct plan_score {        /* smaller is better, compared from the top down */
    uint64_t overflow;             /* bytes beyond limits */
    uint64_t peak[PLAN_MAX_POOLS]; /* the last pool's weighs most */
    uint64_t spill;                /* bytes that are not in their first allowed pool */
} plan_score;

typedef struct plan_layout {
    uint64_t *offset;
    int32_t *pool; /* -1: not placed */
    plan_score score;
} plan_layout;

/* An order, and for each buffer the first pool that is tried (0: any). */
typedef struct plan_order {
    int32_t *sequence;
    uint8_t *first_pool;
    bool is_best_fit;
} plan_order;

/* plan_conflict.c */
bool oribi__plan_build_edges(plan_problem *problem, TF_Status *status);
/* The first window of the pair, or the end of all. */
const plan_window *oribi__plan_first_window(const plan_problem *problem, int32_t owner,
                                            int32_t other);
/* The alias's window for off(b) - off(a), or false when it has no effect. */
bool oribi__plan_alias_window(const plan_problem *problem, const oribi_plan_alias *alias,
                              plan_window *out);
/* Sorts n indices by keys[index], descending and stable: the only sort of buffers. */
void oribi__plan_sort(int32_t *indices, int32_t n, const uint64_t *keys, int32_t *scratch);
/* A key by which the earliest step comes first. */
uint64_t oribi__plan_step_key(int32_t step);

/* plan_bound.c: largest live sum of the buffers whose first allowed pool is `group` (-1: all), in
 * units of `unit` bytes (a power of two that divides every alignment). */
bool oribi__plan_bound(plan_problem *problem, int32_t group, uint64_t unit,
                       oribi_plan_bounds *out_bounds, TF_Status *status);
uint64_t oribi__plan_group_unit(const plan_problem *problem, int32_t group);

/* plan_place.c */
typedef struct plan_placer {
    const plan_problem *problem;
    struct plan_gap *gaps; /* scratch */
    int64_t work;          /* pairs looked at so far: the search's budget */
} plan_placer;
bool oribi__plan_placer_init(plan_placer *placer, plan_problem *problem);
int oribi__plan_score_compare(const plan_problem *problem, const plan_score *a,
                              const plan_score *b);
void oribi__plan_layout_clear(const plan_problem *problem, plan_layout *layout);
/* Lowest free offset of buffer j in the pool among those placed. */
uint64_t oribi__plan_fit(plan_placer *placer, const plan_layout *layout, int32_t j, int32_t pool,
                         bool is_best_fit);
void oribi__plan_put(const plan_problem *problem, plan_layout *layout, int32_t j, int32_t pool,
                     uint64_t offset);
/* Places everything; false as soon as the layout is certain to be no better than `limit`. */
bool oribi__plan_place(plan_placer *placer, const plan_order *order, const plan_score *limit,
                       plan_layout *layout);

/* plan_time.c: for more conflicts than can be stored: one pass over time, ignoring aliases. */
bool oribi__plan_place_by_time(plan_problem *problem, plan_layout *layout, TF_Status *status);

/* plan_search.c: the best layout that was found within the effort. */
bool oribi__plan_search(plan_problem *problem, int64_t effort, plan_layout *best,
                        TF_Status *status);

#endif
