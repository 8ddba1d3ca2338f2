/* SPDX-License-Identifier: Apache-2.0 */
/* An accelerator that does not exist, as a plugin: its memory is the host's, each stream is a
 * thread. A template for device plugins (`oribi plugin new NAME --device`), and the device that the
 * tests break on purpose. What the host does with each member: docs/reference/device-contract.md.
 *
 * Plugin options: devices=N (2), delay_us=N of each thing that a stream does (0), offsets=0|1: may
 * the host cut one allocation into many (1)? peers=0|1: do devices copy from each other (1)?
 * Addresses are tagged, so that a host which follows one crashes at once. Read next: stream.c
 * (streams, events, copies), queue.c (the hardware, which yours replaces), kernels.c,
 * launch.c. Not here: faults.c (a real device needs none).
 */
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "oribi/device_kit.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* each member is told its device */

#if FAKE_HAS_EXTENSION
ORIBI_PLUGIN("fake_accelerator", "1.0", "Apache-2.0");
#endif

static const uintptr_t address_tag = (uintptr_t)0x5a << 56; /* no address of a process has it */
static int n_devices = 2;
static oribi_kit_memory memory_of_all = {.lock = PTHREAD_MUTEX_INITIALIZER};
static oribi_kit_platform own; /* filled at the end */

/* --- Memory ---------------------------------------------------------------------------------- */

int64_t fake_live_bytes(void)
{
    return oribi_kit_memory_read(&memory_of_all, NULL);
}

void *fake_address(const void *opaque)
{
    return (void *)((uintptr_t)opaque ^ address_tag);
}

bool fake_check_memory(const SP_DeviceMemoryBase *memory, TF_Status *status)
{
    const bool is_start = memory->payload == (uint64_t)(uintptr_t)memory->opaque;
    if (!own.has_offsets && !is_start) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT, "an address inside of an allocation");
    }
    return own.has_offsets || is_start;
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
    memory->payload = own.has_offsets ? 0 : (uint64_t)(uintptr_t)memory->opaque;
    oribi_kit_memory_add(&memory_of_all, (int64_t)memory->size);
}

static void deallocate(const SP_Device *device, SP_DeviceMemoryBase *memory)
{
    if (memory->opaque != NULL) {
        oribi_kit_memory_remove(&memory_of_all, (int64_t)memory->size);
        free(fake_address(memory->opaque));
    }
}

static TF_Bool allocator_stats(const SP_Device *device, SP_AllocatorStats *stats)
{
    (void)oribi_kit_memory_read(&memory_of_all, stats);
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
    const char *value = TF_PluginOption != NULL ? TF_PluginOption(key) : NULL;
    return value != NULL ? atoi(value) : fallback;
}

static void add_extension(SE_PlatformRegistrationParams *params, TF_Status *status)
{
    TF_DeviceExtension extension = {.struct_size = TF_DEVICE_EXTENSION_STRUCT_SIZE,
                                    .flags = option("peers", 1) ? TF_DEVICE_PEER_COPIES : 0};
    fake_fill_launch(&extension);
    if (TF_SetDeviceExtension != NULL) { /* TensorFlow has none */
        TF_SetDeviceExtension(params, &extension, status);
    }
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

static void fill_executor(SP_StreamExecutor *executor)
{
    executor->allocate = allocate;
    executor->deallocate = deallocate;
    executor->host_memory_allocate = oribi_kit_host_allocate;
    executor->host_memory_deallocate = oribi_kit_host_deallocate;
    executor->get_allocator_stats = allocator_stats;
    executor->device_memory_usage = memory_usage;
    fake_fill_streams(executor);
}

__attribute__((visibility("default"))) void SE_InitPlugin(SE_PlatformRegistrationParams *params,
                                                          TF_Status *status)
{
    n_devices = option("devices", 2);
    n_devices = n_devices < 0 ? 0 : n_devices > FAKE_MAX_DEVICES ? FAKE_MAX_DEVICES : n_devices;
    own = (oribi_kit_platform){.type = "FAKE",
                               .has_offsets = option("offsets", 1) != 0,
                               .count = device_count,
                               .create = create_device,
                               .destroy = destroy_device,
                               .fill_executor = fill_executor,
                               .timer_ns = fake_timer_ns};
    fake_delay_us = option("delay_us", 0);
    oribi_kit_fill_platform(params, &own);
    add_extension(params, status);
}
