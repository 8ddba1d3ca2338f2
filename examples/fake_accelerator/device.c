/* SPDX-License-Identifier: Apache-2.0 */
/* An accelerator that does not exist, as a plugin: its memory is the host's, each stream is a
 * thread. A template for device plugins (`oribi plugin new NAME --device`), and the device that the
 * tests break on purpose. What the host does with each member: docs/device-contract.md.
 *
 * Plugin options: devices=N (2), delay_us=N of each thing that a stream does (0), offsets=0|1: may
 * the host cut one allocation into many (1)? peers=0|1: do devices copy from each other (1)?
 * Addresses are tagged, so that a host which follows one crashes at once. Read next: stream.c
 * (streams, events, copies), queue.c (the hardware, which yours replaces), kernels.c,
 * launch.c. Not here: faults.c (a real device needs none).
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* each member is told its device */

#if FAKE_HAS_EXTENSION
ORIBI_PLUGIN("fake_accelerator", "1.0", "Apache-2.0");
#endif

static const uintptr_t address_tag = (uintptr_t)0x5a << 56; /* no address of a process has it */
static int n_devices = 2;
static bool has_offsets = true;
static atomic_int_least64_t live_bytes;

/* --- Memory ---------------------------------------------------------------------------------- */

int64_t fake_live_bytes(void)
{
    return atomic_load(&live_bytes);
}

void *fake_address(const void *opaque)
{
    return (void *)((uintptr_t)opaque ^ address_tag);
}

bool fake_check_memory(const SP_DeviceMemoryBase *memory, TF_Status *status)
{
    const bool is_start = memory->payload == (uint64_t)(uintptr_t)memory->opaque;
    if (!has_offsets && !is_start) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT, "an address inside of an allocation");
    }
    return has_offsets || is_start;
}

/* The one member that tells a failure by its result: opaque is NULL. */
static void allocate(const SP_Device *device, uint64_t size, int64_t space,
                     SP_DeviceMemoryBase *memory)
{
    void *block = NULL;
    TF_Status *status = TF_NewStatus();
    const bool ok =
        fake_check("allocate", device->ordinal, status) && posix_memalign(&block, 256, size) == 0;
    TF_DeleteStatus(status);
    memory->struct_size = SP_DEVICE_MEMORY_BASE_STRUCT_SIZE;
    memory->opaque = ok ? (void *)((uintptr_t)block ^ address_tag) : NULL;
    memory->size = ok ? size : 0;
    memory->payload = has_offsets ? 0 : (uint64_t)(uintptr_t)memory->opaque;
    atomic_fetch_add(&live_bytes, (int64_t)memory->size);
}

static void deallocate(const SP_Device *device, SP_DeviceMemoryBase *memory)
{
    if (memory->opaque != NULL) {
        atomic_fetch_sub(&live_bytes, (int64_t)memory->size);
        free(fake_address(memory->opaque));
    }
}

/* Memory of the host that the hardware reads faster than other memory. */
static void *host_allocate(const SP_Device *device, uint64_t size)
{
    void *block = NULL;
    return posix_memalign(&block, 64, size) == 0 ? block : NULL;
}

static void host_deallocate(const SP_Device *device, void *block)
{
    free(block);
}

static TF_Bool allocator_stats(const SP_Device *device, SP_AllocatorStats *stats)
{
    stats->bytes_in_use = fake_live_bytes();
    return 1;
}

static TF_Bool memory_usage(const SP_Device *device, int64_t *free_bytes, int64_t *total)
{
    *total = (int64_t)1 << 32;
    *free_bytes = *total - fake_live_bytes();
    return 1;
}

/* --- Platform -------------------------------------------------------------------------------- */

#if FAKE_HAS_EXTENSION
static int option(const char *key, int fallback)
{
    const char *value = TF_PluginOption(key);
    return value != NULL ? atoi(value) : fallback;
}

static void add_extension(SE_PlatformRegistrationParams *params, TF_Status *status)
{
    TF_DeviceExtension extension = {.struct_size = TF_DEVICE_EXTENSION_STRUCT_SIZE,
                                    .flags = option("peers", 1) ? TF_DEVICE_PEER_COPIES : 0};
    fake_fill_launch(&extension);
    TF_SetDeviceExtension(params, &extension, status);
}

#else

static int option(const char *key, int fallback)
{
    return fallback;
}

static void add_extension(SE_PlatformRegistrationParams *params, TF_Status *status)
{
}

#endif

static void device_count(const SP_Platform *platform, int *count, TF_Status *status)
{
    *count = n_devices;
}

static void create_device(const SP_Platform *platform, SE_CreateDeviceParams *params,
                          TF_Status *status)
{
    if (fake_check("create_device", params->ordinal, status)) {
        params->device->ordinal = params->ordinal;
        params->device->hardware_name = "threads and memory of the host";
        params->device->device_vendor = "nobody";
    }
}

static void destroy_device(const SP_Platform *platform, SP_Device *device)
{
}

static void create_device_fns(const SP_Platform *platform, SE_CreateDeviceFnsParams *params,
                              TF_Status *status)
{
    *params->device_fns = (SP_DeviceFns){.struct_size = SP_DEVICE_FNS_STRUCT_SIZE};
}

static void destroy_device_fns(const SP_Platform *platform, SP_DeviceFns *fns)
{
}

static void create_executor(const SP_Platform *platform, SE_CreateStreamExecutorParams *params,
                            TF_Status *status)
{
    *params->stream_executor = (SP_StreamExecutor){.struct_size = SP_STREAMEXECUTOR_STRUCT_SIZE,
                                                   .allocate = allocate,
                                                   .deallocate = deallocate,
                                                   .host_memory_allocate = host_allocate,
                                                   .host_memory_deallocate = host_deallocate,
                                                   .get_allocator_stats = allocator_stats,
                                                   .device_memory_usage = memory_usage};
    fake_fill_streams(params->stream_executor);
}

static void destroy_executor(const SP_Platform *platform, SP_StreamExecutor *executor)
{
}

static void create_timer_fns(const SP_Platform *platform, SP_TimerFns *fns, TF_Status *status)
{
    *fns = (SP_TimerFns){.struct_size = SP_TIMER_FNS_STRUCT_SIZE, .nanoseconds = fake_timer_ns};
}

static void destroy_timer_fns(const SP_Platform *platform, SP_TimerFns *fns)
{
}

static void destroy_platform(SP_Platform *platform)
{
}

static void destroy_platform_fns(SP_PlatformFns *fns)
{
}

__attribute__((visibility("default"))) void SE_InitPlugin(SE_PlatformRegistrationParams *params,
                                                          TF_Status *status)
{
    n_devices = option("devices", 2);
    n_devices = n_devices < 0 ? 0 : n_devices > FAKE_MAX_DEVICES ? FAKE_MAX_DEVICES : n_devices;
    has_offsets = option("offsets", 1) != 0;
    fake_delay_us = option("delay_us", 0);
    *params->platform = (SP_Platform){.struct_size = SP_PLATFORM_STRUCT_SIZE,
                                      .name = "FAKE",
                                      .type = "FAKE",
                                      .use_bfc_allocator = has_offsets};
    *params->platform_fns = (SP_PlatformFns){.struct_size = SP_PLATFORM_FNS_STRUCT_SIZE,
                                             .get_device_count = device_count,
                                             .create_device = create_device,
                                             .destroy_device = destroy_device,
                                             .create_device_fns = create_device_fns,
                                             .destroy_device_fns = destroy_device_fns,
                                             .create_stream_executor = create_executor,
                                             .destroy_stream_executor = destroy_executor,
                                             .create_timer_fns = create_timer_fns,
                                             .destroy_timer_fns = destroy_timer_fns};
    params->destroy_platform = destroy_platform;
    params->destroy_platform_fns = destroy_platform_fns;
    add_extension(params, status);
}
