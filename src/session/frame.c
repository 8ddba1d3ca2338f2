/* SPDX-License-Identifier: Apache-2.0 */
/* Memory and slots of one run: laid out by a plan, restored after each run, left to the handles
 * when a kernel keeps one. Not here: what kernels ask beyond the plan (frame_host.c), what happens
 * between steps (frame_step.c).
 */
#include "session/session_internal.h"

#include <string.h>

#include "base/alloc.h"
#include "session/batch/batch.h"
#include "session/control/control.h"
#include "session/flight/flight.h"
#include "session/session_guard.h"

oribi_frame *oribi_frame_create(oribi_session *session, struct oribi_run *run, TF_Status *status)
{
    oribi_frame *frame = oribi_alloc_zero(1, sizeof *frame);
    if (frame == NULL || !oribi_context_init(&frame->ctx, &oribi_frame_host, run->signal, status)) {
        oribi_free(frame);
        oribi_fail_memory(status);
        return NULL;
    }
    oribi_session_retain(session);
    frame->session = session;
    frame->run = run;
    frame->ctx.pool = session->pool;
    frame->ctx.resources = session->resources;
    frame->ctx.graph_version = (int32_t)session->graph->producer_version;
    frame->spilled = oribi_alloc_array((size_t)session->n_values + 1, sizeof *frame->spilled);
    int32_t most = 1;
    for (int32_t i = 0; i < session->n_steps; i++) {
        most = session->steps[i].node->n_outputs > most ? session->steps[i].node->n_outputs : most;
    }
    frame->late = oribi_alloc_zero((size_t)most, sizeof *frame->late);
    if (frame->spilled == NULL || frame->late == NULL) {
        oribi_frame_destroy(frame);
        oribi_fail_memory(status);
        return NULL;
    }
    return frame;
}

static void free_slots(oribi_frame *frame)
{
    for (int32_t i = 0; i < frame->n_slots; i++) {
        if (frame->ctx.slots[i].storage == ORIBI_STORAGE_HEAP) {
            oribi_buffer_release(frame->ctx.slots[i].buffer);
        }
    }
    oribi_slots_clear(frame->ctx.slots, frame->slots_capacity);
    oribi_free(frame->ctx.slots);
    frame->ctx.slots = NULL;
    frame->n_slots = 0;
    frame->slots_capacity = 0;
}

static void free_arena(oribi_frame *frame)
{
    if (frame->arena_buffer != NULL) {
        oribi_guard_open_all(frame);
        oribi_buffer_release(frame->arena_buffer);
        frame->arena_buffer = NULL;
    } else if (frame->arena != NULL) {
        oribi_guard_open_all(frame);
        oribi_free(frame->arena);
        oribi_meter_discharge(frame->session->meter, frame->arena_bytes);
    }
    frame->arena = NULL;
    frame->arena_bytes = 0;
}

void oribi_frame_destroy(oribi_frame *frame)
{
    if (frame == NULL) {
        return;
    }
    oribi_session *session = frame->session;
    for (int32_t d = 1; frame->streams != NULL && d < session->n_devices; d++) {
        oribi_stream_destroy(frame->streams[d]); /* waits for what a late kernel enqueued */
    }
    oribi_free(frame->streams);
    oribi_control_destroy(frame);
    oribi_flights_destroy(frame);
    free_slots(frame);
    free_arena(frame);
    oribi_frame_free_units(frame);
    oribi_seen_clear(&frame->seen);
    oribi_plan_release(frame->plan);
    oribi_record_destroy(frame->news);
    oribi_context_destroy(&frame->ctx);
    oribi_free(frame->spilled);
    oribi_free(frame->homes);
    oribi_free(frame->pins);
    oribi_free(frame->seen.temps);
    oribi_free(frame->late);
    oribi_free(frame);
    oribi_session_release(session);
}

/* --- Binding --------------------------------------------------------------------------------- */

static bool reserve_slots(oribi_frame *frame, int32_t n, TF_Status *status)
{
    if (n <= frame->slots_capacity) {
        return true;
    }
    oribi_slot *slots = oribi_claim_zero((size_t)n, sizeof *slots, status);
    ORIBI_TRY(slots != NULL);
    free_slots(frame);
    frame->ctx.slots = slots;
    frame->slots_capacity = n;
    return true;
}

static bool reserve_homes(oribi_frame *frame, const oribi_batch *batch, TF_Status *status)
{
    if (batch == NULL || batch->n_homes <= frame->homes_capacity) {
        return true;
    }
    oribi_home *homes = oribi_alloc_array((size_t)batch->n_homes, sizeof *homes);
    ORIBI_TRY(homes != NULL || oribi_fail_memory(status));
    oribi_free(frame->homes);
    frame->homes = homes;
    frame->homes_capacity = batch->n_homes;
    return true;
}

/* Memory that bodies can keep while the frame takes other. */
static bool reserve_shared(oribi_frame *frame, size_t bytes, TF_Status *status)
{
    if (frame->arena_buffer != NULL && bytes <= frame->arena_bytes) {
        return true;
    }
    free_arena(frame);
    frame->arena_buffer =
        oribi_meter_buffer(frame->session->meter, bytes, "memory for intermediate values", status);
    ORIBI_TRY(frame->arena_buffer != NULL);
    frame->arena = bytes > 0 ? frame->arena_buffer->data : NULL;
    frame->arena_bytes = bytes;
    return true;
}

void oribi_frame_part(oribi_frame *frame)
{
    if (frame->arena_buffer != NULL && atomic_load(&frame->arena_buffer->references) > 1) {
        free_arena(frame);
        oribi_plan_release(frame->plan);
        frame->plan = NULL; /* its slots point there */
        free_slots(frame);
    }
}

static bool reserve_arena(oribi_frame *frame, size_t bytes, TF_Status *status)
{
    if (frame->session->n_children > 0) {
        return reserve_shared(frame, bytes, status);
    }
    if (bytes <= frame->arena_bytes) {
        return true;
    }
    ORIBI_TRY(oribi_meter_charge(frame->session->meter, bytes - frame->arena_bytes,
                                 "memory for intermediate values", status));
    void *arena = oribi_alloc_aligned(bytes, ORIBI_TENSOR_ALIGNMENT);
    if (arena == NULL) {
        oribi_meter_discharge(frame->session->meter, bytes - frame->arena_bytes);
        return oribi_fail_memory(status);
    }
    oribi_guard_open_all(frame);
    oribi_free(frame->arena);
    frame->arena = arena;
    frame->arena_bytes = bytes;
    return true;
}

/* The slot as the plan has it. A graph output's address comes with oribi_frame_set_output. */
static void lay_slot(oribi_frame *frame, int32_t i)
{
    const oribi_place *place = &frame->plan->places[i];
    oribi_slot *slot = &frame->ctx.slots[i];
    slot->storage = place->storage;
    slot->device = (uint8_t)place->device;
    slot->request = place->request;
    slot->is_settled = place->is_settled;
    slot->forward_from = place->forward_from;
    slot->capacity = place->capacity;
    slot->row_stride = place->row_stride;
    slot->bytes = place->bytes;
    slot->is_spilled = false;
    slot->stamp = 0;
    slot->open = 0;
    slot->has_own = slot->spare != NULL;
    slot->buffer = NULL;
    slot->data = NULL;
    slot->rank = -1;
    if (place->rank >= 0 && place->rank <= ORIBI_INLINE_RANK) {
        (void)oribi_slot_set_dims(slot, place->dims, place->rank);
    }
    if (place->storage == ORIBI_STORAGE_ARENA && place->unit >= 0) {
        slot->buffer = frame->units[place->unit]; /* borrowed: the frame keeps it */
        slot->data = (char *)slot->buffer->data + place->offset;
    } else if (place->storage == ORIBI_STORAGE_ARENA) {
        slot->data = frame->arena != NULL ? (char *)frame->arena + place->offset
                                          : oribi_context_empty_data();
    }
}

static void lay_constant(oribi_slot *slot, const TF_Tensor *tensor)
{
    if (tensor != NULL) { /* else every kernel promised not to read it */
        slot->data = tensor->data;
        slot->bytes = tensor->bytes;
        slot->dims = tensor->dims;
        slot->rank = tensor->rank;
        slot->buffer = tensor->buffer; /* borrowed: the session keeps it */
    }
}

bool oribi_frame_bind(oribi_frame *frame, oribi_plan *plan, TF_Status *status)
{
    const oribi_session *session = frame->session;
    const int32_t n = plan->n_values + plan->n_temps;
    ORIBI_TRY(reserve_homes(frame, plan->record->batch, status) &&
              reserve_slots(frame, n, status) && reserve_arena(frame, plan->arena_bytes, status));
    if (session->n_flights > 0 && !oribi_flights_bind(frame, plan, status)) {
        oribi_plan_release(frame->plan);
        frame->plan = NULL; /* its flights have no slots */
        frame->n_slots = 0;
        return false;
    }
    if (session->n_devices > 1 && !oribi_frame_bind_units(frame, plan, status)) {
        oribi_plan_release(frame->plan);
        frame->plan = NULL; /* its units are gone */
        frame->n_slots = 0;
        return false;
    }
    oribi_plan_retain(plan);
    oribi_plan_release(frame->plan);
    frame->plan = plan;
    frame->n_slots = n;
    for (int32_t i = 0; i < n; i++) {
        lay_slot(frame, i);
        if (i < session->n_values) {
            const oribi_session_value *value = &session->values[i];
            frame->ctx.slots[i].dtype = value->dtype;
            frame->ctx.slots[i].is_output = value->is_output;
            if (value->is_constant) {
                lay_constant(&frame->ctx.slots[i], value->constant);
            }
        }
    }
    return true;
}

void oribi_frame_set_output(oribi_frame *frame, int32_t output, oribi_buffer *buffer)
{
    const oribi_plan *plan = frame->plan;
    const int32_t end = plan->first_output_item[output + 1];
    for (int32_t k = plan->first_output_item[output]; k < end; k++) {
        const int32_t i = plan->output_items[k];
        oribi_slot *slot = &frame->ctx.slots[i];
        slot->request = buffer != NULL ? plan->places[i].request : ORIBI_REQUEST_UNKNOWN;
        slot->data = buffer != NULL ? (char *)buffer->data + plan->places[i].offset : NULL;
        slot->buffer = buffer; /* borrowed: the run keeps it */
    }
}

bool oribi_frame_set_input(oribi_frame *frame, int32_t input, const TF_Tensor *tensor)
{
    oribi_slot *slot = &frame->ctx.slots[frame->session->inputs[input]];
    slot->data = tensor->data;
    slot->bytes = tensor->bytes;
    slot->buffer = tensor->buffer; /* borrowed: the run keeps it */
    return oribi_slot_set_dims(slot, tensor->dims, tensor->rank);
}

/* --- Beyond the plan ------------------------------------------------------------------------- */

oribi_buffer *oribi_frame_buffer(oribi_frame *frame, int32_t device, size_t bytes,
                                 TF_Status *status)
{
    const char *name = frame->session->steps[frame->step].node->name;
    if (frame->run != NULL && frame->run->trace != NULL) {
        oribi_run_trace_alloc(frame->run, name, bytes);
    }
    if (device != 0) {
        return oribi_device_allocate(frame->session->devices[device].device,
                                     frame->ctx.streams[device],
                                     frame->session->devices[device].account, bytes, status);
    }
    return oribi_meter_buffer(frame->session->meter, bytes, "an unplanned value", status);
}

/* Marks the slot so that the plan's state comes back after the run. */
static void mark_spilled(oribi_frame *frame, int32_t value)
{
    oribi_slot *slot = &frame->ctx.slots[value];
    if (!slot->is_spilled) {
        slot->is_spilled = true;
        frame->spilled[frame->n_spilled++] = value;
        oribi_context_note(&frame->ctx);
    }
}

void oribi_frame_spill(oribi_frame *frame, int32_t value, oribi_buffer *buffer, size_t bytes)
{
    oribi_slot *slot = &frame->ctx.slots[value];
    oribi_mutex_lock(&frame->ctx.lock);
    if (slot->storage == ORIBI_STORAGE_HEAP) {
        oribi_buffer_release(slot->buffer);
    }
    mark_spilled(frame, value);
    slot->storage = ORIBI_STORAGE_HEAP;
    slot->buffer = buffer;
    slot->data = buffer->data;
    slot->bytes = bytes;
    slot->row_stride = 0;
    oribi_mutex_unlock(&frame->ctx.lock);
}

void oribi_frame_unspill(oribi_frame *frame, int32_t value)
{
    oribi_slot *slot = &frame->ctx.slots[value];
    if (slot->storage == ORIBI_STORAGE_HEAP) {
        oribi_buffer_release(slot->buffer);
    }
    lay_slot(frame, value);
    int32_t i = 0;
    while (frame->spilled[i] != value) {
        i++;
    }
    frame->spilled[i] = frame->spilled[--frame->n_spilled];
}

void oribi_frame_alias(oribi_frame *frame, int32_t value, const oribi_slot *from, void *data,
                       size_t bytes)
{
    oribi_slot *slot = &frame->ctx.slots[value];
    if (slot->storage == ORIBI_STORAGE_HEAP ||
        frame->plan->places[value].storage != ORIBI_STORAGE_NONE) {
        oribi_mutex_lock(&frame->ctx.lock);
        if (slot->storage == ORIBI_STORAGE_HEAP) {
            oribi_buffer_release(slot->buffer);
        }
        mark_spilled(frame, value);
        oribi_mutex_unlock(&frame->ctx.lock);
    }
    slot->storage = from->storage;
    slot->buffer = from->buffer;
    slot->data = data;
    slot->bytes = bytes;
    slot->row_stride = 0;
}

void oribi_frame_restore(oribi_frame *frame)
{
    if (atomic_load_explicit(&frame->has_late, memory_order_relaxed)) { /* a step that failed */
        const oribi_step_io *step = frame->ctx.step;
        for (int32_t i = 0; i < step->n_outputs; i++) {
            oribi_slot *slot = &frame->ctx.slots[step->outputs[i]];
            slot->data = frame->late[i].to != NULL ? frame->late[i].to : slot->data;
            frame->late[i].to = NULL;
        }
        atomic_store_explicit(&frame->has_late, false, memory_order_relaxed);
    }
    for (int32_t k = 0; k < frame->n_spilled; k++) {
        oribi_slot *slot = &frame->ctx.slots[frame->spilled[k]];
        if (slot->storage == ORIBI_STORAGE_HEAP) {
            oribi_buffer_release(slot->buffer);
        }
        lay_slot(frame, frame->spilled[k]);
    }
    frame->n_spilled = 0;
    oribi_context_drop_retired(&frame->ctx);
}

void oribi_frame_hold(oribi_frame *frame)
{
    oribi_guard_open_all(frame);
    for (int32_t i = 0; i < frame->n_slots; i++) {
        oribi_slot *slot = &frame->ctx.slots[i];
        if (slot->buffer != NULL &&
            (slot->storage == ORIBI_STORAGE_OUTPUT || slot->storage == ORIBI_STORAGE_CALLER)) {
            oribi_buffer_retain(slot->buffer);
            slot->storage = ORIBI_STORAGE_HEAP;
        }
    }
    frame->run = NULL;
    frame->ctx.streams = (oribi_stream *const *)frame->streams;
}

static void destroy_alone(void *arg)
{
    oribi_frame_destroy(arg);
}

void oribi_frame_drop(oribi_frame *frame)
{
    if (atomic_fetch_sub(&frame->holds, 1) > 1) {
        return;
    }
    /* With the session its kernels may go, and such a kernel may wait in its destructor for the
     * very thread that calls done. Without memory for a thread the frame stays. */
    if (!frame->was_late) {
        oribi_frame_destroy(frame);
    } else {
        (void)oribi_thread_start_alone(destroy_alone, frame, "oribi-late");
    }
}

void oribi_frame_leave(oribi_frame *frame)
{
    const int32_t n_flights = frame->flights != NULL ? frame->session->n_flights : 0;
    atomic_store(&frame->holds, n_flights + 2);
    for (int32_t i = 0; i < n_flights; i++) {
        if (oribi_context_leave(&frame->flights[i].ctx)) {
            oribi_frame_drop(frame);
        }
    }
    if (oribi_context_leave(&frame->ctx)) { /* the last one went meanwhile */
        oribi_frame_drop(frame);
    }
    oribi_frame_drop(frame);
}
