/* SPDX-License-Identifier: Apache-2.0 */
/* Memory planner: which orders to try. First a few known good ones; then, for a handful of buffers,
 * all orders that matter; else changes to the best order that bring the buffers at the peak
 * forward. Everything is counted in pairs of buffers, never in time, and the random numbers have a
 * fixed seed, so a plan is the same on every host. Read first: planner_internal.h.
 */
#include <string.h>

#include "plan/planner_internal.h"
#include "tensor/status.h"

enum { EXACT_BUFFERS = 12, RESTART_AFTER = 60 };

typedef struct plan_search {
    plan_problem *problem;
    plan_placer placer;
    plan_order order, best_order;
    plan_layout layout, *best;
    bool have_best;
    int64_t effort;
    uint64_t random;
    uint64_t *keys;
    int32_t *scratch;
} plan_search;

/* No plan is better: nothing spilled, and each pool as high as its own buffers force it. */
static bool is_optimal(const plan_search *search)
{
    const plan_score *score = &search->best->score;
    bool optimal = search->have_best && score->overflow == 0 && score->spill == 0;
    for (int32_t p = 0; p < search->problem->n_pools && optimal; p++) {
        optimal = score->peak[p] <= search->problem->group_bound[p];
    }
    return optimal;
}

static bool is_over(const plan_search *search)
{
    return search->placer.work >= search->effort || is_optimal(search);
}

static void copy_layout(const plan_search *search, plan_layout *to, const plan_layout *from)
{
    size_t n = (size_t)search->problem->n;
    memcpy(to->offset, from->offset, n * sizeof(*to->offset));
    memcpy(to->pool, from->pool, n * sizeof(*to->pool));
    to->score = from->score;
}

static void copy_order(const plan_search *search, plan_order *to, const plan_order *from)
{
    size_t n = (size_t)search->problem->n;
    memcpy(to->sequence, from->sequence, n * sizeof(*to->sequence));
    memcpy(to->first_pool, from->first_pool, n);
    to->is_best_fit = from->is_best_fit;
}

/* Places `order`; keeps it when it is no worse than the best (so that a search can drift). */
static bool try_order(plan_search *search)
{
    const plan_score *limit = search->have_best ? &search->best->score : NULL;
    if (!oribi__plan_place(&search->placer, &search->order, limit, &search->layout)) {
        return false;
    }
    bool better =
        !limit || oribi__plan_score_compare(search->problem, &search->layout.score, limit) < 0;
    copy_layout(search, search->best, &search->layout);
    copy_order(search, &search->best_order, &search->order);
    search->have_best = true;
    return better;
}

static uint64_t multiply_capped(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

enum { BY_SIZE, BY_AREA, BY_LIFETIME, BY_FIRST_USE, BY_LAST_USE, BY_PRESSURE, N_ORDERS };

/* Heaviest step of each buffer's life, by live bytes. */
static void key_by_pressure(plan_search *search)
{
    const plan_problem *problem = search->problem;
    for (int32_t i = 0; i < problem->n; i++) {
        uint64_t sum = problem->buffers[i].bytes; /* live when i begins */
        for (int64_t e = problem->edge_start[i]; e < problem->edge_start[i + 1]; e++) {
            const oribi_plan_buffer *other =
                &problem->buffers[problem->edges[e] & ~PLAN_EDGE_ALIASED];
            if (other->first_use <= problem->buffers[i].first_use) {
                sum += other->bytes;
            }
        }
        search->keys[i] = sum;
    }
    /* The other steps of i's life are where its neighbours begin. One round is a good guess. */
    for (int32_t i = 0; i < problem->n; i++) {
        uint64_t most = search->keys[i];
        for (int64_t e = problem->edge_start[i]; e < problem->edge_start[i + 1]; e++) {
            uint32_t other = problem->edges[e] & ~PLAN_EDGE_ALIASED;
            if (problem->buffers[other].first_use > problem->buffers[i].first_use &&
                search->keys[other] > most) {
                most = search->keys[other];
            }
        }
        search->keys[i] = most;
    }
}

static uint64_t order_key(const oribi_plan_buffer *buffer, int kind)
{
    uint64_t steps = (uint64_t)((int64_t)buffer->last_use - buffer->first_use) + 1;
    switch (kind) {
    case BY_AREA:
        return multiply_capped(buffer->bytes, steps);
    case BY_LIFETIME:
        return steps;
    case BY_FIRST_USE: /* the earliest first */
        return oribi__plan_step_key(buffer->first_use);
    case BY_LAST_USE: /* the latest first */
        return (uint64_t)((int64_t)buffer->last_use - INT32_MIN);
    default:
        return buffer->bytes;
    }
}

/* By the kind's key; equal ones by size, then by index. */
static void make_order(plan_search *search, int kind)
{
    const plan_problem *problem = search->problem;
    int32_t *sequence = search->order.sequence;
    for (int32_t i = 0; i < problem->n; i++) {
        sequence[i] = i;
        search->keys[i] = problem->buffers[i].bytes;
    }
    oribi__plan_sort(sequence, problem->n, search->keys, search->scratch);
    if (kind == BY_PRESSURE) {
        key_by_pressure(search);
    }
    for (int32_t i = 0; i < problem->n && kind != BY_PRESSURE; i++) {
        search->keys[i] = order_key(&problem->buffers[i], kind);
    }
    oribi__plan_sort(sequence, problem->n, search->keys, search->scratch);
}

static uint32_t random_below(plan_search *search, uint32_t n)
{
    search->random = search->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(((search->random >> 32) * n) >> 32);
}

static void move_to(int32_t *sequence, int32_t from, int32_t to)
{
    int32_t item = sequence[from];
    if (from > to) {
        memmove(sequence + to + 1, sequence + to, (size_t)(from - to) * sizeof(*sequence));
    } else {
        memmove(sequence + from, sequence + from + 1, (size_t)(to - from) * sizeof(*sequence));
    }
    sequence[to] = item;
}

/* Position in the best order of a random one of the buffers that reach a peak. */
static int32_t pick_at_peak(plan_search *search)
{
    const plan_problem *problem = search->problem;
    int32_t picked = -1;
    uint32_t seen = 0;
    for (int32_t k = 0; k < problem->n; k++) {
        int32_t i = search->order.sequence[k];
        int32_t p = search->best->pool[i];
        if (problem->buffers[i].bytes &&
            search->best->offset[i] + problem->buffers[i].bytes == search->best->score.peak[p]) {
            seen++;
            picked = random_below(search, seen) == 0 ? k : picked;
        }
    }
    return picked < 0 ? 0 : picked;
}

static void change_order(plan_search *search)
{
    const plan_problem *problem = search->problem;
    uint32_t n = (uint32_t)problem->n;
    int32_t *sequence = search->order.sequence;
    uint32_t kind = random_below(search, 8);
    int32_t peak = pick_at_peak(search);
    int32_t j = sequence[peak];
    if (kind < 3 && peak > 0) { /* the one at the peak comes earlier */
        move_to(sequence, peak, (int32_t)random_below(search, (uint32_t)peak));
    } else if (kind < 5 && problem->edge_start[j + 1] > problem->edge_start[j]) {
        /* one of those that it must not overlap comes elsewhere */
        uint32_t degree = (uint32_t)(problem->edge_start[j + 1] - problem->edge_start[j]);
        uint32_t other = problem->edges[problem->edge_start[j] + random_below(search, degree)] &
                         ~PLAN_EDGE_ALIASED;
        int32_t at = 0;
        while (sequence[at] != (int32_t)other) {
            at++;
        }
        move_to(sequence, at, (int32_t)random_below(search, n));
    } else if (kind < 6 && problem->n_pools > 1) {
        int32_t i = (int32_t)random_below(search, n);
        search->order.first_pool[i] = (uint8_t)random_below(search, (uint32_t)problem->n_pools);
    } else {
        uint32_t a = random_below(search, n);
        uint32_t b = random_below(search, n);
        int32_t swap = sequence[a];
        sequence[a] = sequence[b];
        sequence[b] = swap;
    }
    if (random_below(search, 16) == 0) {
        search->order.is_best_fit = !search->order.is_best_fit;
    }
}

static void improve(plan_search *search)
{
    int32_t stuck = 0;
    while (!is_over(search)) {
        copy_order(search, &search->order, &search->best_order);
        /* The longer nothing helped, the more is changed at once. */
        int32_t changes = 1 + (stuck / RESTART_AFTER) % 4;
        for (int32_t i = 0; i < changes; i++) {
            change_order(search);
        }
        stuck = try_order(search) ? 0 : stuck + 1;
        search->placer.work += search->problem->n; /* the copies */
    }
}

/* All orders in which each pool fills upwards: a best layout, sorted by offset, is one of them. */
static void try_all(plan_search *search, uint32_t placed, const uint64_t *tops)
{
    const plan_problem *problem = search->problem;
    plan_layout *layout = &search->layout;
    if (is_over(search)) {
        return;
    }
    if (placed == (1u << problem->n) - 1) {
        if (oribi__plan_score_compare(problem, &layout->score, &search->best->score) < 0) {
            copy_layout(search, search->best, layout);
        }
        return;
    }
    plan_score before = layout->score;
    for (int32_t j = 0; j < problem->n; j++) {
        for (int32_t p = 0; p < problem->n_pools && !(placed >> j & 1); p++) {
            if (!(problem->buffers[j].allowed_pools >> p & 1)) {
                continue;
            }
            uint64_t offset = 0;
            if (problem->buffers[j].bytes) {
                offset = oribi__plan_fit(&search->placer, layout, j, p, false);
                if (offset < tops[p]) {
                    continue; /* the same layout comes from another order */
                }
            }
            oribi__plan_put(problem, layout, j, p, offset);
            if (oribi__plan_score_compare(problem, &layout->score, &search->best->score) < 0) {
                uint64_t next[PLAN_MAX_POOLS];
                memcpy(next, tops, sizeof(next));
                next[p] = problem->buffers[j].bytes ? offset : tops[p];
                try_all(search, placed | 1u << j, next);
            }
            layout->pool[j] = -1;
            layout->score = before;
        }
    }
}

static bool search_init(plan_search *search)
{
    oribi_arena *arena = &search->problem->arena;
    size_t n = (size_t)search->problem->n + 1;
    search->order.sequence = oribi_arena_array(arena, n, sizeof(int32_t));
    search->order.first_pool = oribi_arena_array(arena, n, 1);
    search->best_order.sequence = oribi_arena_array(arena, n, sizeof(int32_t));
    search->best_order.first_pool = oribi_arena_array(arena, n, 1);
    search->layout.offset = oribi_arena_array(arena, n, sizeof(uint64_t));
    search->layout.pool = oribi_arena_array(arena, n, sizeof(int32_t));
    search->keys = oribi_arena_array(arena, n, sizeof(uint64_t));
    search->scratch = oribi_arena_array(arena, n, sizeof(int32_t));
    return search->order.sequence && search->order.first_pool && search->best_order.sequence &&
           search->best_order.first_pool && search->layout.offset && search->layout.pool &&
           search->keys && search->scratch &&
           oribi__plan_placer_init(&search->placer, search->problem);
}

bool oribi__plan_search(plan_problem *problem, int64_t effort, plan_layout *best, TF_Status *status)
{
    plan_search search = {.problem = problem, .best = best, .effort = effort, .random = 1};
    if (!search_init(&search)) {
        return oribi_fail_memory(status);
    }
    for (int kind = 0; kind < N_ORDERS && !(search.have_best && is_over(&search)); kind++) {
        for (int fit = 0; fit < 2 && !(search.have_best && is_over(&search)); fit++) {
            make_order(&search, kind);
            memset(search.order.first_pool, 0, (size_t)problem->n);
            search.order.is_best_fit = fit == 1;
            try_order(&search);
        }
    }
    if (problem->n <= EXACT_BUFFERS && !is_over(&search)) {
        uint64_t tops[PLAN_MAX_POOLS] = {0};
        int64_t all = search.effort;
        search.effort = all / 2; /* what is left goes to the other way */
        oribi__plan_layout_clear(problem, &search.layout);
        try_all(&search, 0, tops);
        bool is_complete = search.placer.work < search.effort;
        search.effort = is_complete ? 0 : all;
    }
    if (problem->n > 1) {
        improve(&search);
    }
    problem->work += (uint64_t)search.placer.work;
    return true;
}
