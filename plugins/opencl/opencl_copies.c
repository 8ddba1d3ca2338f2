/* SPDX-License-Identifier: Apache-2.0 */
/* Copies, fills, and calls of the host in the order of a stream. */
#include <stdlib.h>

#include "opencl.h"

static void read_from(cl_command_queue queue, const SP_Device *device, cl_bool waits, void *to,
                      const SP_DeviceMemoryBase *from, uint64_t size, TF_Status *status)
{
    size_t offset = 0;
    cl_mem buffer = size == 0 ? NULL
                              : opencl_find(opencl_device_of(device), from->opaque, (size_t)size,
                                            &offset, status);
    if (buffer != NULL) {
        (void)opencl_check(
            clEnqueueReadBuffer(queue, buffer, waits, offset, (size_t)size, to, 0, NULL, NULL),
            "clEnqueueReadBuffer", status);
    }
}

static void write_to(cl_command_queue queue, const SP_Device *device, cl_bool waits,
                     const SP_DeviceMemoryBase *to, const void *from, uint64_t size,
                     TF_Status *status)
{
    size_t offset = 0;
    cl_mem buffer = size == 0 ? NULL
                              : opencl_find(opencl_device_of(device), to->opaque, (size_t)size,
                                            &offset, status);
    if (buffer != NULL) {
        (void)opencl_check(
            clEnqueueWriteBuffer(queue, buffer, waits, offset, (size_t)size, from, 0, NULL, NULL),
            "clEnqueueWriteBuffer", status);
    }
}

static void copy_dtoh(const SP_Device *device, SP_Stream stream, void *to,
                      const SP_DeviceMemoryBase *from, uint64_t size, TF_Status *status)
{
    read_from(stream->queue, device, CL_FALSE, to, from, size, status);
}

static void copy_htod(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *to,
                      const void *from, uint64_t size, TF_Status *status)
{
    write_to(stream->queue, device, CL_FALSE, to, from, size, status);
}

static void copy_dtod(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *to,
                      const SP_DeviceMemoryBase *from, uint64_t size, TF_Status *status)
{
    opencl_device *own = opencl_device_of(device);
    size_t here = 0, there = 0;
    if (size == 0) {
        return;
    }
    cl_mem target = opencl_find(own, to->opaque, (size_t)size, &there, status);
    cl_mem source =
        target == NULL ? NULL : opencl_find(own, from->opaque, (size_t)size, &here, status);
    if (source != NULL) {
        (void)opencl_check(clEnqueueCopyBuffer(stream->queue, source, target, here, there,
                                               (size_t)size, 0, NULL, NULL),
                           "clEnqueueCopyBuffer", status);
    }
}

static void sync_dtoh(const SP_Device *device, void *to, const SP_DeviceMemoryBase *from,
                      uint64_t size, TF_Status *status)
{
    read_from(opencl_device_of(device)->queue, device, CL_TRUE, to, from, size, status);
}

static void sync_htod(const SP_Device *device, SP_DeviceMemoryBase *to, const void *from,
                      uint64_t size, TF_Status *status)
{
    write_to(opencl_device_of(device)->queue, device, CL_TRUE, to, from, size, status);
}

static void sync_dtod(const SP_Device *device, SP_DeviceMemoryBase *to,
                      const SP_DeviceMemoryBase *from, uint64_t size, TF_Status *status)
{
    struct SP_Stream_st own = {.queue = opencl_device_of(device)->queue};
    copy_dtod(device, &own, to, from, size, status);
    (void)(TF_GetCode(status) == TF_OK && opencl_check(clFinish(own.queue), "clFinish", status));
}

static void fill(const SP_Device *device, SP_Stream stream, const SP_DeviceMemoryBase *to,
                 const void *pattern, size_t pattern_bytes, uint64_t size, TF_Status *status)
{
    size_t offset = 0;
    cl_mem buffer = size == 0 ? NULL
                              : opencl_find(opencl_device_of(device), to->opaque, (size_t)size,
                                            &offset, status);
    if (buffer != NULL) {
        (void)opencl_check(clEnqueueFillBuffer(stream->queue, buffer, pattern, pattern_bytes,
                                               offset, (size_t)size, 0, NULL, NULL),
                           "clEnqueueFillBuffer", status);
    }
}

static void fill8(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *to,
                  uint8_t pattern, uint64_t size, TF_Status *status)
{
    fill(device, stream, to, &pattern, sizeof pattern, size, status);
}

static void fill32(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *to,
                   uint32_t pattern, uint64_t size, TF_Status *status)
{
    fill(device, stream, to, &pattern, sizeof pattern, size, status);
}

/* --- Calls of the host ----------------------------------------------------------------------- */

typedef struct host_call {
    SE_StatusCallbackFn callback;
    void *arg;
    cl_event done; /* what follows on the stream waits for it */
} host_call;

static void CL_CALLBACK call_host(cl_event event, cl_int state, void *arg)
{
    host_call *self = arg;
    TF_Status *status = TF_NewStatus();
    (void)opencl_check(state < 0 ? state : CL_SUCCESS, "what was before the callback", status);
    self->callback(self->arg, status);
    TF_DeleteStatus(status);
    (void)clSetUserEventStatus(self->done, CL_COMPLETE);
    (void)clReleaseEvent(self->done);
    (void)clReleaseEvent(event);
    free(self);
}

static TF_Bool host_callback(const SP_Device *device, SP_Stream stream,
                             SE_StatusCallbackFn callback, void *arg)
{
    cl_event before = NULL;
    cl_int code = CL_SUCCESS;
    host_call *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return 0;
    }
    *self = (host_call){callback, arg, clCreateUserEvent(opencl_device_of(device)->context, &code)};
    if (code == CL_SUCCESS) {
        code = clEnqueueMarkerWithWaitList(stream->queue, 0, NULL, &before);
    }
    if (code == CL_SUCCESS) {
        code = clEnqueueBarrierWithWaitList(stream->queue, 1, &self->done, NULL);
    }
    if (code == CL_SUCCESS && clSetEventCallback(before, CL_COMPLETE, call_host, self) == 0) {
        (void)clFlush(stream->queue);
        return 1;
    }
    if (before != NULL) {
        (void)clReleaseEvent(before);
    }
    if (self->done != NULL) { /* a barrier may wait for it */
        (void)clSetUserEventStatus(self->done, CL_COMPLETE);
        (void)clReleaseEvent(self->done);
    }
    free(self);
    return 0;
}

void opencl_fill_copies(SP_StreamExecutor *executor)
{
    executor->memcpy_dtoh = copy_dtoh;
    executor->memcpy_htod = copy_htod;
    executor->memcpy_dtod = copy_dtod;
    executor->sync_memcpy_dtoh = sync_dtoh;
    executor->sync_memcpy_htod = sync_htod;
    executor->sync_memcpy_dtod = sync_dtod;
    executor->memset = fill8;
    executor->memset32 = fill32;
    executor->host_callback = host_callback;
}
