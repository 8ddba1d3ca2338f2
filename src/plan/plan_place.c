/* SPDX-License-Identifier: Apache-2.0 */
/* Memory planner: from one order to one layout. Not here: which order (plan_search.c).
 * Read first: planner_internal.h.
 */
#include <string.h>

#include "plan/planner_internal.h"
#include "tensor/status.h"

enum { SMALL_SORT = 24 }; /* up to here insertion is the fastest */

typedef struct plan_gap { /* offsets in [begin, end) are forbidden */
    uint64_t begin, end;
} plan_gap;

bool oribi__plan_placer_init(plan_placer *placer, plan_problem *problem)
{
    int64_t most = 0;
    for (int32_t j = 0; problem->edges && j < problem->n; j++) {
        int64_t degree = problem->edge_start[j + 1] - problem->edge_start[j];
        most = degree > most ? degree : most;
    }
    placer->problem = problem;
    placer->work = 0;
    /* A window splits a gap in two. */
    most += problem->edges ? problem->n_windows : 0;
    placer->gaps = oribi_arena_array(&problem->arena, (size_t)most + 1, sizeof(plan_gap));
    return placer->gaps != NULL;
}

int oribi__plan_score_compare(const plan_problem *problem, const plan_score *a, const plan_score *b)
{
    if (a->overflow != b->overflow) {
        return a->overflow < b->overflow ? -1 : 1;
    }
    for (int32_t p = problem->n_pools - 1; p >= 0; p--) {
        if (a->peak[p] != b->peak[p]) {
            return a->peak[p] < b->peak[p] ? -1 : 1;
        }
    }
    return a->spill == b->spill ? 0 : a->spill < b->spill ? -1 : 1;
}

void oribi__plan_layout_clear(const plan_problem *problem, plan_layout *layout)
{
    memset(&layout->score, 0, sizeof(layout->score));
    for (int32_t i = 0; i < problem->n; i++) {
        layout->pool[i] = -1;
    }
}

static void sift_down(plan_gap *gaps, int64_t root, int64_t n)
{
    for (int64_t child = 2 * root + 1; child < n; child = 2 * root + 1) {
        child += child + 1 < n && gaps[child + 1].begin > gaps[child].begin;
        if (gaps[root].begin >= gaps[child].begin) {
            return;
        }
        plan_gap swap = gaps[root];
        gaps[root] = gaps[child];
        gaps[child] = swap;
        root = child;
    }
}

/* By begin. Equal ones may come in any order: only their union matters. */
static void sort_gaps(plan_gap *gaps, int64_t n)
{
    if (n <= SMALL_SORT) {
        for (int64_t i = 1; i < n; i++) {
            plan_gap gap = gaps[i];
            int64_t k = i;
            for (; k > 0 && gaps[k - 1].begin > gap.begin; k--) {
                gaps[k] = gaps[k - 1];
            }
            gaps[k] = gap;
        }
        return;
    }
    for (int64_t i = n / 2; i-- > 0;) {
        sift_down(gaps, i, n);
    }
    for (int64_t end = n - 1; end > 0; end--) {
        plan_gap swap = gaps[0];
        gaps[0] = gaps[end];
        gaps[end] = swap;
        sift_down(gaps, 0, end);
    }
}

/* Forbids offset + [from, to), as far as it is not negative. */
static int64_t add_gap(plan_gap *gaps, int64_t n, int64_t offset, int64_t from, int64_t to)
{
    gaps[n].begin = offset + from > 0 ? (uint64_t)(offset + from) : 0;
    gaps[n].end = offset + to > 0 ? (uint64_t)(offset + to) : 0;
    return n + (gaps[n].begin < gaps[n].end);
}

/* The gaps that i leaves to j between the windows of the pair. */
static int64_t add_windowed_gaps(const plan_problem *problem, plan_gap *gaps, int64_t n, int32_t j,
                                 int32_t i, int64_t offset)
{
    const plan_window *window = oribi__plan_first_window(problem, j, i);
    const plan_window *end = problem->windows + problem->n_windows;
    int64_t from = 1 - (int64_t)problem->buffers[j].bytes;
    for (; window < end && window->owner == j && window->other == i; window++) {
        n = add_gap(gaps, n, offset, from, window->from);
        from = window->to + 1 > from ? window->to + 1 : from;
    }
    return add_gap(gaps, n, offset, from, (int64_t)problem->buffers[i].bytes);
}

static int64_t collect_gaps(plan_placer *placer, const plan_layout *layout, int32_t j, int32_t pool)
{
    const plan_problem *problem = placer->problem;
    const uint64_t below = problem->buffers[j].bytes;
    plan_gap *gaps = placer->gaps;
    int64_t n = 0;
    for (int64_t e = problem->edge_start[j]; e < problem->edge_start[j + 1]; e++) {
        int32_t i = (int32_t)(problem->edges[e] & ~PLAN_EDGE_ALIASED);
        if (layout->pool[i] != pool) {
            continue;
        }
        uint64_t offset = layout->offset[i];
        if (problem->edges[e] & PLAN_EDGE_ALIASED) {
            n = add_windowed_gaps(problem, gaps, n, j, i, (int64_t)offset);
            continue;
        }
        gaps[n].begin = offset >= below ? offset - below + 1 : 0;
        gaps[n].end = offset + problem->buffers[i].bytes;
        n++;
    }
    int64_t degree = problem->edge_start[j + 1] - problem->edge_start[j];
    placer->work += (degree > SMALL_SORT ? 4 * degree : degree) + 4; /* sorting costs, too */
    return n;
}

uint64_t oribi__plan_fit(plan_placer *placer, const plan_layout *layout, int32_t j, int32_t pool,
                         bool is_best_fit)
{
    const plan_gap *gaps = placer->gaps;
    uint64_t alignment = placer->problem->buffers[j].alignment;
    int64_t n = collect_gaps(placer, layout, j, pool);
    sort_gaps(placer->gaps, n);
    uint64_t offset = 0;
    uint64_t best = 0;
    uint64_t best_slack = UINT64_MAX;
    for (int64_t k = 0; k < n; k++) {
        if (offset < gaps[k].begin) { /* free here: no later one begins earlier */
            uint64_t slack = gaps[k].begin - 1 - offset;
            if (!is_best_fit) {
                return offset;
            }
            if (slack < best_slack) {
                best_slack = slack;
                best = offset;
            }
        }
        if (offset < gaps[k].end) {
            offset = oribi__plan_round_up(gaps[k].end, alignment);
        }
    }
    return best_slack == UINT64_MAX ? offset : best;
}

void oribi__plan_put(const plan_problem *problem, plan_layout *layout, int32_t j, int32_t pool,
                     uint64_t offset)
{
    const oribi_plan_buffer *buffer = &problem->buffers[j];
    uint64_t end = offset + buffer->bytes;
    uint64_t limit = problem->pools[pool].max_bytes;
    plan_score *score = &layout->score;
    layout->offset[j] = offset;
    layout->pool[j] = pool;
    if (end > score->peak[pool]) {
        if (limit && end > limit) {
            score->overflow += end - (score->peak[pool] > limit ? score->peak[pool] : limit);
        }
        score->peak[pool] = end;
    }
    if (pool != __builtin_ctz(buffer->allowed_pools)) {
        score->spill += buffer->bytes;
    }
}

/* First allowed pool from order->first_pool[j] on in which j fits below the limit; else the one
 * with the smallest overflow. */
static void place_one(plan_placer *placer, const plan_order *order, plan_layout *layout, int32_t j)
{
    const plan_problem *problem = placer->problem;
    const oribi_plan_buffer *buffer = &problem->buffers[j];
    int32_t pool = -1;
    uint64_t offset = 0;
    uint64_t least_over = UINT64_MAX;
    for (int32_t k = 0; buffer->bytes && k < problem->n_pools; k++) {
        int32_t p = (order->first_pool[j] + k) % problem->n_pools;
        if (!(buffer->allowed_pools >> p & 1)) {
            continue;
        }
        uint64_t here = oribi__plan_fit(placer, layout, j, p, order->is_best_fit);
        uint64_t limit = problem->pools[p].max_bytes;
        uint64_t over = limit && here + buffer->bytes > limit ? here + buffer->bytes - limit : 0;
        if (over < least_over) {
            least_over = over;
            offset = here;
            pool = p;
        }
        if (over == 0) {
            break;
        }
    }
    oribi__plan_put(problem, layout, j, pool < 0 ? __builtin_ctz(buffer->allowed_pools) : pool,
                    offset);
}

bool oribi__plan_place(plan_placer *placer, const plan_order *order, const plan_score *limit,
                       plan_layout *layout)
{
    const plan_problem *problem = placer->problem;
    oribi__plan_layout_clear(problem, layout);
    for (int32_t k = 0; k < problem->n; k++) {
        place_one(placer, order, layout, order->sequence[k]);
        /* Parts of a score only grow, so a partial one that is worse stays worse. */
        if (limit && oribi__plan_score_compare(problem, &layout->score, limit) > 0) {
            return false;
        }
    }
    return true;
}
