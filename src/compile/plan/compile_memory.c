/* SPDX-License-Identifier: Apache-2.0 */
/* Where values and scratch live: groups become buffers of the planner, its offsets become places.
 * Read next: memory_groups.c, memory_alias.c, ../../plan/plan.h.
 */
#include "compile/plan/compile_memory.h"

#include <string.h>

#include "base/alloc.h"
#include "tensor/status.h"

int64_t oribi__memory_round_up(oribi_memory *m, int64_t bytes, int32_t line)
{
    size_t padded;
    if (!oribi_size_round_up((size_t)bytes, (size_t)line, &padded)) {
        m->is_too_large = true;
        return bytes;
    }
    return (int64_t)padded;
}

/* --- Buffers --------------------------------------------------------------------------------- */

static int32_t add_buffer(oribi_memory *m, int64_t bytes, int32_t alignment, int32_t first,
                          int32_t last, uint32_t pools)
{
    m->buffers[m->n_buffers] = (oribi_plan_buffer){
        .bytes = (uint64_t)bytes,
        .alignment = (uint64_t)alignment,
        .first_use = first,
        .last_use = last,
        .allowed_pools = pools,
    };
    return m->n_buffers++;
}

/* Scratch of a device's call, and copies of what it does not see, until the call has ended. */
static void add_device_buffers(oribi_memory *m, int32_t index)
{
    const oribi_program *c = m->program;
    const oribi_call *call = &c->calls[index];
    const int32_t device = call->device - 1, last = c->devices.done[index] - 1;
    const int32_t alignment = oribi_device_alignment(&c->devices, device);
    const int32_t line = oribi_device_line(&c->devices, device);
    const uint32_t pools = c->devices.pools[device];
    const int32_t shared = oribi__memory_shared(m, index);
    m->scratch_buffer[index] = shared >= 0 ? m->groups[shared].buffer : -1;
    if (shared < 0 && call->scratch_bytes > 0 && c->devices.places[index] == NULL) {
        const int64_t bytes = oribi__memory_round_up(m, call->scratch_bytes, line);
        m->scratch_buffer[index] = add_buffer(m, bytes, alignment, index, last, pools);
    }
    for (int32_t k = 0; k < call->n_inputs; k++) {
        oribi_location *staged = &c->devices.staged[index][k];
        const int64_t bytes = oribi__memory_round_up(m, staged->bytes, line);
        staged->buffer = -1;
        if (bytes > 0 && oribi__memory_place(m, index, k) >= 0) {
            staged->buffer = m->groups[shared].buffer;
        } else if (bytes > 0) {
            staged->buffer =
                add_buffer(m, bytes, alignment, index, last, pools & oribi_program_cpu_pools(c));
        }
    }
}

static void add_buffers(oribi_memory *m)
{
    const oribi_program *c = m->program;
    m->n_buffers = 0;
    for (int32_t i = 0; i < c->graph->n_values + c->n_calls; i++) {
        oribi_memory_group *g = &m->groups[i];
        if (m->members[i].parent == i && oribi__memory_in_pool(m, i)) {
            g->buffer = add_buffer(m, g->bytes, g->alignment, g->first, g->last, g->pools);
        }
    }
    for (int32_t i = 0; i < c->n_calls; i++) {
        if (c->calls[i].region != NULL) {
            add_device_buffers(m, i);
        } else {
            const int64_t bytes = c->calls[i].is_elided ? 0 : c->calls[i].scratch_bytes;
            m->scratch_buffer[i] = bytes > 0 ? add_buffer(m, bytes, ORIBI_SCRATCH_ALIGNMENT, i, i,
                                                          oribi_program_cpu_pools(c))
                                             : -1;
        }
    }
}

static void add_aliases(oribi_memory *m)
{
    const oribi_program *c = m->program;
    m->n_aliases = 0;
    for (int32_t i = 0; i < c->n_calls; i++) {
        const oribi_call *call = &c->calls[i];
        for (int32_t k = 0; k < call->n_aliases && !call->is_elided; k++) {
            oribi_plan_alias alias;
            if (!oribi__memory_window(m, i, k, &alias)) {
                continue;
            }
            alias.a = m->groups[alias.a].buffer;
            alias.b = m->groups[alias.b].buffer;
            if (alias.a >= 0 && alias.b >= 0) {
                m->alias_calls[m->n_aliases] = i;
                m->aliases[m->n_aliases++] = alias;
            }
        }
    }
}

/* --- Plan ------------------------------------------------------------------------------------ */

typedef struct outcome {
    oribi_plan_bounds bounds;
    oribi_plan_pool pools[ORIBI_POOLS];
} outcome;

enum { FOR_BOUND = 1 }; /* an effort: the plan itself is not wanted, and may be of any size */

static bool plan_groups(oribi_memory *m, bool forbids_joins, int64_t effort, outcome *out,
                        TF_Status *status)
{
    const oribi_program *c = m->program;
    *out = (outcome){0};
    m->forbids_joins = forbids_joins;
    m->is_too_large = false;
    m->status = status;
    oribi_arena scratch = {0};
    const bool is_laid = oribi__memory_group(m, &scratch);
    oribi_arena_destroy(&scratch);
    ORIBI_TRY(is_laid);
    add_buffers(m);
    if (m->is_too_large) {
        return oribi_fail(status, TF_RESOURCE_EXHAUSTED,
                          "the workspace exceeds the address space: a value or scratch memory of a "
                          "device has no size in whole cache lines");
    }
    add_aliases(m);
    for (int32_t p = 0; p < c->n_pools; p++) {
        out->pools[p].max_bytes = effort != FOR_BOUND ? c->pools[p].max_bytes : 0;
    }
    return m->n_buffers == 0 ||
           oribi_plan_memory_search(m->buffers, m->n_buffers, m->aliases, m->n_aliases, out->pools,
                                    c->n_pools, &out->bounds, effort, status);
}

/* The planner knows pools by number; the caller by name. */
static bool name_pools(const oribi_program *c, TF_Status *status)
{
    oribi_text text = {0};
    for (int32_t p = 0; p < c->n_pools; p++) {
        oribi_text_printf(&text, "%s%d is '%s'", p > 0 ? ", " : "", (int)p, c->pools[p].name);
    }
    char *why = oribi_strdup(TF_Message(status));
    if (TF_GetCode(status) == TF_RESOURCE_EXHAUSTED && c->pools_are_limited && why != NULL) {
        oribi_fail(status, TF_RESOURCE_EXHAUSTED,
                   "the workspace does not fit into what --pool gives (%s): %s",
                   oribi_text_string(&text), why);
    }
    oribi_free(why);
    oribi_text_destroy(&text);
    return false;
}

/* Is `a` better than `b`? As the planner compares: what the last pool holds weighs most. */
static bool is_smaller(const oribi_program *c, const outcome *a, const outcome *b)
{
    for (int32_t p = c->n_pools - 1; p >= 0; p--) {
        if (a->pools[p].out_bytes != b->pools[p].out_bytes) {
            return a->pools[p].out_bytes < b->pools[p].out_bytes;
        }
    }
    return false;
}

/* Values exactly in place are one buffer each, which is quick and as a rule the best; where that is
 * above the bound, they are left to the search. */
static bool plan(oribi_memory *m, int64_t effort, outcome *out, TF_Status *status)
{
    const oribi_program *c = m->program;
    outcome joined, free;
    ORIBI_TRY(plan_groups(m, true, c->n_pools > 1 ? effort / 2 : FOR_BOUND, &free, status));
    ORIBI_TRY(plan_groups(m, false, effort, &joined, status));
    *out = joined;
    out->bounds.bound_bytes = free.bounds.bound_bytes;
    if (c->n_pools > 1 ? is_smaller(c, &free, &joined)
                       : joined.pools[0].out_bytes > free.bounds.bound_bytes) {
        const bool fits = plan_groups(m, true, effort, &free, status);
        ORIBI_TRY(fits || (c->pools_are_limited && TF_GetCode(status) == TF_RESOURCE_EXHAUSTED));
        TF_SetStatus(status, TF_OK, "");
        if (fits && is_smaller(c, &free, &joined)) {
            *out = free;
        } else {
            ORIBI_TRY(plan_groups(m, false, effort, &joined, status));
        }
    }
    return true;
}

/* --- Places ---------------------------------------------------------------------------------- */

static oribi_location place_of(const oribi_memory *m, int32_t value)
{
    int64_t offset;
    const int32_t root = oribi__memory_root(m, value, &offset);
    const oribi_memory_group *g = &m->groups[root];
    oribi_location place = {.offset = offset, .buffer = g->buffer};
    place.bytes = g->last < 0 ? 0 : oribi_lower_bytes(m->program->graph->values[value]);
    if (g->buffer >= 0) {
        place.storage = ORIBI_IN_WORKSPACE;
        place.index = m->buffers[g->buffer].out_pool;
        place.offset += (int64_t)m->buffers[g->buffer].out_offset;
    } else if (g->state >= 0) {
        place.storage = ORIBI_IN_STATE;
        place.index = g->state;
    } else if (g->input >= 0) {
        place.storage = ORIBI_IN_INPUT;
        place.index = g->input;
    } else if (g->output >= 0) {
        place.storage = ORIBI_IN_OUTPUT;
        place.index = g->output;
    }
    return place;
}

static void write_places(const oribi_memory *m)
{
    oribi_program *c = m->program;
    for (int32_t i = 0; i < c->graph->n_values; i++) {
        c->locations[i] = place_of(m, i);
    }
    for (int32_t i = 0; i < c->n_calls; i++) {
        const int32_t buffer = m->scratch_buffer[i];
        c->scratch[i] = (oribi_location){.buffer = buffer};
        if (buffer >= 0) {
            c->scratch[i].storage = ORIBI_IN_WORKSPACE;
            c->scratch[i].index = m->buffers[buffer].out_pool;
            c->scratch[i].bytes = c->calls[i].scratch_bytes;
            c->scratch[i].offset = (int64_t)m->buffers[buffer].out_offset;
        }
    }
    for (int32_t i = 0; i < c->n_calls; i++) {
        for (int32_t k = 0; c->calls[i].region != NULL && k < c->calls[i].n_inputs; k++) {
            oribi_location *staged = &c->devices.staged[i][k];
            if (staged->buffer >= 0) {
                staged->storage = ORIBI_IN_WORKSPACE;
                staged->index = m->buffers[staged->buffer].out_pool;
                staged->offset += (int64_t)m->buffers[staged->buffer].out_offset;
            }
        }
    }
    for (int32_t i = 0; i < c->n_inputs; i++) {
        c->inputs[i].offset = c->locations[c->inputs[i].value].offset;
    }
    for (int32_t i = 0; i < c->n_outputs; i++) {
        c->outputs[i].offset = c->locations[c->outputs[i].value].offset;
    }
}

/* Keeps what the reports tell. */
static void keep(const oribi_memory *m, const outcome *out)
{
    oribi_program *c = m->program;
    const size_t n = (size_t)m->n_buffers, n_aliases = (size_t)m->n_aliases;
    memcpy(c->buffers, m->buffers, n * sizeof *c->buffers);
    memcpy(c->aliases, m->aliases, n_aliases * sizeof *c->aliases);
    memcpy(c->alias_calls, m->alias_calls, n_aliases * sizeof *c->alias_calls);
    c->n_buffers = m->n_buffers;
    c->n_aliases = m->n_aliases;
    c->bounds = out->bounds;
    c->workspace_bytes = 0;
    for (int32_t p = 0; p < c->n_pools; p++) {
        c->pools[p].bytes = (int64_t)out->pools[p].out_bytes;
        c->workspace_bytes += c->pools[p].bytes;
    }
}

/* Plans are tried again and again: what they leave is allocated once. */
static void *keep_array(oribi_program *c, void *made, size_t n, size_t bytes)
{
    return made != NULL ? made : oribi_arena_array(&c->arena, n, bytes);
}

bool oribi_program_plan(oribi_program *c, int64_t effort, TF_Status *status)
{
    const size_t n_values = (size_t)c->graph->n_values + 1, n_calls = (size_t)c->n_calls + 1;
    const size_t n_aliases = n_calls * ORIBI_CALL_ALIASES;
    size_t n_buffers = n_values + n_calls;
    for (int32_t i = 0; i < c->n_calls; i++) {
        n_buffers += c->calls[i].region != NULL ? (size_t)c->calls[i].n_inputs : 0;
    }
    oribi_arena arena = {0};
    oribi_memory m = {
        .program = c,
        .members = oribi_arena_array(&arena, n_values + n_calls, sizeof *m.members),
        .groups = oribi_arena_array(&arena, n_values + n_calls, sizeof *m.groups),
        .buffers = oribi_arena_array(&arena, n_buffers, sizeof *m.buffers),
        .aliases = oribi_arena_array(&arena, n_aliases, sizeof *m.aliases),
        .alias_calls = oribi_arena_array(&arena, n_aliases, sizeof *m.alias_calls),
        .scratch_buffer = oribi_arena_array(&arena, n_calls, sizeof *m.scratch_buffer),
        .changes = oribi_arena_array(&arena, n_calls + 2, sizeof *m.changes),
    };
    m.shares = c->shares = keep_array(c, c->shares, n_values, sizeof *c->shares);
    c->locations = keep_array(c, c->locations, n_values, sizeof *c->locations);
    c->scratch = keep_array(c, c->scratch, n_calls, sizeof *c->scratch);
    c->copies = keep_array(c, c->copies, (size_t)c->n_outputs + n_calls, sizeof *c->copies);
    c->buffers = keep_array(c, c->buffers, n_buffers, sizeof *c->buffers);
    c->aliases = keep_array(c, c->aliases, n_aliases, sizeof *c->aliases);
    c->alias_calls = keep_array(c, c->alias_calls, n_aliases, sizeof *c->alias_calls);
    const bool has_memory = m.members != NULL && m.groups != NULL && m.buffers != NULL &&
                            m.aliases != NULL && m.alias_calls != NULL &&
                            m.scratch_buffer != NULL && m.changes != NULL && c->shares != NULL &&
                            c->locations != NULL && c->scratch != NULL && c->copies != NULL &&
                            c->buffers != NULL && c->aliases != NULL && c->alias_calls != NULL;
    outcome out;
    bool ok = has_memory || oribi_fail_memory(status);
    ok = ok && (plan(&m, effort, &out, status) || name_pools(c, status));
    if (ok) {
        write_places(&m);
        keep(&m, &out);
    }
    oribi_arena_destroy(&arena);
    return ok;
}
