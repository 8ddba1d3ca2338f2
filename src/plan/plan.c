/* SPDX-License-Identifier: Apache-2.0 */
/* Memory planner, the entry: checks what it is given, runs the search, hands out the result.
 * Not here: the search itself. Read next: planner_internal.h.
 */
#include "plan/plan.h"

#include <inttypes.h>
#include <string.h>

#include "plan/planner_internal.h"
#include "tensor/status.h"

static bool check_buffers(const plan_problem *problem, TF_Status *status)
{
    uint32_t all_pools = problem->n_pools == 32 ? UINT32_MAX : (1u << problem->n_pools) - 1;
    uint64_t sum = 0;
    for (int32_t i = 0; i < problem->n; i++) {
        const oribi_plan_buffer *buffer = &problem->buffers[i];
        if (!buffer->alignment || (buffer->alignment & (buffer->alignment - 1))) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "memory plan: buffer %d has alignment %" PRIu64
                              "; it must be a power of two",
                              i, buffer->alignment);
        }
        if (buffer->first_use > buffer->last_use) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "memory plan: buffer %d is first used in step %d, after its last "
                              "use in step %d",
                              i, buffer->first_use, buffer->last_use);
        }
        if (!(buffer->allowed_pools & all_pools)) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "memory plan: buffer %d is not allowed in any of the %d pools", i,
                              problem->n_pools);
        }
        /* With this no offset can overflow: none is beyond the sum of all buffers and gaps. */
        if (__builtin_add_overflow(sum, buffer->bytes, &sum) ||
            __builtin_add_overflow(sum, 2 * (buffer->alignment - 1), &sum) ||
            buffer->alignment > INT64_MAX || sum > INT64_MAX) {
            return oribi_fail(status, TF_RESOURCE_EXHAUSTED,
                              "memory plan: the buffers up to number %d exceed the address space",
                              i);
        }
    }
    return true;
}

static bool check(const plan_problem *problem, TF_Status *status)
{
    if (problem->n < 0 || problem->n_aliases < 0 || problem->n_aliases > INT32_MAX / 4 ||
        problem->n_pools < 1 || problem->n_pools > PLAN_MAX_POOLS) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "memory plan: there are %d buffers, %d aliases and %d pools; there must "
                          "be 1 to %d pools",
                          problem->n, problem->n_aliases, problem->n_pools, PLAN_MAX_POOLS);
    }
    for (int32_t i = 0; i < problem->n_aliases; i++) {
        const oribi_plan_alias *alias = &problem->aliases[i];
        if (alias->a < 0 || alias->a >= problem->n || alias->b < 0 || alias->b >= problem->n ||
            alias->a == alias->b) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "memory plan: alias %d joins buffers %d and %d of %d", i, alias->a,
                              alias->b, problem->n);
        }
    }
    return check_buffers(problem, status);
}

uint64_t oribi__plan_step_key(int32_t step)
{
    return UINT32_MAX - (uint64_t)((int64_t)step - INT32_MIN);
}

static bool sort_by_steps(plan_problem *problem)
{
    const size_t n = (size_t)problem->n + 1;
    uint64_t *keys = oribi_arena_array(&problem->arena, n, sizeof(*keys));
    int32_t *scratch = oribi_arena_array(&problem->arena, n, sizeof(*scratch));
    problem->by_first_use = oribi_arena_array(&problem->arena, n, sizeof(int32_t));
    problem->by_last_use = oribi_arena_array(&problem->arena, n, sizeof(int32_t));
    if (!keys || !scratch || !problem->by_first_use || !problem->by_last_use) {
        return false;
    }
    for (int32_t i = 0; i < problem->n; i++) {
        problem->by_first_use[i] = i;
        keys[i] = oribi__plan_step_key(problem->buffers[i].first_use);
    }
    oribi__plan_sort(problem->by_first_use, problem->n, keys, scratch);
    for (int32_t i = 0; i < problem->n; i++) {
        problem->by_last_use[i] = i;
        keys[i] = oribi__plan_step_key(problem->buffers[i].last_use);
    }
    oribi__plan_sort(problem->by_last_use, problem->n, keys, scratch);
    return true;
}

static bool find_bounds(plan_problem *problem, oribi_plan_bounds *bounds, TF_Status *status)
{
    uint64_t unit = problem->n_pools == 1 ? oribi__plan_group_unit(problem, -1) : 1;
    ORIBI_TRY(oribi__plan_bound(problem, -1, unit, bounds, status));
    for (int32_t p = 0; p < problem->n_pools; p++) {
        oribi_plan_bounds group = *bounds;
        if (problem->n_pools > 1) {
            unit = oribi__plan_group_unit(problem, p);
            ORIBI_TRY(oribi__plan_bound(problem, p, unit, &group, status));
        }
        problem->group_bound[p] = group.bound_bytes;
    }
    return true;
}

static bool report_overflow(const plan_problem *problem, const plan_layout *layout,
                            const oribi_plan_bounds *bounds, TF_Status *status)
{
    for (int32_t p = 0; p < problem->n_pools; p++) {
        uint64_t limit = problem->pools[p].max_bytes;
        if (limit && layout->score.peak[p] > limit) {
            return oribi_fail(status, TF_RESOURCE_EXHAUSTED,
                              "memory plan: pool %d needs %" PRIu64
                              " bytes but may have only %" PRIu64 "; at some step at least %" PRIu64
                              " bytes are live in all pools together",
                              p, layout->score.peak[p], limit, bounds->bound_bytes);
        }
    }
    return true;
}

static bool plan(plan_problem *problem, int64_t effort, plan_layout *layout,
                 oribi_plan_bounds *bounds, TF_Status *status)
{
    size_t n = (size_t)problem->n + 1;
    layout->offset = oribi_arena_array(&problem->arena, n, sizeof(uint64_t));
    layout->pool = oribi_arena_array(&problem->arena, n, sizeof(int32_t));
    if (!layout->offset || !layout->pool || !sort_by_steps(problem)) {
        return oribi_fail_memory(status);
    }
    ORIBI_TRY(find_bounds(problem, bounds, status));
    ORIBI_TRY(oribi__plan_build_edges(problem, status));
    if (problem->edges) {
        ORIBI_TRY(oribi__plan_search(problem, effort, layout, status));
    } else {
        ORIBI_TRY(oribi__plan_place_by_time(problem, layout, status));
    }
    return report_overflow(problem, layout, bounds, status);
}

bool oribi_plan_memory_search(oribi_plan_buffer *buffers, int32_t n_buffers,
                              const oribi_plan_alias *aliases, int32_t n_aliases,
                              oribi_plan_pool *pools, int32_t n_pools,
                              oribi_plan_bounds *out_bounds, int64_t effort, TF_Status *status)
{
    plan_problem problem = {.buffers = buffers,
                            .n = n_buffers,
                            .aliases = aliases,
                            .n_aliases = n_aliases,
                            .pools = pools,
                            .n_pools = n_pools};
    plan_layout layout = {0};
    oribi_plan_bounds bounds = {0};
    oribi_arena_init(&problem.arena);
    bool ok = check(&problem, status) && plan(&problem, effort, &layout, &bounds, status);
    if (ok) {
        for (int32_t i = 0; i < n_buffers; i++) {
            buffers[i].out_pool = layout.pool[i];
            buffers[i].out_offset = layout.offset[i];
        }
        for (int32_t p = 0; p < n_pools; p++) {
            pools[p].out_bytes = layout.score.peak[p];
        }
        if (out_bounds) {
            *out_bounds = bounds;
            out_bounds->work = problem.work;
        }
    }
    oribi_arena_destroy(&problem.arena);
    return ok;
}

bool oribi_plan_memory(oribi_plan_buffer *buffers, int32_t n_buffers,
                       const oribi_plan_alias *aliases, int32_t n_aliases, oribi_plan_pool *pools,
                       int32_t n_pools, oribi_plan_bounds *out_bounds, TF_Status *status)
{
    return oribi_plan_memory_search(buffers, n_buffers, aliases, n_aliases, pools, n_pools,
                                    out_bounds, ORIBI_PLAN_QUICK, status);
}
