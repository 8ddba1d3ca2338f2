/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, events and timers are the driver's own; a timer is two events that keep the time. */
#include <stdlib.h>

#include "gpu.h"

struct SP_Timer_st {
    gpu_device *device;
    gpu_event start, stop;
};

/* An SP_Event is the driver's handle itself. */
static gpu_event handle_of(SP_Event event)
{
    return (gpu_event)(void *)event;
}

static void create_stream(const SP_Device *device, SP_Stream *stream, TF_Status *status)
{
    gpu_device *own = gpu_device_of(device);
    *stream = oribi_kit_new(sizeof **stream, "create_stream", status);
    if (*stream == NULL) {
        return;
    }
    const gpu_context before = gpu_enter(own);
    const bool ok = GPU_CALL(status, stream_create, &(*stream)->handle, GPU_STREAM_NON_BLOCKING);
    gpu_leave(own, before);
    if (!ok) {
        free(*stream);
        *stream = NULL;
        return;
    }
    (*stream)->device = own;
    pthread_mutex_init(&(*stream)->lock, NULL);
}

/* Waits; tells the calls that will not be made when that failed. */
static void wait_for_stream(SP_Stream stream, TF_Status *status)
{
    const gpu_context before = gpu_enter(stream->device);
    const bool ok = GPU_CALL(status, stream_synchronize, stream->handle);
    gpu_leave(stream->device, before);
    if (!ok) {
        gpu_drop_calls(stream, status);
    }
}

static void destroy_stream(const SP_Device *device, SP_Stream stream)
{
    (void)device;
    if (stream != NULL) {
        TF_Status *status = TF_NewStatus();
        wait_for_stream(stream, status);
        TF_DeleteStatus(status);
        const gpu_context before = gpu_enter(stream->device);
        gpu_vendor_end_products(stream);
        (void)gpu_driver.stream_destroy(stream->handle);
        gpu_leave(stream->device, before);
        gpu_forget_calls(stream);
        pthread_mutex_destroy(&stream->lock);
        free(stream);
    }
}

static void stream_dependency(const SP_Device *device, SP_Stream dependent, SP_Stream other,
                              TF_Status *status)
{
    gpu_event event = NULL;
    const gpu_context before = gpu_enter(other->device);
    (void)device;
    if (GPU_CALL(status, event_create, &event, GPU_EVENT_DISABLE_TIMING)) {
        if (GPU_CALL(status, event_record, event, other->handle)) {
            const gpu_context between = gpu_enter(dependent->device);
            (void)GPU_CALL(status, stream_wait, dependent->handle, event, 0);
            gpu_leave(dependent->device, between);
        }
        (void)gpu_driver.event_destroy(event); /* takes effect when nothing waits for it */
    }
    gpu_leave(other->device, before);
}

static void stream_status(const SP_Device *device, SP_Stream stream, TF_Status *status)
{
    const gpu_context before = gpu_enter(gpu_device_of(device));
    const gpu_result code = gpu_driver.stream_query(stream->handle);
    gpu_leave(gpu_device_of(device), before);
    if (code != GPU_NOT_READY) {
        (void)gpu_check(code, GPU_TEXT(gpu_symbol_stream_query), status);
    }
}

static void make_event(gpu_device *own, gpu_event *event, unsigned flags, TF_Status *status)
{
    const gpu_context before = gpu_enter(own);
    (void)GPU_CALL(status, event_create, event, flags);
    gpu_leave(own, before);
}

static void drop_event(gpu_device *own, gpu_event event)
{
    if (event != NULL) {
        const gpu_context before = gpu_enter(own);
        (void)gpu_driver.event_destroy(event);
        gpu_leave(own, before);
    }
}

static void record(gpu_device *own, gpu_event event, SP_Stream stream, TF_Status *status)
{
    const gpu_context before = gpu_enter(own);
    (void)GPU_CALL(status, event_record, event, stream->handle);
    gpu_leave(own, before);
}

static void create_event(const SP_Device *device, SP_Event *event, TF_Status *status)
{
    gpu_event handle = NULL;
    make_event(gpu_device_of(device), &handle, GPU_EVENT_DISABLE_TIMING, status);
    *event = (SP_Event)(void *)handle;
}

static void destroy_event(const SP_Device *device, SP_Event event)
{
    drop_event(gpu_device_of(device), handle_of(event));
}

static SE_EventStatus event_status(const SP_Device *device, SP_Event event)
{
    const gpu_context before = gpu_enter(gpu_device_of(device));
    const gpu_result code = gpu_driver.event_query(handle_of(event));
    gpu_leave(gpu_device_of(device), before);
    return code == GPU_SUCCESS     ? SE_EVENT_COMPLETE
           : code == GPU_NOT_READY ? SE_EVENT_PENDING
                                   : SE_EVENT_ERROR;
}

static void record_event(const SP_Device *device, SP_Stream stream, SP_Event event,
                         TF_Status *status)
{
    record(gpu_device_of(device), handle_of(event), stream, status);
}

static void wait_for_event(const SP_Device *const device, SP_Stream stream, SP_Event event,
                           TF_Status *const status)
{
    const gpu_context before = gpu_enter(stream->device);
    (void)device;
    (void)GPU_CALL(status, stream_wait, stream->handle, handle_of(event), 0);
    gpu_leave(stream->device, before);
}

static void block_for_event(const SP_Device *device, SP_Event event, TF_Status *status)
{
    const gpu_context before = gpu_enter(gpu_device_of(device));
    (void)GPU_CALL(status, event_synchronize, handle_of(event));
    gpu_leave(gpu_device_of(device), before);
}

static void block_until_done(const SP_Device *device, SP_Stream stream, TF_Status *status)
{
    (void)device;
    wait_for_stream(stream, status);
}

static void synchronize_all(const SP_Device *device, TF_Status *status)
{
    const gpu_context before = gpu_enter(gpu_device_of(device));
    (void)gpu_check(gpu_driver.synchronize(), GPU_TEXT(gpu_symbol_synchronize), status);
    gpu_leave(gpu_device_of(device), before);
}

/* --- Timers ---------------------------------------------------------------------------------- */

static void destroy_timer(const SP_Device *device, SP_Timer timer)
{
    (void)device;
    if (timer != NULL) {
        drop_event(timer->device, timer->start);
        drop_event(timer->device, timer->stop);
        free(timer);
    }
}

static void create_timer(const SP_Device *device, SP_Timer *timer, TF_Status *status)
{
    *timer = oribi_kit_new(sizeof **timer, "create_timer", status);
    if (*timer == NULL) {
        return;
    }
    (*timer)->device = gpu_device_of(device);
    make_event((*timer)->device, &(*timer)->start, 0, status);
    if (TF_GetCode(status) == TF_OK) {
        make_event((*timer)->device, &(*timer)->stop, 0, status);
    }
    if (TF_GetCode(status) != TF_OK) {
        destroy_timer(device, *timer);
        *timer = NULL;
    }
}

static void start_timer(const SP_Device *device, SP_Stream stream, SP_Timer timer,
                        TF_Status *status)
{
    record(gpu_device_of(device), timer->start, stream, status);
}

static void stop_timer(const SP_Device *device, SP_Stream stream, SP_Timer timer, TF_Status *status)
{
    record(gpu_device_of(device), timer->stop, stream, status);
}

uint64_t gpu_timer_ns(SP_Timer timer)
{
    float milliseconds = 0;
    const gpu_context before = gpu_enter(timer->device);
    const gpu_result code = gpu_driver.event_elapsed(&milliseconds, timer->start, timer->stop);
    gpu_leave(timer->device, before);
    return code == GPU_SUCCESS && milliseconds > 0 ? (uint64_t)((double)milliseconds * 1e6) : 0;
}

void gpu_fill_streams(SP_StreamExecutor *executor)
{
    executor->create_stream = create_stream;
    executor->destroy_stream = destroy_stream;
    executor->create_stream_dependency = stream_dependency;
    executor->get_stream_status = stream_status;
    executor->create_event = create_event;
    executor->destroy_event = destroy_event;
    executor->get_event_status = event_status;
    executor->record_event = record_event;
    executor->wait_for_event = wait_for_event;
    executor->block_host_for_event = block_for_event;
    executor->block_host_until_done = block_until_done;
    executor->synchronize_all_activity = synchronize_all;
    executor->create_timer = create_timer;
    executor->destroy_timer = destroy_timer;
    executor->start_timer = start_timer;
    executor->stop_timer = stop_timer;
}
