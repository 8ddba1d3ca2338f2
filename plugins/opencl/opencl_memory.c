/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the device. OpenCL's buffers have no addresses; the host wants some that it may add to.
 * So each buffer reserves a range of the process's addresses that nobody can read or write, and an
 * address in it stands for the buffer and an offset.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "opencl.h"

/* Number of blocks that start at or before the address; under the lock. */
static size_t count_before(const opencl_device *own, uintptr_t address)
{
    size_t low = 0, high = own->n_blocks;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (own->blocks[middle].start <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

cl_mem opencl_find(opencl_device *own, const void *address, size_t bytes, size_t *out_offset,
                   TF_Status *status)
{
    const uintptr_t at = (uintptr_t)address;
    cl_mem buffer = NULL;
    pthread_mutex_lock(&own->lock);
    const size_t n = count_before(own, at);
    if (n > 0) {
        const opencl_block *block = &own->blocks[n - 1];
        const size_t offset = at - block->start;
        if (offset < block->bytes && bytes <= block->bytes - offset) {
            buffer = block->buffer;
            *out_offset = offset;
        }
    }
    pthread_mutex_unlock(&own->lock);
    if (buffer == NULL) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT,
                     "the address does not lie in the device's memory");
    }
    return buffer;
}

static bool has_room(opencl_device *own)
{
    if (own->n_blocks == own->max_blocks) {
        const size_t wanted = own->max_blocks == 0 ? 16 : own->max_blocks * 2;
        opencl_block *blocks = calloc(wanted, sizeof *blocks); /* checks the product */
        if (blocks == NULL) {
            return false;
        }
        if (own->n_blocks > 0) {
            memcpy(blocks, own->blocks, own->n_blocks * sizeof *blocks);
        }
        free(own->blocks);
        own->blocks = blocks;
        own->max_blocks = wanted;
    }
    return true;
}

static bool insert(opencl_device *own, opencl_block block)
{
    pthread_mutex_lock(&own->lock);
    const bool ok = has_room(own);
    if (ok) {
        const size_t at = count_before(own, block.start);
        memmove(own->blocks + at + 1, own->blocks + at, (own->n_blocks - at) * sizeof block);
        own->blocks[at] = block;
        own->n_blocks++;
        oribi_kit_memory_add(&own->memory, (int64_t)block.bytes);
    }
    pthread_mutex_unlock(&own->lock);
    return ok;
}

static void allocate(const SP_Device *device, uint64_t size, int64_t space,
                     SP_DeviceMemoryBase *memory)
{
    opencl_device *own = opencl_device_of(device);
    cl_int code = CL_SUCCESS;
    (void)space;
    *memory = (SP_DeviceMemoryBase){.struct_size = SP_DEVICE_MEMORY_BASE_STRUCT_SIZE};
    if (size == 0 || size > SIZE_MAX / 2) {
        return;
    }
    void *range =
        mmap(NULL, (size_t)size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) {
        return;
    }
    cl_mem buffer = clCreateBuffer(own->context, CL_MEM_READ_WRITE, (size_t)size, NULL, &code);
    if (code == CL_SUCCESS && insert(own, (opencl_block){(uintptr_t)range, (size_t)size, buffer})) {
        memory->opaque = range;
        memory->size = size;
        return;
    }
    if (code == CL_SUCCESS) {
        (void)clReleaseMemObject(buffer);
    }
    (void)munmap(range, (size_t)size);
}

static void deallocate(const SP_Device *device, SP_DeviceMemoryBase *memory)
{
    opencl_device *own = opencl_device_of(device);
    opencl_block block = {0};
    pthread_mutex_lock(&own->lock);
    const size_t n = count_before(own, (uintptr_t)memory->opaque);
    if (n > 0 && own->blocks[n - 1].start == (uintptr_t)memory->opaque) {
        block = own->blocks[n - 1];
        memmove(own->blocks + n - 1, own->blocks + n, (own->n_blocks - n) * sizeof block);
        own->n_blocks--;
        oribi_kit_memory_remove(&own->memory, (int64_t)block.bytes);
    }
    pthread_mutex_unlock(&own->lock);
    if (block.buffer != NULL) { /* commands that use it still hold it */
        (void)clReleaseMemObject(block.buffer);
        (void)munmap(memory->opaque, block.bytes);
    }
}

static TF_Bool allocator_stats(const SP_Device *device, SP_AllocatorStats *stats)
{
    (void)oribi_kit_memory_read(&opencl_device_of(device)->memory, stats);
    return 1;
}

static TF_Bool memory_usage(const SP_Device *device, int64_t *free_bytes, int64_t *total)
{
    opencl_device *own = opencl_device_of(device);
    cl_ulong bytes = 0;
    if (clGetDeviceInfo(own->id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof bytes, &bytes, NULL) !=
        CL_SUCCESS) {
        return 0;
    }
    const int64_t live = oribi_kit_memory_read(&own->memory, NULL);
    *total = (int64_t)bytes;
    *free_bytes = *total > live ? *total - live : 0;
    return 1;
}

void opencl_fill_memory(SP_StreamExecutor *executor)
{
    executor->allocate = allocate;
    executor->deallocate = deallocate;
    executor->host_memory_allocate = oribi_kit_host_allocate;
    executor->host_memory_deallocate = oribi_kit_host_deallocate;
    executor->get_allocator_stats = allocator_stats;
    executor->device_memory_usage = memory_usage;
}
