/* SPDX-License-Identifier: Apache-2.0 */
/* The platform: the devices that the driver shows, in its order. Written against the device
 * contract alone. Read next: gpu_memory.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oribi/device_kit.h"
#include "gpu.h"

static pthread_mutex_t devices_lock = PTHREAD_MUTEX_INITIALIZER;
static gpu_device *devices[GPU_MAX_DEVICES];

gpu_device *gpu_device_of(const SP_Device *device)
{
    return device->device_handle;
}

gpu_device *gpu_device_at(int ordinal)
{
    gpu_device *device = NULL;
    pthread_mutex_lock(&devices_lock);
    if (ordinal >= 0 && ordinal < GPU_MAX_DEVICES) {
        device = devices[ordinal];
    }
    pthread_mutex_unlock(&devices_lock);
    return device;
}

gpu_context gpu_enter(const gpu_device *device)
{
    gpu_context before = device->context;
    if (gpu_driver.context_get(&before) != GPU_SUCCESS || before != device->context) {
        (void)gpu_driver.context_set(device->context); /* what is called next says what is wrong */
    }
    return before;
}

void gpu_leave(const gpu_device *device, gpu_context before)
{
    if (before != device->context) {
        (void)gpu_driver.context_set(before);
    }
}

static void device_count(const SP_Platform *platform, int *count, TF_Status *status)
{
    int n = 0;
    (void)platform;
    if (GPU_CALL(status, device_count, &n)) {
        *count = n > GPU_MAX_DEVICES ? GPU_MAX_DEVICES : n;
    }
}

/* Copies between the two then need not go through the host; they work without it, too. */
static void befriend(const gpu_device *a, const gpu_device *b)
{
    int can = 0;
    if (gpu_driver.can_access_peer(&can, a->id, b->id) == GPU_SUCCESS && can) {
        const gpu_context before = gpu_enter(a);
        (void)gpu_driver.enable_peer(b->context, 0);
        gpu_leave(a, before);
    }
}

static void publish(gpu_device *own)
{
    pthread_mutex_lock(&devices_lock);
    devices[own->ordinal] = own;
    for (int i = 0; i < GPU_MAX_DEVICES; i++) {
        if (devices[i] != NULL && devices[i] != own) {
            befriend(own, devices[i]);
            befriend(devices[i], own);
        }
    }
    pthread_mutex_unlock(&devices_lock);
}

static void create_device(const SP_Platform *platform, SE_CreateDeviceParams *params,
                          TF_Status *status)
{
    (void)platform;
    if (params->ordinal < 0 || params->ordinal >= GPU_MAX_DEVICES) {
        TF_SetStatus(status, TF_NOT_FOUND, "create_device: there is no device with this number");
        return;
    }
    gpu_device *own = oribi_kit_new(sizeof *own, "create_device", status);
    if (own == NULL) {
        return;
    }
    own->ordinal = params->ordinal;
    if (!GPU_CALL(status, device_get, &own->id, params->ordinal) || !gpu_vendor_open(own, status)) {
        free(own);
        return;
    }
    if (gpu_driver.device_name(own->name, sizeof own->name, own->id) != GPU_SUCCESS) {
        own->name[0] = '\0';
    }
    if (gpu_driver.device_pci(own->pci, sizeof own->pci, own->id) != GPU_SUCCESS) {
        own->pci[0] = '\0';
    }
    pthread_mutex_init(&own->lock, NULL);
    pthread_mutex_init(&own->memory.lock, NULL);
    device_ops_gemms_open(&own->gemms);
    publish(own);
    params->device->ordinal = params->ordinal;
    params->device->device_handle = own;
    params->device->hardware_name = own->name;
    params->device->device_vendor = GPU_VENDOR;
    params->device->pci_bus_id = own->pci;
}

static void destroy_device(const SP_Platform *platform, SP_Device *device)
{
    gpu_device *own = gpu_device_of(device);
    (void)platform;
    if (own != NULL) {
        pthread_mutex_lock(&devices_lock);
        devices[own->ordinal] = NULL;
        pthread_mutex_unlock(&devices_lock);
        device_ops_gemms_close(&own->gemms, gpu_slots(), device);
        gpu_vendor_close(own);
        pthread_mutex_destroy(&own->lock);
        pthread_mutex_destroy(&own->memory.lock);
        free(own);
        device->device_handle = NULL;
    }
}

static int32_t numa_node(const SP_Device *device)
{
    char path[96];
    int node = -1;
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/numa_node", gpu_device_of(device)->pci);
    for (char *at = path; *at != '\0'; at++) {
        *at = *at >= 'A' && *at <= 'F' ? (char)(*at + ('a' - 'A')) : *at;
    }
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        if (fscanf(file, "%d", &node) != 1) {
            node = -1;
        }
        (void)fclose(file);
    }
    return node;
}

static int64_t memory_bandwidth(const SP_Device *device)
{
    return gpu_vendor_bandwidth(gpu_device_of(device));
}

static void fill_device(SP_DeviceFns *fns)
{
    fns->get_numa_node = numa_node;
    fns->get_memory_bandwidth = memory_bandwidth;
}

static void fill_executor(SP_StreamExecutor *executor)
{
    gpu_fill_memory(executor);
    gpu_fill_streams(executor);
    gpu_fill_copies(executor);
    executor->host_callback = gpu_host_callback;
}

__attribute__((visibility("default"))) void SE_InitPlugin(SE_PlatformRegistrationParams *params,
                                                          TF_Status *status)
{
    TF_DeviceExtension extension = {.struct_size = TF_DEVICE_EXTENSION_STRUCT_SIZE,
                                    .flags = TF_DEVICE_PEER_COPIES};
    if (!gpu_driver_open(status)) {
        return;
    }
    static const oribi_kit_platform platform = {.type = GPU_PLATFORM,
                                                .has_unified_memory = true,
                                                .has_offsets = true,
                                                .count = device_count,
                                                .create = create_device,
                                                .destroy = destroy_device,
                                                .fill_executor = fill_executor,
                                                .fill_device = fill_device,
                                                .timer_ns = gpu_timer_ns};
    oribi_kit_fill_platform(params, &platform);
    gpu_fill_launch(&extension);
    TF_SetDeviceExtension(params, &extension, status);
}
