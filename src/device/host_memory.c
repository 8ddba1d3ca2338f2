/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory of a device's plugin, which its copies like best. To ask for it is slow on real
 * devices (pages are locked), so what comes back is kept for the next who wants as much.
 */
#include "base/alloc.h"
#include "device/device_internal.h"

enum { MOST_KEPT = 32, SMALL = 4096 };
static const size_t most_kept_bytes = (size_t)256 << 20;

struct oribi_host_block {
    oribi_buffer buffer;  /* first: what callers hold */
    oribi_device *device; /* one reference while in use */
    oribi_host_block *next;
    size_t capacity;
};

static void give_to_plugin(oribi_device *device, oribi_host_block *block)
{
    oribi__executor(device)->host_memory_deallocate(&device->device, block->buffer.data);
    oribi_free(block);
}

void oribi__device_free_host_cache(oribi_device *device)
{
    while (device->host_blocks != NULL) {
        oribi_host_block *block = device->host_blocks;
        device->host_blocks = block->next;
        give_to_plugin(device, block);
    }
    device->n_host_blocks = 0;
    device->host_bytes = 0;
}

void oribi_device_free_host_buffer(oribi_buffer *buffer)
{
    oribi_host_block *block = (oribi_host_block *)buffer;
    oribi_device *device = block->device;
    oribi_mutex_lock(&device->lock);
    const bool is_kept = device->n_host_blocks < MOST_KEPT &&
                         block->capacity <= most_kept_bytes - device->host_bytes;
    if (is_kept) {
        block->next = device->host_blocks;
        device->host_blocks = block;
        device->n_host_blocks++;
        device->host_bytes += block->capacity;
    }
    oribi_mutex_unlock(&device->lock);
    if (!is_kept) {
        give_to_plugin(device, block);
    }
    oribi_device_release(device);
}

/* The smallest that is large enough, and not much too large. */
static oribi_host_block *take_kept(oribi_device *device, size_t bytes)
{
    oribi_host_block **best = NULL;
    for (oribi_host_block **at = &device->host_blocks; *at != NULL; at = &(*at)->next) {
        const size_t capacity = (*at)->capacity;
        if (capacity >= bytes && capacity - bytes <= bytes + SMALL &&
            (best == NULL || capacity < (*best)->capacity)) {
            best = at;
        }
    }
    oribi_host_block *block = best != NULL ? *best : NULL;
    if (block != NULL) {
        *best = block->next;
        device->n_host_blocks--;
        device->host_bytes -= block->capacity;
    }
    return block;
}

static oribi_host_block *ask_plugin(oribi_device *device, size_t bytes)
{
    oribi_host_block *block = oribi_alloc_zero(1, sizeof *block);
    void *data = block != NULL
                     ? oribi__executor(device)->host_memory_allocate(&device->device, bytes)
                     : NULL;
    if (data != NULL && (uintptr_t)data % ORIBI_TENSOR_ALIGNMENT != 0) {
        oribi__executor(device)->host_memory_deallocate(&device->device, data);
        data = NULL; /* tensors are aligned: ordinary memory then */
    }
    if (data == NULL) {
        oribi_free(block);
        return NULL;
    }
    block->buffer.data = data;
    block->capacity = bytes;
    return block;
}

oribi_buffer *oribi_device_host_buffer(oribi_device *device, size_t bytes)
{
    size_t padded = 0;
    if (!oribi_size_round_up(bytes == 0 ? 1 : bytes, ORIBI_TENSOR_ALIGNMENT, &padded)) {
        return NULL;
    }
    oribi_mutex_lock(&device->lock);
    oribi_host_block *block = take_kept(device, padded);
    oribi_mutex_unlock(&device->lock);
    if (block == NULL) {
        block = ask_plugin(device, padded);
    }
    if (block == NULL) {
        return NULL;
    }
    oribi_device_retain(device);
    block->device = device;
    block->buffer = (oribi_buffer){.data = block->buffer.data,
                                   .bytes = bytes,
                                   .references = 1,
                                   .release = oribi_device_free_host_buffer};
    return &block->buffer;
}
