/* SPDX-License-Identifier: Apache-2.0 */
/* Which values lie at fixed places in scratch that operators of a device share? A value that is
 * made and read between two such operators lies there; another is copied there right before the
 * operator that reads it. No two may lie over each other while both are needed, but an output over
 * what its own operator reads: the device knows the order.
 */
#include "compile/plan/compile_memory.h"

#include "tensor/status.h"

typedef struct occupant { /* bytes of a shared scratch */
    int64_t offset, bytes;
    int32_t root;        /* of the scratch */
    int32_t first, read; /* calls: which writes it, which reads it last */
    int32_t end;         /* and until when that is under way */
    bool is_by_device;   /* the call `first` is the device's; else the CPU writes it before */
    oribi_value_id value;
} occupant;

/* Of a call; NULL: it has none. */
static const oribi_target_scratch *shared_of(const oribi_call *call)
{
    return call->region != NULL ? call->region->code.shared : NULL;
}

int32_t oribi__memory_shared(const oribi_memory *m, int32_t index)
{
    const oribi_target_scratch *shared = shared_of(&m->program->calls[index]);
    for (int32_t i = 0; shared != NULL && i <= index; i++) {
        const oribi_target_scratch *other = shared_of(&m->program->calls[i]);
        if (other != NULL && other->memory == shared->memory) {
            return m->program->graph->n_values + i;
        }
    }
    return -1;
}

int64_t oribi__memory_place(const oribi_memory *m, int32_t index, int32_t tensor)
{
    const oribi_target_scratch *shared = shared_of(&m->program->calls[index]);
    return shared != NULL ? shared->places[tensor] : -1;
}

void oribi__memory_init_shared(oribi_memory *m)
{
    const oribi_program *c = m->program;
    for (int32_t i = 0; i < c->n_calls; i++) {
        m->members[c->graph->n_values + i] = (oribi_memory_member){c->graph->n_values + i, 0};
        m->groups[c->graph->n_values + i] = (oribi_memory_group){
            .first = INT32_MAX, .last = -1, .input = -1, .output = -1, .state = -1, .buffer = -1};
        const int32_t root = oribi__memory_shared(m, i);
        if (root < 0) {
            continue;
        }
        oribi_memory_group *g = &m->groups[root];
        const int32_t device = c->calls[i].device - 1;
        const int32_t alignment = oribi_device_alignment(&c->devices, device);
        const int64_t bytes = oribi__memory_round_up(m, c->calls[i].scratch_bytes,
                                                     oribi_device_line(&c->devices, device));
        g->pools = (g->first == INT32_MAX ? UINT32_MAX : g->pools) & c->devices.pools[device] &
                   oribi_program_cpu_pools(c);
        g->bytes = bytes > g->bytes ? bytes : g->bytes;
        g->alignment = alignment > g->alignment ? alignment : g->alignment;
        g->first = i < g->first ? i : g->first;
        g->last = c->devices.done[i] - 1 > g->last ? c->devices.done[i] - 1 : g->last;
        g->is_fixed = true;
    }
}

/* --- Who lies where --------------------------------------------------------------------------- */

/* Does another operator work in the scratch while what is written before call `first` waits for
 * call `reader`? */
static bool is_crossed(const oribi_memory *m, int32_t root, int32_t first, int32_t reader)
{
    for (int32_t i = 0; i < reader; i++) {
        if (oribi__memory_shared(m, i) == root && m->program->devices.done[i] - 1 >= first) {
            return true;
        }
    }
    return false;
}

/* May the group of a value that the CPU makes lie in the scratch until call `index` reads it? */
static bool can_lie(const oribi_memory *m, int32_t group, int64_t offset, int32_t root,
                    int32_t index)
{
    const oribi_memory_group *g = &m->groups[group];
    return group != root && !g->is_fixed && offset == 0 && !g->is_carried && g->read == index &&
           oribi__memory_in_pool(m, group) && (g->pools & m->groups[root].pools) != 0 &&
           (g->output < 0 || m->program->ports_in_workspace) &&
           !is_crossed(m, root, g->first, index);
}

static bool differ(oribi_memory *m, const char *why, oribi_value_id a, oribi_value_id b)
{
    const oribi_graph *graph = m->program->graph;
    return oribi_fail(m->status, TF_INVALID_ARGUMENT,
                      "the scratch of a device cannot be laid out as the model has it: '%s' and "
                      "'%s' %s; was the file compiled for this order of operators?",
                      graph->values[a]->name, graph->values[b]->name, why);
}

static bool check_pair(oribi_memory *m, const occupant *a, const occupant *b)
{
    if (a->first > b->first || (a->first == b->first && a->is_by_device)) {
        const occupant *swap = a;
        a = b;
        b = swap;
    }
    const bool is_apart = a->root != b->root || a->offset >= b->offset + b->bytes ||
                          b->offset >= a->offset + a->bytes;
    const bool is_over = a->first == b->first && a->is_by_device == b->is_by_device ? false
                         : b->is_by_device ? a->read <= b->first
                                           : a->end < b->first;
    return is_apart || is_over || a->value == b->value ||
           differ(m, "lie over each other while both are needed", a->value, b->value);
}

/* An output is needed for no longer than the file has foreseen. */
static bool check_until(oribi_memory *m, int32_t index, int32_t output, const occupant *o)
{
    const oribi_program *c = m->program;
    for (int32_t i = index + 1; i < c->n_calls && i < o->read; i++) {
        const oribi_target_scratch *other = shared_of(&c->calls[i]);
        if (oribi__memory_shared(m, i) == o->root &&
            other->order >= shared_of(&c->calls[index])->until[output]) {
            return differ(m, "are used in another order than in the file", o->value,
                          c->calls[i].node->outputs[0]);
        }
    }
    return true;
}

/* Input k of a call: in the scratch, or copied there. */
static void lay_input(oribi_memory *m, int32_t index, int32_t k, occupant *out)
{
    const oribi_program *c = m->program;
    const oribi_value_id value = c->calls[index].inputs[k];
    int64_t offset;
    const int32_t root = oribi__memory_shared(m, index);
    const int32_t group = oribi__memory_root(m, value, &offset);
    const int64_t place = oribi__memory_place(m, index, k);
    oribi_location *staged = &c->devices.staged[index][k];
    *staged = (oribi_location){.buffer = -1};
    *out = (occupant){.offset = place,
                      .bytes = oribi_lower_bytes(c->graph->values[value]),
                      .root = root,
                      .first = index,
                      .read = index,
                      .end = c->devices.done[index] - 1,
                      .value = value};
    if (group == root && offset == place) {
        out->bytes = 0; /* an output of an earlier operator, which is there */
    } else if (can_lie(m, group, offset, root, index)) {
        out->first = m->groups[group].first;
        out->bytes = m->groups[group].bytes;
        oribi__memory_join(m, root, group, place);
        m->shares[value] = (oribi_share){ORIBI_SHARE_PART, value, index};
    } else {
        m->groups[group].pools &= oribi_program_cpu_pools(c);
        staged->bytes = out->bytes;
        staged->offset = place;
    }
}

static bool lay_output(oribi_memory *m, int32_t index, int32_t k, occupant *out)
{
    const oribi_program *c = m->program;
    const oribi_call *call = &c->calls[index];
    const oribi_value_id value = call->node->outputs[k];
    int64_t offset;
    const int32_t root = oribi__memory_shared(m, index);
    const int32_t group = oribi__memory_root(m, value, &offset);
    const int64_t place = oribi__memory_place(m, index, call->n_inputs + k);
    *out = (occupant){.offset = place,
                      .bytes = oribi_lower_bytes(c->graph->values[value]),
                      .root = root,
                      .first = index,
                      .read = m->groups[group].read,
                      .end = m->groups[group].last,
                      .is_by_device = true,
                      .value = value};
    if (group == root || offset != 0 || m->groups[group].is_carried ||
        !(oribi__memory_in_pool(m, group) || m->groups[group].last < 0)) {
        return differ(m, "must be one", value, value);
    }
    if (m->groups[group].last >= 0) {
        oribi__memory_join(m, root, group, place);
    }
    return check_until(m, index, k, out);
}

static int32_t count_places(const oribi_program *c)
{
    int32_t n = 0;
    for (int32_t i = 0; i < c->n_calls; i++) {
        const oribi_target_scratch *shared = shared_of(&c->calls[i]);
        n += shared != NULL ? shared->n_places : 0;
    }
    return n;
}

static bool check_orders(oribi_memory *m)
{
    const oribi_program *c = m->program;
    for (int32_t i = 0; i < c->n_calls; i++) {
        for (int32_t k = 0; k < i && shared_of(&c->calls[i]) != NULL; k++) {
            if (oribi__memory_shared(m, k) == oribi__memory_shared(m, i) &&
                shared_of(&c->calls[k])->order >= shared_of(&c->calls[i])->order) {
                return differ(m, "are made in another order than in the file",
                              c->calls[k].node->outputs[0], c->calls[i].node->outputs[0]);
            }
        }
    }
    return true;
}

bool oribi__memory_lay_shared(oribi_memory *m, oribi_arena *arena)
{
    const oribi_program *c = m->program;
    const int32_t most = count_places(c);
    if (most == 0) {
        return true;
    }
    occupant *all = oribi_arena_array(arena, (size_t)most, sizeof *all);
    int32_t n = 0;
    if (all == NULL) {
        return oribi_fail_memory(m->status);
    }
    ORIBI_TRY(check_orders(m));
    for (int32_t i = 0; i < c->n_calls; i++) {
        for (int32_t k = 0; k < c->calls[i].n_outputs && oribi__memory_shared(m, i) >= 0; k++) {
            ORIBI_TRY(oribi__memory_place(m, i, c->calls[i].n_inputs + k) < 0 ||
                      lay_output(m, i, k, &all[n++]));
        }
    }
    for (int32_t i = 0; i < c->n_calls; i++) {
        for (int32_t k = 0; k < c->calls[i].n_inputs && oribi__memory_shared(m, i) >= 0; k++) {
            if (oribi__memory_place(m, i, k) >= 0) {
                lay_input(m, i, k, &all[n++]);
            }
        }
    }
    for (int32_t i = 0; i < n; i++) {
        for (int32_t k = 0; k < i; k++) {
            ORIBI_TRY(check_pair(m, &all[i], &all[k]));
        }
    }
    return true;
}
