/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: of the device, of the host pinned for it, and of both. An allocation's payload is the
 * device's number and 1, by which a copy knows whose memory it has.
 */
#include "gpu.h"

static void allocate(const SP_Device *device, uint64_t size, int64_t space,
                     SP_DeviceMemoryBase *memory)
{
    gpu_device *own = gpu_device_of(device);
    gpu_address address = (gpu_address)(uintptr_t)NULL;
    (void)space;
    *memory = (SP_DeviceMemoryBase){.struct_size = SP_DEVICE_MEMORY_BASE_STRUCT_SIZE};
    if (size == 0 || size > SIZE_MAX / 2) {
        return;
    }
    const gpu_context before = gpu_enter(own);
    if (gpu_driver.mem_alloc(&address, (size_t)size) == GPU_SUCCESS) {
        memory->opaque = (void *)(uintptr_t)address;
        memory->size = size;
        memory->payload = (uint64_t)own->ordinal + 1;
        oribi_kit_memory_add(&own->memory, (int64_t)size);
    }
    gpu_leave(own, before);
}

static void deallocate(const SP_Device *device, SP_DeviceMemoryBase *memory)
{
    gpu_device *own = gpu_device_of(device);
    if (memory->opaque == NULL) {
        return;
    }
    const gpu_context before = gpu_enter(own);
    (void)gpu_driver.mem_free((gpu_address)(uintptr_t)memory->opaque);
    gpu_leave(own, before);
    oribi_kit_memory_remove(&own->memory, (int64_t)memory->size);
}

static void *host_allocate(const SP_Device *device, uint64_t size)
{
    void *memory = NULL;
    const gpu_context before = gpu_enter(gpu_device_of(device));
    if (size == 0 ||
        gpu_driver.host_alloc(&memory, (size_t)size, GPU_HOST_PORTABLE) != GPU_SUCCESS) {
        memory = NULL;
    }
    gpu_leave(gpu_device_of(device), before);
    return memory;
}

static void host_deallocate(const SP_Device *device, void *memory)
{
    if (memory != NULL) {
        const gpu_context before = gpu_enter(gpu_device_of(device));
        (void)gpu_driver.host_free(memory);
        gpu_leave(gpu_device_of(device), before);
    }
}

static void *unified_allocate(const SP_Device *device, uint64_t bytes)
{
    gpu_address address = (gpu_address)(uintptr_t)NULL;
    const gpu_context before = gpu_enter(gpu_device_of(device));
    const bool ok = bytes > 0 && gpu_driver.managed_alloc(&address, (size_t)bytes,
                                                          GPU_MANAGED_GLOBAL) == GPU_SUCCESS;
    gpu_leave(gpu_device_of(device), before);
    return ok ? (void *)(uintptr_t)address : NULL;
}

static void unified_deallocate(const SP_Device *device, void *location)
{
    if (location != NULL) {
        const gpu_context before = gpu_enter(gpu_device_of(device));
        (void)gpu_driver.mem_free((gpu_address)(uintptr_t)location);
        gpu_leave(gpu_device_of(device), before);
    }
}

static TF_Bool allocator_stats(const SP_Device *device, SP_AllocatorStats *stats)
{
    (void)oribi_kit_memory_read(&gpu_device_of(device)->memory, stats);
    return 1;
}

static TF_Bool memory_usage(const SP_Device *device, int64_t *free_bytes, int64_t *total_bytes)
{
    size_t available = 0, total = 0;
    const gpu_context before = gpu_enter(gpu_device_of(device));
    const bool ok = gpu_driver.mem_info(&available, &total) == GPU_SUCCESS;
    gpu_leave(gpu_device_of(device), before);
    if (ok) {
        *free_bytes = (int64_t)available;
        *total_bytes = (int64_t)total;
    }
    return ok;
}

void gpu_fill_memory(SP_StreamExecutor *executor)
{
    executor->allocate = allocate;
    executor->deallocate = deallocate;
    executor->host_memory_allocate = host_allocate;
    executor->host_memory_deallocate = host_deallocate;
    executor->unified_memory_allocate = unified_allocate;
    executor->unified_memory_deallocate = unified_deallocate;
    executor->get_allocator_stats = allocator_stats;
    executor->device_memory_usage = memory_usage;
}
