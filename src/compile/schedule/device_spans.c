/* SPDX-License-Identifier: Apache-2.0 */
/* When devices are held, by the schedule of hooks, and what lies in memories that only a device
 * sees. Such a memory is the run's from Open to Close, no longer: a value stays there from one
 * operator to the next while the device is held open, and goes through the host's memory otherwise.
 */
#include "compile/plan/planning.h"

#include <inttypes.h>
#include <string.h>

#include "compile/schedule/compile_steps.h"
#include "compile/schedule/schedule.h"
#include "tensor/status.h"

enum { CYCLES_PER_MAC = 4, DEFAULT_MHZ = 100 };

typedef struct span { /* in which a device is open */
    int32_t device;
    int32_t first, last; /* steps of the schedule: OPEN, CLOSE */
} span;

/* A value in the memory of a device during a span. */
typedef struct resident {
    oribi_value_id value;
    int32_t span;
    int32_t from, until; /* calls, both included */
    int32_t source; /* resident of a peer that it is copied from; -1: the host; -2: made here */
    bool leaves;    /* it is wanted outside */
} resident;

typedef struct stepping {
    oribi_program *c;
    oribi_devices *d;
    oribi_schedule_call *calls; /* those that run */
    int32_t *run_of, *call_of;  /* by call, -1: does not run; and back */
    int32_t n_runs;
    int32_t *producer;    /* by value: call, or -1 */
    oribi_value_id *root; /* by value: whose bytes it is */
    span *spans;
    int32_t n_spans;
    int32_t *span_of; /* by call, -1: no device with a memory */
    resident *residents;
    int32_t n_residents;
    TF_Status *status;
} stepping;

/* --- What runs -------------------------------------------------------------------------------- */

static bool runs(const oribi_call *call)
{
    return call->kernel != NULL || call->region != NULL;
}

static void find_producers(stepping *s)
{
    const oribi_program *c = s->c;
    for (int32_t i = 0; i < c->graph->n_values; i++) {
        s->producer[i] = -1;
        s->root[i] = i;
    }
    for (int32_t i = 0; i < c->n_calls; i++) {
        const oribi_call *call = &c->calls[i];
        s->run_of[i] = -1;
        for (int32_t k = 0; k < call->n_outputs; k++) {
            s->producer[call->node->outputs[k]] = i;
            s->root[call->node->outputs[k]] =
                call->is_view ? s->root[call->inputs[0]] : call->node->outputs[k];
        }
        if (runs(call)) {
            s->run_of[i] = s->n_runs;
            s->call_of[s->n_runs++] = i;
        }
    }
}

int64_t oribi_program_mhz(const oribi_program *c)
{
    return c->options->cpu_mhz > 0 ? (int64_t)c->options->cpu_mhz : DEFAULT_MHZ;
}

/* On the CPU: its multiplications, and a byte a cycle. */
int64_t oribi_program_estimate_cycles(const oribi_program *c, const oribi_call *call)
{
    int64_t cycles = call->macs * CYCLES_PER_MAC;
    for (int32_t k = 0; k < call->n_outputs; k++) {
        cycles += oribi_lower_bytes(c->graph->values[call->node->outputs[k]]);
    }
    return call->region != NULL ? call->region->us * oribi_program_mhz(c) : cycles;
}

int64_t oribi_program_estimate_us(const oribi_program *c, const oribi_call *call)
{
    return call->region != NULL ? call->region->us
                                : oribi_program_estimate_cycles(c, call) / oribi_program_mhz(c);
}

static bool describe_calls(stepping *s)
{
    const oribi_program *c = s->c;
    for (int32_t r = 0; r < s->n_runs; r++) {
        const oribi_call *call = &c->calls[s->call_of[r]];
        int32_t *needs = oribi_arena_array(&s->d->arena, (size_t)call->n_inputs + 1, sizeof *needs);
        int32_t n = 0;
        if (needs == NULL) {
            return oribi_fail_memory(s->status);
        }
        for (int32_t k = 0; k < call->n_inputs; k++) {
            const int32_t producer = s->producer[s->root[call->inputs[k]]];
            if (producer >= 0 && s->run_of[producer] >= 0) {
                needs[n++] = s->run_of[producer];
            }
        }
        s->calls[r] =
            (oribi_schedule_call){call->device - 1,
                                  oribi_program_estimate_us(c, call),
                                  needs,
                                  n,
                                  r - s->run_of[oribi_program_block(c, s->call_of[r])],
                                  call->region != NULL && call->region->code.shared != NULL};
    }
    return true;
}

/* Devices of one kind whose memories hand over to each other: one more than the first of them. */
static int32_t peers_of(const oribi_partition *p, int32_t device)
{
    const oribi_target *target = p->devices[device].target;
    for (int32_t i = 0; i < p->n_devices && target->memory_bytes > 0 && target->has_copy_peer;
         i++) {
        if (p->devices[i].target == target) {
            return i + 1;
        }
    }
    return 0;
}

static bool make_schedule(stepping *s)
{
    oribi_partition *p = &s->d->partition;
    oribi_schedule_device devices[ORIBI_DEVICES_MAX];
    for (int32_t i = 0; i < p->n_devices; i++) {
        const oribi_target *target = p->devices[i].target;
        devices[i] = (oribi_schedule_device){target->is_asynchronous != 0, target->activate_us,
                                             peers_of(p, i)};
    }
    if (!oribi_schedule_make(s->calls, s->n_runs, devices, p->n_devices,
                             (oribi_schedule_mode)s->c->options->device_schedule, &s->d->arena,
                             s->d->schedule)) {
        return oribi_fail_memory(s->status);
    }
    for (int32_t i = 0; i < s->c->n_calls; i++) {
        const int32_t run = s->run_of[i];
        const int32_t done = run >= 0 ? s->d->schedule->done[run] : 0;
        s->d->done[i] = run < 0 ? i + 1 : done < s->n_runs ? s->call_of[done] : s->c->n_calls;
    }
    for (int32_t i = 0; i < s->d->schedule->n_events; i++) {
        oribi_event *e = &s->d->schedule->events[i];
        e->call = e->call < s->n_runs ? s->call_of[e->call] : s->c->n_calls;
    }
    return true;
}

/* A call's descriptor stays until the call has ended: it lies behind those that are under way. */
static void find_slots(stepping *s)
{
    oribi_devices *d = s->d;
    const oribi_call *calls = s->c->calls;
    d->most_calls = d->most_tensors = 1;
    for (int32_t i = 0; i < s->c->n_calls; i++) {
        d->slot[i] = d->first_tensor[i] = 0;
        for (int32_t k = 0; k < i; k++) {
            if (calls[k].region != NULL && d->done[k] > i) {
                const int32_t end = d->first_tensor[k] + oribi_device_tensors(&calls[k]);
                d->slot[i] = d->slot[k] + 1 > d->slot[i] ? d->slot[k] + 1 : d->slot[i];
                d->first_tensor[i] = end > d->first_tensor[i] ? end : d->first_tensor[i];
            }
        }
        if (calls[i].region != NULL) {
            const int32_t end = d->first_tensor[i] + oribi_device_tensors(&calls[i]);
            d->most_calls = d->slot[i] + 1 > d->most_calls ? d->slot[i] + 1 : d->most_calls;
            d->most_tensors = end > d->most_tensors ? end : d->most_tensors;
        }
    }
}

/* --- Residents -------------------------------------------------------------------------------- */

static void find_spans(stepping *s)
{
    int32_t open[ORIBI_DEVICES_MAX];
    for (int32_t i = 0; i < s->c->n_calls; i++) {
        s->span_of[i] = -1;
    }
    for (int32_t i = 0; i < s->d->schedule->n_events; i++) {
        const oribi_event *e = &s->d->schedule->events[i];
        if (e->device < 0 || !oribi_device_has_memory(s->d, e->device)) {
            continue;
        }
        if (e->kind == ORIBI_EVENT_OPEN) {
            open[e->device] = s->n_spans;
            s->spans[s->n_spans++] = (span){e->device, i, i};
        } else if (e->kind == ORIBI_EVENT_CLOSE) {
            s->spans[open[e->device]].last = i;
        } else if (e->kind == ORIBI_EVENT_CALL || e->kind == ORIBI_EVENT_START) {
            s->span_of[e->call] = open[e->device];
        }
    }
}

static int32_t find_resident(const stepping *s, oribi_value_id value, int32_t at_span)
{
    for (int32_t i = s->n_residents - 1; i >= 0; i--) {
        if (s->residents[i].value == value && s->residents[i].span == at_span) {
            return i;
        }
    }
    return -1;
}

/* A resident of another device of the kind, still open before call `i`, that can hand over. */
static int32_t find_peer(const stepping *s, oribi_value_id value, int32_t call)
{
    const span *to = &s->spans[s->span_of[call]];
    const oribi_device_instance *devices = s->d->partition.devices;
    for (int32_t i = 0; i < s->n_residents; i++) {
        const span *from = &s->spans[s->residents[i].span];
        const oribi_target *target = devices[from->device].target;
        if (s->residents[i].value == value && from->device != to->device &&
            target == devices[to->device].target && target->has_copy_peer != 0 &&
            from->last > to->first && from->first < to->last &&
            s->d->schedule->events[from->last].call > call) {
            return i;
        }
    }
    return -1;
}

static void add_uses(stepping *s, int32_t i)
{
    const oribi_call *call = &s->c->calls[i];
    for (int32_t k = 0; k < call->n_inputs; k++) {
        const oribi_value_id value = s->root[call->inputs[k]];
        int32_t at = find_resident(s, value, s->span_of[i]);
        if (at < 0) {
            const int32_t peer = find_peer(s, value, i);
            at = s->n_residents++;
            s->residents[at] = (resident){value, s->span_of[i], i, i, peer, false};
            if (peer >= 0 && s->residents[peer].until < i) {
                s->residents[peer].until = i;
            }
        }
        s->residents[at].until = i;
    }
    for (int32_t k = 0; k < call->n_outputs; k++) {
        s->residents[s->n_residents++] =
            (resident){call->node->outputs[k], s->span_of[i], i, i, -2, false};
    }
}

/* Is the value, or a view of it, read off the device's span, but through peers? */
static bool is_wanted_outside(const stepping *s, const resident *r)
{
    const oribi_program *c = s->c;
    for (int32_t i = 0; i < c->n_calls; i++) {
        const oribi_call *call = &c->calls[i];
        for (int32_t k = 0; runs(call) && k < call->n_inputs; k++) {
            if (s->root[call->inputs[k]] != r->value || s->span_of[i] == r->span) {
                continue;
            }
            const int32_t at = s->span_of[i] >= 0 ? find_resident(s, r->value, s->span_of[i]) : -1;
            if (at < 0 || s->residents[at].source == -1) {
                return true;
            }
        }
    }
    for (int32_t i = 0; i < c->n_outputs; i++) {
        if (s->root[c->outputs[i].value] == r->value) {
            return true;
        }
    }
    for (int32_t i = 0; i < c->n_states; i++) {
        if (s->root[c->states[i].next] == r->value) {
            return true;
        }
    }
    return false;
}

static void find_residents(stepping *s)
{
    for (int32_t i = 0; i < s->c->n_calls; i++) {
        if (s->span_of[i] >= 0) {
            add_uses(s, i);
        }
    }
    for (int32_t i = 0; i < s->n_residents; i++) {
        resident *r = &s->residents[i];
        r->leaves = r->source == -2 && is_wanted_outside(s, r);
    }
    for (int32_t v = 0; v < s->c->graph->n_values; v++) {
        s->d->is_inside[v] = false;
        for (int32_t i = 0; i < s->n_residents; i++) {
            const resident *r = &s->residents[i];
            s->d->is_inside[v] =
                s->d->is_inside[v] || (r->source == -2 && r->value == s->root[v] && !r->leaves);
        }
    }
}

/* --- Places in a device's memory -------------------------------------------------------------- */

static int64_t bytes_of(const stepping *s, oribi_value_id value)
{
    return oribi_lower_bytes(s->c->graph->values[value]);
}

static int64_t bytes_of_call(const stepping *s, const oribi_call *call)
{
    int64_t bytes = call->scratch_bytes;
    for (int32_t k = 0; k < oribi_device_tensors(call) && k < call->n_inputs + call->n_outputs;
         k++) {
        bytes += bytes_of(s, k < call->n_inputs ? call->inputs[k]
                                                : call->node->outputs[k - call->n_inputs]);
    }
    return bytes;
}

/* The largest operator of the span that may go to the CPU. */
static void find_overfull(stepping *s, int32_t which)
{
    int64_t most = -1;
    for (int32_t i = 0; i < s->c->n_calls; i++) {
        const oribi_call *call = &s->c->calls[i];
        if (s->span_of[i] == which && !call->region->is_assigned && bytes_of_call(s, call) > most) {
            most = bytes_of_call(s, call);
            s->d->overfull = i;
        }
    }
}

static bool too_small(stepping *s, int32_t which, uint64_t bytes)
{
    const int32_t device = s->spans[which].device;
    const oribi_device_instance *d = &s->d->partition.devices[device];
    find_overfull(s, which);
    return oribi_fail(
        s->status, TF_RESOURCE_EXHAUSTED,
        "device '%s' has %" PRId64
        " bytes of memory, but the operators that it holds open together need %" PRIu64
        "; keep the largest off it with --assign NODE=cpu, or use another --device-schedule",
        d->name, d->target->memory_bytes, bytes);
}

/* Offsets of the residents of one span, and of the scratch of its calls. */
static bool place_span(stepping *s, int32_t which, int64_t *offsets, int64_t *scratch)
{
    const int32_t device = s->spans[which].device;
    const oribi_target *target = s->d->partition.devices[device].target;
    const size_t most = (size_t)s->n_residents + (size_t)s->c->n_calls;
    oribi_plan_buffer *buffers = oribi_arena_array(&s->d->arena, most + 1, sizeof *buffers);
    oribi_plan_pool pool = {0};
    oribi_plan_bounds bounds;
    int32_t n = 0;
    if (buffers == NULL) {
        return oribi_fail_memory(s->status);
    }
    const oribi_plan_buffer model = {
        .alignment = target->memory_alignment > 4 ? (uint64_t)target->memory_alignment : 4,
        .allowed_pools = 1,
    };
    for (int32_t i = 0; i < s->n_residents; i++) {
        const resident *r = &s->residents[i];
        if (r->span == which) {
            buffers[n] = model;
            buffers[n].bytes = (uint64_t)bytes_of(s, r->value);
            buffers[n].first_use = r->from;
            buffers[n++].last_use = r->until;
        }
    }
    for (int32_t i = 0; i < s->c->n_calls; i++) {
        if (s->span_of[i] == which && s->c->calls[i].scratch_bytes > 0) {
            buffers[n] = model;
            buffers[n].bytes = (uint64_t)s->c->calls[i].scratch_bytes;
            buffers[n].first_use = buffers[n].last_use = i;
            n++;
        }
    }
    ORIBI_TRY(n == 0 || oribi_plan_memory_search(buffers, n, NULL, 0, &pool, 1, &bounds,
                                                 ORIBI_PLAN_QUICK, s->status));
    n = 0;
    for (int32_t i = 0; i < s->n_residents; i++) {
        offsets[i] = s->residents[i].span == which ? (int64_t)buffers[n++].out_offset : offsets[i];
    }
    for (int32_t i = 0; i < s->c->n_calls; i++) {
        if (s->span_of[i] == which && s->c->calls[i].scratch_bytes > 0) {
            scratch[i] = (int64_t)buffers[n++].out_offset;
        }
    }
    int64_t *most_bytes = &s->d->memory_bytes[device];
    *most_bytes = (int64_t)pool.out_bytes > *most_bytes ? (int64_t)pool.out_bytes : *most_bytes;
    return pool.out_bytes <= (uint64_t)target->memory_bytes || too_small(s, which, pool.out_bytes);
}

static bool write_places(stepping *s, const int64_t *offsets, const int64_t *scratch)
{
    for (int32_t i = 0; i < s->c->n_calls; i++) {
        const oribi_call *call = &s->c->calls[i];
        s->d->places[i] = NULL;
        if (s->span_of[i] < 0) {
            continue;
        }
        const int32_t n = call->n_inputs + call->n_outputs;
        int64_t *places = oribi_arena_array(&s->d->arena, (size_t)n + 1, sizeof *places);
        if (places == NULL) {
            return oribi_fail_memory(s->status);
        }
        for (int32_t k = 0; k < n; k++) {
            const oribi_value_id value = k < call->n_inputs
                                             ? s->root[call->inputs[k]]
                                             : call->node->outputs[k - call->n_inputs];
            places[k] = offsets[find_resident(s, value, s->span_of[i])];
        }
        places[n] = scratch[i];
        s->d->places[i] = places;
    }
    return true;
}

/* --- Moves ------------------------------------------------------------------------------------ */

static void add_move(stepping *s, int32_t at, int32_t kind, const int64_t *offsets)
{
    const resident *r = &s->residents[at];
    const int32_t device = s->spans[r->span].device;
    oribi_step *move = &s->d->moves[s->d->n_moves++];
    *move = (oribi_step){
        .kind = kind,
        .device = device,
        .call = r->from,
        .owner = -1,
        .is_started = s->d->partition.devices[device].target->is_asynchronous != 0,
        .value = r->value,
        .offset = offsets[at],
        .bytes = bytes_of(s, r->value),
    };
    if (move->is_started && kind != TVM_DEVICE_HOOK_COPY_PEER) { /* which has no Start */
        move->mark = ORIBI_MARK_STARTED;
        move->sets = true;
    }
    if (kind == TVM_DEVICE_HOOK_COPY_PEER) {
        move->device = s->spans[s->residents[r->source].span].device;
        move->peer = device;
        move->offset = offsets[r->source];
        move->peer_offset = offsets[at];
    }
}

static void write_moves(stepping *s, const int64_t *offsets)
{
    s->d->n_moves = 0;
    for (int32_t i = 0; i < s->n_residents; i++) {
        const resident *r = &s->residents[i];
        if (r->source >= -1) {
            add_move(s, i, r->source >= 0 ? TVM_DEVICE_HOOK_COPY_PEER : TVM_DEVICE_HOOK_COPY_TO,
                     offsets);
        } else if (r->leaves) {
            add_move(s, i, TVM_DEVICE_HOOK_COPY_FROM, offsets);
        }
    }
}

static bool make_moves(stepping *s)
{
    int32_t most = 0;
    for (int32_t i = 0; i < s->c->n_calls; i++) {
        const oribi_call *call = &s->c->calls[i];
        most += call->region != NULL ? call->n_inputs + call->n_outputs : 0;
    }
    oribi_arena *arena = &s->d->arena;
    s->residents = oribi_arena_array(arena, (size_t)most + 1, sizeof *s->residents);
    int64_t *offsets = oribi_arena_array(arena, (size_t)most + 1, sizeof *offsets);
    int64_t *scratch = oribi_arena_array(arena, (size_t)s->c->n_calls + 1, sizeof *scratch);
    s->d->moves = oribi_arena_array(arena, (size_t)most + 1, sizeof *s->d->moves);
    if (s->residents == NULL || offsets == NULL || scratch == NULL || s->d->moves == NULL) {
        return oribi_fail_memory(s->status);
    }
    find_spans(s);
    find_residents(s);
    for (int32_t i = 0; i < s->n_spans; i++) {
        ORIBI_TRY(place_span(s, i, offsets, scratch));
    }
    ORIBI_TRY(write_places(s, offsets, scratch));
    write_moves(s, offsets);
    return true;
}

bool oribi_program_schedule(oribi_program *c, TF_Status *status)
{
    oribi_devices *d = &c->devices;
    const size_t n_calls = (size_t)c->n_calls + 1, n_values = (size_t)c->graph->n_values + 1;
    if (d->partition.n_devices == 0) {
        return true;
    }
    oribi_arena_destroy(&d->arena);
    d->arena = (oribi_arena){0};
    d->overfull = -1;
    memset(d->memory_bytes, 0, sizeof d->memory_bytes);
    oribi_arena *a = &d->arena;
    stepping s = {
        .c = c,
        .d = d,
        .calls = oribi_arena_array(a, n_calls, sizeof *s.calls),
        .run_of = oribi_arena_array(a, n_calls, sizeof *s.run_of),
        .call_of = oribi_arena_array(a, n_calls, sizeof *s.call_of),
        .producer = oribi_arena_array(a, n_values, sizeof *s.producer),
        .root = oribi_arena_array(a, n_values, sizeof *s.root),
        .spans = oribi_arena_array(a, n_calls, sizeof *s.spans),
        .span_of = oribi_arena_array(a, n_calls, sizeof *s.span_of),
        .status = status,
    };
    d->schedule = oribi_arena_array(a, 1, sizeof *d->schedule);
    d->staged = oribi_arena_array(a, n_calls, sizeof *d->staged);
    d->places = oribi_arena_array(a, n_calls, sizeof *d->places);
    d->is_inside = oribi_arena_array(a, n_values, sizeof *d->is_inside);
    d->done = oribi_arena_array(a, n_calls, sizeof *d->done);
    d->slot = oribi_arena_array(a, n_calls, sizeof *d->slot);
    d->first_tensor = oribi_arena_array(a, n_calls, sizeof *d->first_tensor);
    if (d->schedule == NULL || d->slot == NULL || d->first_tensor == NULL || s.calls == NULL ||
        s.run_of == NULL || s.call_of == NULL || s.producer == NULL || s.root == NULL ||
        s.spans == NULL || s.span_of == NULL || d->staged == NULL || d->places == NULL ||
        d->is_inside == NULL || d->done == NULL) {
        return oribi_fail_memory(status);
    }
    for (int32_t i = 0; d->staged != NULL && i < c->n_calls; i++) {
        const size_t n = c->calls[i].region != NULL ? (size_t)c->calls[i].n_inputs + 1 : 1;
        d->staged[i] = oribi_arena_array(a, n, sizeof *d->staged[i]);
        if (d->staged[i] == NULL) {
            return oribi_fail_memory(status);
        }
    }
    find_producers(&s);
    ORIBI_TRY(describe_calls(&s) && make_schedule(&s));
    find_slots(&s);
    return make_moves(&s);
}
