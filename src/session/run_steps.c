/* SPDX-License-Identifier: Apache-2.0 */
/* The walk over the steps: what a run does in the steady state, and nothing else. */
#include "session/batch/batch.h"
#include "session/session_guard.h"
#include "session/session_internal.h"

static bool fail_missing(const oribi_session_step *step, int32_t output, TF_Status *status)
{
    return oribi_fail(status, TF_INTERNAL, "Missing %d-th output from node '%s'", (int)output,
                      step->node->name);
}

static bool outputs_are_set(const oribi_frame *frame, const oribi_step_io *step, TF_Status *status)
{
    const oribi_slot *slots = frame->ctx.slots;
    for (int32_t i = 0; i < step->n_outputs; i++) {
        if (slots[step->outputs[i]].stamp != frame->ctx.stamp) {
            return fail_missing(&frame->session->steps[frame->step], i, status);
        }
    }
    return true;
}

void oribi_run_name_step(const oribi_session *session, int32_t s, TF_Status *status)
{
    const oribi_session_step *step = &session->steps[s];
    const oribi_kernel_def *def = step->kernel.def;
    oribi_status_prefix(status, "node '%s' (op %s, kernel '%s' of %s%s%s): ", step->node->name,
                        step->node->op_name, def->kernel_name, def->provider,
                        step->device != 0 ? ", device " : "",
                        step->device != 0 ? session->devices[step->device].name : "");
}

static bool end_step(oribi_frame *frame, const oribi_step_io *step, TF_Status *status)
{
    return outputs_are_set(frame, step, status) && oribi_frame_finish_step(frame, status);
}

/* What is left to do once the kernel returned, where that is anything. */
static __attribute__((noinline)) bool end_unrest(oribi_frame *frame, const oribi_step_io *step,
                                                 TF_Status *status)
{
    return oribi_context_settle(&frame->ctx, status) && end_step(frame, step, status);
}

static __attribute__((noinline)) bool run_special_step(oribi_frame *frame,
                                                       const oribi_step_io *step, TF_Status *status)
{
    const bool is_placed = frame->plan->is_placed[frame->step];
    return (is_placed ? oribi_frame_special_step(frame, step, status)
                      : oribi_context_compute(&frame->ctx, step, status)) &&
           end_step(frame, step, status);
}

static inline bool run_step(oribi_frame *frame, const oribi_step_io *step, int32_t index,
                            TF_Status *status)
{
    TF_OpKernelContext *ctx = &frame->ctx;
    frame->step = index;
    oribi_guard_step(frame, index);
    if (step->direct == NULL) {
        return run_special_step(frame, step, status);
    }
    oribi_context_set_step(ctx, step);
    step->direct(step->state, ctx);
    return oribi_context_unrest(ctx, step) == 0 || end_unrest(frame, step, status);
}

static bool is_late(TF_OpKernelContext *ctx, TF_Status *status)
{
    if (oribi_context_should_stop(ctx)) {
        return !oribi_fail(status, TF_DEADLINE_EXCEEDED, "the run passed its time limit");
    }
    return false;
}

/* One step of a run that is traced: the host's time, and a device's where it has timers. */
static bool run_step_traced(oribi_run *run, int32_t s, TF_Status *status)
{
    const uint64_t start_ns = oribi_now_ns();
    const oribi_plan *plan = run->frame->plan;
    ORIBI_TRY(oribi_run_timer_start(run, s, start_ns, status) &&
              run_step(run->frame, &plan->steps[s], s, status) &&
              oribi_run_timer_stop(run, status));
    oribi_run_trace_step(run, &run->session->steps[s], start_ns);
    return true;
}

bool oribi_run_step(oribi_run *run, int32_t s, TF_Status *status)
{
    const oribi_plan *plan = run->frame->plan;
    const bool ok = run->trace != NULL ? run_step_traced(run, s, status)
                                       : run_step(run->frame, &plan->steps[s], s, status);
    if (!ok) {
        oribi_run_name_step(run->session, s, status);
    }
    return ok;
}

/* A run with a time limit, a trace or a watch, which costs what most runs should not pay for. */
static bool run_watched(oribi_run *run, int32_t first, int32_t end, TF_Status *status)
{
    const oribi_session *session = run->session;
    TF_OpKernelContext *ctx = &run->frame->ctx;
    for (int32_t s = first; s < end; s++) {
        if (ctx->deadline_ns != 0 && is_late(ctx, status)) {
            oribi_run_name_step(session, s, status);
            return false;
        }
        ORIBI_TRY(oribi_run_step(run, s, status));
        if (run->watch != NULL) {
            ORIBI_TRY(oribi_run_watch_step(run, &session->steps[s], status));
        }
    }
    return true;
}

static inline bool is_watched(const oribi_run *run)
{
    return run->trace != NULL || run->watch != NULL || run->frame->ctx.deadline_ns != 0;
}

bool oribi_run_range(oribi_run *run, int32_t first, int32_t end, TF_Status *status)
{
    oribi_frame *frame = run->frame;
    const oribi_step_io *steps = frame->plan->steps;
    if (is_watched(run)) {
        return run_watched(run, first, end, status);
    }
    for (int32_t s = first; s < end; s++) {
        if (!run_step(frame, &steps[s], s, status)) {
            oribi_run_name_step(run->session, s, status);
            return false;
        }
    }
    return true;
}

bool oribi_run_steps(oribi_run *run, TF_Status *status)
{
    const oribi_plan *plan = run->frame->plan;
    if (run->session->n_flights > 0) {
        return oribi_run_flights(run, status);
    }
    const bool ok = plan->record->batch != NULL ? oribi_batch_run(run, status)
                                                : oribi_run_range(run, 0, plan->n_steps, status);
    if (is_watched(run)) {
        oribi_run_trace_devices(run, ok);
    }
    return ok;
}
