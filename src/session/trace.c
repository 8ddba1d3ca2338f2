/* SPDX-License-Identifier: Apache-2.0 */
/* Trace of a run: steps, blocks of pool loops, allocations, handed to the application's hook on the
 * thread that runs.
 */
#include "base/alloc.h"
#include "session/session_internal.h"

enum {
    MAX_BLOCKS = 4096, /* of one step; more are not shown */
    ASYNC_LANE = 500   /* and on: asynchronous kernels, of which several are at work */
};

void oribi_run_set_trace(oribi_run *run, void (*hook)(void *arg, const oribi_trace_event *event),
                         void *arg)
{
    if (run == NULL) {
        return;
    }
    run->trace = hook;
    run->trace_arg = arg;
    if (hook != NULL && run->blocks.events == NULL) {
        run->blocks.events = oribi_alloc_array(MAX_BLOCKS, sizeof *run->blocks.events);
        run->blocks.capacity = run->blocks.events != NULL ? MAX_BLOCKS : 0;
    }
}

static void emit_blocks(oribi_run *run, const oribi_session_step *step)
{
    const int count = atomic_exchange_explicit(&run->blocks.count, 0, memory_order_acquire);
    const int kept = count < run->blocks.capacity ? count : run->blocks.capacity;
    for (int i = 0; i < kept; i++) {
        const oribi_block_event *block = &run->blocks.events[i];
        const oribi_trace_event event = {.name = step->node->name,
                                         .kind = "block",
                                         .detail = step->detail,
                                         .lane = block->lane,
                                         .start_ns = block->start_ns,
                                         .end_ns = block->end_ns,
                                         .lane_name = block->lane == 0 ? "host" : "worker"};
        run->trace(run->trace_arg, &event);
    }
}

void oribi_run_trace_step(oribi_run *run, const oribi_session_step *step, uint64_t start_ns)
{
    const bool is_wait = step->transfer != NULL && step->node->n_outputs == 0;
    const oribi_trace_event event = {.name = step->node->name,
                                     .kind = is_wait ? "wait" : "step",
                                     .detail = step->detail,
                                     .start_ns = start_ns,
                                     .end_ns = oribi_now_ns(),
                                     .lane_name = "host"};
    run->trace(run->trace_arg, &event);
    emit_blocks(run, step);
}

void oribi_run_trace_flight(oribi_run *run, int32_t s, uint64_t start_ns, uint64_t end_ns)
{
    const oribi_session_step *step = &run->session->steps[s];
    const oribi_trace_event event = {.name = step->node->name,
                                     .kind = "step",
                                     .detail = step->detail,
                                     .lane = ASYNC_LANE + step->flight,
                                     .start_ns = start_ns,
                                     .end_ns = end_ns,
                                     .lane_name = "asynchronous"};
    run->trace(run->trace_arg, &event);
}

void oribi_run_trace_alloc(oribi_run *run, const char *name, size_t bytes)
{
    const uint64_t now_ns = oribi_now_ns();
    const oribi_trace_event event = {.name = name,
                                     .kind = "alloc",
                                     .detail = "not planned",
                                     .start_ns = now_ns,
                                     .end_ns = now_ns,
                                     .bytes = bytes,
                                     .lane_name = "host"};
    run->trace(run->trace_arg, &event);
}
