/* SPDX-License-Identifier: Apache-2.0 */
/* Which planned memory is open during a step, for AddressSanitizer. Sessions with devices are left
 * alone, since copies read host memory between steps there, and so are those with asynchronous
 * kernels.
 */
#include "session/session_guard.h"

#if ORIBI_HAS_POISON

void oribi_guard_give(const oribi_frame *frame, const void *data, size_t bytes)
{
    const char *from = data, *arena = frame->arena;
    if (arena != NULL && from >= arena && from < arena + frame->arena_bytes) {
        oribi_unpoison(from, bytes);
    }
}

void oribi_guard_open_all(const oribi_frame *frame)
{
    if (frame->arena != NULL) {
        oribi_unpoison(frame->arena, frame->arena_bytes);
    }
}

static void give_slot(const oribi_frame *frame, int32_t value)
{
    const oribi_slot *slot = &frame->ctx.slots[value];
    if (slot->data != NULL && slot->bytes > 0) {
        oribi_guard_give(frame, slot->data,
                         (size_t)(oribi_slot_end(slot) - (const char *)slot->data));
    }
}

/* A piece of a concatenation has its dims in the plan already, a temporary only its capacity. */
static void give_planned(const oribi_frame *frame, int32_t value)
{
    const oribi_slot *slot = &frame->ctx.slots[value];
    if (value < frame->plan->n_values) {
        give_slot(frame, value);
    } else if (slot->data != NULL) {
        oribi_guard_give(frame, slot->data, slot->capacity);
    }
}

void oribi_guard_step(oribi_frame *frame, int32_t index)
{
    const oribi_step_io *step = &frame->plan->steps[index];
    if (frame->session->n_devices > 1 || frame->session->n_flights > 0 || frame->arena == NULL) {
        return;
    }
    oribi_poison(frame->arena, frame->arena_bytes);
    for (int32_t i = 0; i < frame->n_pins; i++) {
        oribi_guard_give(frame, frame->pins[i].from,
                         (size_t)(frame->pins[i].to - frame->pins[i].from));
    }
    for (int32_t i = 0; i < step->n_inputs; i++) {
        if (step->inputs[i] >= 0) {
            give_slot(frame, step->inputs[i]);
        }
    }
    for (int32_t i = 0; i < step->n_outputs; i++) {
        give_planned(frame, step->outputs[i]);
    }
    for (int32_t i = 0; i < step->n_temps; i++) {
        give_planned(frame, step->first_temp + i);
    }
}

#endif
