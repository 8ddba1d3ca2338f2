/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of devices in a frame: what the plan has, and copies that no plan foresaw. */
#include <string.h>

#include "base/alloc.h"
#include "session/session_internal.h"

void oribi_frame_free_units(oribi_frame *frame)
{
    for (int32_t u = 0; u < frame->n_units; u++) {
        oribi_buffer_release(frame->units[u]);
    }
    oribi_free(frame->units);
    frame->units = NULL;
    frame->n_units = 0;
}

bool oribi_frame_bind_units(oribi_frame *frame, const oribi_plan *plan, TF_Status *status)
{
    const oribi_session *session = frame->session;
    oribi_frame_free_units(frame); /* first, so that both need not fit at once */
    frame->units = oribi_alloc_zero((size_t)plan->n_units + 1, sizeof(oribi_buffer *));
    if (frame->units == NULL) {
        return oribi_fail_memory(status);
    }
    for (int32_t u = 0; u < plan->n_units; u++) {
        const oribi_plan_unit *unit = &plan->units[u];
        const oribi_session_device *device = &session->devices[unit->device];
        frame->units[u] =
            unit->is_host
                ? oribi_meter_device_buffer(session->meter, device->device, unit->bytes,
                                            "memory for values that a device copies", status)
                : oribi_device_allocate(device->device, NULL, device->account, unit->bytes, status);
        if (frame->units[u] == NULL) {
            oribi_status_prefix(status, "node '%s': ", session->steps[unit->step].node->name);
            oribi_frame_free_units(frame);
            return false;
        }
        frame->n_units++;
    }
    return true;
}

int32_t oribi_frame_device_of(const oribi_frame *frame, const oribi_buffer *buffer)
{
    const oribi_device *device = oribi_buffer_device(buffer);
    for (int32_t d = 1; device != NULL && d < frame->session->n_devices; d++) {
        if (frame->session->devices[d].device == device) {
            return d;
        }
    }
    return 0;
}

/* Waits in the middle of a run, whatever comes: the memory is somebody's who does not wait. */
static bool settle(oribi_stream *stream, TF_Status *status)
{
    const bool ok = oribi_stream_wait_all(stream, status);
    oribi_stream_drain(stream);
    oribi_stream_touch(stream);
    return ok;
}

/* Through the host, with a wait on each side. */
static bool move_through_host(oribi_frame *frame, oribi_slot *to, const oribi_buffer *from_buffer,
                              int32_t from_device, const void *from, size_t bytes,
                              TF_Status *status)
{
    oribi_buffer *between = oribi_frame_buffer(frame, 0, bytes, status);
    if (between == NULL) {
        return false;
    }
    oribi_stream *source = frame->ctx.streams[from_device];
    oribi_stream *target = frame->ctx.streams[to->device];
    const bool ok =
        oribi_stream_to_host(source, between->data, from_buffer, from, bytes, status) &&
        settle(source, status) &&
        oribi_stream_to_device(target, to->buffer, to->data, between->data, bytes, status) &&
        settle(target, status);
    oribi_buffer_release(between);
    return ok;
}

bool oribi_frame_move(oribi_frame *frame, oribi_slot *to, const oribi_buffer *from_buffer,
                      int32_t from_device, const void *from, size_t bytes, TF_Status *status)
{
    oribi_stream *const *streams = frame->ctx.streams;
    if (to->device == 0 && from_device == 0) {
        memmove(to->data, from, bytes);
        return true;
    }
    if (from_device == 0) {
        return oribi_stream_to_device(streams[to->device], to->buffer, to->data, from, bytes,
                                      status) &&
               settle(streams[to->device], status);
    }
    if (to->device == 0) {
        return oribi_stream_to_host(streams[from_device], to->data, from_buffer, from, bytes,
                                    status) &&
               settle(streams[from_device], status);
    }
    if (to->device == from_device && oribi_stream_can_copy(streams[to->device])) {
        return oribi_stream_on_device(streams[to->device], to->buffer, to->data, from_buffer, from,
                                      bytes, status);
    }
    return move_through_host(frame, to, from_buffer, from_device, from, bytes, status);
}
