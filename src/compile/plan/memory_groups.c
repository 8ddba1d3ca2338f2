/* SPDX-License-Identifier: Apache-2.0 */
/* Which values are the same bytes: views (a reshape, parts of a concatenation or a split), and
 * operators exactly in place. A group that holds a model's input or output lives with the caller,
 * or in a pool when that was asked for.
 */
#include "compile/plan/compile_memory.h"

#include <string.h>

#include "tensor/status.h"

int32_t oribi__memory_root(const oribi_memory *m, int32_t value, int64_t *out_offset)
{
    int64_t offset = 0;
    while (m->members[value].parent != value) {
        offset += m->members[value].offset;
        value = m->members[value].parent;
    }
    if (out_offset != NULL) {
        *out_offset = offset;
    }
    return value;
}

bool oribi__memory_in_pool(const oribi_memory *m, int32_t root)
{
    const oribi_memory_group *g = &m->groups[root];
    const bool is_port = g->input >= 0 || g->output >= 0;
    return g->last >= 0 && !g->is_constant && g->state < 0 &&
           (!is_port || m->program->ports_in_workspace);
}

/* The largest sum of what is alive at a step; scratch apart. */
static int64_t live_sum(const oribi_memory *m)
{
    const oribi_program *c = m->program;
    int64_t *change = m->changes; /* of live bytes at each step, from -1 on */
    memset(change, 0, ((size_t)c->n_calls + 3) * sizeof *change);
    for (int32_t i = 0; i < c->graph->n_values; i++) {
        const oribi_memory_group *g = &m->groups[i];
        if (m->members[i].parent == i && oribi__memory_in_pool(m, i)) {
            change[g->first + 1] += g->bytes;
            change[g->last + 2] -= g->bytes;
        }
    }
    int64_t largest = 0, sum = 0;
    for (int32_t step = 0; step < c->n_calls + 3; step++) {
        sum += change[step];
        largest = sum > largest ? sum : largest;
    }
    return largest;
}

/* --- Single values --------------------------------------------------------------------------- */

static void extend(oribi_memory_group *g, int32_t step)
{
    g->first = step < g->first ? step : g->first;
    g->last = step > g->last ? step : g->last;
}

static void read_at(oribi_memory_group *g, int32_t step)
{
    extend(g, step);
    g->read = step > g->read ? step : g->read;
}

static void align(oribi_memory_group *g, int32_t alignment)
{
    g->alignment = alignment > g->alignment ? alignment : g->alignment;
}

/* The caller writes and reads these; what it finds starts at the common alignment. */
static void add_ports(oribi_memory *m)
{
    oribi_program *c = m->program;
    for (int32_t i = 0; i < c->n_inputs; i++) {
        oribi_memory_group *g = &m->groups[c->inputs[i].value];
        g->input = i;
        g->is_read_only = !c->ports_in_workspace;
        g->bytes = c->inputs[i].bytes;
        align(g, ORIBI_WORKSPACE_ALIGNMENT);
        extend(g, -1); /* before the first call, which may write over another input */
        extend(g, 0);
    }
    for (int32_t i = 0; i < c->n_states; i++) {
        oribi_memory_group *g = &m->groups[c->states[i].read];
        g->state = i;
        g->is_read_only = true;
        g->bytes = c->states[i].bytes;
        extend(g, 0);
        read_at(&m->groups[c->states[i].next], c->n_calls); /* copied when all has run */
    }
    for (int32_t i = 0; i < c->n_outputs; i++) {
        oribi_memory_group *g = &m->groups[c->outputs[i].value];
        read_at(g, c->n_calls);
        if (g->state < 0 && g->input < 0 && g->output < 0 && !g->is_constant &&
            (!g->is_bound || c->ports_in_workspace)) {
            g->output = i;
            align(g, ORIBI_WORKSPACE_ALIGNMENT);
        } else {
            c->copies[c->n_copies++] = (oribi_copy){c->outputs[i].value, i};
        }
    }
}

/* A device may write back or drop whole cache lines: what it touches has its lines alone. */
static void touch_by_device(oribi_memory *m, oribi_memory_group *g, const oribi_call *call)
{
    const oribi_devices *devices = &m->program->devices;
    int32_t line = ORIBI_CACHE_LINE, alignment = line;
    if (call->region != NULL) {
        line = oribi_device_line(devices, call->device - 1);
        alignment = oribi_device_alignment(devices, call->device - 1);
    }
    align(g, alignment);
    g->bytes = oribi__memory_round_up(m, g->bytes, line);
}

/* tensor: of the call, its inputs, then its outputs */
static void touch(oribi_memory *m, int32_t value, int32_t step, int32_t tensor)
{
    oribi_memory_group *g = &m->groups[value];
    const oribi_devices *devices = &m->program->devices;
    if (devices->is_inside != NULL && devices->is_inside[value]) {
        return; /* it never leaves a device's memory */
    }
    read_at(g, step);
    if (m->program->calls[step].region != NULL) {
        extend(g, devices->done[step] - 1); /* until it has been waited for */
    }
    if (m->program->calls[step].device > 0 && oribi__memory_place(m, step, tensor) < 0) {
        touch_by_device(m, g, &m->program->calls[step]);
    }
    if (m->program->calls[step].kernel != NULL) {
        g->pools &= oribi_program_cpu_pools(m->program);
    }
}

/* A value that a device writes goes to a pool that it sees; the caller gets a copy of a result. */
static void bind_results(oribi_memory *m)
{
    const oribi_program *c = m->program;
    for (int32_t i = 0; i < c->n_calls; i++) {
        const oribi_call *call = &c->calls[i];
        for (int32_t k = 0; call->region != NULL && k < call->n_outputs; k++) {
            oribi_memory_group *g = &m->groups[call->node->outputs[k]];
            const int32_t device = call->device - 1;
            if (!oribi_device_has_memory(&c->devices, device)) {
                g->pools &= c->devices.pools[device];
                g->seen = c->devices.pools[device];
                g->is_bound = oribi_device_is_bound(c, device) ||
                              oribi__memory_place(m, i, call->n_inputs + k) >= 0;
            }
        }
    }
}

/* What is made before a loop's body and read in it is read in each iteration. */
static void keep_through_loops(oribi_memory *m)
{
    const oribi_program *c = m->program;
    for (int32_t k = 0; k < c->n_loops; k++) {
        const oribi_loop *loop = &c->loops[k];
        for (int32_t i = 0; i < c->graph->n_values; i++) {
            oribi_memory_group *g = &m->groups[i];
            if (g->first <= loop->begin && g->last > loop->begin) {
                read_at(g, loop->next);
            }
        }
    }
}

static void init_values(oribi_memory *m)
{
    oribi_program *c = m->program;
    for (int32_t i = 0; i < c->graph->n_values; i++) {
        const oribi_value *value = c->graph->values[i];
        const int32_t element = (int32_t)oribi_dtype_bytes(value->dtype);
        m->members[i] = (oribi_memory_member){i, 0};
        m->shares[i] = (oribi_share){.why = ORIBI_SHARE_NONE, .with = -1, .call = -1};
        m->groups[i] = (oribi_memory_group){.first = INT32_MAX,
                                            .last = -1,
                                            .read = -1,
                                            .input = -1,
                                            .output = -1,
                                            .state = -1,
                                            .buffer = -1,
                                            .alignment = element > 4 ? element : 4,
                                            .pools = oribi_program_all_pools(c),
                                            .is_constant = value->constant != NULL};
    }
    for (int32_t i = 0; i < c->n_calls; i++) {
        const oribi_node *node = c->calls[i].node;
        for (int32_t k = 0; k < c->calls[i].n_outputs; k++) {
            const oribi_value *value = c->graph->values[node->outputs[k]];
            m->groups[node->outputs[k]].bytes =
                oribi_lower_count(value) * (int64_t)oribi_dtype_bytes(value->dtype);
        }
    }
    bind_results(m);
    add_ports(m);
    for (int32_t i = 0; i < c->n_calls; i++) {
        const oribi_call *call = &c->calls[i];
        for (int32_t k = 0; k < call->n_inputs; k++) {
            touch(m, call->inputs[k], i, k);
        }
        for (int32_t k = 0; k < call->n_outputs; k++) {
            touch(m, call->node->outputs[k], i, call->n_inputs + k);
        }
    }
    keep_through_loops(m);
}

/* --- Groups ---------------------------------------------------------------------------------- */

/* The group `part` becomes bytes of the group `whole`, from offset on. Both are roots. */
void oribi__memory_join(oribi_memory *m, int32_t whole, int32_t part, int64_t offset)
{
    oribi_memory_group *g = &m->groups[whole];
    const oribi_memory_group *h = &m->groups[part];
    m->members[part] = (oribi_memory_member){whole, offset};
    extend(g, h->first);
    extend(g, h->last);
    g->read = h->read > g->read ? h->read : g->read;
    align(g, h->alignment);
    g->bytes = h->bytes + offset > g->bytes ? h->bytes + offset : g->bytes;
    g->output = g->output >= 0 ? g->output : h->output;
    g->input = g->input >= 0 ? g->input : h->input;
    g->state = g->state >= 0 ? g->state : h->state;
    g->is_read_only = g->is_read_only || h->is_read_only;
    g->is_bound = g->is_bound || h->is_bound;
    g->is_carried = g->is_carried || h->is_carried;
    g->seen = h->seen == 0 ? g->seen : h->seen;
    g->pools &= h->pools;
}

/* What is carried is the same bytes before, in and after the loop, as are what it collects and what
 * it counts. */
static void join_carried(oribi_memory *m)
{
    const oribi_program *c = m->program;
    for (int32_t k = 0; k < c->n_loops; k++) {
        const oribi_call *begin = &c->calls[c->loops[k].begin];
        const oribi_call *next = &c->calls[c->loops[k].next];
        for (int32_t i = 0; i < next->n_outputs; i++) {
            const int32_t from = begin->node->outputs[i], to = next->node->outputs[i];
            oribi__memory_join(m, from, to, 0);
            m->groups[from].is_carried = true;
            m->shares[to] = (oribi_share){ORIBI_SHARE_IN_PLACE, from, c->loops[k].next};
        }
    }
}

/* The output of a view is its input's bytes. Where both ends belong to the caller, it is copied. */
static void join_views(oribi_memory *m)
{
    oribi_program *c = m->program;
    for (int32_t i = 0; i < c->n_calls; i++) {
        const oribi_call *call = &c->calls[i];
        if (!call->is_view) {
            continue;
        }
        const int32_t input = call->inputs[0], output = call->node->outputs[0];
        const int32_t from = oribi__memory_root(m, input, NULL);
        const int32_t to = oribi__memory_root(m, output, NULL);
        const oribi_memory_group *g = &m->groups[from];
        if (m->groups[to].output >= 0 &&
            (g->output >= 0 || g->input >= 0 || g->state >= 0 || g->is_constant ||
             (g->is_bound && !c->ports_in_workspace))) {
            c->copies[c->n_copies++] = (oribi_copy){input, m->groups[to].output};
            m->groups[to].output = -1;
            extend(&m->groups[from], c->n_calls);
        }
        oribi__memory_join(m, from, to, 0);
        m->shares[output] = (oribi_share){ORIBI_SHARE_VIEW, input, i};
    }
}

/* May the part lie in the whole? Then all that shares bytes with it are views of it; and neither
 * is the caller's, whose pointers may be anywhere. */
static bool can_be_part(const oribi_memory *m, const oribi_call_view *view, int32_t *out_whole,
                        int32_t *out_part, int64_t *out_offset)
{
    int64_t in_whole, in_part;
    const int32_t whole = oribi__memory_root(m, view->whole, &in_whole);
    const int32_t part = oribi__memory_root(m, view->part, &in_part);
    const oribi_memory_group *g = &m->groups[part];
    *out_whole = whole;
    *out_part = part;
    *out_offset = in_whole + view->offset;
    return whole != part && in_part == 0 && !g->is_fixed && !m->groups[whole].is_fixed &&
           (g->pools & m->groups[whole].pools) != 0 && oribi__memory_in_pool(m, whole) &&
           oribi__memory_in_pool(m, part) && g->input < 0 && g->output < 0 &&
           m->groups[whole].input < 0 && !g->is_carried && !m->groups[whole].is_carried &&
           *out_offset % g->alignment == 0 &&
           g->bytes == oribi_lower_bytes(m->program->graph->values[view->part]);
}

/* Parts of concatenations and splits where they belong; a call all of whose parts are there needs
 * not run. */
static void join_parts(oribi_memory *m)
{
    oribi_program *c = m->program;
    for (int32_t i = 0; i < c->n_calls; i++) {
        oribi_call *call = &c->calls[i];
        int32_t n_joined = 0;
        for (int32_t k = 0; k < call->n_views && !call->forbids_views; k++) {
            const oribi_call_view *view = &call->views[k];
            int32_t whole, part;
            int64_t offset;
            if (can_be_part(m, view, &whole, &part, &offset)) {
                oribi__memory_join(m, whole, part, offset);
                m->shares[view->part] = (oribi_share){ORIBI_SHARE_PART, view->whole, i};
                n_joined++;
            }
        }
        call->is_elided = call->n_views > 0 && n_joined == call->n_views;
    }
}

/* Operators that may work exactly in place, on an input that dies there. */
static void join_in_place(oribi_memory *m)
{
    const oribi_program *c = m->program;
    for (int32_t i = 0; i < c->n_calls; i++) {
        const oribi_call *call = &c->calls[i];
        for (int32_t k = 0; k < call->n_aliases && !call->is_elided; k++) {
            const int32_t input = call->inputs[call->aliases[k].input];
            const int32_t from = oribi__memory_root(m, input, NULL);
            const int32_t to = oribi__memory_root(m, call->node->outputs[0], NULL);
            const oribi_memory_group *g = &m->groups[from], *h = &m->groups[to];
            const bool has_port = g->input >= 0 || g->output >= 0 || h->output >= 0;
            oribi_plan_alias window;
            if (g->bytes == h->bytes && (g->pools & h->pools) != 0 && !g->is_fixed &&
                !h->is_fixed && (!has_port || c->ports_in_workspace) &&
                oribi__memory_window(m, i, k, &window) && window.min_offset <= 0 &&
                window.max_offset >= 0) {
                oribi__memory_join(m, from, to, 0);
                m->shares[call->node->outputs[0]] = (oribi_share){ORIBI_SHARE_IN_PLACE, input, i};
                break;
            }
        }
    }
}

/* --- What devices read -------------------------------------------------------------------------
 */

/* The group that a device reads as input k; NULL: it has a memory of its own, and sees it there, or
 * it reads at a fixed place (memory_shared.c). */
static oribi_memory_group *read_by_device(const oribi_memory *m, int32_t index, int32_t k)
{
    const oribi_devices *d = &m->program->devices;
    const oribi_call *call = &m->program->calls[index];
    return call->region == NULL || oribi_device_has_memory(d, call->device - 1) ||
                   oribi__memory_place(m, index, k) >= 0
               ? NULL
               : &m->groups[oribi__memory_root(m, call->inputs[k], NULL)];
}

/* A value read by devices that see different pools stays where the CPU can copy it from. */
static void keep_for_copies(oribi_memory *m)
{
    const oribi_program *c = m->program;
    for (int32_t i = 0; i < c->n_calls; i++) {
        for (int32_t k = 0; k < c->calls[i].n_inputs; k++) {
            oribi_memory_group *g = read_by_device(m, i, k);
            if (g == NULL) {
                continue;
            }
            const uint32_t pools = c->devices.pools[c->calls[i].device - 1];
            g->pools &= g->seen != 0 && g->seen != pools ? oribi_program_cpu_pools(c) : UINT32_MAX;
            g->seen = pools;
        }
    }
}

/* A value that a device reads lies in a pool that it sees, or the CPU copies it to one first. */
static void bind_operands(oribi_memory *m)
{
    const oribi_program *c = m->program;
    for (int32_t i = 0; i < c->n_calls; i++) {
        const oribi_call *call = &c->calls[i];
        oribi_location *staged = call->region != NULL ? c->devices.staged[i] : NULL;
        for (int32_t k = 0; k < call->n_inputs; k++) {
            oribi_memory_group *g = read_by_device(m, i, k);
            if (g == NULL) {
                continue;
            }
            const uint32_t pools = c->devices.pools[call->device - 1];
            const int32_t root = oribi__memory_root(m, call->inputs[k], NULL);
            const bool is_in_pool = oribi__memory_in_pool(m, root);
            const bool is_elsewhere =
                is_in_pool ? (g->pools & pools) == 0
                           : (c->devices.named_by_pools >> (call->device - 1) & 1) != 0;
            staged[k] = (oribi_location){.buffer = -1};
            if (is_elsewhere) {
                staged[k].bytes = oribi_lower_bytes(c->graph->values[call->inputs[k]]);
            } else if (is_in_pool) {
                g->pools &= pools;
            }
        }
    }
}

bool oribi__memory_group(oribi_memory *m, oribi_arena *arena)
{
    m->program->n_copies = 0;
    init_values(m);
    oribi__memory_init_shared(m);
    join_carried(m);
    join_views(m);
    m->program->floor_bytes = live_sum(m);
    ORIBI_TRY(oribi__memory_lay_shared(m, arena));
    join_parts(m);
    if (!m->forbids_joins) {
        join_in_place(m);
    }
    if (m->program->devices.partition.n_devices > 0) {
        keep_for_copies(m);
        bind_operands(m);
    }
    return true;
}
