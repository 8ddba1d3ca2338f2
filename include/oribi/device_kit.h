/* SPDX-License-Identifier: Apache-2.0 */
/* What every device plugin fills in alike, as plain functions over the device contract: the
 * platform and its functions, statistics of memory, memory of the host, states that are made in a
 * call of the host. A plugin gives a struct with what is its own (oribi_kit_platform), and its
 * streams, copies and memory stay in its files.
 *
 * The kit is this header: nothing is linked. One file of the plugin includes it for the platform;
 * the rest may be used in any.
 * Not here: kernels (kernel_kit.h), which a device plugin registers as any other; the launch of
 * functions (tensorflow/c/device_extension.h). Since 1.3.
 */
#ifndef ORIBI_DEVICE_KIT_H_
#define ORIBI_DEVICE_KIT_H_

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/experimental/stream_executor/stream_executor.h"

#define ORIBI_KIT_DEVICE_FN __attribute__((unused)) static inline

#ifdef __cplusplus
extern "C" {
#endif

/* --- Platform -------------------------------------------------------------------------------- */

/* What a platform has of its own. */
typedef struct oribi_kit_platform {
    const char *type; /* and name: "OPENCL" */
    bool has_unified_memory;
    bool has_offsets; /* may the host add to an address, and so cut one allocation into many? */
    void (*count)(const SP_Platform *platform, int *device_count, TF_Status *status);
    void (*create)(const SP_Platform *platform, SE_CreateDeviceParams *params, TF_Status *status);
    void (*destroy)(const SP_Platform *platform, SP_Device *device);
    void (*fill_executor)(SP_StreamExecutor *executor); /* all that the device has */
    void (*fill_device)(SP_DeviceFns *fns);             /* or NULL */
    uint64_t (*timer_ns)(SP_Timer timer);
} oribi_kit_platform;

/* Fills params for a platform that stays where it is. mem_zero is made of memset where
 * fill_executor leaves it.
 * Context  inside SE_InitPlugin; one platform for each shared object. */
ORIBI_KIT_DEVICE_FN void oribi_kit_fill_platform(SE_PlatformRegistrationParams *params,
                                                 const oribi_kit_platform *platform);

/* --- Memory ---------------------------------------------------------------------------------- */

/* Zeroed memory for the state of a device, stream, event or timer, freed with free; NULL, and
 * RESOURCE_EXHAUSTED that names the member `call`, when there is none. */
ORIBI_KIT_DEVICE_FN void *oribi_kit_new(size_t bytes, const char *call, TF_Status *status);

/* Counts a device's allocations. Context: any thread; `lock` is initialised by the owner. */
typedef struct oribi_kit_memory {
    pthread_mutex_t lock;
    int64_t n_allocations, live_bytes, peak_bytes, largest_bytes;
} oribi_kit_memory;

ORIBI_KIT_DEVICE_FN void oribi_kit_memory_add(oribi_kit_memory *memory, int64_t bytes);
ORIBI_KIT_DEVICE_FN void oribi_kit_memory_remove(oribi_kit_memory *memory, int64_t bytes);
/* Bytes that live; the rest into *out_stats unless that is NULL. */
ORIBI_KIT_DEVICE_FN int64_t oribi_kit_memory_read(oribi_kit_memory *memory,
                                                  SP_AllocatorStats *out_stats);

/* The members host_memory_allocate and host_memory_deallocate of a device that reads any memory of
 * the host alike. */
ORIBI_KIT_DEVICE_FN void *oribi_kit_host_allocate(const SP_Device *device, uint64_t size);
ORIBI_KIT_DEVICE_FN void oribi_kit_host_deallocate(const SP_Device *device, void *memory);

/* --- The functions --------------------------------------------------------------------------- */

typedef struct oribi_kit_filled { /* what the members below have of the platform */
    const oribi_kit_platform *platform;
    void (*memset)(const SP_Device *device, SP_Stream stream, SP_DeviceMemoryBase *location,
                   uint8_t pattern, uint64_t size, TF_Status *status);
} oribi_kit_filled;
__attribute__((unused)) static oribi_kit_filled oribi_kit_own;

ORIBI_KIT_DEVICE_FN void oribi_kit_create_device_fns(const SP_Platform *platform,
                                                     SE_CreateDeviceFnsParams *params,
                                                     TF_Status *status)
{
    (void)platform;
    (void)status;
    memset(params->device_fns, 0, sizeof *params->device_fns);
    params->device_fns->struct_size = SP_DEVICE_FNS_STRUCT_SIZE;
    if (oribi_kit_own.platform->fill_device != NULL) {
        oribi_kit_own.platform->fill_device(params->device_fns);
    }
}

ORIBI_KIT_DEVICE_FN void oribi_kit_mem_zero(const SP_Device *device, SP_Stream stream,
                                            SP_DeviceMemoryBase *location, uint64_t size,
                                            TF_Status *status)
{
    oribi_kit_own.memset(device, stream, location, 0, size, status);
}

ORIBI_KIT_DEVICE_FN void oribi_kit_create_executor(const SP_Platform *platform,
                                                   SE_CreateStreamExecutorParams *params,
                                                   TF_Status *status)
{
    SP_StreamExecutor *executor = params->stream_executor;
    (void)platform;
    (void)status;
    memset(executor, 0, sizeof *executor);
    executor->struct_size = SP_STREAMEXECUTOR_STRUCT_SIZE;
    oribi_kit_own.platform->fill_executor(executor);
    oribi_kit_own.memset = executor->memset;
    if (executor->mem_zero == NULL && executor->memset != NULL) {
        executor->mem_zero = oribi_kit_mem_zero;
    }
}

ORIBI_KIT_DEVICE_FN void oribi_kit_create_timer_fns(const SP_Platform *platform, SP_TimerFns *fns,
                                                    TF_Status *status)
{
    (void)platform;
    (void)status;
    memset(fns, 0, sizeof *fns);
    fns->struct_size = SP_TIMER_FNS_STRUCT_SIZE;
    fns->nanoseconds = oribi_kit_own.platform->timer_ns;
}

/* What was created has nothing to destroy. */
ORIBI_KIT_DEVICE_FN void oribi_kit_destroy_device_fns(const SP_Platform *platform,
                                                      SP_DeviceFns *fns)
{
    (void)platform;
    (void)fns;
}

ORIBI_KIT_DEVICE_FN void oribi_kit_destroy_executor(const SP_Platform *platform,
                                                    SP_StreamExecutor *executor)
{
    (void)platform;
    (void)executor;
}

ORIBI_KIT_DEVICE_FN void oribi_kit_destroy_timer_fns(const SP_Platform *platform, SP_TimerFns *fns)
{
    (void)platform;
    (void)fns;
}

ORIBI_KIT_DEVICE_FN void oribi_kit_destroy_platform(SP_Platform *platform)
{
    (void)platform;
}

ORIBI_KIT_DEVICE_FN void oribi_kit_destroy_platform_fns(SP_PlatformFns *fns)
{
    (void)fns;
}

ORIBI_KIT_DEVICE_FN void oribi_kit_fill_platform(SE_PlatformRegistrationParams *params,
                                                 const oribi_kit_platform *platform)
{
    SP_PlatformFns *fns = params->platform_fns;
    oribi_kit_own.platform = platform;
    memset(params->platform, 0, sizeof *params->platform);
    params->platform->struct_size = SP_PLATFORM_STRUCT_SIZE;
    params->platform->name = params->platform->type = platform->type;
    params->platform->supports_unified_memory = platform->has_unified_memory;
    params->platform->use_bfc_allocator = platform->has_offsets;
    memset(fns, 0, sizeof *fns);
    fns->struct_size = SP_PLATFORM_FNS_STRUCT_SIZE;
    fns->get_device_count = platform->count;
    fns->create_device = platform->create;
    fns->destroy_device = platform->destroy;
    fns->create_device_fns = oribi_kit_create_device_fns;
    fns->destroy_device_fns = oribi_kit_destroy_device_fns;
    fns->create_stream_executor = oribi_kit_create_executor;
    fns->destroy_stream_executor = oribi_kit_destroy_executor;
    fns->create_timer_fns = oribi_kit_create_timer_fns;
    fns->destroy_timer_fns = oribi_kit_destroy_timer_fns;
    params->destroy_platform = oribi_kit_destroy_platform;
    params->destroy_platform_fns = oribi_kit_destroy_platform_fns;
}

ORIBI_KIT_DEVICE_FN void *oribi_kit_new(size_t bytes, const char *call, TF_Status *status)
{
    void *memory = calloc(1, bytes);
    if (memory == NULL) {
        char message[96];
        (void)snprintf(message, sizeof message, "%s: out of memory", call);
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, message);
    }
    return memory;
}

ORIBI_KIT_DEVICE_FN void oribi_kit_memory_add(oribi_kit_memory *memory, int64_t bytes)
{
    pthread_mutex_lock(&memory->lock);
    memory->n_allocations++;
    memory->live_bytes += bytes;
    if (memory->live_bytes > memory->peak_bytes) {
        memory->peak_bytes = memory->live_bytes;
    }
    if (bytes > memory->largest_bytes) {
        memory->largest_bytes = bytes;
    }
    pthread_mutex_unlock(&memory->lock);
}

ORIBI_KIT_DEVICE_FN void oribi_kit_memory_remove(oribi_kit_memory *memory, int64_t bytes)
{
    pthread_mutex_lock(&memory->lock);
    memory->live_bytes -= bytes;
    pthread_mutex_unlock(&memory->lock);
}

ORIBI_KIT_DEVICE_FN int64_t oribi_kit_memory_read(oribi_kit_memory *memory,
                                                  SP_AllocatorStats *out_stats)
{
    pthread_mutex_lock(&memory->lock);
    const int64_t live = memory->live_bytes;
    if (out_stats != NULL) {
        out_stats->num_allocs = memory->n_allocations;
        out_stats->bytes_in_use = live;
        out_stats->peak_bytes_in_use = memory->peak_bytes;
        out_stats->largest_alloc_size = memory->largest_bytes;
    }
    pthread_mutex_unlock(&memory->lock);
    return live;
}

ORIBI_KIT_DEVICE_FN void *oribi_kit_host_allocate(const SP_Device *device, uint64_t size)
{
    const size_t line = 64, rest = (size_t)(size % line); /* aligned_alloc takes whole lines */
    (void)device;
    return size > SIZE_MAX - line ? NULL : aligned_alloc(line, (size_t)size - rest + line);
}

ORIBI_KIT_DEVICE_FN void oribi_kit_host_deallocate(const SP_Device *device, void *memory)
{
    (void)device;
    free(memory);
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_DEVICE_KIT_H_ */
