/* SPDX-License-Identifier: Apache-2.0 */
/* Streams are in-order queues, events are markers on them, timers two markers with the times that
 * OpenCL keeps of each. Copies stand in opencl_copies.c.
 */
#include <stdlib.h>

#include "opencl.h"

struct SP_Event_st {
    cl_event event; /* of the last record; NULL: none yet */
};

struct SP_Timer_st {
    cl_event start, stop;
};

static void create_stream(const SP_Device *device, SP_Stream *stream, TF_Status *status)
{
    opencl_device *own = opencl_device_of(device);
    cl_int code = CL_SUCCESS;
    *stream = oribi_kit_new(sizeof **stream, "create_stream", status);
    if (*stream == NULL) {
        return;
    }
    (*stream)->queue =
        clCreateCommandQueue(own->context, own->id, CL_QUEUE_PROFILING_ENABLE, &code);
    if (!opencl_check(code, "clCreateCommandQueue", status)) {
        free(*stream);
        *stream = NULL;
        return;
    }
    pthread_mutex_lock(&own->streams_lock);
    (*stream)->next = own->streams;
    own->streams = *stream;
    pthread_mutex_unlock(&own->streams_lock);
}

static void destroy_stream(const SP_Device *device, SP_Stream stream)
{
    opencl_device *own = opencl_device_of(device);
    if (stream != NULL) {
        pthread_mutex_lock(&own->streams_lock);
        for (SP_Stream *at = &own->streams; *at != NULL; at = &(*at)->next) {
            if (*at == stream) {
                *at = stream->next;
                break;
            }
        }
        pthread_mutex_unlock(&own->streams_lock);
        (void)clFinish(stream->queue);
        (void)clReleaseCommandQueue(stream->queue);
        free(stream);
    }
}

/* A marker after all that the queue has; NULL, with status set, when it is refused. */
static cl_event mark(cl_command_queue queue, TF_Status *status)
{
    cl_event event = NULL;
    if (!opencl_check(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event), "clEnqueueMarker",
                      status) ||
        !opencl_check(clFlush(queue), "clFlush", status)) {
        if (event != NULL) {
            (void)clReleaseEvent(event);
        }
        return NULL;
    }
    return event;
}

static void wait_on(cl_command_queue queue, cl_event event, TF_Status *status)
{
    (void)opencl_check(clEnqueueBarrierWithWaitList(queue, 1, &event, NULL), "clEnqueueBarrier",
                       status);
}

static void stream_dependency(const SP_Device *device, SP_Stream dependent, SP_Stream other,
                              TF_Status *status)
{
    cl_event event = mark(other->queue, status);
    (void)device;
    if (event != NULL) {
        wait_on(dependent->queue, event, status);
        (void)clReleaseEvent(event);
    }
}

static void stream_status(const SP_Device *device, SP_Stream stream, TF_Status *status)
{
    cl_context context = NULL;
    (void)device;
    (void)opencl_check(
        clGetCommandQueueInfo(stream->queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL),
        "clGetCommandQueueInfo", status);
}

static void create_event(const SP_Device *device, SP_Event *event, TF_Status *status)
{
    (void)device;
    *event = oribi_kit_new(sizeof **event, "create_event", status);
}

static void destroy_event(const SP_Device *device, SP_Event event)
{
    (void)device;
    if (event != NULL) {
        if (event->event != NULL) {
            (void)clReleaseEvent(event->event);
        }
        free(event);
    }
}

static SE_EventStatus event_status(const SP_Device *device, SP_Event event)
{
    cl_int state = CL_COMPLETE;
    (void)device;
    if (event->event != NULL && clGetEventInfo(event->event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                               sizeof state, &state, NULL) != CL_SUCCESS) {
        return SE_EVENT_UNKNOWN;
    }
    return state < 0 ? SE_EVENT_ERROR : state == CL_COMPLETE ? SE_EVENT_COMPLETE : SE_EVENT_PENDING;
}

static void record_event(const SP_Device *device, SP_Stream stream, SP_Event event,
                         TF_Status *status)
{
    cl_event now = mark(stream->queue, status);
    (void)device;
    if (now != NULL) {
        if (event->event != NULL) {
            (void)clReleaseEvent(event->event);
        }
        event->event = now;
    }
}

static void wait_for_event(const SP_Device *const device, SP_Stream stream, SP_Event event,
                           TF_Status *const status)
{
    (void)device;
    if (event->event != NULL) {
        wait_on(stream->queue, event->event, status);
    }
}

static void block_for_event(const SP_Device *device, SP_Event event, TF_Status *status)
{
    (void)device;
    if (event->event != NULL) {
        (void)opencl_check(clWaitForEvents(1, &event->event), "clWaitForEvents", status);
    }
}

static void block_until_done(const SP_Device *device, SP_Stream stream, TF_Status *status)
{
    cl_event event = mark(stream->queue, status);
    (void)device;
    if (event != NULL) { /* not clFinish, which is silent about commands that failed */
        (void)opencl_check(clWaitForEvents(1, &event), "clWaitForEvents", status);
        (void)clReleaseEvent(event);
    }
}

static void synchronize_all(const SP_Device *device, TF_Status *status)
{
    opencl_device *own = opencl_device_of(device);
    bool ok = opencl_check(clFinish(own->queue), "clFinish", status);
    pthread_mutex_lock(&own->streams_lock);
    for (SP_Stream at = own->streams; ok && at != NULL; at = at->next) {
        ok = opencl_check(clFinish(at->queue), "clFinish", status);
    }
    pthread_mutex_unlock(&own->streams_lock);
}

static void create_timer(const SP_Device *device, SP_Timer *timer, TF_Status *status)
{
    (void)device;
    *timer = oribi_kit_new(sizeof **timer, "create_timer", status);
}

static void replace(cl_event *slot, cl_event event)
{
    if (*slot != NULL) {
        (void)clReleaseEvent(*slot);
    }
    *slot = event;
}

static void destroy_timer(const SP_Device *device, SP_Timer timer)
{
    (void)device;
    if (timer != NULL) {
        replace(&timer->start, NULL);
        replace(&timer->stop, NULL);
        free(timer);
    }
}

static void start_timer(const SP_Device *device, SP_Stream stream, SP_Timer timer,
                        TF_Status *status)
{
    (void)device;
    replace(&timer->start, mark(stream->queue, status));
}

static void stop_timer(const SP_Device *device, SP_Stream stream, SP_Timer timer, TF_Status *status)
{
    (void)device;
    replace(&timer->stop, mark(stream->queue, status));
}

uint64_t opencl_timer_ns(SP_Timer timer)
{
    cl_ulong start = 0, stop = 0;
    if (timer->start == NULL || timer->stop == NULL ||
        clGetEventProfilingInfo(timer->start, CL_PROFILING_COMMAND_END, sizeof start, &start,
                                NULL) != CL_SUCCESS ||
        clGetEventProfilingInfo(timer->stop, CL_PROFILING_COMMAND_END, sizeof stop, &stop, NULL) !=
            CL_SUCCESS) {
        return 0;
    }
    return stop > start ? stop - start : 0;
}

void opencl_fill_streams(SP_StreamExecutor *executor)
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
