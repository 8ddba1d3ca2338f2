/* SPDX-License-Identifier: Apache-2.0 */
/* Trace of devices: what each did, by its own timers, told after the run. Lanes: two for each
 * device, kernels and copies. A timer tells how long, not when: on a stream things are done in
 * order, so one begins when it was enqueued or when the one before ended, whichever is later.
 */
#include "base/alloc.h"
#include "session/session_internal.h"

enum { DEVICE_LANES = 1000 };

typedef struct oribi_timed_step {
    const oribi_session_step *step;
    oribi_device_timer *timer;
    int32_t device;
    uint64_t enqueued_ns;
} oribi_timed_step;

struct oribi_device_trace {
    int32_t n, capacity;
    bool is_open; /* the last one is not stopped */
    oribi_timed_step steps[];
};

/* Whose stream the step's work goes to; 0: the host does it, or only waits. */
static int32_t device_of(const oribi_session_step *step)
{
    const oribi_transfer *transfer = step->transfer;
    if (transfer == NULL) {
        return step->device;
    }
    return transfer->kind == ORIBI_TO_HOST                                          ? transfer->from
           : transfer->kind == ORIBI_TO_DEVICE || transfer->kind == ORIBI_ON_DEVICE ? transfer->to
                                                                                    : 0;
}

bool oribi_run_timer_start(oribi_run *run, int32_t s, uint64_t now_ns, TF_Status *status)
{
    const oribi_session *session = run->session;
    const int32_t device = device_of(&session->steps[s]);
    oribi_device_trace *trace = run->device_trace;
    if (device == 0) {
        return true;
    }
    if (trace == NULL) {
        const size_t n = (size_t)session->n_steps;
        trace = oribi_alloc_zero(1, sizeof *trace + n * sizeof trace->steps[0]);
        if (trace == NULL) {
            return oribi_fail_memory(status);
        }
        trace->capacity = session->n_steps;
        run->device_trace = trace;
    }
    oribi_device_timer *timer = oribi_device_timer_start(run->streams[device], status);
    if (timer != NULL) {
        trace->steps[trace->n++] = (oribi_timed_step){&session->steps[s], timer, device, now_ns};
        trace->is_open = true;
    }
    return oribi_ok(status);
}

bool oribi_run_timer_stop(oribi_run *run, TF_Status *status)
{
    oribi_device_trace *trace = run->device_trace;
    if (trace == NULL || !trace->is_open) {
        return true;
    }
    trace->is_open = false;
    return oribi_device_timer_stop(trace->steps[trace->n - 1].timer, status);
}

static void tell(oribi_run *run, const oribi_timed_step *timed, uint64_t *cursors)
{
    const oribi_session_device *device = &run->session->devices[timed->device];
    const bool is_copy = timed->step->transfer != NULL;
    uint64_t *cursor = &cursors[timed->device];
    const uint64_t start_ns = *cursor > timed->enqueued_ns ? *cursor : timed->enqueued_ns;
    *cursor = start_ns + oribi_device_timer_ns(timed->timer);
    const oribi_trace_event event = {.name = timed->step->node->name,
                                     .kind = is_copy ? "copy" : "kernel",
                                     .detail = timed->step->detail,
                                     .lane = DEVICE_LANES + 2 * timed->device + is_copy,
                                     .start_ns = start_ns,
                                     .end_ns = *cursor,
                                     .lane_name = device->lane_names[is_copy]};
    run->trace(run->trace_arg, &event);
}

void oribi_run_trace_devices(oribi_run *run, bool ok)
{
    uint64_t cursors[ORIBI_MAX_DEVICES] = {0};
    oribi_device_trace *trace = run->device_trace;
    if (trace == NULL) {
        return;
    }
    for (int32_t d = 1; !ok && d < run->session->n_devices; d++) {
        oribi_stream_drain(run->streams[d]); /* timers are on the way */
    }
    for (int32_t i = 0; i < trace->n; i++) {
        if (ok) {
            tell(run, &trace->steps[i], cursors);
        }
        oribi_device_timer_destroy(trace->steps[i].timer);
    }
    oribi_free(trace);
    run->device_trace = NULL;
}
