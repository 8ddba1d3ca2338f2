/* SPDX-License-Identifier: Apache-2.0 */
/* Life of flights: made for a plan, started, landed, left to a kernel that is late. All of it on
 * the thread that runs. What their kernels ask for meanwhile: flight_host.c.
 */
#include "session/flight/flight.h"

#include <string.h>

#include "base/alloc.h"

/* --- Made with the plan ---------------------------------------------------------------------- */

static void free_slots(oribi_flight *flight)
{
    oribi_slots_clear(flight->ctx.slots, flight->capacity);
    oribi_free(flight->ctx.slots);
    oribi_free(flight->ids);
    flight->ctx.slots = NULL;
    flight->ids = NULL;
    flight->n_slots = 0;
    flight->capacity = 0;
}

static bool reserve_slots(oribi_flight *flight, int32_t n, TF_Status *status)
{
    if (n > flight->capacity) {
        free_slots(flight);
        flight->ctx.slots = oribi_claim_zero((size_t)n, sizeof(oribi_slot), status);
        flight->ids = oribi_claim_zero((size_t)n, sizeof *flight->ids, status);
        ORIBI_TRY(flight->ctx.slots != NULL && flight->ids != NULL);
        flight->capacity = n;
    }
    return true;
}

static bool make_flight(oribi_frame *frame, oribi_flight *flight, TF_Status *status)
{
    const oribi_session_step *step = &frame->session->steps[flight->step];
    ORIBI_TRY(oribi_context_init(&flight->ctx, &oribi_flight_host, frame->ctx.signal, status) &&
              oribi_context_take_ticket(&flight->ctx, status));
    flight->frame = frame;
    flight->ctx.pool = frame->session->pool;
    flight->ctx.resources = frame->session->resources;
    flight->ctx.graph_version = frame->ctx.graph_version;
    flight->wishes = oribi_alloc_zero((size_t)step->node->n_outputs + 1, sizeof *flight->wishes);
    return flight->wishes != NULL || oribi_fail_memory(status);
}

static bool make_flights(oribi_frame *frame, TF_Status *status)
{
    const oribi_session *session = frame->session;
    frame->flights = oribi_claim_zero((size_t)session->n_flights, sizeof *frame->flights, status);
    ORIBI_TRY(frame->flights != NULL);
    for (int32_t i = 0; i < session->n_flights; i++) {
        frame->flights[i].step = session->flights[i];
        if (!make_flight(frame, &frame->flights[i], status)) {
            oribi_flights_destroy(frame);
            return false;
        }
    }
    return true;
}

static bool fit_flight(oribi_flight *flight, const oribi_step_io *step, TF_Status *status)
{
    const int32_t n = step->n_inputs + step->n_outputs + step->n_temps;
    ORIBI_TRY(reserve_slots(flight, n, status));
    flight->n_slots = n;
    for (int32_t i = 0; i < n; i++) {
        flight->ids[i] = i < step->n_inputs && step->inputs[i] < 0 ? -1 : i;
    }
    flight->io = *step;
    flight->io.inputs = flight->ids;
    flight->io.outputs = flight->ids + step->n_inputs;
    flight->io.first_temp = step->n_inputs + step->n_outputs;
    return true;
}

bool oribi_flights_bind(oribi_frame *frame, const oribi_plan *plan, TF_Status *status)
{
    ORIBI_TRY(frame->flights != NULL || make_flights(frame, status));
    oribi_flights_clear(frame);
    for (int32_t i = 0; i < frame->session->n_flights; i++) {
        oribi_flight *flight = &frame->flights[i];
        ORIBI_TRY(fit_flight(flight, &plan->steps[flight->step], status));
    }
    return true;
}

/* Frees what the kernel of a flight made or asked for, and nobody took over. */
static void clear(oribi_flight *flight)
{
    for (int32_t i = 0; i < flight->n_slots; i++) {
        oribi_slot *slot = &flight->ctx.slots[i];
        if (slot->is_spilled) {
            oribi_buffer_release(slot->buffer);
        }
        slot->is_spilled = false;
        slot->buffer = NULL;
    }
    oribi_seen_clear(&flight->seen);
    flight->is_aloft = false;
    if (flight->ctx.failure != NULL) {
        oribi_context_drop_retired(&flight->ctx);
    }
}

void oribi_flights_clear(oribi_frame *frame)
{
    for (int32_t i = 0; frame->flights != NULL && i < frame->session->n_flights; i++) {
        clear(&frame->flights[i]);
    }
    frame->n_kept = 0;
}

void oribi_flights_destroy(oribi_frame *frame)
{
    if (frame == NULL) {
        return;
    }
    oribi_flights_clear(frame);
    for (int32_t i = 0; frame->flights != NULL && i < frame->session->n_flights; i++) {
        oribi_flight *flight = &frame->flights[i];
        free_slots(flight);
        oribi_context_destroy(&flight->ctx);
        oribi_free(flight->wishes);
        oribi_free(flight->seen.temps);
    }
    oribi_free(frame->flights);
    frame->flights = NULL;
}

/* The stream that the kernel enqueues on, on any thread; NULL: it is on the host. */
static oribi_stream *stream_of(const oribi_flight *flight)
{
    const int32_t device = flight->io.device;
    return device != 0 ? flight->frame->ctx.streams[device] : NULL;
}

/* --- Start ----------------------------------------------------------------------------------- */

static void copy_slot(oribi_slot *to, const oribi_slot *from)
{
    int64_t *heap = to->dims_heap;
    *to = *from;
    to->dims_heap = heap;
    to->is_spilled = false;
    to->open = 0;
    to->has_own = false;
    to->spare = NULL;
    to->stamp = 0;
    to->forward_from = -1; /* what a flight writes lies beside what it reads */
    to->rank = -1;
    if (from->rank >= 0 && !oribi_slot_set_dims(to, from->dims, from->rank)) {
        to->data = NULL; /* no memory for the dims: the kernel is told that there is no value */
    }
}

/* A place that the plan gives to the kernel, unless a kept handle still reads what was there. */
static void copy_place(oribi_flight *flight, int32_t to, int32_t from)
{
    const oribi_frame *frame = flight->frame;
    oribi_slot *slot = &flight->ctx.slots[to];
    copy_slot(slot, &frame->ctx.slots[from]);
    const bool is_pinned =
        frame->n_pins > 0 && slot->data != NULL &&
        (slot->row_stride != 0 || oribi_frame_overlaps_pin(frame, slot->data, slot->capacity));
    if (is_pinned || slot->request == ORIBI_REQUEST_FORWARD || frame->ctx.slots[from].is_spilled) {
        slot->request = ORIBI_REQUEST_UNKNOWN;
        slot->capacity = 0;
    }
}

void oribi_flight_start(oribi_flight *flight)
{
    const oribi_frame *frame = flight->frame;
    const oribi_step_io *step = &frame->plan->steps[flight->step];
    TF_OpKernelContext *ctx = &flight->ctx;
    for (int32_t i = 0; i < step->n_inputs; i++) {
        if (step->inputs[i] >= 0) {
            copy_slot(&ctx->slots[i], &frame->ctx.slots[step->inputs[i]]);
        }
    }
    for (int32_t i = 0; i < step->n_outputs; i++) {
        copy_place(flight, step->n_inputs + i, step->outputs[i]);
        flight->wishes[i].kind = ORIBI_WISH_NONE;
    }
    for (int32_t i = 0; i < step->n_temps; i++) {
        copy_place(flight, flight->io.first_temp + i, step->first_temp + i);
    }
    oribi_context_enter(ctx);
    oribi_context_share(ctx);
    ctx->streams = frame->ctx.streams;
    ctx->deadline_ns = frame->ctx.deadline_ns;
    ctx->step_id = frame->ctx.step_id;
    flight->n_temps = 0;
    flight->is_aloft = true;
    oribi_stream_lend(stream_of(flight));
    flight->start_ns = frame->run->trace != NULL ? oribi_now_ns() : 0;
    oribi_context_start(ctx, &flight->io);
}

/* --- Landing --------------------------------------------------------------------------------- */

static bool land_output(oribi_flight *flight, int32_t i, TF_Status *status)
{
    oribi_frame *frame = flight->frame;
    const oribi_step_io *step = &frame->plan->steps[flight->step];
    oribi_slot *from = &flight->ctx.slots[step->n_inputs + i];
    const int32_t value = step->outputs[i];
    oribi_slot *to = &frame->ctx.slots[value];
    if (from->stamp != flight->ctx.stamp) {
        return oribi_fail(status, TF_INTERNAL, "Missing %d-th output from node '%s'", (int)i,
                          step->kernel->node->name);
    }
    if (flight->wishes[i].kind != ORIBI_WISH_NONE) {
        ORIBI_TRY(oribi_frame_note(frame, value, &flight->wishes[i], status));
    }
    ORIBI_TRY(oribi_slot_set_dims(to, from->dims, from->rank) || oribi_fail_memory(status));
    to->stamp = frame->ctx.stamp;
    if (from->is_spilled) {
        oribi_frame_spill(frame, value, from->buffer, from->bytes);
        to->data = from->data;
        from->is_spilled = false; /* the reference went along */
    } else if (from->storage == ORIBI_STORAGE_CONSTANT || from->storage == ORIBI_STORAGE_CALLER) {
        oribi_frame_alias(frame, value, from, from->data, from->bytes);
    } else {
        to->bytes = from->bytes;
    }
    return true;
}

/* Handles that outlive the kernel may be on any slot of it. */
static bool keep_slots(oribi_flight *flight, TF_Status *status)
{
    oribi_frame *frame = flight->frame;
    frame->n_kept++;
    oribi_context_set_slow(&frame->ctx, true);
    oribi_context_note(&frame->ctx);
    for (int32_t i = 0; i < flight->n_slots; i++) {
        ORIBI_TRY(oribi_frame_pin(frame, &flight->ctx.slots[i], status));
    }
    return true;
}

/* Temporaries that were not planned, to where those of other steps are judged. */
static void hand_over_seen(oribi_flight *flight)
{
    oribi_frame *frame = flight->frame;
    if (flight->seen.n > 0) {
        const oribi_seen empty = frame->seen;
        frame->seen = flight->seen;
        flight->seen = empty;
        flight->seen.n = 0;
    }
}

bool oribi_flight_land(oribi_flight *flight, TF_Status *status)
{
    oribi_frame *frame = flight->frame;
    const oribi_step_io *step = &frame->plan->steps[flight->step];
    const int32_t until = frame->session->steps[flight->step].until;
    flight->is_aloft = false;
    oribi_stream_take_back(stream_of(flight));
    frame->ctx.step = step;
    frame->step = flight->step;
    for (int32_t i = 0; i < step->n_outputs; i++) {
        ORIBI_TRY(land_output(flight, i, status));
    }
    hand_over_seen(flight);
    ORIBI_TRY(frame->seen.n == 0 || oribi_frame_settle_seen(frame, status));
    if (atomic_load_explicit(&flight->ctx.remote, memory_order_acquire) != ORIBI_CONTEXT_BIAS) {
        return keep_slots(flight, status);
    }
    oribi_context_drop_retired(&flight->ctx);
    for (int32_t i = 0; i < step->n_inputs && frame->n_spilled > 0; i++) {
        oribi_frame_drop_dead(frame, step->inputs[i], until);
    }
    for (int32_t i = 0; i < step->n_outputs && frame->n_spilled > 0; i++) {
        oribi_frame_drop_dead(frame, step->outputs[i], until);
    }
    return true;
}

/* --- After the run --------------------------------------------------------------------------- */

bool oribi_flights_abandon(oribi_frame *frame)
{
    bool is_late = false;
    for (int32_t i = 0; frame->flights != NULL && i < frame->session->n_flights; i++) {
        is_late |= frame->flights[i].is_aloft && oribi_context_abandon(&frame->flights[i].ctx);
    }
    return is_late;
}

bool oribi_flights_have_open(const oribi_frame *frame)
{
    for (int32_t i = 0; frame->flights != NULL && i < frame->session->n_flights; i++) {
        if (atomic_load_explicit(&frame->flights[i].ctx.remote, memory_order_acquire) !=
            ORIBI_CONTEXT_BIAS) {
            return true;
        }
    }
    return false;
}
