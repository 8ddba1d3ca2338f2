/* SPDX-License-Identifier: Apache-2.0 */
/* All that a run with devices does, in order: events of the schedule, copies, the cache, set-up of
 * calls; and what is done, in order, when it fails. */
#include "compile/schedule/compile_steps.h"

#include "compile/plan/planning.h"
#include "compile/schedule/schedule.h"
#include "tensor/status.h"

typedef struct lister {
    const oribi_program *c;
    const oribi_devices *d;
    oribi_step *steps; /* NULL: they are only counted */
    oribi_step spare;
    int32_t n;
    int32_t first;  /* step of the operator that is listed, */
    int32_t owner;  /* and its call; -1: it has not come yet */
    int32_t n_left; /* operators that have not */
} lister;

static const oribi_target *target_of(const lister *l, int32_t device)
{
    return l->d->partition.devices[device].target;
}

static void end_operator(lister *l)
{
    for (int32_t i = l->first; l->steps != NULL && i < l->n; i++) {
        l->steps[i].owner = l->owner;
    }
    l->first = l->n;
    l->owner = -1;
}

/* The next step ends what the operator has begun, or is a part of the next operator, if any. */
static void pass_on(lister *l, bool is_end)
{
    if (l->owner >= 0 && !is_end && l->n_left > 0) {
        end_operator(l);
    }
}

/* A hook that fails has begun nothing, and has ended what it was to end; but a Start that fails may
 * have begun something, and a Wait that fails may not have ended it. */
static const struct {
    oribi_mark mark;
    bool sets, is_early;
} marks[] = {
    [TVM_DEVICE_HOOK_ACTIVATE] = {ORIBI_MARK_ACTIVE, true, false},
    [TVM_DEVICE_HOOK_OPEN] = {ORIBI_MARK_OPEN, true, false},
    [TVM_DEVICE_HOOK_START] = {ORIBI_MARK_STARTED, true, true},
    [TVM_DEVICE_HOOK_WAIT] = {ORIBI_MARK_STARTED, false, false},
    [TVM_DEVICE_HOOK_CANCEL] = {ORIBI_MARK_STARTED, false, false},
    [TVM_DEVICE_HOOK_CLOSE] = {ORIBI_MARK_OPEN, false, true},
    [TVM_DEVICE_HOOK_DEACTIVATE] = {ORIBI_MARK_ACTIVE, false, true},
    [TVM_DEVICE_HOOK_LOAD] = {ORIBI_MARK_NONE, false, false},
    [ORIBI_STEP_DESCRIBE] = {ORIBI_MARK_NONE, false, false},
};

static oribi_step *add(lister *l, int32_t kind, int32_t device, int32_t call)
{
    oribi_step *step = l->steps != NULL ? &l->steps[l->n] : &l->spare;
    l->n++;
    *step = (oribi_step){.kind = kind,
                         .device = device,
                         .call = call,
                         .owner = -1,
                         .mark = marks[kind].mark,
                         .sets = marks[kind].sets,
                         .is_early = marks[kind].is_early,
                         .value = -1,
                         .offset = -1};
    return step;
}

/* --- Tensors ---------------------------------------------------------------------------------- */

/* Tensor k of a call: an input, an output, or the scratch behind them. */
static void add_tensor(lister *l, int32_t kind, int32_t index, int32_t k)
{
    const oribi_program *c = l->c;
    const oribi_call *call = &c->calls[index];
    const int32_t n = call->n_inputs + call->n_outputs;
    oribi_step *step = add(l, kind, call->device - 1, index);
    step->tensor = k;
    if (k < call->n_inputs) {
        step->value = call->inputs[k];
        step->place = l->d->staged[index][k].bytes > 0 ? &l->d->staged[index][k] : NULL;
    } else if (k < n) {
        step->value = call->node->outputs[k - call->n_inputs];
    } else {
        step->place = &c->scratch[index];
    }
    step->bytes =
        step->value >= 0 ? oribi_lower_bytes(c->graph->values[step->value]) : call->scratch_bytes;
    step->offset = l->d->places[index] != NULL ? l->d->places[index][k] : -1;
}

/* Does the call work in memory that the CPU has a cache of? */
static bool has_cache(const lister *l, int32_t index)
{
    return target_of(l, l->c->calls[index].device - 1)->has_cache_hooks != 0 &&
           l->d->places[index] == NULL;
}

/* Has the CPU no line of the value, before call `index`, that memory lacks? So it is with what a
 * device behind the same cache has written, perhaps is still about to write. */
static bool is_clean(const lister *l, int32_t index, oribi_value_id value)
{
    for (int32_t i = 0; i < index; i++) {
        const oribi_call *call = &l->c->calls[i];
        for (int32_t k = 0; call->region != NULL && k < call->n_outputs; k++) {
            if (call->node->outputs[k] == value) {
                return has_cache(l, i);
            }
        }
    }
    return false;
}

/* Drops the lines of what a call makes: before it, since one that the CPU wrote earlier could be
 * written back over the result; after it, since the CPU could have read one meanwhile. */
static void invalidate(lister *l, int32_t index, bool is_before)
{
    const oribi_call *call = &l->c->calls[index];
    const int32_t n = is_before ? oribi_device_tensors(call) : call->n_inputs + call->n_outputs;
    for (int32_t k = call->n_inputs; has_cache(l, index) && k < n; k++) {
        add_tensor(l, TVM_DEVICE_HOOK_CACHE_INVALIDATE, index, k);
    }
}

/* --- Operators -------------------------------------------------------------------------------- */

/* A value that the device cannot see where it lies is copied; what the CPU has written goes to
 * memory before the device reads it. */
static void prepare_inputs(lister *l, int32_t index)
{
    const oribi_call *call = &l->c->calls[index];
    const oribi_location *staged = l->d->staged[index];
    for (int32_t k = 0; k < call->n_inputs; k++) {
        if (staged[k].bytes > 0) {
            add_tensor(l, ORIBI_STEP_STAGE, index, k);
        }
    }
    for (int32_t k = 0; has_cache(l, index) && k < call->n_inputs; k++) {
        if (staged[k].bytes > 0 || !is_clean(l, index, call->inputs[k])) {
            add_tensor(l, TVM_DEVICE_HOOK_CACHE_CLEAN, index, k);
        }
    }
}

static void add_operator(lister *l, const oribi_event *e)
{
    const oribi_call *call = &l->c->calls[e->call];
    l->owner = e->call;
    l->n_left--;
    if (call->region == NULL) {
        add(l, ORIBI_STEP_KERNEL, e->device, e->call);
        return;
    }
    prepare_inputs(l, e->call);
    invalidate(l, e->call, true);
    for (int32_t k = 0; k < oribi_device_tensors(call); k++) {
        add_tensor(l, ORIBI_STEP_TENSOR, e->call, k);
    }
    if (target_of(l, e->device)->has_address != 0 && l->d->places[e->call] == NULL) {
        add(l, TVM_DEVICE_HOOK_ADDRESS, e->device, e->call);
    }
    add(l, ORIBI_STEP_DESCRIBE, e->device, e->call);
    if (oribi_target_has_load(target_of(l, e->device)) && call->region->code.params_bytes > 0) {
        add(l, TVM_DEVICE_HOOK_LOAD, e->device, e->call)->bytes =
            (int64_t)call->region->code.params_bytes;
    }
    if (e->kind == ORIBI_EVENT_START) {
        add(l, TVM_DEVICE_HOOK_START, e->device, e->call);
    } else {
        add(l, TVM_DEVICE_HOOK_INVOKE, e->device, e->call);
        invalidate(l, e->call, false);
    }
}

/* Copies into the memory of the call's device, or out of it. */
static void add_copies(lister *l, int32_t call, bool is_out)
{
    for (int32_t i = 0; i < l->d->n_moves; i++) {
        const oribi_step *move = &l->d->moves[i];
        if (move->call == call && (move->kind == TVM_DEVICE_HOOK_COPY_FROM) == is_out) {
            pass_on(l, is_out);
            *add(l, move->kind, move->device, call) = *move;
        }
    }
}

/* --- Events ----------------------------------------------------------------------------------- */

/* After a Wait: what the device has written is not to be read from the cache. */
static void add_wait(lister *l, const oribi_event *e)
{
    add(l, TVM_DEVICE_HOOK_WAIT, e->device, e->call);
    for (int32_t i = 0; i < l->c->n_calls; i++) {
        if (l->c->calls[i].device - 1 == e->device && l->d->done[i] == e->call) {
            invalidate(l, i, false);
        }
    }
}

static void add_lifecycle(lister *l, const oribi_event *e)
{
    static const int32_t hooks[] = {[ORIBI_EVENT_ACTIVATE] = TVM_DEVICE_HOOK_ACTIVATE,
                                    [ORIBI_EVENT_OPEN] = TVM_DEVICE_HOOK_OPEN,
                                    [ORIBI_EVENT_CLOSE] = TVM_DEVICE_HOOK_CLOSE,
                                    [ORIBI_EVENT_DEACTIVATE] = TVM_DEVICE_HOOK_DEACTIVATE};
    pass_on(l, e->kind == ORIBI_EVENT_WAIT || e->kind == ORIBI_EVENT_CLOSE ||
                   e->kind == ORIBI_EVENT_DEACTIVATE);
    if (e->kind == ORIBI_EVENT_WAIT) {
        add_wait(l, e);
    } else if (oribi_device_has_hooks(l->d, e->device)) {
        add(l, hooks[e->kind], e->device, e->call);
    }
}

static void list(lister *l)
{
    const oribi_program *c = l->c;
    for (int32_t i = 0; i < c->n_calls; i++) {
        l->n_left += oribi_call_is_operator(&c->calls[i]) ? 1 : 0;
    }
    for (int32_t i = 0; i < l->d->schedule->n_events; i++) {
        const oribi_event *e = &l->d->schedule->events[i];
        if (e->kind != ORIBI_EVENT_CALL && e->kind != ORIBI_EVENT_START) {
            add_lifecycle(l, e);
            continue;
        }
        add_copies(l, e->call, false);
        pass_on(l, false);
        if (oribi_call_is_operator(&c->calls[e->call])) { /* else its parts lie where they belong */
            add_operator(l, e);
        }
        add_copies(l, e->call, true);
    }
    end_operator(l);
}

/* --- Failure ---------------------------------------------------------------------------------- */

static void list_unwinding(lister *l)
{
    const int32_t n = l->d->partition.n_devices;
    for (int32_t i = n - 1; i >= 0; i--) {
        if (target_of(l, i)->is_asynchronous != 0) {
            add(l, TVM_DEVICE_HOOK_CANCEL, i, -1);
        }
    }
    for (int32_t i = n - 1; i >= 0; i--) {
        if (oribi_device_has_hooks(l->d, i) && i != l->d->host) {
            add(l, TVM_DEVICE_HOOK_CLOSE, i, -1);
        }
    }
    for (int32_t i = n - 1; i >= 0; i--) {
        const int32_t device = l->d->schedule->activation_order[i];
        if (oribi_device_has_hooks(l->d, device)) {
            add(l, TVM_DEVICE_HOOK_DEACTIVATE, device, -1);
        }
    }
}

bool oribi_program_make_steps(oribi_program *c, TF_Status *status)
{
    oribi_devices *d = &c->devices;
    if (d->partition.n_devices == 0) {
        return true;
    }
    lister counter = {.c = c, .d = d, .owner = -1};
    list(&counter);
    lister l = {.c = c, .d = d, .owner = -1};
    lister failing = {.c = c, .d = d, .owner = -1};
    l.steps = oribi_arena_array(&d->arena, (size_t)counter.n + 1, sizeof *l.steps);
    failing.steps =
        oribi_arena_array(&d->arena, 3 * (size_t)d->partition.n_devices, sizeof *failing.steps);
    if (l.steps == NULL || failing.steps == NULL) {
        return oribi_fail_memory(status);
    }
    list(&l);
    list_unwinding(&failing);
    d->steps = l.steps;
    d->n_steps = l.n;
    d->unwinding = failing.steps;
    d->n_unwinding = failing.n;
    return true;
}
