/* SPDX-License-Identifier: Apache-2.0 */
/* Copies and fills in the order of a stream. Host memory that is not pinned the driver stages
 * itself: a copy to such memory then waits for the stream, in all versions of the driver so far.
 */
#include "gpu.h"

static gpu_address address_of(const SP_DeviceMemoryBase *memory)
{
    return (gpu_address)(uintptr_t)memory->opaque;
}

static void copy_dtoh(const SP_Device *device, SP_Stream stream, void *to,
                      const SP_DeviceMemoryBase *from, uint64_t size, TF_Status *status)
{
    if (size > 0) {
        const gpu_context before = gpu_enter(gpu_device_of(device));
        (void)GPU_CALL(status, copy_dtoh, to, address_of(from), (size_t)size, stream->handle);
        gpu_leave(gpu_device_of(device), before);
    }
}

static void copy_htod(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *to,
                      const void *from, uint64_t size, TF_Status *status)
{
    if (size > 0) {
        const gpu_context before = gpu_enter(gpu_device_of(device));
        (void)GPU_CALL(status, copy_htod, address_of(to), (gpu_source)from, (size_t)size,
                       stream->handle);
        gpu_leave(gpu_device_of(device), before);
    }
}

/* Whose memory it is; unified memory has no payload and can be reached from any device. */
static gpu_device *owner_of(const SP_DeviceMemoryBase *memory, gpu_device *fallback)
{
    gpu_device *owner = memory->payload == 0 ? NULL : gpu_device_at((int)memory->payload - 1);
    return owner != NULL ? owner : fallback;
}

static void copy_dtod(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *to,
                      const SP_DeviceMemoryBase *from, uint64_t size, TF_Status *status)
{
    gpu_device *own = gpu_device_of(device);
    const gpu_device *target = owner_of(to, own), *source = owner_of(from, own);
    if (size == 0) {
        return;
    }
    const gpu_context before = gpu_enter(stream->device);
    if (target == source) {
        (void)GPU_CALL(status, copy_dtod, address_of(to), address_of(from), (size_t)size,
                       stream->handle);
    } else {
        (void)gpu_vendor_copy_peer(target, address_of(to), source, address_of(from), (size_t)size,
                                   stream->handle, status);
    }
    gpu_leave(stream->device, before);
}

/* --- The same, and the caller waits ---------------------------------------------------------- */

typedef void copy_step(const SP_Device *device, SP_Stream stream, void *to, const void *from,
                       uint64_t size, TF_Status *status);

static void step_dtoh(const SP_Device *device, SP_Stream stream, void *to, const void *from,
                      uint64_t size, TF_Status *status)
{
    copy_dtoh(device, stream, to, from, size, status);
}

static void step_htod(const SP_Device *device, SP_Stream stream, void *to, const void *from,
                      uint64_t size, TF_Status *status)
{
    copy_htod(device, stream, to, from, size, status);
}

static void step_dtod(const SP_Device *device, SP_Stream stream, void *to, const void *from,
                      uint64_t size, TF_Status *status)
{
    copy_dtod(device, stream, to, from, size, status);
}

/* The default stream waits for nothing here, since all streams of the plugin are non-blocking. */
static void wait_for(const SP_Device *device, copy_step *step, void *to, const void *from,
                     uint64_t size, TF_Status *status)
{
    struct SP_Stream_st whole = {.device = gpu_device_of(device)};
    step(device, &whole, to, from, size, status);
    if (TF_GetCode(status) == TF_OK) {
        const gpu_context before = gpu_enter(whole.device);
        (void)GPU_CALL(status, stream_synchronize, whole.handle);
        gpu_leave(whole.device, before);
    }
}

static void sync_dtoh(const SP_Device *device, void *to, const SP_DeviceMemoryBase *from,
                      uint64_t size, TF_Status *status)
{
    wait_for(device, step_dtoh, to, from, size, status);
}

static void sync_htod(const SP_Device *device, SP_DeviceMemoryBase *to, const void *from,
                      uint64_t size, TF_Status *status)
{
    wait_for(device, step_htod, to, from, size, status);
}

static void sync_dtod(const SP_Device *device, SP_DeviceMemoryBase *to,
                      const SP_DeviceMemoryBase *from, uint64_t size, TF_Status *status)
{
    wait_for(device, step_dtod, to, from, size, status);
}

/* --- Fills ----------------------------------------------------------------------------------- */

static void fill8(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *to,
                  uint8_t pattern, uint64_t size, TF_Status *status)
{
    if (size > 0) {
        const gpu_context before = gpu_enter(gpu_device_of(device));
        (void)GPU_CALL(status, fill8, address_of(to), pattern, (size_t)size, stream->handle);
        gpu_leave(gpu_device_of(device), before);
    }
}

static void fill32(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *to,
                   uint32_t pattern, uint64_t size, TF_Status *status)
{
    if (size % sizeof pattern != 0 || (uintptr_t)to->opaque % sizeof pattern != 0) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT,
                     "memset32: the memory is not a whole number of 32-bit words");
    } else if (size > 0) {
        const gpu_context before = gpu_enter(gpu_device_of(device));
        (void)GPU_CALL(status, fill32, address_of(to), (gpu_pattern)pattern,
                       (size_t)(size / sizeof pattern), stream->handle);
        gpu_leave(gpu_device_of(device), before);
    }
}

void gpu_fill_copies(SP_StreamExecutor *executor)
{
    executor->memcpy_dtoh = copy_dtoh;
    executor->memcpy_htod = copy_htod;
    executor->memcpy_dtod = copy_dtod;
    executor->sync_memcpy_dtoh = sync_dtoh;
    executor->sync_memcpy_htod = sync_htod;
    executor->sync_memcpy_dtod = sync_dtod;
    executor->memset = fill8;
    executor->memset32 = fill32;
}
