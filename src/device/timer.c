/* SPDX-License-Identifier: Apache-2.0 */
/* Timers: how long a device took for what a stream got between start and stop. */
#include "base/alloc.h"
#include "device/device_internal.h"

struct oribi_device_timer {
    oribi_stream *stream; /* must outlive it */
    SP_Timer handle;
};

oribi_device_timer *oribi_device_timer_start(oribi_stream *stream, TF_Status *status)
{
    oribi_device *device = stream->device;
    const SP_StreamExecutor *se = oribi__executor(device);
    if (!device->platform->has_timers) {
        return NULL;
    }
    oribi_device_timer *timer = oribi_claim_zero(1, sizeof *timer, status);
    if (timer == NULL) {
        return NULL;
    }
    timer->stream = stream;
    se->create_timer(&device->device, &timer->handle, status);
    if (!oribi__device_called(device, "create_timer", status)) {
        oribi_free(timer);
        return NULL;
    }
    oribi_stream_touch(stream);
    se->start_timer(&device->device, stream->handle, timer->handle, status);
    if (!oribi__device_called(device, "start_timer", status)) {
        oribi_stream_drain(stream); /* the timer may be on it */
        oribi_device_timer_destroy(timer);
        return NULL;
    }
    return timer;
}

bool oribi_device_timer_stop(oribi_device_timer *timer, TF_Status *status)
{
    oribi_device *device = timer->stream->device;
    oribi__executor(device)->stop_timer(&device->device, timer->stream->handle, timer->handle,
                                        status);
    return oribi__device_called(device, "stop_timer", status);
}

uint64_t oribi_device_timer_ns(const oribi_device_timer *timer)
{
    return timer->stream->device->platform->parts.timer_fns.nanoseconds(timer->handle);
}

void oribi_device_timer_destroy(oribi_device_timer *timer)
{
    if (timer != NULL) {
        oribi_device *device = timer->stream->device;
        oribi__executor(device)->destroy_timer(&device->device, timer->handle);
        oribi_free(timer);
    }
}
