/* SPDX-License-Identifier: Apache-2.0 */
/* Trace of devices: what each did, by its own timers, told after the run. Lanes: two for each
 * device, kernels and copies among them; two more for copies beside the kernels. A timer tells how
 * long, not when: on a stream things are done in order, so one begins when it was enqueued or when
 * the one before ended, whichever is later. A copy beside begins when its stream and, to the host,
 * the kernels before it are done; kernels after a copy to the device begin when that is done.
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

bool oribi_run_timer_start(oribi_run *run, int32_t s, uint64_t now_ns, TF_Status *status)
{
    const oribi_session *session = run->session;
    int32_t device = 0;
    oribi_stream *stream = oribi_run_stream_of(run, &session->steps[s], &device);
    oribi_device_trace *trace = run->device_trace;
    if (stream == NULL) {
        return true;
    }
    if (trace == NULL) {
        const size_t n = (size_t)session->n_steps;
        trace = oribi_claim_zero(1, sizeof *trace + n * sizeof trace->steps[0], status);
        ORIBI_TRY(trace != NULL);
        trace->capacity = session->n_steps;
        run->device_trace = trace;
    }
    oribi_device_timer *timer = oribi_device_timer_start(stream, status);
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

enum { KERNELS, COPIES, BESIDE, LANES = 4 }; /* BESIDE + ORIBI_TO_DEVICE or ORIBI_TO_HOST */

typedef struct oribi_cursors { /* when what was told of a device's streams ends */
    uint64_t kernels, beside[2];
} oribi_cursors;

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void tell(oribi_run *run, const oribi_timed_step *timed, oribi_cursors *cursors)
{
    const oribi_session_device *device = &run->session->devices[timed->device];
    const oribi_transfer *transfer = timed->step->transfer;
    const bool is_beside = transfer != NULL && transfer->is_beside;
    oribi_cursors *own = &cursors[timed->device];
    uint64_t *cursor = is_beside ? &own->beside[transfer->kind] : &own->kernels;
    const int lane = is_beside ? BESIDE + transfer->kind : transfer != NULL ? COPIES : KERNELS;
    uint64_t start_ns = later(*cursor, timed->enqueued_ns);
    if (is_beside && transfer->kind == ORIBI_TO_HOST) {
        start_ns = later(start_ns, own->kernels);
    }
    *cursor = start_ns + oribi_device_timer_ns(timed->timer);
    if (is_beside && transfer->kind == ORIBI_TO_DEVICE) {
        own->kernels = later(own->kernels, *cursor);
    }
    const oribi_trace_event event = {.name = timed->step->node->name,
                                     .kind = transfer != NULL ? "copy" : "kernel",
                                     .detail = timed->step->detail,
                                     .lane = DEVICE_LANES + LANES * timed->device + lane,
                                     .start_ns = start_ns,
                                     .end_ns = *cursor,
                                     .lane_name = device->lane_names[lane]};
    run->trace(run->trace_arg, &event);
}

void oribi_run_trace_devices(oribi_run *run, bool ok)
{
    oribi_cursors cursors[ORIBI_MAX_DEVICES] = {{0}};
    oribi_device_trace *trace = run->device_trace;
    if (trace == NULL) {
        return;
    }
    if (!ok) {
        oribi_run_drain_streams(run); /* timers are on the way */
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
