/* SPDX-License-Identifier: Apache-2.0 */
/* Between steps: temporaries that were seen, handles that outlive their step and pin their bytes,
 * heap values that nobody reads any more, concatenations that were written in place.
 */
#include <string.h>

#include "base/alloc.h"
#include "session/batch/batch.h"
#include "session/control/control.h"
#include "session/session_guard.h"
#include "session/session_internal.h"

const char *oribi_slot_end(const oribi_slot *slot)
{
    const char *data = slot->data;
    if (slot->row_stride == 0 || slot->rank < 1 || slot->dims[slot->rank - 1] <= 0) {
        return data + slot->bytes;
    }
    const size_t element = oribi_dtype_bytes(slot->dtype);
    const size_t row = (size_t)slot->dims[slot->rank - 1] * element;
    const size_t rows = slot->bytes / row;
    return rows == 0 ? data : data + (rows - 1) * (size_t)slot->row_stride * element + row;
}

bool oribi_frame_overlaps_pin(const oribi_frame *frame, const void *data, size_t bytes)
{
    const char *from = data;
    for (int32_t i = 0; i < frame->n_pins; i++) {
        if (from < frame->pins[i].to && frame->pins[i].from < from + bytes) {
            return true;
        }
    }
    return false;
}

bool oribi_frame_pin(oribi_frame *frame, const oribi_slot *slot, TF_Status *status)
{
    if ((slot->storage != ORIBI_STORAGE_ARENA && slot->storage != ORIBI_STORAGE_OUTPUT) ||
        slot->data == NULL) {
        return true;
    }
    const oribi_pin added = {slot->data, oribi_slot_end(slot)};
    for (int32_t i = 0; i < frame->n_pins; i++) {
        if (frame->pins[i].from == added.from && frame->pins[i].to >= added.to) {
            return true;
        }
    }
    if (frame->n_pins == frame->pins_capacity) {
        const int32_t capacity = frame->pins_capacity * 2 + 8;
        oribi_pin *pins = oribi_realloc_array(frame->pins, (size_t)capacity, sizeof *pins);
        if (pins == NULL) {
            return oribi_fail_memory(status);
        }
        frame->pins = pins;
        frame->pins_capacity = capacity;
    }
    frame->pins[frame->n_pins++] = added;
    return true;
}

/* A planned temporary that the kernel kept is not planned the next time. */
static bool note_escape(oribi_frame *frame, int32_t slot, TF_Status *status)
{
    const oribi_step_io *step = frame->ctx.step;
    if (slot < step->first_temp || slot >= step->first_temp + step->n_temps) {
        return true;
    }
    if (frame->news == NULL) {
        frame->news = oribi_record_copy(frame->plan->record, status);
        ORIBI_TRY(frame->news != NULL);
    }
    return oribi_record_note_temp(frame->news, frame->step, slot - step->first_temp, 0, true) ||
           oribi_fail_memory(status);
}

/* Pins what open handles read. Which slots handles of other threads are on is not counted, so all
 * of the step are taken. */
static bool pin_open(oribi_frame *frame, TF_Status *status)
{
    TF_OpKernelContext *ctx = &frame->ctx;
    const oribi_step_io *step = ctx->step;
    oribi_context_set_slow(ctx, true);
    for (int32_t i = 0; i < frame->n_slots; i++) {
        if (oribi_slot_count_open(&ctx->slots[i]) > 0) {
            ORIBI_TRY(oribi_frame_pin(frame, &ctx->slots[i], status) &&
                      note_escape(frame, i, status));
        }
    }
    if (atomic_load_explicit(&ctx->remote, memory_order_acquire) == ORIBI_CONTEXT_BIAS) {
        return true;
    }
    for (int32_t i = 0; i < step->n_inputs; i++) {
        ORIBI_TRY(step->inputs[i] < 0 ||
                  oribi_frame_pin(frame, &ctx->slots[step->inputs[i]], status));
    }
    for (int32_t i = 0; i < step->n_outputs; i++) {
        ORIBI_TRY(oribi_frame_pin(frame, &ctx->slots[step->outputs[i]], status));
    }
    for (int32_t i = 0; i < step->n_temps; i++) {
        ORIBI_TRY(oribi_frame_pin(frame, &ctx->slots[step->first_temp + i], status));
    }
    return true;
}

/* --- Temporaries ----------------------------------------------------------------------------- */

/* References that the step's outputs hold. */
static int32_t count_in_outputs(const oribi_frame *frame, const oribi_buffer *buffer)
{
    const oribi_step_io *step = frame->ctx.step;
    int32_t count = 0;
    for (int32_t i = 0; i < step->n_outputs; i++) {
        const oribi_slot *slot = &frame->ctx.slots[step->outputs[i]];
        count += slot->storage == ORIBI_STORAGE_HEAP && slot->buffer == buffer;
    }
    return count;
}

static bool settle_seen(oribi_frame *frame, const oribi_seen_temp *seen, TF_Status *status)
{
    const int32_t references =
        atomic_load_explicit(&seen->buffer->references, memory_order_acquire);
    const bool escapes =
        seen->is_elsewhere || references > 1 + count_in_outputs(frame, seen->buffer);
    const oribi_record *record = frame->news != NULL ? frame->news : frame->plan->record;
    const oribi_temp_wish *known = oribi_record_find_temp(record, frame->step, seen->ordinal);
    if (known != NULL && (known->escapes || (!escapes && known->bytes >= seen->buffer->bytes))) {
        return true;
    }
    if (frame->news == NULL) {
        frame->news = oribi_record_copy(frame->plan->record, status);
        ORIBI_TRY(frame->news != NULL);
    }
    const size_t bytes = known == NULL
                             ? seen->buffer->bytes
                             : oribi_bounds_room(frame->session, frame->run, seen->buffer->bytes);
    return oribi_record_note_temp(frame->news, frame->step, seen->ordinal, bytes, escapes) ||
           oribi_fail_memory(status);
}

bool oribi_frame_settle_seen(oribi_frame *frame, TF_Status *status)
{
    bool ok = true;
    for (int32_t i = 0; ok && i < frame->seen.n; i++) {
        ok = settle_seen(frame, &frame->seen.temps[i], status);
    }
    oribi_seen_clear(&frame->seen);
    return ok;
}

/* --- Values that died ------------------------------------------------------------------------ */

void oribi_frame_drop_dead(oribi_frame *frame, int32_t value, int32_t step)
{
    if (value < 0 || frame->n_kept > 0) { /* which values those handles read is not known */
        return;
    }
    if (frame->loop != NULL && frame->plan->record->batch->where[value] != ORIBI_BATCH_INSIDE) {
        return; /* the next turn reads on */
    }
    const oribi_session_value *info = &frame->session->values[value];
    oribi_slot *slot = &frame->ctx.slots[value];
    if (slot->storage == ORIBI_STORAGE_HEAP && info->last_use <= step && !info->is_output) {
        oribi_buffer_release(slot->buffer);
        slot->storage = ORIBI_STORAGE_NONE;
        slot->buffer = NULL;
        slot->data = NULL;
    }
}

/* Outputs that shared another slot's bytes so far get their own. */
static bool copy_late(oribi_frame *frame, TF_Status *status)
{
    const oribi_step_io *step = frame->ctx.step;
    bool ok = true;
    for (int32_t i = 0; i < step->n_outputs; i++) {
        oribi_late_copy *late = &frame->late[i];
        if (late->to == NULL) {
            continue;
        }
        oribi_slot *slot = &frame->ctx.slots[step->outputs[i]];
        const oribi_slot *from = &frame->ctx.slots[late->from];
        const void *data = slot->data;
        slot->data = late->to;
        late->to = NULL;
        oribi_guard_give(frame, slot->data, slot->bytes);
        ok = ok &&
             oribi_frame_move(frame, slot, from->buffer, from->device, data, slot->bytes, status);
    }
    atomic_store_explicit(&frame->has_late, false, memory_order_relaxed);
    return ok;
}

/* Whatever the next steps have to look at, too, is noted anew. */
static void note_again(oribi_frame *frame)
{
    if (frame->ctx.is_slow || frame->n_spilled > 0 || frame->seen.n > 0 ||
        atomic_load_explicit(&frame->has_late, memory_order_relaxed)) {
        oribi_context_note(&frame->ctx);
    }
}

bool oribi_frame_finish_step(oribi_frame *frame, TF_Status *status)
{
    const oribi_step_io *step = frame->ctx.step;
    atomic_store_explicit(&frame->ctx.is_noted, 0, memory_order_relaxed);
    if (atomic_load_explicit(&frame->has_late, memory_order_relaxed) && !copy_late(frame, status)) {
        return false;
    }
    if (frame->seen.n > 0 && !oribi_frame_settle_seen(frame, status)) {
        return false;
    }
    for (int32_t i = 0; i < step->n_outputs && frame->n_spilled > 0; i++) {
        const oribi_slot *slot = &frame->ctx.slots[step->outputs[i]];
        ORIBI_TRY(slot->dtype != TF_STRING || slot->storage != ORIBI_STORAGE_HEAP ||
                  oribi_meter_hold_texts(frame->session->meter, slot->buffer, status));
    }
    if (oribi_context_has_open(&frame->ctx, frame->n_slots)) {
        oribi_context_note(&frame->ctx);
        return pin_open(frame, status);
    }
    if (frame->n_kept == 0) {
        oribi_context_set_slow(&frame->ctx, false);
        frame->n_pins = 0;
    }
    for (int32_t i = 0; i < step->n_inputs && frame->n_spilled > 0; i++) {
        oribi_frame_drop_dead(frame, step->inputs[i], frame->step);
    }
    for (int32_t i = 0; i < step->n_outputs && frame->n_spilled > 0; i++) {
        oribi_frame_drop_dead(frame, step->outputs[i], frame->step);
    }
    note_again(frame);
    return true;
}

/* --- Concatenations written in place --------------------------------------------------------- */

/* Moves a piece out of the concatenation, to a dense buffer of its own. */
static bool make_dense(oribi_frame *frame, int32_t value, TF_Status *status)
{
    oribi_slot *slot = &frame->ctx.slots[value];
    oribi_buffer *buffer = oribi_frame_buffer(frame, 0, slot->bytes, status);
    if (buffer == NULL) {
        return false;
    }
    const size_t element = oribi_dtype_bytes(slot->dtype);
    const size_t row = slot->rank > 0 && slot->row_stride != 0
                           ? (size_t)slot->dims[slot->rank - 1] * element
                           : slot->bytes;
    const size_t apart = slot->row_stride != 0 ? (size_t)slot->row_stride * element : row;
    for (size_t done = 0, at = 0; row > 0 && done + row <= slot->bytes; done += row, at += apart) {
        memcpy((char *)buffer->data + done, (const char *)slot->data + at, row);
    }
    oribi_frame_spill(frame, value, buffer, slot->bytes);
    return true;
}

bool oribi_frame_special_step(oribi_frame *frame, const oribi_step_io *step, TF_Status *status)
{
    TF_OpKernelContext *ctx = &frame->ctx;
    if (frame->session->steps[frame->step].n_bodies > 0) {
        return oribi_control_run(frame, step, status);
    }
    const oribi_batch *batch = frame->plan->record->batch;
    if (batch != NULL && batch->loop_of[frame->step] >= 0 && batch->viewed[frame->step] >= 0) {
        return oribi_batch_view_step(frame, step, status);
    }
    oribi_slot *output = &ctx->slots[step->outputs[0]];
    bool in_place = !output->is_spilled;
    for (int32_t i = 0; i + 1 < step->n_inputs; i++) {
        in_place = in_place && !ctx->slots[step->inputs[i]].is_spilled;
    }
    oribi_context_set_step(ctx, step);
    if (in_place) {
        const oribi_place *place = &frame->plan->places[step->outputs[0]];
        (void)oribi_slot_set_dims(output, place->dims, place->rank);
        output->bytes = place->bytes;
        output->stamp = ctx->stamp;
        return true;
    }
    for (int32_t i = 0; i + 1 < step->n_inputs; i++) {
        if (!ctx->slots[step->inputs[i]].is_spilled) {
            ORIBI_TRY(make_dense(frame, step->inputs[i], status));
        }
    }
    return oribi_context_compute(ctx, step, status);
}
