/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a run as they are computed, handed to the application's hook on the thread that runs.
 * A run that is not watched pays nothing (run_steps.c).
 */
#include <string.h>

#include "base/alloc.h"
#include "session/session_internal.h"

void oribi_run_set_watch(oribi_run *run, void (*hook)(void *arg, const oribi_value_event *event),
                         void *arg)
{
    if (run == NULL) {
        return;
    }
    run->watch = hook;
    run->watch_arg = arg;
}

/* Rows that lie apart, because the value is a piece of a concatenation, as dense bytes. */
static void *gather(const oribi_slot *slot)
{
    const size_t row = slot->rank > 0 && slot->dims[slot->rank - 1] > 0
                           ? (size_t)slot->dims[slot->rank - 1] * TF_DataTypeSize(slot->dtype)
                           : 0;
    const size_t apart = (size_t)slot->row_stride * TF_DataTypeSize(slot->dtype);
    char *dense = oribi_alloc(slot->bytes + 1);
    for (size_t at = 0, i = 0; dense != NULL && row > 0 && at < slot->bytes; at += row, i++) {
        memcpy(dense + at, (const char *)slot->data + i * apart, row);
    }
    return dense;
}

/* Bytes of a device, waited for; NULL: failed. */
static void *fetch(oribi_run *run, const oribi_slot *slot, TF_Status *status)
{
    oribi_stream *stream = run->streams[slot->device];
    void *dense = oribi_alloc(slot->bytes + 1);
    if (dense != NULL &&
        (!oribi_stream_to_host(stream, dense, slot->buffer, slot->data, slot->bytes, status) ||
         !oribi_stream_wait_all(stream, status))) {
        oribi_stream_drain(stream);
        oribi_free(dense);
        dense = NULL;
    }
    oribi_stream_touch(stream);
    return dense;
}

bool oribi_run_watch_step(oribi_run *run, const oribi_session_step *step, TF_Status *status)
{
    for (int32_t i = 0; i < step->node->n_outputs && step->transfer == NULL; i++) {
        const oribi_slot *slot = &run->frame->ctx.slots[step->outputs[i]];
        const bool is_apart = slot->row_stride != 0 || slot->device != 0;
        void *dense = slot->row_stride != 0 ? gather(slot) : NULL;
        if (slot->device != 0) {
            dense = fetch(run, slot, status);
        }
        if (is_apart && dense == NULL) {
            return oribi_ok(status) ? oribi_fail_memory(status) : false;
        }
        const oribi_value_event event = {
            .name = run->session->values[step->outputs[i]].name,
            .node = step->node->name,
            .dtype = slot->dtype,
            .num_dims = slot->rank,
            .dims = slot->dims,
            .data = dense != NULL ? dense : slot->data,
            .bytes = slot->bytes,
        };
        run->watch(run->watch_arg, &event);
        oribi_free(dense);
    }
    return true;
}
