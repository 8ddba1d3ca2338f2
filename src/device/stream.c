/* SPDX-License-Identifier: Apache-2.0 */
/* Streams and marks on them. Events instead of waiting: the host blocks in oribi_stream_wait and
 * nowhere else, and each time is counted. Not here: copies (copy.c), waits with a limit (bell.c).
 */
#include <string.h>

#include "base/alloc.h"
#include "device/device_internal.h"

oribi_stream *oribi_stream_create(oribi_device *device, int n_marks, oribi_device_account *account,
                                  TF_Status *status)
{
    const SP_StreamExecutor *se = oribi__executor(device);
    oribi_stream *stream = oribi_alloc_zero(1, sizeof *stream);
    SP_Event *marks = oribi_alloc_zero((size_t)n_marks + 1, sizeof *marks);
    oribi_bell *bell = oribi__bell_create(n_marks + 1);
    if (stream == NULL || marks == NULL || bell == NULL || !oribi_mutex_init(&stream->lock)) {
        oribi_free(stream);
        oribi_free(marks);
        oribi__bell_release(bell);
        oribi_fail_memory(status);
        return NULL;
    }
    atomic_init(&stream->references, 1);
    atomic_init(&stream->is_busy, false);
    stream->marks = marks;
    stream->bell = bell;
    oribi_device_retain(device);
    stream->device = device;
    stream->account = account;
    se->create_stream(&device->device, &stream->handle, status);
    bool ok = oribi__device_called(device, "create_stream", status);
    if (!ok) {
        stream->handle = NULL;
    }
    while (ok && stream->n_marks <= n_marks) {
        se->create_event(&device->device, &marks[stream->n_marks], status);
        ok = oribi__device_called(device, "create_event", status);
        stream->n_marks += ok;
    }
    if (!ok) {
        oribi_stream_destroy(stream);
        return NULL;
    }
    return stream;
}

void oribi__stream_unref(oribi_stream *stream)
{
    if (stream != NULL &&
        atomic_fetch_sub_explicit(&stream->references, 1, memory_order_acq_rel) == 1) {
        oribi_device *device = stream->device;
        oribi_mutex_destroy(&stream->lock);
        oribi_free(stream);
        oribi_device_release(device);
    }
}

void oribi_stream_destroy(oribi_stream *stream)
{
    if (stream == NULL) {
        return;
    }
    const SP_StreamExecutor *se = oribi__executor(stream->device);
    atomic_store_explicit(&stream->n_lent, 0, memory_order_release); /* nobody enqueues any more */
    oribi_stream_drain(stream);
    for (int i = 0; i < stream->n_marks; i++) {
        se->destroy_event(&stream->device->device, stream->marks[i]);
    }
    oribi_free(stream->marks);
    stream->marks = NULL;
    stream->n_marks = 0;
    if (stream->handle != NULL) {
        se->destroy_stream(&stream->device->device, stream->handle);
    }
    stream->handle = NULL;
    oribi__bell_release(stream->bell);
    stream->bell = NULL;
    oribi__stream_unref(stream); /* blocks that outlive it keep the struct */
}

SP_Stream oribi_stream_handle(const oribi_stream *stream)
{
    return stream->handle;
}

oribi_device_account *oribi_stream_account(const oribi_stream *stream)
{
    return stream->account;
}

oribi_device *oribi_stream_device(const oribi_stream *stream)
{
    return stream->device;
}

void oribi_stream_touch(oribi_stream *stream)
{
    atomic_store_explicit(&stream->is_busy, true, memory_order_release);
}

void oribi_stream_lend(oribi_stream *stream)
{
    if (stream != NULL) {
        oribi_stream_touch(stream);
        atomic_fetch_add_explicit(&stream->n_lent, 1, memory_order_acq_rel);
    }
}

void oribi_stream_take_back(oribi_stream *stream)
{
    if (stream != NULL) {
        atomic_fetch_sub_explicit(&stream->n_lent, 1, memory_order_acq_rel);
    }
}

bool oribi_stream_is_busy(const oribi_stream *stream)
{
    return atomic_load_explicit(&((oribi_stream *)stream)->is_busy, memory_order_acquire);
}

bool oribi_stream_mark(oribi_stream *stream, int mark, oribi_stream *by, TF_Status *status)
{
    oribi_device *device = stream->device;
    oribi_stream_touch(stream);
    oribi__executor(device)->record_event(&device->device, by->handle, stream->marks[mark], status);
    return oribi__device_called(device, "record_event", status);
}

/* Unless somebody enqueues whom nobody here sees. */
static void become_idle(oribi_stream *stream)
{
    if (atomic_load_explicit(&stream->n_lent, memory_order_acquire) > 0) {
        return;
    }
    atomic_store_explicit(&stream->is_busy, false, memory_order_release);
    oribi__stream_flush(stream);
}

bool oribi_stream_check(oribi_stream *stream, TF_Status *status)
{
    oribi_device *device = stream->device;
    oribi__executor(device)->get_stream_status(&device->device, stream->handle, status);
    return oribi__device_called(device, "get_stream_status", status);
}

/* Work that fails on the way shows in the wait, in the event, or in the stream only. */
static bool check_after_wait(oribi_stream *stream, SP_Event event, TF_Status *status)
{
    oribi_device *device = stream->device;
    const SP_StreamExecutor *se = oribi__executor(device);
    ORIBI_TRY(oribi__device_called(device, "block_host_for_event", status));
    if (event != NULL && se->get_event_status(&device->device, event) == SE_EVENT_ERROR) {
        return oribi_fail(status, TF_INTERNAL,
                          "device %s: get_event_status: the work before the event failed",
                          device->name);
    }
    return oribi_stream_check(stream, status);
}

bool oribi_stream_wait(oribi_stream *stream, int mark, TF_Status *status)
{
    oribi_device *device = stream->device;
    oribi_mutex_lock(&device->lock);
    device->counts.n_waits++;
    oribi_mutex_unlock(&device->lock);
    oribi__executor(device)->block_host_for_event(&device->device, stream->marks[mark], status);
    return check_after_wait(stream, stream->marks[mark], status);
}

bool oribi_stream_wait_all(oribi_stream *stream, TF_Status *status)
{
    const int mark = stream->n_marks - 1;
    oribi_mutex_lock(&stream->lock);
    const bool ok =
        oribi_stream_mark(stream, mark, stream, status) && oribi_stream_wait(stream, mark, status);
    oribi_mutex_unlock(&stream->lock);
    if (ok) {
        become_idle(stream);
    }
    return ok;
}

bool oribi_stream_follow(oribi_stream *stream, oribi_stream *other, TF_Status *status)
{
    oribi_device *device = stream->device;
    oribi_stream_touch(stream);
    oribi__executor(device)->create_stream_dependency(&device->device, stream->handle,
                                                      other->handle, status);
    return oribi__device_called(device, "create_stream_dependency", status);
}

void oribi_stream_drain(oribi_stream *stream)
{
    oribi_device *device = stream->device;
    const SP_StreamExecutor *se = oribi__executor(device);
    if (stream->handle == NULL || !oribi_stream_is_busy(stream)) {
        return;
    }
    TF_Status *ignored = TF_NewStatus();
    if (se->block_host_until_done != NULL) {
        se->block_host_until_done(&device->device, stream->handle, ignored);
    } else if (stream->n_marks > 0) {
        SP_Event event = stream->marks[stream->n_marks - 1];
        oribi_mutex_lock(&stream->lock);
        se->record_event(&device->device, stream->handle, event, ignored);
        TF_SetStatus(ignored, TF_OK, "");
        se->block_host_for_event(&device->device, event, ignored);
        oribi_mutex_unlock(&stream->lock);
    }
    TF_DeleteStatus(ignored);
    become_idle(stream);
}
