/* SPDX-License-Identifier: Apache-2.0 */
/* The walk over the steps: what a run does in the steady state, and nothing else. */
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

static void name_step(const oribi_session_step *step, TF_Status *status)
{
    const oribi_kernel_def *def = step->kernel.def;
    oribi_status_prefix(status, "node '%s' (op %s, kernel '%s' of %s): ", step->node->name,
                        step->node->op_name, def->kernel_name, def->provider);
}

static bool needs_finishing(oribi_frame *frame)
{
    return frame->n_seen > 0 || frame->n_spilled > 0 || frame->ctx.is_slow ||
           oribi_context_has_open(&frame->ctx, frame->n_slots);
}

static bool run_step(oribi_run *run, int32_t index, TF_Status *status)
{
    oribi_frame *frame = run->frame;
    const oribi_plan *plan = frame->plan;
    const oribi_step_io *step = &plan->steps[index];
    frame->step = index;
    if (plan->is_placed[index]) {
        ORIBI_TRY(oribi_frame_finish_concat(frame, step, status));
    } else {
        ORIBI_TRY(oribi_context_compute(&frame->ctx, step, status));
    }
    return outputs_are_set(frame, step, status) &&
           (!needs_finishing(frame) || oribi_frame_finish_step(frame, status));
}

static bool is_late(TF_OpKernelContext *ctx, TF_Status *status)
{
    if (ctx->deadline_ns != 0 && oribi_context_should_stop(ctx)) {
        return !oribi_fail(status, TF_DEADLINE_EXCEEDED, "the run passed its time limit");
    }
    return false;
}

bool oribi_run_steps(oribi_run *run, TF_Status *status)
{
    const oribi_session *session = run->session;
    const bool is_traced = run->trace != NULL;
    for (int32_t s = 0; s < session->n_steps; s++) {
        const uint64_t start_ns = is_traced ? oribi_now_ns() : 0;
        if (is_late(&run->frame->ctx, status) || !run_step(run, s, status)) {
            name_step(&session->steps[s], status);
            return false;
        }
        if (is_traced) {
            oribi_run_trace_step(run, &session->steps[s], start_ns);
        }
    }
    return true;
}
