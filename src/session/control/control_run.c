/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of bodies inside a run, and conditions. Loops are in control_loop.c. */
#include "session/control/control.h"

#include "base/alloc.h"

/* Which outputs are inputs: those that may be shared are not copied. */
static bool find_passes(oribi_run *run)
{
    const oribi_session *session = run->session;
    int32_t *passes = oribi_alloc_array((size_t)session->n_outputs + 1, sizeof *passes);
    run->passes = passes;
    run->shares = oribi_alloc_zero((size_t)session->n_inputs + 1, sizeof *run->shares);
    for (int32_t i = 0; passes != NULL && i < session->n_outputs; i++) {
        passes[i] = -1;
        for (int32_t k = 0; k < session->n_inputs; k++) {
            passes[i] = session->inputs[k] == session->outputs[i] ? k : passes[i];
        }
    }
    return run->passes != NULL && run->shares != NULL;
}

/* What stops the outer run stops the inner one. */
static void share_signal(oribi_run *run, oribi_run *around)
{
    if (run->signal == around->signal) {
        return;
    }
    oribi_frame_destroy(run->frame); /* its contexts have the other signal */
    run->frame = NULL;
    oribi_signal_retain(around->signal);
    oribi_mutex_lock(&run->lock);
    oribi_signal *before = run->signal;
    run->signal = around->signal;
    oribi_mutex_unlock(&run->lock);
    oribi_signal_release(before);
}

oribi_child *oribi_control_child(oribi_frame *frame, const oribi_session_body *body,
                                 TF_Status *status)
{
    if (body->session == NULL) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "%s", body->fault);
        return NULL;
    }
    if (frame->children == NULL) {
        frame->children =
            oribi_alloc_zero((size_t)frame->session->n_children, sizeof *frame->children);
    }
    oribi_child *child = frame->children != NULL ? &frame->children[body->index] : NULL;
    if (child == NULL) {
        oribi_fail_memory(status);
        return NULL;
    }
    if (child->run == NULL) {
        child->run = oribi_run_create(body->session, status);
        if (child->run == NULL) {
            return NULL;
        }
    }
    oribi_run *around = frame->run;
    if (child->run->passes == NULL && !find_passes(child->run)) {
        oribi_fail_memory(status);
        return NULL;
    }
    share_signal(child->run, around);
    if (child->run->trace != around->trace || child->run->trace_arg != around->trace_arg) {
        oribi_run_set_trace(child->run, around->trace, around->trace_arg);
    }
    child->run->watch = around->watch;
    child->run->watch_arg = around->watch_arg;
    return child;
}

void oribi_control_destroy(oribi_frame *frame)
{
    if (frame == NULL) {
        return;
    }
    for (int32_t i = 0; frame->children != NULL && i < frame->session->n_children; i++) {
        oribi_child *child = &frame->children[i];
        oribi_run_destroy(child->run);
        for (int k = 0; k < ORIBI_RING; k++) {
            oribi_buffer_release(child->scalars.buffers[k]);
            for (int32_t c = 0; c < child->n_collected; c++) {
                oribi_buffer_release(child->collected[c].ring.buffers[k]);
            }
        }
        oribi_free(child->collected);
    }
    oribi_free(frame->children);
    frame->children = NULL;
}

oribi_buffer *oribi_ring_take(oribi_ring *ring, oribi_meter *meter, size_t bytes, TF_Status *status)
{
    int victim = 0;
    for (int k = 0; k < ORIBI_RING; k++) {
        oribi_buffer *buffer = ring->buffers[k];
        const bool is_free =
            buffer == NULL || atomic_load_explicit(&buffer->references, memory_order_acquire) == 1;
        if (buffer != NULL && is_free && buffer->bytes >= bytes) {
            return buffer;
        }
        victim = is_free ? k : victim;
    }
    oribi_buffer *made = oribi_meter_buffer(meter, bytes, "what control flow makes", status);
    if (made != NULL) {
        made->is_spare = true;
        oribi_buffer_release(ring->buffers[victim]);
        ring->buffers[victim] = made;
    }
    return made;
}

/* --- Inputs and outputs ------------------------------------------------------------------------
 */

bool oribi_control_bind(oribi_frame *frame, oribi_run *run, int32_t index, int32_t slot,
                        TF_Status *status)
{
    const oribi_slot *from = &frame->ctx.slots[slot];
    TF_Tensor *tensor = oribi_tensor_handle(from->dtype, from->dims, from->rank);
    ORIBI_TRY(tensor != NULL || oribi_fail_memory(status));
    tensor->buffer = from->buffer != NULL ? from->buffer : frame->arena_buffer;
    tensor->data = from->data;
    tensor->bytes = from->bytes;
    oribi_buffer_retain(tensor->buffer);
    run->shares[index] =
        from->storage == ORIBI_STORAGE_HEAP || from->storage == ORIBI_STORAGE_CONSTANT;
    return oribi_run_bind(run, index, tensor, status);
}

bool oribi_control_bind_captured(oribi_frame *frame, const oribi_session_body *body,
                                 const oribi_step_io *step, oribi_run *run, TF_Status *status)
{
    for (int32_t i = 0; i < body->body->n_captured; i++) {
        ORIBI_TRY(oribi_control_bind(frame, run, body->body->n_formals + i,
                                     step->inputs[body->body->captured[i]], status));
    }
    return true;
}

bool oribi_control_give(oribi_frame *frame, int32_t index, oribi_run *run, int32_t from,
                        TF_Status *status)
{
    TF_Tensor *tensor = oribi_run_share_output(run, from, status);
    if (tensor == NULL) {
        return false;
    }
    TF_SetOutput(&frame->ctx, index, tensor, status);
    TF_DeleteTensor(tensor);
    return oribi_ok(status);
}

/* --- Conditions --------------------------------------------------------------------------------
 */

static bool run_branch(oribi_frame *frame, const oribi_session_body *body,
                       const oribi_step_io *step, TF_Status *status)
{
    oribi_child *child = oribi_control_child(frame, body, status);
    if (child == NULL) {
        return false;
    }
    oribi_run *run = child->run;
    bool ok = oribi_control_bind_captured(frame, body, step, run, status) &&
              oribi_run_execute_inside(run, &frame->ctx, status);
    frame->run->n_waits += run->n_waits;
    for (int32_t i = 0; ok && i < step->n_outputs; i++) {
        ok = oribi_control_give(frame, i, run, i, status);
    }
    oribi_run_unbind(run);
    return ok;
}

bool oribi_control_run(oribi_frame *frame, const oribi_step_io *step, TF_Status *status)
{
    const oribi_session_step *own = &frame->session->steps[frame->step];
    oribi_context_set_step(&frame->ctx, step);
    if (own->n_bodies == 1) {
        return oribi_control_loop(frame, &own->bodies[0], step, status);
    }
    const oribi_slot *condition = &frame->ctx.slots[step->inputs[0]];
    if (condition->bytes != sizeof(bool)) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "the condition has %zu elements; it must have one", condition->bytes);
    }
    const bool is_true = *(const uint8_t *)condition->data != 0;
    return run_branch(frame, &own->bodies[is_true ? 0 : 1], step, status);
}
