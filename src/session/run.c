/* SPDX-License-Identifier: Apache-2.0 */
/* oribi_run: bindings, one execution, cancelling. The walk over the steps is in run_steps.c. */
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "session/flight/flight.h"
#include "session/session_internal.h"

oribi_run *oribi_run_create(oribi_session *session, TF_Status *status)
{
    if (!ORIBI_GIVEN(status, session)) {
        return NULL;
    }
    oribi_run *run = oribi_alloc_zero(1, sizeof *run);
    if (run == NULL || !oribi_mutex_init(&run->lock)) {
        oribi_free(run);
        oribi_fail_memory(status);
        return NULL;
    }
    const size_t n_inputs = (size_t)session->n_inputs + 1;
    const size_t n_outputs = (size_t)session->n_outputs + 1;
    oribi_session_retain(session);
    oribi_session_retain(session);
    run->home = run->session = session;
    run->signal = oribi_signal_create(status);
    run->inputs = oribi_alloc_zero(n_inputs, sizeof *run->inputs);
    run->input_shapes = oribi_alloc_zero(n_inputs, sizeof *run->input_shapes);
    run->spares = oribi_alloc_zero(n_outputs, sizeof *run->spares);
    run->good = oribi_alloc_zero(n_outputs, sizeof *run->good);
    run->copies = oribi_alloc_zero(n_outputs, sizeof *run->copies);
    run->own = oribi_alloc_zero(n_outputs, sizeof *run->own);
    run->shared = oribi_alloc_array(n_outputs, sizeof *run->shared);
    run->next = oribi_alloc_zero((size_t)session->n_states + 1, sizeof *run->next);
    if (run->signal == NULL || run->inputs == NULL || run->input_shapes == NULL ||
        run->spares == NULL || run->good == NULL || run->copies == NULL || run->own == NULL ||
        run->shared == NULL || run->next == NULL) {
        oribi_run_destroy(run);
        oribi_fail_memory(status);
        return NULL;
    }
    for (size_t i = 0; i < n_outputs; i++) {
        run->shared[i] = (oribi_shared_memory){-1, -1};
    }
    if (!oribi_run_reset_states(run, status)) {
        oribi_run_destroy(run);
        return NULL;
    }
    return run;
}

void oribi_run_destroy(oribi_run *run)
{
    if (run == NULL) {
        return;
    }
    oribi_session *session = run->session;
    oribi_run_reset_streams(run);
    oribi_free(run->streams);
    oribi_free(run->beside);
    oribi_frame_destroy(run->frame);
    for (int32_t i = 0; i < session->n_inputs && run->inputs != NULL; i++) {
        TF_DeleteTensor(run->inputs[i]);
    }
    for (int32_t i = 0; i < session->n_outputs; i++) {
        for (int k = 0; k < ORIBI_OUTPUT_SPARES && run->spares != NULL; k++) {
            oribi_buffer_release(run->spares[i][k]);
        }
        if (run->good != NULL) {
            oribi_buffer_release(run->good[i].buffer);
            oribi_free(run->good[i].dims_heap);
        }
        if (run->own != NULL) {
            TF_DeleteTensor(run->own[i]);
        }
    }
    oribi_free(run->inputs);
    oribi_free(run->input_shapes);
    oribi_free(run->spares);
    oribi_free(run->good);
    oribi_free(run->copies);
    oribi_free(run->own);
    oribi_free(run->shared);
    oribi_free((void *)run->passes);
    oribi_free(run->shares);
    oribi_free(run->next);
    oribi_free(run->blocks.events);
    oribi_signal_release(run->signal);
    oribi_mutex_destroy(&run->lock);
    oribi_session_release(run->home);
    oribi_free(run);
    oribi_session_release(session);
}

/* --- Bindings -------------------------------------------------------------------------------- */

static bool check_input(const oribi_session *session, int index, const TF_Tensor *tensor,
                        TF_Status *status)
{
    const int32_t n_inputs = session->n_inputs - session->n_states;
    if (index < 0 || index >= n_inputs) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "there is no input %d; the model has %d",
                          index, (int)n_inputs);
    }
    const oribi_session_value *value = &session->values[session->inputs[index]];
    const char *name = session->graph->input_names[index];
    if (tensor == NULL || tensor->buffer == NULL) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "input '%s': the tensor is NULL or has no storage of its own", name);
    }
    if (tensor->dtype != value->dtype) {
        return oribi_fail(status, TF_INVALID_ARGUMENT, "input '%s' is %s, but the tensor is %s",
                          name, oribi_dtype_name(value->dtype), oribi_dtype_name(tensor->dtype));
    }
    const oribi_shape *limit = oribi_session_input_limit(session, index);
    const oribi_shape shape = {tensor->rank, tensor->dims};
    if (!oribi_shape_agrees(limit, &shape)) {
        oribi_text expected = {0};
        oribi_text found = {0};
        oribi_shape_print(limit, &expected);
        oribi_shape_print(&shape, &found);
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "input '%s' has shape %s, but the tensor has shape %s", name,
                   oribi_text_string(&expected), oribi_text_string(&found));
        oribi_text_destroy(&expected);
        oribi_text_destroy(&found);
        return false;
    }
    ORIBI_TRY(oribi_bounds_check(session, index, &shape, status));
    size_t bytes = 0;
    if (!oribi_size_of_dims(tensor->dims, tensor->rank, oribi_dtype_bytes(tensor->dtype), &bytes) ||
        bytes > tensor->bytes) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "input '%s': the shape of the tensor does not fit its %zu bytes", name,
                          tensor->bytes);
    }
    return true;
}

bool oribi_run_bind(oribi_run *run, int32_t index, TF_Tensor *tensor, TF_Status *status)
{
    if (tensor == NULL || !check_input(run->home, index, tensor, status)) {
        TF_DeleteTensor(tensor);
        return tensor != NULL ? false : oribi_fail_memory(status);
    }
    TF_DeleteTensor(run->inputs[index]);
    run->inputs[index] = tensor;
    run->input_shapes[index] = (oribi_shape){tensor->rank, tensor->dims};
    return true;
}

void oribi_run_unbind(oribi_run *run)
{
    for (int32_t i = 0; i < run->session->n_inputs; i++) {
        TF_DeleteTensor(run->inputs[i]);
        run->inputs[i] = NULL;
    }
    for (int32_t i = 0; i < run->session->n_outputs; i++) {
        oribi_buffer_release(run->good[i].buffer);
        run->good[i].buffer = NULL;
    }
    run->has_good = false;
}

void oribi_run_set_input(oribi_run *run, int index, const TF_Tensor *tensor, TF_Status *status)
{
    if (!ORIBI_GIVEN(status, run, tensor)) {
        return;
    }
    if (check_input(run->home, index, tensor, status)) {
        (void)oribi_run_bind(run, index, oribi_tensor_share(tensor), status);
    }
}

static bool all_bound(const oribi_run *run, TF_Status *status)
{
    for (int32_t i = 0; i < run->session->n_inputs; i++) {
        if (run->inputs[i] == NULL) {
            return oribi_fail(status, TF_FAILED_PRECONDITION,
                              "input '%s' is not bound: call oribi_run_set_input",
                              run->session->graph->input_names[i]);
        }
    }
    return true;
}

/* --- One execution --------------------------------------------------------------------------- */

/* The session that is made for the shapes of the inputs, where the model has one for each. */
static bool specialise(oribi_run *run, TF_Status *status)
{
    if (run->home->specials == NULL || ((run->session != run->home || !run->home->graph->is_open) &&
                                        oribi_special_serves(run->session, run->input_shapes))) {
        return true;
    }
    oribi_session *special = oribi_special_find(run->home, run->input_shapes, status);
    ORIBI_TRY(special != NULL);
    oribi_run_reset_streams(run);
    oribi_free(run->streams);
    oribi_free(run->beside);
    run->streams = NULL;
    run->beside = NULL;
    oribi_frame_destroy(run->frame);
    run->frame = NULL;
    oribi_session_release(run->session);
    run->session = special;
    return true;
}

/* A frame that is laid out for the bound shapes. */
static bool prepare_frame(oribi_run *run, TF_Status *status)
{
    if (run->frame == NULL) {
        run->frame = oribi_frame_create(run->session, run, status);
        ORIBI_TRY(run->frame != NULL);
    }
    const oribi_plan *present = run->frame->plan;
    if (present == NULL || atomic_load_explicit(&present->is_superseded, memory_order_acquire) ||
        !oribi_plan_fits(present, run->input_shapes, run->watch != NULL, run->session)) {
        oribi_plan *plan =
            oribi_plan_find(run->session, run->input_shapes, run->watch != NULL, status);
        ORIBI_TRY(plan != NULL);
        const bool bound = plan == present || oribi_frame_bind(run->frame, plan, status);
        oribi_plan_release(plan);
        ORIBI_TRY(bound);
    }
    for (int32_t i = 0; i < run->session->n_inputs; i++) {
        if (!oribi_frame_set_input(run->frame, i, run->inputs[i])) {
            return oribi_fail_memory(status);
        }
    }
    return oribi_run_prepare_outputs(run, status);
}

/* Another signal in the place of one that a late kernel still reads. */
static bool renew_signal(oribi_run *run, TF_Status *status)
{
    oribi_signal *made = oribi_signal_create(status);
    oribi_mutex_lock(&run->lock);
    oribi_signal *before = run->signal;
    run->signal = made;
    oribi_mutex_unlock(&run->lock);
    oribi_signal_release(before);
    return made != NULL;
}

/* Leaves kernels that are late to the frame. A run without a signal makes one when it is needed. */
static void leave_late(oribi_run *run)
{
    oribi_frame *frame = run->frame;
    TF_Status *ignored = TF_NewStatus();
    frame->was_late = true;
    frame->streams = run->streams; /* a late kernel may enqueue; the frame ends them */
    run->streams = NULL;
    (void)renew_signal(run, ignored);
    TF_DeleteStatus(ignored);
}

/* Takes the frame back, or leaves it to the handles that kernels kept and to kernels that are late;
 * plans again. */
static void finish(oribi_run *run, bool ok)
{
    oribi_frame *frame = run->frame;
    bool is_kept = oribi_context_abandon(&frame->ctx);
    is_kept |= oribi_flights_abandon(frame);
    if (is_kept) {
        leave_late(run);
    }
    if (!ok) {
        oribi_run_reset_streams(run);
    }
    oribi_record *news = frame->news;
    oribi_plan *plan = frame->plan;
    frame->news = NULL;
    oribi_plan_retain(plan);
    oribi_seen_clear(&frame->seen); /* of a step that failed */
    frame->n_pins = 0;
    is_kept |= oribi_flights_have_open(frame);
    if (oribi_context_has_open(&frame->ctx, frame->n_slots) || is_kept) {
        run->frame = NULL;
        oribi_frame_hold(frame);
        oribi_frame_leave(frame);
    } else {
        (void)oribi_context_leave(&frame->ctx);
        oribi_flights_clear(frame);
        oribi_frame_restore(frame);
        oribi_frame_part(frame);
    }
    if (news != NULL && ok) {
        oribi_plan_improve(run->session, plan, news);
    } else {
        oribi_record_destroy(news); /* a run that failed may have asked for anything */
    }
    oribi_plan_release(plan);
}

/* Planning is what takes long before the first step, so it asks the thread's patience. */
static void execute(oribi_run *run, uint64_t deadline_ns, TF_Status *status)
{
    if (!all_bound(run, status) || !specialise(run, status) ||
        !oribi_run_open_streams(run, status) || !prepare_frame(run, status)) {
        return;
    }
    TF_OpKernelContext *ctx = &run->frame->ctx;
    ctx->streams = (oribi_stream *const *)run->streams;
    oribi_context_enter(ctx);
    ctx->step_id =
        atomic_fetch_add_explicit(&run->session->next_run_id, 1, memory_order_relaxed) + 1;
    ctx->deadline_ns = deadline_ns;
    ctx->trace = run->trace != NULL && run->blocks.events != NULL ? &run->blocks : NULL;
    const bool ok = oribi_run_steps(run, status) && oribi_run_keep_outputs(run, status) &&
                    oribi_run_commit_states(run, status);
    finish(run, ok);
}

bool oribi_run_execute_inside(oribi_run *run, const TF_OpKernelContext *around, TF_Status *status)
{
    run->n_waits = 0;
    execute(run, around->deadline_ns, status);
    return oribi_ok(status);
}

void oribi_run_execute(oribi_run *run, TF_Status *status)
{
    if (run == NULL) {
        (void)ORIBI_GIVEN(status, run);
        return;
    }
    TF_SetStatus(status, TF_OK, "");
    run->n_waits = 0;
    if (run->signal == NULL && !renew_signal(run, status)) {
        return;
    }
    oribi_signal *signal = run->signal;
    oribi_signal_retain(signal); /* a late kernel's run gets another one */
    atomic_store_explicit(&signal->stop, 0, memory_order_relaxed);
    oribi_patience patience = {.stop = &signal->stop, .what = "the run"};
    if (run->time_limit_ns > 0) {
        const uint64_t now = oribi_now_ns();
        patience.deadline_ns =
            run->time_limit_ns > UINT64_MAX - now ? UINT64_MAX : now + run->time_limit_ns;
    }
    oribi_patience_begin(&patience);
    execute(run, patience.deadline_ns, status);
    oribi_patience_end(&patience);
    oribi_signal_release(signal);
}

void oribi_run_cancel(oribi_run *run)
{
    if (run == NULL) {
        return;
    }
    oribi_mutex_lock(&run->lock);
    oribi_signal *signal = run->signal;
    if (signal != NULL) {
        oribi_signal_retain(signal);
    }
    oribi_mutex_unlock(&run->lock);
    if (signal != NULL) {
        oribi_signal_stop(signal, ORIBI_STOP_CANCELLED);
        oribi_signal_release(signal);
    }
}

uint64_t oribi_run_num_waits(const oribi_run *run)
{
    return run != NULL ? run->n_waits : 0;
}

void oribi_run_set_time_limit(oribi_run *run, uint64_t nanoseconds)
{
    if (run != NULL) {
        run->time_limit_ns = nanoseconds;
    }
}
