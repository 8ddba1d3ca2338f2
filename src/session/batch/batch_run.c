/* SPDX-License-Identifier: Apache-2.0 */
/* The walk over steps of which some take the batch in turns. Between turns the slots of the border
 * move on to the next images; when the last is over they are whole again. A loop goes as one, with
 * heap memory for what does not fit the plan, where something is not as planned: a handle that a
 * kernel kept, a value of another shape or without a place.
 */
#include "session/batch/batch.h"

#include <string.h>

#include "base/alloc.h"
#include "session/session_guard.h"

static oribi_slot *slot_of(oribi_frame *frame, const oribi_batch_border *b)
{
    return &frame->ctx.slots[b->value];
}

/* Is all of the border where the plan says, and as large? */
static bool is_as_planned(oribi_frame *frame, const oribi_batch_loop *loop)
{
    if (frame->ctx.is_slow || frame->n_kept > 0) {
        return false;
    }
    for (int32_t i = 0; i < loop->n_border; i++) {
        const oribi_batch_border *b = &loop->border[i];
        const oribi_slot *slot = slot_of(frame, b);
        const size_t bytes = b->bytes * (size_t)loop->n_turns;
        if (slot->data == NULL || slot->row_stride != 0 || slot->bytes != bytes || slot->rank < 1 ||
            slot->rank > ORIBI_INLINE_RANK || slot->dims[0] != loop->n_images ||
            (b->is_made && (slot->is_spilled || slot->capacity < bytes))) {
            return false;
        }
    }
    return true;
}

static oribi_home *home_of(const oribi_frame *frame, const oribi_batch_loop *loop, int32_t i)
{
    return &frame->homes[loop->first_home + i];
}

static void set_images(oribi_slot *slot, int64_t n)
{
    int64_t dims[ORIBI_INLINE_RANK];
    memcpy(dims, slot->dims, (size_t)slot->rank * sizeof dims[0]);
    dims[0] = n;
    (void)oribi_slot_set_dims(slot, dims, slot->rank); /* inline: it needs no memory */
}

/* The slot as kernels see it in a turn, but for its address. */
static void show_part(oribi_frame *frame, const oribi_batch_border *b)
{
    oribi_slot *slot = slot_of(frame, b);
    slot->bytes = b->bytes;
    slot->capacity = b->is_made ? b->bytes : slot->capacity;
    set_images(slot, frame->ctx.images);
}

static void begin_loop(oribi_frame *frame, const oribi_batch_loop *loop)
{
    frame->loop = loop;
    frame->ctx.images = loop->n_images / loop->n_turns;
    for (int32_t i = 0; i < loop->n_border; i++) {
        const oribi_slot *slot = slot_of(frame, &loop->border[i]);
        oribi_home *home = home_of(frame, loop, i); /* the slot's dims may lie in it */
        home->data = slot->data;
        home->buffer = slot->buffer;
        home->capacity = slot->capacity;
        home->storage = slot->storage;
        show_part(frame, &loop->border[i]);
    }
}

static void begin_turn(oribi_frame *frame, const oribi_batch_loop *loop, int64_t turn)
{
    for (int32_t i = 0; i < loop->n_border; i++) {
        const oribi_batch_border *b = &loop->border[i];
        slot_of(frame, b)->data = (char *)home_of(frame, loop, i)->data + (size_t)turn * b->bytes;
    }
    oribi_context_next_stamp(&frame->ctx);
}

/* To the first image of its place, from where it was or the kernel put it. */
static void take_home(oribi_frame *frame, const oribi_batch_border *b, const oribi_home *home)
{
    oribi_slot *slot = slot_of(frame, b);
    if (b->is_made && slot->is_spilled) {
        oribi_frame_unspill(frame, b->value);
        show_part(frame, b);
    }
    slot->data = home->data;
    slot->buffer = home->buffer;
    slot->storage = home->storage;
}

/* Heap memory that handles still read stays until the run is over: slots get other in a next turn.
 */
static bool keep_open(oribi_frame *frame, TF_Status *status)
{
    for (int32_t i = 0; i < frame->n_spilled; i++) {
        const oribi_slot *slot = &frame->ctx.slots[frame->spilled[i]];
        if (slot->storage == ORIBI_STORAGE_HEAP && !oribi_context_retire(&frame->ctx, slot)) {
            return oribi_fail_memory(status);
        }
    }
    return true;
}

/* What a kernel put elsewhere comes to its place. */
static bool end_turn(oribi_frame *frame, const oribi_batch_loop *loop, int64_t turn,
                     TF_Status *status)
{
    for (int32_t i = 0; i < loop->n_border; i++) {
        const oribi_batch_border *b = &loop->border[i];
        const oribi_home *home = home_of(frame, loop, i);
        const oribi_slot *slot = slot_of(frame, b);
        if (b->is_made && slot->bytes != b->bytes) {
            return oribi_fail(status, TF_INTERNAL,
                              "value '%s' has %zu bytes for %lld of its images, but the op's shape "
                              "function says %zu",
                              frame->session->values[b->value].name, slot->bytes,
                              (long long)frame->ctx.images, b->bytes);
        }
        if (b->is_made && slot->is_spilled) {
            char *to = (char *)home->data + (size_t)turn * b->bytes;
            oribi_guard_give(frame, slot->data, b->bytes);
            oribi_guard_give(frame, to, b->bytes); /* the step was given other memory */
            memcpy(to, slot->data, b->bytes);
            take_home(frame, b, home);
        }
    }
    return true;
}

static void end_loop(oribi_frame *frame, const oribi_batch_loop *loop)
{
    for (int32_t i = 0; i < loop->n_border; i++) {
        const oribi_batch_border *b = &loop->border[i];
        oribi_slot *slot = slot_of(frame, b);
        oribi_home *home = home_of(frame, loop, i);
        take_home(frame, b, home);
        slot->capacity = home->capacity;
        slot->bytes = b->bytes * (size_t)loop->n_turns;
        memcpy(home->dims, slot->dims, (size_t)slot->rank * sizeof home->dims[0]);
        home->dims[0] = loop->n_images;
        slot->dims = home->dims;
    }
    frame->loop = NULL;
    frame->ctx.images = 0;
}

static bool run_loop(oribi_run *run, const oribi_batch_loop *loop, TF_Status *status)
{
    oribi_frame *frame = run->frame;
    if (!is_as_planned(frame, loop)) {
        return oribi_run_range(run, loop->first, loop->end, status);
    }
    bool ok = true;
    begin_loop(frame, loop);
    for (int64_t turn = 0; ok && turn < loop->n_turns; turn++) {
        begin_turn(frame, loop, turn);
        ok = oribi_run_range(run, loop->first, loop->end, status);
        ok = keep_open(frame, status) && ok && end_turn(frame, loop, turn, status);
    }
    end_loop(frame, loop);
    return ok;
}

bool oribi_batch_run(oribi_run *run, TF_Status *status)
{
    const oribi_batch *batch = run->frame->plan->record->batch;
    int32_t at = 0;
    for (int32_t i = 0; i < batch->n_loops; i++) {
        ORIBI_TRY(oribi_run_range(run, at, batch->loops[i].first, status) &&
                  run_loop(run, &batch->loops[i], status));
        at = batch->loops[i].end;
    }
    return oribi_run_range(run, at, run->frame->plan->n_steps, status);
}

bool oribi_batch_view_step(oribi_frame *frame, const oribi_step_io *step, TF_Status *status)
{
    TF_OpKernelContext *ctx = &frame->ctx;
    const oribi_batch *batch = frame->plan->record->batch;
    if (frame->loop == NULL) {
        return oribi_context_compute(ctx, step, status);
    }
    const int32_t v = step->outputs[0];
    const oribi_place *place = &frame->plan->places[v];
    const oribi_slot *from = &ctx->slots[batch->viewed[frame->step]];
    oribi_slot *to = &ctx->slots[v];
    oribi_context_set_step(ctx, step);
    if (to->data == NULL || from->bytes > to->capacity) {
        oribi_frame_alias(frame, v, from, from->data, from->bytes);
    } else if (from->data != to->data) {
        memcpy(to->data, from->data, from->bytes);
    }
    (void)oribi_slot_set_dims(to, place->dims, place->rank);
    if (batch->where[v] == ORIBI_BATCH_BORDER) {
        set_images(to, ctx->images);
    }
    to->bytes = from->bytes;
    to->stamp = ctx->stamp;
    return true;
}

oribi_wish oribi_batch_whole_wish(const oribi_frame *frame, int32_t value, const oribi_wish *wish)
{
    oribi_wish whole = *wish;
    if (frame->loop == NULL || frame->plan->record->batch->where[value] != ORIBI_BATCH_BORDER) {
        return whole;
    }
    whole.kind = ORIBI_WISH_ALLOCATE;
    whole.from = -1;
    if (whole.rank > 0 && whole.rank <= ORIBI_INLINE_RANK && whole.dims[0] == frame->ctx.images) {
        whole.dims[0] = frame->loop->n_images;
        (void)oribi_size_mul(wish->bytes, (size_t)frame->loop->n_turns, &whole.bytes);
    }
    return whole;
}
