/* SPDX-License-Identifier: Apache-2.0 */
/* Where values and scratch live. Values that are the same bytes (views, operators in place) form a
 * group and are one buffer of the planner; a group that holds a model's input or output lives with
 * the caller, or in the workspace when that was asked for. Read next: ../pass/plan.h.
 */
#include <string.h>

#include "base/alloc.h"
#include "compile/compile_internal.h"
#include "tensor/status.h"

typedef struct group {
    int64_t bytes;
    int32_t first, last;   /* calls, both included */
    int32_t input, output; /* of the model, or -1 */
    int32_t buffer;        /* of the planner, or -1 */
    bool is_read_only;     /* a caller's input or a constant: never written over */
} group;

typedef struct planning {
    oribi_compile *compile;
    int32_t *parent; /* by value: union-find, the root is the group */
    group *groups;   /* by value; roots count */
    oribi_plan_buffer *buffers;
    oribi_plan_alias *aliases;
    int32_t n_buffers, n_aliases;
    bool *strict; /* by call: only what the planner can say exactly */
} planning;

static int32_t root_of(const planning *p, int32_t value)
{
    while (p->parent[value] != value) {
        value = p->parent[value];
    }
    return value;
}

static const oribi_value *value_of(const planning *p, int32_t id)
{
    return p->compile->graph->values[id];
}

/* --- Groups ---------------------------------------------------------------------------------- */

static void extend(group *g, int32_t step)
{
    g->first = step < g->first ? step : g->first;
    g->last = step > g->last ? step : g->last;
}

static void init_values(planning *p)
{
    oribi_compile *c = p->compile;
    for (int32_t i = 0; i < c->graph->n_values; i++) {
        p->parent[i] = i;
        p->groups[i] =
            (group){.first = INT32_MAX, .last = -1, .input = -1, .output = -1, .buffer = -1};
    }
    for (int32_t i = 0; i < c->n_inputs; i++) {
        group *g = &p->groups[c->inputs[i].value];
        g->input = i;
        g->is_read_only = !c->ports_in_workspace;
        g->bytes = c->inputs[i].bytes;
        extend(g, 0);
    }
    for (int32_t i = 0; i < c->n_outputs; i++) {
        group *g = &p->groups[c->outputs[i].value];
        if (g->input < 0 && g->output < 0 && value_of(p, c->outputs[i].value)->constant == NULL) {
            g->output = i;
            extend(g, c->n_calls);
        } else {
            c->copies[c->n_copies++] = (oribi_copy){c->outputs[i].value, i};
            extend(g, c->n_calls);
        }
    }
    for (int32_t i = 0; i < c->n_calls; i++) {
        const oribi_call *call = &c->calls[i];
        for (int32_t k = 0; k < call->n_inputs; k++) {
            extend(&p->groups[call->inputs[k]], i);
        }
        for (int32_t k = 0; k < call->n_outputs; k++) {
            const int32_t id = call->node->outputs[k];
            p->groups[id].bytes = oribi_lower_count(value_of(p, id)) *
                                  (int64_t)oribi_dtype_bytes(value_of(p, id)->dtype);
            extend(&p->groups[id], i);
        }
    }
}

static void join(planning *p, int32_t from, int32_t to)
{
    group *g = &p->groups[from], *h = &p->groups[to];
    p->parent[to] = from;
    extend(g, h->first);
    extend(g, h->last);
    g->bytes = h->bytes > g->bytes ? h->bytes : g->bytes;
    g->output = g->output >= 0 ? g->output : h->output;
}

/* The output of a view is its input's bytes. Where both ends belong to the caller, it is copied. */
static void join_views(planning *p)
{
    oribi_compile *c = p->compile;
    for (int32_t i = 0; i < c->n_calls; i++) {
        const oribi_call *call = &c->calls[i];
        if (!call->is_view) {
            continue;
        }
        const int32_t from = root_of(p, call->inputs[0]);
        const int32_t to = root_of(p, call->node->outputs[0]);
        const bool both = p->groups[to].output >= 0 &&
                          (p->groups[from].output >= 0 || p->groups[from].input >= 0 ||
                           value_of(p, from)->constant != NULL);
        if (both) {
            c->copies[c->n_copies++] = (oribi_copy){from, p->groups[to].output};
            p->groups[to].output = -1;
            extend(&p->groups[from], c->n_calls);
        }
        join(p, from, to);
    }
}

/* Operators that may work exactly in place, on an input that dies there. */
static void join_in_place(planning *p)
{
    oribi_compile *c = p->compile;
    for (int32_t i = 0; i < c->n_calls; i++) {
        const oribi_call *call = &c->calls[i];
        for (int32_t k = 0; k < call->n_aliases; k++) {
            const oribi_call_alias *alias = &call->aliases[k];
            const int32_t to = root_of(p, call->node->outputs[0]);
            const int32_t from = root_of(p, call->inputs[alias->input]);
            const group *g = &p->groups[from], *h = &p->groups[to];
            if ((alias->is_exact || alias->distance >= 0) && from != to && g->last == i &&
                h->first == i && !g->is_read_only && value_of(p, from)->constant == NULL &&
                g->bytes == h->bytes &&
                ((g->input < 0 && g->output < 0 && h->output < 0) || c->ports_in_workspace)) {
                join(p, from, to);
                break;
            }
        }
    }
}

/* --- Planner --------------------------------------------------------------------------------- */

static bool lives_in_workspace(const planning *p, int32_t root)
{
    const group *g = &p->groups[root];
    const bool is_port = g->input >= 0 || g->output >= 0;
    return g->last >= 0 && value_of(p, root)->constant == NULL &&
           (!is_port || p->compile->ports_in_workspace);
}

static int32_t add_buffer(planning *p, int64_t bytes, int32_t first, int32_t last)
{
    p->buffers[p->n_buffers] = (oribi_plan_buffer){
        .bytes = (uint64_t)bytes,
        .alignment = 4,
        .first_use = first,
        .last_use = last,
        .allowed_pools = 1,
    };
    return p->n_buffers++;
}

static void add_buffers(planning *p)
{
    oribi_compile *c = p->compile;
    for (int32_t i = 0; i < c->graph->n_values; i++) {
        if (p->parent[i] == i && lives_in_workspace(p, i)) {
            group *g = &p->groups[i];
            g->buffer = add_buffer(p, g->bytes, g->first, g->last);
            /* The caller writes and reads these; what it finds starts at the common alignment. */
            p->buffers[g->buffer].alignment =
                g->input >= 0 || g->output >= 0 ? ORIBI_WORKSPACE_ALIGNMENT : 4;
        }
    }
    for (int32_t i = 0; i < c->n_calls; i++) {
        if (c->calls[i].scratch_bytes > 0) {
            c->scratch[i].index = add_buffer(p, c->calls[i].scratch_bytes, i, i);
            c->scratch[i].storage = ORIBI_IN_WORKSPACE;
            c->scratch[i].bytes = c->calls[i].scratch_bytes;
        }
    }
}

static void add_aliases(planning *p)
{
    oribi_compile *c = p->compile;
    for (int32_t i = 0; i < c->n_calls; i++) {
        const oribi_call *call = &c->calls[i];
        for (int32_t k = 0; k < call->n_aliases; k++) {
            const int32_t from = root_of(p, call->inputs[call->aliases[k].input]);
            const int32_t to = root_of(p, call->node->outputs[0]);
            const group *g = &p->groups[from];
            const oribi_call_alias *alias = &call->aliases[k];
            if (from == to || g->buffer < 0 || g->last != i || p->groups[to].buffer < 0 ||
                p->groups[to].first != i || (alias->is_exact && p->strict[i])) {
                continue;
            }
            /* The planner's "exactly there or above" is narrowed by `is_kept`, below. */
            const int64_t offset = alias->is_exact       ? 0
                                   : alias->distance < 0 ? alias->distance
                                   : p->strict[i]        ? -1
                                                         : 0;
            p->aliases[p->n_aliases++] =
                (oribi_plan_alias){g->buffer, p->groups[to].buffer, offset, offset};
        }
    }
}

static void write_locations(planning *p)
{
    oribi_compile *c = p->compile;
    for (int32_t i = 0; i < c->graph->n_values; i++) {
        const int32_t root = root_of(p, i);
        const group *g = &p->groups[root];
        oribi_location *location = &c->locations[i];
        location->bytes = p->groups[i].bytes;
        if (g->buffer >= 0) {
            location->storage = ORIBI_IN_WORKSPACE;
            location->offset = (int64_t)p->buffers[g->buffer].out_offset;
        } else if (g->input >= 0) {
            location->storage = ORIBI_IN_INPUT;
            location->index = g->input;
        } else if (g->output >= 0) {
            location->storage = ORIBI_IN_OUTPUT;
            location->index = g->output;
        }
    }
    for (int32_t i = 0; i < c->n_calls; i++) {
        if (c->scratch[i].storage == ORIBI_IN_WORKSPACE) {
            c->scratch[i].offset = (int64_t)p->buffers[c->scratch[i].index].out_offset;
        }
    }
    for (int32_t i = 0; i < c->n_inputs; i++) {
        c->inputs[i].offset = c->locations[c->inputs[i].value].offset;
    }
    for (int32_t i = 0; i < c->n_outputs; i++) {
        c->outputs[i].offset = c->locations[c->outputs[i].value].offset;
    }
}

/* Does the call's output lie as its kernel allows? */
static bool is_kept(const planning *p, const oribi_call *call)
{
    for (int32_t k = 0; k < call->n_aliases; k++) {
        const oribi_call_alias *alias = &call->aliases[k];
        const int32_t from = p->groups[root_of(p, call->inputs[alias->input])].buffer;
        const int32_t to = p->groups[root_of(p, call->node->outputs[0])].buffer;
        if (from < 0 || to < 0 || from == to) {
            continue;
        }
        const oribi_plan_buffer *a = &p->buffers[from], *b = &p->buffers[to];
        const bool is_apart =
            a->out_offset + a->bytes <= b->out_offset || b->out_offset + b->bytes <= a->out_offset;
        const int64_t distance = (int64_t)b->out_offset - (int64_t)a->out_offset;
        if (!is_apart && (alias->is_exact ? distance != 0 : distance > alias->distance)) {
            return false;
        }
    }
    return true;
}

/* The largest sum of what is alive at a step, scratch apart. */
static int64_t live_sum(const planning *p)
{
    const oribi_compile *c = p->compile;
    int64_t largest = 0;
    for (int32_t step = 0; step <= c->n_calls; step++) {
        int64_t sum = 0;
        for (int32_t i = 0; i < c->graph->n_values; i++) {
            const group *g = &p->groups[i];
            sum +=
                p->parent[i] == i && g->first <= step && step <= g->last && lives_in_workspace(p, i)
                    ? g->bytes
                    : 0;
        }
        largest = sum > largest ? sum : largest;
    }
    return largest;
}

static bool plan_once(planning *p, oribi_plan_pool *pool, int64_t effort, TF_Status *status)
{
    oribi_compile *c = p->compile;
    p->n_buffers = p->n_aliases = c->n_copies = 0;
    init_values(p);
    join_views(p);
    c->floor_bytes = live_sum(p);
    join_in_place(p);
    add_buffers(p);
    add_aliases(p);
    return p->n_buffers == 0 ||
           oribi_plan_memory_search(p->buffers, p->n_buffers, p->aliases, p->n_aliases, pool, 1,
                                    &c->bounds, effort, status);
}

/* Plans until every overlap is one that its kernel allows; each round makes a call strict. */
static bool plan(planning *p, int64_t effort, TF_Status *status)
{
    oribi_compile *c = p->compile;
    oribi_plan_pool pool = {0};
    for (bool is_done = false; !is_done;) {
        ORIBI_TRY(plan_once(p, &pool, effort, status));
        is_done = true;
        for (int32_t i = 0; i < c->n_calls; i++) {
            if (!is_kept(p, &c->calls[i])) {
                p->strict[i] = true;
                is_done = false;
            }
        }
    }
    write_locations(p);
    c->workspace_bytes = (int64_t)pool.out_bytes;
    return true;
}

bool oribi_compile_plan(oribi_compile *compile, int64_t effort, TF_Status *status)
{
    const size_t n_values = (size_t)compile->graph->n_values;
    const size_t n_calls = (size_t)compile->n_calls;
    oribi_arena arena = {0};
    planning p = {
        .compile = compile,
        .parent = oribi_arena_array(&arena, n_values + 1, sizeof *p.parent),
        .groups = oribi_arena_array(&arena, n_values + 1, sizeof *p.groups),
        .buffers = oribi_arena_array(&arena, n_values + n_calls + 1, sizeof *p.buffers),
        .aliases = oribi_arena_array(&arena, n_calls * ORIBI_CALL_ALIASES + 1, sizeof *p.aliases),
        .strict = oribi_arena_array(&arena, n_calls + 1, sizeof *p.strict),
    };
    oribi_arena *keep = &compile->arena;
    compile->locations = oribi_arena_array(keep, n_values + 1, sizeof *compile->locations);
    compile->scratch = oribi_arena_array(keep, n_calls + 1, sizeof *compile->scratch);
    compile->copies =
        oribi_arena_array(keep, (size_t)compile->n_outputs + n_calls + 1, sizeof *compile->copies);
    compile->n_copies = 0;
    const bool has_memory = p.parent != NULL && p.groups != NULL && p.buffers != NULL &&
                            p.aliases != NULL && p.strict != NULL && compile->locations != NULL &&
                            compile->scratch != NULL && compile->copies != NULL;
    const bool ok = has_memory ? plan(&p, effort, status) : oribi_fail_memory(status);
    oribi_arena_destroy(&arena);
    return ok;
}
