/* SPDX-License-Identifier: Apache-2.0 */
/* Memory planner: which buffers may not share bytes, as a list of neighbours for each buffer, and
 * how aliases relax it. Not here: offsets. Read first: planner_internal.h.
 */
#include <string.h>

#include "plan/planner_internal.h"
#include "tensor/status.h"

void oribi__plan_sort(int32_t *indices, int32_t n, const uint64_t *keys, int32_t *scratch)
{
    if (n < 2) {
        return;
    }
    int32_t half = n / 2;
    oribi__plan_sort(indices, half, keys, scratch);
    oribi__plan_sort(indices + half, n - half, keys, scratch);
    memcpy(scratch, indices, (size_t)n * sizeof(*indices));
    for (int32_t i = 0, a = 0, b = half; i < n; i++) {
        bool take_a = b == n || (a < half && keys[scratch[a]] >= keys[scratch[b]]);
        indices[i] = take_a ? scratch[a++] : scratch[b++];
    }
}

bool oribi__plan_alias_window(const plan_problem *problem, const oribi_plan_alias *alias,
                              plan_window *out)
{
    const oribi_plan_buffer *a = &problem->buffers[alias->a];
    const oribi_plan_buffer *b = &problem->buffers[alias->b];
    const int64_t lowest = -(int64_t)b->bytes;
    const int64_t highest = (int64_t)a->bytes;
    out->owner = alias->b;
    out->other = alias->a;
    out->from = alias->min_offset > lowest ? alias->min_offset : lowest;
    out->to = alias->max_offset < highest ? alias->max_offset : highest;
    return a->last_use == b->first_use && a->bytes && b->bytes && out->from <= out->to;
}

static bool window_is_before(const plan_window *window, int32_t owner, int32_t other)
{
    return window->owner < owner || (window->owner == owner && window->other < other);
}

const plan_window *oribi__plan_first_window(const plan_problem *problem, int32_t owner,
                                            int32_t other)
{
    int32_t low = 0;
    int32_t high = problem->n_windows;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (window_is_before(&problem->windows[middle], owner, other)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return &problem->windows[low];
}

static bool has_window(const plan_problem *problem, int32_t owner, int32_t other)
{
    const plan_window *window = oribi__plan_first_window(problem, owner, other);
    return window < problem->windows + problem->n_windows && window->owner == owner &&
           window->other == other;
}

/* Sorted by merge passes over indices, so that many aliases stay cheap. */
static bool collect_windows(plan_problem *problem)
{
    size_t n = (size_t)problem->n_aliases * 2;
    plan_window *raw = oribi_arena_array(&problem->arena, n + 1, sizeof(*raw));
    int32_t *order = oribi_arena_array(&problem->arena, n + 1, sizeof(*order));
    int32_t *scratch = oribi_arena_array(&problem->arena, n + 1, sizeof(*scratch));
    uint64_t *keys = oribi_arena_array(&problem->arena, n + 1, sizeof(*keys));
    problem->windows = oribi_arena_array(&problem->arena, n + 1, sizeof(plan_window));
    if (!raw || !order || !scratch || !keys || !problem->windows) {
        return false;
    }
    int32_t count = 0;
    for (int32_t i = 0; i < problem->n_aliases; i++) {
        plan_window window;
        if (oribi__plan_alias_window(problem, &problem->aliases[i], &window)) {
            raw[count++] = window;
            raw[count++] = (plan_window){window.other, window.owner, -window.to, -window.from};
        }
    }
    for (int32_t i = 0; i < count; i++) {
        order[i] = i;
        keys[i] = (uint64_t)INT64_MAX - (uint64_t)raw[i].from;
    }
    oribi__plan_sort(order, count, keys, scratch);
    for (int32_t i = 0; i < count; i++) {
        keys[i] = ~(((uint64_t)(uint32_t)raw[i].owner << 32) | (uint32_t)raw[i].other);
    }
    oribi__plan_sort(order, count, keys, scratch);
    for (int32_t i = 0; i < count; i++) {
        problem->windows[i] = raw[order[i]];
    }
    problem->n_windows = count;
    return true;
}

typedef struct edge_builder {
    int32_t *active; /* buffers that live at the present step */
    int32_t n_active;
    int64_t total; /* directed edges */
    int64_t *fill; /* NULL while counting */
} edge_builder;

static void link_pair(plan_problem *problem, edge_builder *builder, int32_t i, int32_t j)
{
    if (!builder->fill) {
        problem->edge_start[i + 1]++;
        problem->edge_start[j + 1]++;
        return;
    }
    uint32_t flag = 0;
    const oribi_plan_buffer *x = &problem->buffers[i];
    const oribi_plan_buffer *y = &problem->buffers[j];
    if (problem->n_windows && (x->last_use == y->first_use || y->last_use == x->first_use) &&
        has_window(problem, i, j)) {
        flag = PLAN_EDGE_ALIASED;
    }
    problem->edges[builder->fill[i]++] = (uint32_t)j | flag;
    problem->edges[builder->fill[j]++] = (uint32_t)i | flag;
}

/* Walks the buffers by first use and links each with those that still live. */
static bool sweep(plan_problem *problem, edge_builder *builder)
{
    builder->n_active = 0;
    for (int32_t k = 0; k < problem->n; k++) {
        int32_t j = problem->by_first_use[k];
        const oribi_plan_buffer *buffer = &problem->buffers[j];
        if (!buffer->bytes) {
            continue;
        }
        int32_t kept = 0;
        problem->work += (uint64_t)builder->n_active + 1;
        for (int32_t i = 0; i < builder->n_active; i++) {
            int32_t other = builder->active[i];
            if (problem->buffers[other].last_use >= buffer->first_use) {
                builder->active[kept++] = other;
                link_pair(problem, builder, other, j);
            }
        }
        builder->active[kept] = j;
        builder->n_active = kept + 1;
        builder->total += 2 * (int64_t)kept;
        if (builder->total > PLAN_MAX_EDGES) {
            return false;
        }
    }
    return true;
}

static bool build(plan_problem *problem)
{
    size_t n = (size_t)problem->n;
    edge_builder builder = {0};
    builder.active = oribi_arena_array(&problem->arena, n + 1, sizeof(int32_t));
    problem->edge_start = oribi_arena_array(&problem->arena, n + 2, sizeof(int64_t));
    if (!builder.active || !problem->edge_start || !collect_windows(problem)) {
        return false;
    }
    if (!sweep(problem, &builder)) {
        return true; /* too many: edges stays NULL */
    }
    for (size_t i = 0; i < n; i++) {
        problem->edge_start[i + 1] += problem->edge_start[i];
    }
    problem->edges =
        oribi_arena_array(&problem->arena, (size_t)builder.total + 1, sizeof(uint32_t));
    builder.fill = oribi_arena_array(&problem->arena, n + 1, sizeof(int64_t));
    if (!problem->edges || !builder.fill) {
        return false;
    }
    memcpy(builder.fill, problem->edge_start, n * sizeof(int64_t));
    builder.total = 0;
    return sweep(problem, &builder);
}

bool oribi__plan_build_edges(plan_problem *problem, TF_Status *status)
{
    return build(problem) || oribi_fail_memory(status);
}
