/* SPDX-License-Identifier: Apache-2.0 */
/* Copies and fills in stream order. The synchronous members of a plugin are never called: some in
 * the field end the process there.
 */
#include <string.h>

#include "device/device_internal.h"

/* Part of a block as the plugin knows it. */
static SP_DeviceMemoryBase memory_at(const oribi_buffer *buffer, const void *data, size_t bytes)
{
    const oribi_block *block = (const oribi_block *)buffer;
    return (SP_DeviceMemoryBase){.struct_size = SP_DEVICE_MEMORY_BASE_STRUCT_SIZE,
                                 .ext = block->region->memory.ext,
                                 .opaque = (void *)data,
                                 .size = bytes,
                                 .payload = block->region->memory.payload};
}

static void count(oribi_device *device, uint64_t *copies, uint64_t *total, size_t bytes)
{
    oribi_mutex_lock(&device->lock);
    *copies += 1;
    *total += bytes;
    oribi_mutex_unlock(&device->lock);
}

bool oribi_stream_to_device(oribi_stream *stream, const oribi_buffer *buffer, void *data,
                            const void *from, size_t bytes, TF_Status *status)
{
    oribi_device *device = stream->device;
    if (bytes == 0) {
        return true;
    }
    SP_DeviceMemoryBase to = memory_at(buffer, data, bytes);
    oribi_stream_touch(stream);
    count(device, &device->counts.n_to_device, &device->counts.bytes_to_device, bytes);
    oribi__executor(device)->memcpy_htod(&device->device, stream->handle, &to, from, bytes, status);
    return oribi__device_called(device, "memcpy_htod", status);
}

bool oribi_stream_to_host(oribi_stream *stream, void *to, const oribi_buffer *buffer,
                          const void *data, size_t bytes, TF_Status *status)
{
    oribi_device *device = stream->device;
    if (bytes == 0) {
        return true;
    }
    const SP_DeviceMemoryBase from = memory_at(buffer, data, bytes);
    oribi_stream_touch(stream);
    count(device, &device->counts.n_to_host, &device->counts.bytes_to_host, bytes);
    oribi__executor(device)->memcpy_dtoh(&device->device, stream->handle, to, &from, bytes, status);
    return oribi__device_called(device, "memcpy_dtoh", status);
}

bool oribi_stream_can_copy(const oribi_stream *stream)
{
    return oribi__executor(stream->device)->memcpy_dtod != NULL;
}

bool oribi_stream_on_device(oribi_stream *stream, const oribi_buffer *to_buffer, void *to,
                            const oribi_buffer *from_buffer, const void *from, size_t bytes,
                            TF_Status *status)
{
    oribi_device *device = stream->device;
    if (bytes == 0) {
        return true;
    }
    if (!oribi_stream_can_copy(stream)) {
        return oribi_fail(status, TF_UNIMPLEMENTED,
                          "device %s: memcpy_dtod: the plugin has no copy on the device",
                          device->name);
    }
    SP_DeviceMemoryBase target = memory_at(to_buffer, to, bytes);
    const SP_DeviceMemoryBase source = memory_at(from_buffer, from, bytes);
    oribi_stream_touch(stream);
    count(device, &device->counts.n_on_device, &device->counts.bytes_on_device, bytes);
    oribi__executor(device)->memcpy_dtod(&device->device, stream->handle, &target, &source, bytes,
                                         status);
    return oribi__device_called(device, "memcpy_dtod", status);
}

static bool is_zero(const void *element, size_t bytes)
{
    static const char zeros[8];
    return bytes <= sizeof zeros && memcmp(element, zeros, bytes) == 0;
}

bool oribi_stream_fill(oribi_stream *stream, const oribi_buffer *buffer, void *data,
                       const void *element, size_t element_bytes, size_t bytes, bool *out_done,
                       TF_Status *status)
{
    oribi_device *device = stream->device;
    const SP_StreamExecutor *se = oribi__executor(device);
    const bool zero = is_zero(element, element_bytes);
    *out_done = device->platform->has_fills && bytes > 0 &&
                (zero || element_bytes == 1 || (element_bytes == 4 && bytes % 4 == 0) ||
                 (element_bytes == 2 && bytes % 4 == 0));
    if (!*out_done) {
        return true;
    }
    SP_DeviceMemoryBase to = memory_at(buffer, data, bytes);
    oribi_stream_touch(stream);
    if (zero) {
        se->mem_zero(&device->device, stream->handle, &to, bytes, status);
        return oribi__device_called(device, "mem_zero", status);
    }
    if (element_bytes == 1) {
        se->memset(&device->device, stream->handle, &to, *(const uint8_t *)element, bytes, status);
        return oribi__device_called(device, "memset", status);
    }
    uint32_t pattern = 0;
    memcpy(&pattern, element, element_bytes);
    memcpy((char *)&pattern + 4 - element_bytes, element, element_bytes); /* 2 bytes: twice */
    se->memset32(&device->device, stream->handle, &to, pattern, bytes, status);
    return oribi__device_called(device, "memset32", status);
}
