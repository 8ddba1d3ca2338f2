/* SPDX-License-Identifier: Apache-2.0 */
/* Memory planner: how small a plan can possibly be. At each step the live buffers must lie side by
 * side, except for what aliases let overlap; the largest such sum bounds every plan from below.
 * Not here: whether that bound can be reached (plan_search.c).
 */
#include "plan/planner_internal.h"
#include "tensor/status.h"

enum { EXACT_SLACK_BUFFERS = 4096 }; /* beyond, one slack for all steps: a weaker bound, but fast */

typedef struct bound_walk {
    const plan_problem *problem;
    int32_t group;
    uint64_t unit;
    int32_t *alias_order;
    uint64_t *save_a, *save_b; /* by buffer: what its aliases could save, capped by its bytes */
    uint64_t work;
} bound_walk;

uint64_t oribi__plan_group_unit(const plan_problem *problem, int32_t group)
{
    uint64_t unit = UINT64_MAX;
    for (int32_t i = 0; i < problem->n; i++) {
        const oribi_plan_buffer *buffer = &problem->buffers[i];
        if (buffer->bytes && (group < 0 || __builtin_ctz(buffer->allowed_pools) == group)) {
            unit = buffer->alignment < unit ? buffer->alignment : unit;
        }
    }
    return unit == UINT64_MAX ? 1 : unit;
}

static bool is_in_group(const bound_walk *walk, int32_t i)
{
    return walk->group < 0 || __builtin_ctz(walk->problem->buffers[i].allowed_pools) == walk->group;
}

/* Offsets are multiples of the unit, so a buffer takes whole units from its neighbours... */
static uint64_t round_up(const bound_walk *walk, uint64_t bytes)
{
    return oribi__plan_round_up(bytes, walk->unit);
}

/* ...except for the topmost one: its last unit may be cut. The most that this can save at a step.
 */
static uint64_t largest_slack(const bound_walk *walk, int32_t step, bool is_any_step)
{
    uint64_t slack = 0;
    for (int32_t i = 0; i < walk->problem->n; i++) {
        const oribi_plan_buffer *buffer = &walk->problem->buffers[i];
        if (!is_in_group(walk, i) ||
            (!is_any_step && (buffer->first_use > step || buffer->last_use < step))) {
            continue;
        }
        uint64_t own = round_up(walk, buffer->bytes) - buffer->bytes;
        slack = own > slack ? own : slack;
    }
    return slack;
}

static uint64_t add_capped(uint64_t sum, uint64_t more, uint64_t cap)
{
    return more > cap - sum ? cap : sum + more;
}

/* The largest multiple of the unit that is not above x. */
static int64_t round_down(const bound_walk *walk, int64_t x)
{
    const int64_t unit = (int64_t)walk->unit;
    const int64_t rest = x % unit;
    return rest < 0 ? x - rest - unit : x - rest;
}

/* Most bytes that a and b of one alias can have in common: it grows towards where the smaller one
 * lies within the larger. */
static uint64_t common_bytes(const bound_walk *walk, const oribi_plan_alias *alias)
{
    plan_window window;
    if (!is_in_group(walk, alias->a) || !is_in_group(walk, alias->b) ||
        !oribi__plan_alias_window(walk->problem, alias, &window)) {
        return 0;
    }
    const int64_t a = (int64_t)round_up(walk, walk->problem->buffers[alias->a].bytes);
    const int64_t b = (int64_t)round_up(walk, walk->problem->buffers[alias->b].bytes);
    const int64_t from = -round_down(walk, -window.from);
    const int64_t to = round_down(walk, window.to);
    const int64_t low = a < b ? a - b : 0;
    const int64_t high = a < b ? 0 : a - b;
    const int64_t at = to < low ? to : from > high ? from : low > from ? low : from;
    const int64_t end = at + b < a ? at + b : a;
    const int64_t common = end - (at > 0 ? at : 0);
    return from <= to && common > 0 ? (uint64_t)common : 0;
}

/* Bytes that aliases from and to buffers at `step` can save: what is common is part of dying
 * buffers and part of new ones, so each side bounds it. aliases [from, to) of alias_order. */
static uint64_t step_saving(bound_walk *walk, int32_t from, int32_t to)
{
    const plan_problem *problem = walk->problem;
    uint64_t total_a = 0;
    uint64_t total_b = 0;
    for (int32_t k = from; k < to; k++) {
        const oribi_plan_alias *alias = &problem->aliases[walk->alias_order[k]];
        uint64_t common = common_bytes(walk, alias);
        uint64_t cap_a = round_up(walk, problem->buffers[alias->a].bytes);
        uint64_t cap_b = round_up(walk, problem->buffers[alias->b].bytes);
        uint64_t *a = &walk->save_a[alias->a];
        uint64_t *b = &walk->save_b[alias->b];
        uint64_t before_a = *a;
        uint64_t before_b = *b;
        *a = add_capped(before_a, common, cap_a);
        *b = add_capped(before_b, common, cap_b);
        total_a += *a - before_a;
        total_b += *b - before_b;
    }
    return total_a < total_b ? total_a : total_b;
}

static bool walk_init(bound_walk *walk, oribi_arena *arena)
{
    const plan_problem *problem = walk->problem;
    const size_t n = (size_t)problem->n;
    const size_t n_aliases = (size_t)problem->n_aliases;
    uint64_t *keys = oribi_arena_array(arena, n_aliases + 1, sizeof(*keys));
    int32_t *scratch = oribi_arena_array(arena, n_aliases + 1, sizeof(*scratch));
    walk->alias_order = oribi_arena_array(arena, n_aliases + 1, sizeof(int32_t));
    walk->save_a = oribi_arena_array(arena, n + 1, sizeof(uint64_t));
    walk->save_b = oribi_arena_array(arena, n + 1, sizeof(uint64_t));
    if (!keys || !scratch || !walk->alias_order || !walk->save_a || !walk->save_b) {
        return false;
    }
    for (int32_t i = 0; i < problem->n_aliases; i++) {
        walk->alias_order[i] = i;
        keys[i] = oribi__plan_step_key(problem->buffers[problem->aliases[i].b].first_use);
    }
    oribi__plan_sort(walk->alias_order, problem->n_aliases, keys, scratch);
    return true;
}

static void walk_steps(bound_walk *walk, oribi_plan_bounds *bounds)
{
    const plan_problem *problem = walk->problem;
    bool is_exact = problem->n <= EXACT_SLACK_BUFFERS;
    uint64_t slack = is_exact ? 0 : largest_slack(walk, 0, true);
    walk->work += 4 * (uint64_t)problem->n + (uint64_t)problem->n_aliases;
    uint64_t live = 0;
    int32_t begun = 0;
    int32_t ended = 0;
    int32_t alias = 0;
    while (begun < problem->n || ended < problem->n) {
        int64_t next_begin = INT64_MAX;
        if (begun < problem->n) {
            next_begin = problem->buffers[problem->by_first_use[begun]].first_use;
        }
        int64_t next_end = (int64_t)problem->buffers[problem->by_last_use[ended]].last_use + 1;
        int64_t step = next_begin < next_end ? next_begin : next_end;
        for (; ended < problem->n; ended++) {
            int32_t i = problem->by_last_use[ended];
            if ((int64_t)problem->buffers[i].last_use >= step) {
                break;
            }
            live -= is_in_group(walk, i) ? round_up(walk, problem->buffers[i].bytes) : 0;
        }
        for (; begun < problem->n; begun++) {
            int32_t i = problem->by_first_use[begun];
            if ((int64_t)problem->buffers[i].first_use > step) {
                break;
            }
            live += is_in_group(walk, i) ? round_up(walk, problem->buffers[i].bytes) : 0;
        }
        int32_t first = alias;
        while (alias < problem->n_aliases &&
               problem->buffers[problem->aliases[walk->alias_order[alias]].b].first_use <= step) {
            alias++;
        }
        uint64_t saving = step_saving(walk, first, alias);
        if (live > bounds->floor_no_alias_bytes || live - saving > bounds->bound_bytes) {
            walk->work += is_exact ? (uint64_t)problem->n : 0;
            uint64_t cut = is_exact ? largest_slack(walk, (int32_t)step, false) : slack;
            uint64_t floor = live > cut ? live - cut : 0;
            uint64_t bound = live > saving + cut ? live - saving - cut : 0;
            bounds->floor_no_alias_bytes =
                floor > bounds->floor_no_alias_bytes ? floor : bounds->floor_no_alias_bytes;
            bounds->bound_bytes = bound > bounds->bound_bytes ? bound : bounds->bound_bytes;
        }
    }
}

bool oribi__plan_bound(plan_problem *problem, int32_t group, uint64_t unit,
                       oribi_plan_bounds *out_bounds, TF_Status *status)
{
    oribi_arena arena;
    oribi_arena_init(&arena);
    bound_walk walk = {.problem = problem, .group = group, .unit = unit};
    bool ok = walk_init(&walk, &arena);
    if (ok) {
        *out_bounds = (oribi_plan_bounds){0};
        walk_steps(&walk, out_bounds);
        problem->work += walk.work;
    } else {
        oribi_fail_memory(status);
    }
    oribi_arena_destroy(&arena);
    return ok;
}
