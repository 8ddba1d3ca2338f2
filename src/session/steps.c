/* SPDX-License-Identifier: Apache-2.0 */
/* Flat steps and values of a session, from the graph, the device of each node and their order
 * (ahead.c).
 *
 * A value has one number for each memory it is needed in. Where that is not the memory it was made
 * in, a copy is a step too: from the host to a device just before the first that reads it there,
 * from a device to the host right after it was made, so that it is on the way early. What an
 * asynchronous kernel made is copied before its first reader, for the copy waits for the kernel.
 * The host waits
 * for such a copy just before it reads, and at the end once for all that a device still does.
 */
#include <string.h>

#include "base/alloc.h"
#include "session/pack/packs.h"
#include "session/session_internal.h"

/* --- Constants as kernels see them at creation ----------------------------------------------- */

static bool step_constant(void *arg, int32_t input, oribi_constant_view *out_view)
{
    const oribi_session_step *step = arg;
    return step->graph_constant(step->graph_arg, input, out_view);
}

static TF_Tensor *step_dense(void *arg, int32_t input, TF_Status *status)
{
    const oribi_session_step *step = arg;
    return step->graph_dense(step->graph_arg, input, status);
}

static void step_release(void *arg, int32_t input)
{
    oribi_session_step *step = arg;
    oribi_constant_view view;
    if (!step->released[input] && step_constant(step, input, &view)) {
        step->released[input] = true;
        step->graph_release(step->graph_arg, input);
    }
}

static void step_read(void *arg, int32_t input, const void *from, size_t bytes)
{
    const oribi_session_step *step = arg;
    step->graph_read(step->graph_arg, input, from, bytes);
}

/* --- What comes in which order --------------------------------------------------------------- */

typedef struct entry {      /* of the list that becomes the steps */
    const oribi_node *node; /* NULL: a transfer */
    oribi_value_id value;   /* that is copied; -1: none */
    int32_t device;         /* of the node */
    oribi_transfer transfer;
    const char *name;
} entry;

typedef struct flat {
    oribi_session *session;
    const oribi_graph *graph;
    const int32_t *devices; /* by place in the order */
    int32_t *sequence;      /* places, as the steps come */
    int32_t n_devices;
    int32_t *numbers; /* graph values times devices: number of the value in that memory, or -1 */
    int32_t *home;    /* graph values: memory they are made in */
    int32_t *mark;    /* graph values: mark of the copy to the host, or -1 */
    bool *on_host;    /* graph values: somebody needs it there */
    bool *is_owed;    /* graph values: made by an asynchronous kernel, and not copied there yet */
    int32_t next;
    int32_t waited[ORIBI_MAX_DEVICES]; /* marks below this one were waited for */
    const oribi_node *last[ORIBI_MAX_DEVICES];
    entry *entries;
    int32_t n_entries, capacity;
} flat;

static int32_t *number_at(const flat *f, oribi_value_id id, int32_t device)
{
    return &f->numbers[(size_t)id * (size_t)f->n_devices + (size_t)device];
}

/* Numbers the values that steps, inputs and outputs mention, in the order of mention. */
static int32_t number_value(flat *f, oribi_value_id id, int32_t device)
{
    int32_t *number = number_at(f, id, device);
    if (*number < 0) {
        *number = f->next++;
    }
    return *number;
}

static entry *add_entry(flat *f)
{
    if (f->n_entries == f->capacity) {
        const int32_t capacity = f->capacity * 2 + 64;
        entry *entries = oribi_realloc_array(f->entries, (size_t)capacity, sizeof *entries);
        if (entries == NULL) {
            return NULL;
        }
        f->entries = entries;
        f->capacity = capacity;
    }
    entry *added = &f->entries[f->n_entries++];
    *added = (entry){.value = -1};
    return added;
}

static bool add_transfer(flat *f, oribi_transfer transfer, oribi_value_id value, const char *name)
{
    entry *added = add_entry(f);
    if (added == NULL || name == NULL) {
        return false;
    }
    added->transfer = transfer;
    added->value = value;
    added->name = name;
    if (value >= 0) {
        (void)number_value(f, value, transfer.to);
    }
    return true;
}

/* --- Copies and waits ------------------------------------------------------------------------ */

static bool add_copy(flat *f, oribi_value_id id, int32_t from, int32_t to)
{
    const oribi_session_device *devices = f->session->devices;
    oribi_transfer transfer = {.from = from, .to = to, .mark = -1};
    transfer.kind = (uint8_t)(from == 0 ? ORIBI_TO_DEVICE
                              : to == 0 ? ORIBI_TO_HOST
                                        : ORIBI_ON_DEVICE);
    if (to == 0) {
        transfer.mark = f->session->devices[from].n_marks++;
        f->mark[id] = transfer.mark;
    }
    const char *name =
        oribi_arena_printf(&f->session->arena, "%s from %s to %s", f->graph->values[id]->name,
                           devices[from].name, devices[to].name);
    return add_transfer(f, transfer, id, name);
}

/* Name for a wait: the last node there, which it waits for at least. */
static const char *wait_name(const flat *f, int32_t device)
{
    return oribi_arena_printf(&f->session->arena, "wait for %s after %s",
                              f->session->devices[device].name,
                              f->last[device] != NULL ? f->last[device]->name : "copies");
}

static bool copy_owed(flat *f, oribi_value_id id)
{
    const bool is_owed = f->is_owed[id];
    f->is_owed[id] = false;
    return !is_owed || add_copy(f, id, f->home[id], 0);
}

/* The host is about to read its version of the value. */
static bool await(flat *f, oribi_value_id id)
{
    const int32_t device = f->home[id];
    const int32_t mark = f->mark[id];
    if (mark < 0 || mark < f->waited[device]) {
        return true;
    }
    for (int32_t i = 0; i < f->n_entries; i++) {
        oribi_transfer *copy = &f->entries[i].transfer;
        if (f->entries[i].node == NULL && copy->kind == ORIBI_TO_HOST && copy->from == device &&
            copy->mark == mark) {
            copy->is_awaited = true;
        }
    }
    f->waited[device] = mark + 1;
    const oribi_transfer wait = {.kind = ORIBI_WAIT, .from = device, .to = device, .mark = mark};
    return add_transfer(f, wait, -1, wait_name(f, device));
}

/* The value will be read in the memory of the device by the next entry. */
static bool bring(flat *f, oribi_value_id id, int32_t device)
{
    const int32_t home = f->home[id];
    ORIBI_TRY(copy_owed(f, id));
    if (device == 0) {
        return await(f, id);
    }
    if (*number_at(f, id, device) >= 0 || home == device ||
        f->graph->values[id]->constant != NULL) {
        return true; /* a constant is brought once, when the session is made */
    }
    if (home != 0 && oribi_place_is_direct(f->session, home, device)) {
        return add_copy(f, id, home, device);
    }
    return await(f, id) && add_copy(f, id, 0, device);
}

static void find_homes(flat *f)
{
    for (int32_t s = 0; s < f->graph->n_order; s++) {
        const oribi_node *node = f->graph->nodes[f->graph->order[s]];
        for (int32_t i = 0; i < node->n_outputs; i++) {
            f->home[node->outputs[i]] = oribi_place_of_output(node, i, f->devices[s]);
        }
    }
}

static void find_needs(flat *f)
{
    for (int32_t s = 0; s < f->graph->n_order; s++) {
        const oribi_node *node = f->graph->nodes[f->graph->order[s]];
        for (int32_t i = 0; i < node->n_inputs; i++) {
            const oribi_value_id id = node->inputs[i];
            if (id >= 0) {
                const int32_t wanted = oribi_place_of_input(node, i, f->devices[s]);
                const int32_t home = f->home[id];
                f->on_host[id] |= wanted == 0 || (home != 0 && wanted != home &&
                                                  !oribi_place_is_direct(f->session, home, wanted));
            }
        }
    }
    for (int32_t i = 0; i < f->graph->n_outputs; i++) {
        f->on_host[f->graph->outputs[i]] = true;
    }
}

/* The value was made on a device, and is needed on the host. */
static bool add_result(flat *f, const oribi_node *node, oribi_value_id id)
{
    f->is_owed[id] = oribi_flight_is_node(node);
    return f->is_owed[id] || add_copy(f, id, f->home[id], 0);
}

static bool add_node(flat *f, const oribi_node *node, int32_t device)
{
    for (int32_t i = 0; i < node->n_inputs && f->n_devices > 1; i++) {
        if (node->inputs[i] >= 0 &&
            !bring(f, node->inputs[i], oribi_place_of_input(node, i, device))) {
            return false;
        }
    }
    entry *added = add_entry(f);
    if (added == NULL) {
        return false;
    }
    added->node = node;
    added->device = device;
    f->last[device] = node;
    for (int32_t i = 0; i < node->n_inputs; i++) {
        if (node->inputs[i] >= 0) {
            (void)number_value(f, node->inputs[i], oribi_place_of_input(node, i, device));
        }
    }
    for (int32_t i = 0; i < node->n_outputs; i++) {
        const oribi_value_id id = node->outputs[i];
        const int32_t home = f->home[id];
        (void)number_value(f, id, home);
        if (home != 0 && f->on_host[id] && !add_result(f, node, id)) {
            return false;
        }
    }
    return true;
}

static bool list_entries(flat *f, TF_Status *status)
{
    const oribi_graph *graph = f->graph;
    find_homes(f);
    find_needs(f);
    for (int32_t i = 0; i < graph->n_inputs; i++) {
        (void)number_value(f, graph->inputs[i], 0);
    }
    for (int32_t k = 0; k < graph->n_order; k++) {
        const int32_t s = f->sequence[k];
        if (!add_node(f, graph->nodes[graph->order[s]], f->devices[s])) {
            return oribi_fail_memory(status);
        }
    }
    for (int32_t i = 0; i < graph->n_outputs; i++) {
        if (!copy_owed(f, graph->outputs[i])) {
            return oribi_fail_memory(status);
        }
    }
    for (int32_t device = 1; device < f->n_devices; device++) {
        const oribi_transfer wait = {.kind = ORIBI_WAIT_ALL, .from = device, .to = device};
        if (f->last[device] != NULL && !add_transfer(f, wait, -1, wait_name(f, device))) {
            return oribi_fail_memory(status);
        }
    }
    for (int32_t i = 0; i < graph->n_outputs; i++) {
        (void)number_value(f, graph->outputs[i], 0);
    }
    return true;
}

/* --- Steps ----------------------------------------------------------------------------------- */

static bool reserve_step(oribi_session *session, oribi_session_step *step, const oribi_node *node,
                         TF_Status *status)
{
    oribi_arena *arena = &session->arena;
    step->node = node;
    step->inputs = oribi_arena_array(arena, (size_t)node->n_inputs + 1, sizeof(int32_t));
    step->outputs = oribi_arena_array(arena, (size_t)node->n_outputs + 1, sizeof(int32_t));
    step->released = oribi_arena_array(arena, (size_t)node->n_inputs + 1, sizeof(bool));
    return (step->inputs != NULL && step->outputs != NULL && step->released != NULL) ||
           oribi_fail_memory(status);
}

static bool make_step(flat *f, oribi_session_step *step, const entry *from, TF_Status *status)
{
    const oribi_node *node = from->node;
    ORIBI_TRY(reserve_step(f->session, step, node, status));
    step->device = from->device;
    if (node->op == NULL) {
        return oribi_fail(status, TF_UNIMPLEMENTED, "node '%s': no op '%s' is registered",
                          node->name, node->op_name);
    }
    for (int32_t i = 0; i < node->n_inputs; i++) {
        step->inputs[i] =
            node->inputs[i] < 0
                ? -1
                : *number_at(f, node->inputs[i], oribi_place_of_input(node, i, from->device));
    }
    for (int32_t i = 0; i < node->n_outputs; i++) {
        step->outputs[i] = *number_at(f, node->outputs[i], f->home[node->outputs[i]]);
    }
    ORIBI_TRY(oribi_graph_node_view(f->session->graph, node, &step->view, status));
    step->view.device =
        from->device != 0 ? oribi_device_full_name(f->session->devices[from->device].device) : NULL;
    step->graph_arg = step->view.arg;
    step->graph_release = step->view.release_constant;
    step->graph_read = step->view.constant_read;
    step->graph_constant = step->view.constant_input;
    step->graph_dense = step->view.dense_constant;
    step->session = f->session;
    step->view.arg = step;
    step->view.packed_constant = oribi_packs_take;
    step->view.release_constant = step_release;
    step->view.constant_read = step_read;
    step->view.constant_input = step_constant;
    step->view.dense_constant = step_dense;
    return true;
}

/* A node of its own, which no graph knows; its input and output are the same value, elsewhere. */
static bool make_transfer(flat *f, oribi_session_step *step, const entry *from, TF_Status *status)
{
    oribi_arena *arena = &f->session->arena;
    const oribi_kernel_def *def = oribi_transfer_kernel(from->transfer.kind);
    const int32_t n = from->value >= 0 ? 1 : 0;
    oribi_node *node = oribi_arena_array(arena, 1, sizeof *node);
    oribi_transfer *transfer = oribi_arena_memdup(arena, &from->transfer, sizeof *transfer);
    oribi_value_id *value = oribi_arena_array(arena, 1, sizeof *value);
    if (node == NULL || transfer == NULL || value == NULL) {
        return oribi_fail_memory(status);
    }
    *value = from->value;
    *node = (oribi_node){.id = -1,
                         .name = from->name,
                         .op_name = def->op_name,
                         .n_inputs = n,
                         .n_outputs = n,
                         .inputs = value,
                         .outputs = value,
                         .device = "",
                         .origin = "",
                         .kernel = def};
    ORIBI_TRY(reserve_step(f->session, step, node, status));
    if (n > 0) {
        step->inputs[0] = *number_at(f, from->value, transfer->from);
        step->outputs[0] = *number_at(f, from->value, transfer->to);
    }
    step->view =
        (oribi_node_view){.name = node->name, .attrs = &node->attrs, .signature = &node->signature};
    step->kernel = (oribi_kernel){.def = def, .state = transfer, .node = &step->view};
    step->transfer = transfer;
    return true;
}

/* --- Values ---------------------------------------------------------------------------------- */

/* Host memory that a device reads or writes while the host goes on stays until the last wait. */
static void extend_lives(oribi_session *session)
{
    for (int32_t s = 0; s < session->n_steps; s++) {
        const oribi_session_step *step = &session->steps[s];
        for (int32_t i = 0; i < step->node->n_inputs; i++) {
            const bool is_async = step->device != 0 || step->transfer != NULL;
            if (is_async && step->inputs[i] >= 0 && session->values[step->inputs[i]].device == 0) {
                session->values[step->inputs[i]].last_use = session->n_steps - 1;
            }
        }
        if (step->transfer != NULL && step->transfer->kind == ORIBI_TO_HOST) {
            session->values[step->outputs[0]].last_use = session->n_steps - 1;
        }
    }
}

static void count_uses(oribi_session *session)
{
    for (int32_t s = 0; s < session->n_steps; s++) {
        const oribi_session_step *step = &session->steps[s];
        for (int32_t i = 0; i < step->node->n_outputs; i++) {
            session->values[step->outputs[i]].producer = s;
            session->values[step->outputs[i]].first_use = s;
            session->values[step->outputs[i]].last_use = s;
        }
        for (int32_t i = 0; i < step->node->n_inputs; i++) {
            if (step->inputs[i] >= 0) {
                session->values[step->inputs[i]].last_use = s;
                session->values[step->inputs[i]].n_uses++;
            }
        }
    }
    for (int32_t i = 0; i < session->n_inputs; i++) {
        session->values[session->inputs[i]].is_input = true;
    }
    for (int32_t i = 0; i < session->n_outputs; i++) {
        session->values[session->outputs[i]].is_output = true;
        session->values[session->outputs[i]].n_uses++;
    }
}

/* Which host values meet a device: of several, the last one that copies. */
static void note_crossings(oribi_session *session)
{
    for (int32_t s = 0; s < session->n_steps; s++) {
        const oribi_session_step *step = &session->steps[s];
        const oribi_transfer *transfer = step->transfer;
        if (transfer != NULL && transfer->kind == ORIBI_TO_DEVICE) {
            session->values[step->inputs[0]].crosses = transfer->to;
        } else if (transfer != NULL && transfer->kind == ORIBI_TO_HOST) {
            session->values[step->outputs[0]].crosses = transfer->from;
        }
    }
}

static void fill_values(const flat *f)
{
    oribi_session *session = f->session;
    for (int32_t id = 0; id < f->graph->n_values; id++) {
        for (int32_t device = 0; device < f->n_devices; device++) {
            const int32_t number = *number_at(f, id, device);
            const oribi_value *from = f->graph->values[id];
            if (number >= 0) {
                session->values[number] =
                    (oribi_session_value){.name = from->name,
                                          .dtype = from->dtype,
                                          .shape = from->shape,
                                          .producer = -1,
                                          .first_use = -1,
                                          .last_use = -1,
                                          .device = device,
                                          .is_constant = from->constant != NULL};
            }
        }
    }
    count_uses(session);
    extend_lives(session);
    note_crossings(session);
    oribi_steps_overlap(session);
}

/* --- All together ---------------------------------------------------------------------------- */

static bool begin(flat *f, TF_Status *status)
{
    const size_t n = (size_t)f->graph->n_values + 1;
    f->numbers = oribi_alloc_array(n, (size_t)f->n_devices * sizeof *f->numbers);
    f->sequence = oribi_alloc_array((size_t)f->graph->n_order + 1, sizeof *f->sequence);
    f->home = oribi_alloc_zero(n, sizeof *f->home);
    f->mark = oribi_alloc_array(n, sizeof *f->mark);
    f->on_host = oribi_alloc_zero(n, sizeof *f->on_host);
    f->is_owed = oribi_alloc_zero(n, sizeof *f->is_owed);
    if (f->numbers == NULL || f->sequence == NULL || f->home == NULL || f->mark == NULL ||
        f->on_host == NULL || f->is_owed == NULL) {
        return oribi_fail_memory(status);
    }
    memset(f->numbers, 0xff, n * (size_t)f->n_devices * sizeof *f->numbers);
    memset(f->mark, 0xff, n * sizeof *f->mark);
    return true;
}

static bool make_arrays(flat *f, TF_Status *status)
{
    oribi_session *session = f->session;
    oribi_arena *arena = &session->arena;
    const oribi_graph *graph = f->graph;
    session->n_inputs = graph->n_inputs;
    session->n_outputs = graph->n_outputs;
    session->n_states = graph->n_states;
    session->n_values = f->next;
    session->steps = oribi_arena_array(arena, (size_t)f->n_entries + 1, sizeof *session->steps);
    session->inputs = oribi_arena_array(arena, (size_t)graph->n_inputs + 1, sizeof(int32_t));
    session->outputs = oribi_arena_array(arena, (size_t)graph->n_outputs + 1, sizeof(int32_t));
    session->values = oribi_arena_array(arena, (size_t)f->next + 1, sizeof *session->values);
    if (session->steps == NULL || session->inputs == NULL || session->outputs == NULL ||
        session->values == NULL) {
        session->n_values = 0;
        return oribi_fail_memory(status);
    }
    session->n_steps = f->n_entries;
    for (int32_t i = 0; i < graph->n_inputs; i++) {
        session->inputs[i] = *number_at(f, graph->inputs[i], 0);
    }
    for (int32_t i = 0; i < graph->n_outputs; i++) {
        session->outputs[i] = *number_at(f, graph->outputs[i], 0);
    }
    for (int32_t s = 0; s < f->n_entries; s++) {
        const entry *from = &f->entries[s];
        oribi_session_step *step = &session->steps[s];
        ORIBI_TRY(from->node != NULL ? make_step(f, step, from, status)
                                     : make_transfer(f, step, from, status));
    }
    fill_values(f);
    return true;
}

bool oribi_steps_make(oribi_session *session, const int32_t *devices, TF_Status *status)
{
    flat f = {.session = session,
              .graph = session->graph,
              .devices = devices,
              .n_devices = session->n_devices};
    const bool ok = begin(&f, status) && oribi_steps_order(session, devices, f.sequence, status) &&
                    list_entries(&f, status) && make_arrays(&f, status);
    oribi_free(f.numbers);
    oribi_free(f.sequence);
    oribi_free(f.home);
    oribi_free(f.mark);
    oribi_free(f.on_host);
    oribi_free(f.is_owed);
    oribi_free(f.entries);
    return ok;
}
