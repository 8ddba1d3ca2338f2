/* SPDX-License-Identifier: Apache-2.0 */
/* The walk over the steps of a session that has asynchronous kernels: flights start when their step
 * comes, and land where the plan says. Other sessions know nothing of it (../run_steps.c).
 *
 * What ends a run early ends every wait. After a cancel or the time limit the run leaves at once,
 * and kernels that are still at work keep the frame. After a failure it waits a moment for the
 * others, so that of several failures that of the lowest step is reported, whoever was first.
 */
#include "session/flight/flight.h"

typedef struct outcome { /* of a run that failed */
    TF_Status *status;
    int32_t step; /* INT32_MAX: none yet */
} outcome;

/* A kernel that gave up since another one failed is not the cause. */
static bool is_better(const outcome *known, const TF_Status *status, int32_t step)
{
    if (known->step == INT32_MAX) {
        return true;
    }
    const bool gave_up = TF_GetCode(known->status) == TF_CANCELLED;
    const bool gives_up = TF_GetCode(status) == TF_CANCELLED;
    return gave_up != gives_up ? gave_up : step < known->step;
}

static void add_failure(const oribi_run *run, outcome *known, TF_Status *status, int32_t step)
{
    if (!oribi_ok(status) && is_better(known, status, step)) {
        oribi_status_copy(known->status, status);
        oribi_run_name_step(run->session, step, known->status);
        known->step = step;
    }
}

/* Waits for what is aloft, as long as there is a reason to, and picks the failure to report. */
static void gather(oribi_run *run, outcome *known)
{
    oribi_frame *frame = run->frame;
    TF_Status *each = TF_NewStatus();
    oribi_signal_stop(frame->ctx.signal, ORIBI_STOP_FAILED); /* unless it has another reason */
    for (int32_t i = 0; i < run->session->n_flights; i++) {
        oribi_flight *flight = &frame->flights[i];
        if (flight->is_aloft) {
            (void)oribi_context_wait(&flight->ctx, &frame->limit_ns);
        }
    }
    for (int32_t i = 0; i < run->session->n_flights; i++) {
        oribi_flight *flight = &frame->flights[i];
        if (flight->is_aloft) {
            TF_OpKernelContext_UpdateStatus(&flight->ctx, each);
            add_failure(run, known, each, flight->step);
        }
    }
    TF_DeleteStatus(each);
}

/* The run ended at step s, perhaps with a status that says why. */
static void fail_run(oribi_run *run, int32_t s, TF_Status *status)
{
    outcome known = {TF_NewStatus(), INT32_MAX};
    if (!oribi_ok(status)) {
        oribi_status_copy(known.status, status);
        known.step = s;
    }
    const int stop = atomic_load(run->frame->ctx.stop);
    gather(run, &known);
    if (stop == ORIBI_STOP_CANCELLED || stop == ORIBI_STOP_DEADLINE) {
        oribi_fail(known.status, stop == ORIBI_STOP_CANCELLED ? TF_CANCELLED : TF_DEADLINE_EXCEEDED,
                   stop == ORIBI_STOP_CANCELLED ? "the run was cancelled"
                                                : "the run passed its time limit");
        oribi_run_name_step(run->session, s, known.status);
    } else if (oribi_ok(known.status)) {
        oribi_fail(known.status, TF_INTERNAL,
                   "a kernel reported its failure after it had called done");
    }
    oribi_status_copy(status, known.status);
    TF_DeleteStatus(known.status);
}

/* A device's timer says how long its stream took for one step, so nothing may come between. */
static bool is_timed(const oribi_run *run, const oribi_flight *flight)
{
    const oribi_session_step *step = &run->session->steps[flight->step];
    return run->trace != NULL && step->device != 0 && step->until == flight->step;
}

static bool land(oribi_run *run, oribi_flight *flight, TF_Status *status)
{
    const oribi_session_step *step = &run->session->steps[flight->step];
    (void)oribi_context_wait(&flight->ctx, &run->frame->limit_ns);
    if (oribi_context_should_stop(&run->frame->ctx)) {
        return false; /* by whomever; gather finds out */
    }
    if (!oribi_flight_land(flight, status)) {
        oribi_run_name_step(run->session, flight->step, status);
        return false;
    }
    if (run->trace != NULL) {
        ORIBI_TRY(!is_timed(run, flight) || oribi_run_timer_stop(run, status));
        oribi_run_trace_flight(run, flight->step, flight->start_ns, flight->ctx.done_ns);
    }
    return run->watch == NULL || oribi_run_watch_step(run, step, status);
}

/* The step of the flight that failed, in out_step, where it is another one than s. */
static bool land_before(oribi_run *run, int32_t s, int32_t *out_step, TF_Status *status)
{
    const oribi_session *session = run->session;
    for (int32_t k = session->first_landing[s]; k < session->first_landing[s + 1]; k++) {
        oribi_flight *flight = &run->frame->flights[session->landings[k]];
        *out_step = flight->step;
        ORIBI_TRY(land(run, flight, status));
    }
    *out_step = s;
    return true;
}

static bool start(oribi_run *run, oribi_flight *flight, TF_Status *status)
{
    ORIBI_TRY(!is_timed(run, flight) ||
              oribi_run_timer_start(run, flight->step, oribi_now_ns(), status));
    oribi_flight_start(flight);
    return true;
}

static bool take_step(oribi_run *run, int32_t s, TF_Status *status)
{
    const oribi_session_step *step = &run->session->steps[s];
    if (oribi_context_should_stop(&run->frame->ctx)) {
        return false;
    }
    if (step->flight >= 0) {
        return start(run, &run->frame->flights[step->flight], status);
    }
    return oribi_run_step(run, s, status) &&
           (run->watch == NULL || oribi_run_watch_step(run, step, status));
}

bool oribi_run_flights(oribi_run *run, TF_Status *status)
{
    const int32_t n = run->frame->plan->n_steps;
    int32_t at = 0;
    bool ok = true;
    run->frame->limit_ns = 0;
    for (int32_t s = 0; ok && s <= n; s++) {
        ok = land_before(run, s, &at, status) && (s == n || take_step(run, s, status));
    }
    if (!ok) {
        fail_run(run, at, status);
    }
    if (run->trace != NULL) {
        oribi_run_trace_devices(run, ok);
    }
    return ok;
}
