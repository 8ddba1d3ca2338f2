/* SPDX-License-Identifier: Apache-2.0 */
/* Devices: opened once for all who ask, closed with the last reference. Not here: memory (block.c),
 * work (stream.c).
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "format/json.h"
#include "device/device_internal.h"

bool oribi__device_called(const oribi_device *device, const char *member, TF_Status *status)
{
    if (oribi_ok(status)) {
        return true;
    }
    oribi_status_prefix(status, "device %s: %s: ", device->name, member);
    return false;
}

static void device_free(oribi_device *device)
{
    oribi_platform *platform = device->platform;
    if (device->is_created) {
        TF_Status *ignored = TF_NewStatus(); /* kernels may have streams of their own */
        oribi__executor(device)->synchronize_all_activity(&device->device, ignored);
        TF_DeleteStatus(ignored);
        oribi__device_free_host_cache(device);
        oribi__device_free_cache(device);
        platform->parts.fns.destroy_device(&platform->parts.platform, &device->device);
    }
    oribi_mutex_destroy(&device->lock);
    oribi_free(device);
}

static oribi_device *device_new(oribi_platform *platform, int ordinal, TF_Status *status)
{
    oribi_device *device = oribi_alloc_zero(1, sizeof *device);
    if (device == NULL || !oribi_mutex_init(&device->lock)) {
        oribi_free(device);
        oribi_fail_memory(status);
        return NULL;
    }
    device->platform = platform;
    device->references = 1;
    const char *type = oribi_platform_type(platform);
    (void)snprintf(device->name, sizeof device->name, "%s:%d", type, ordinal);
    (void)snprintf(device->full_name, sizeof device->full_name,
                   "/job:localhost/replica:0/task:0/device:%s:%d", type, ordinal);
    device->device = (SP_Device){.struct_size = SP_DEVICE_STRUCT_SIZE, .ordinal = ordinal};
    SE_CreateDeviceParams params = {.struct_size = SE_CREATE_DEVICE_PARAMS_STRUCT_SIZE,
                                    .ordinal = ordinal,
                                    .device = &device->device};
    platform->parts.fns.create_device(&platform->parts.platform, &params, status);
    device->is_created = oribi__device_called(device, "create_device", status);
    if (!device->is_created) {
        device_free(device);
        return NULL;
    }
    return device;
}

oribi_device *oribi_device_open(const oribi_platform *platform, int ordinal, TF_Status *status)
{
    oribi_platform *own = (oribi_platform *)platform;
    oribi_mutex_lock(&own->lock);
    oribi_device *device = own->devices;
    while (device != NULL && device->device.ordinal != ordinal) {
        device = device->next;
    }
    if (device != NULL) {
        device->references++;
    } else {
        device = device_new(own, ordinal, status);
        if (device != NULL) {
            device->device.ordinal = ordinal; /* a plugin may have wiped the struct */
            device->next = own->devices;
            own->devices = device;
        }
    }
    oribi_mutex_unlock(&own->lock);
    return device;
}

void oribi_device_retain(oribi_device *device)
{
    oribi_mutex_lock(&device->platform->lock);
    device->references++;
    oribi_mutex_unlock(&device->platform->lock);
}

void oribi_device_release(oribi_device *device)
{
    if (device == NULL) {
        return;
    }
    oribi_platform *platform = device->platform;
    oribi_mutex_lock(&platform->lock);
    if (--device->references == 0) {
        oribi_device **link = &platform->devices;
        while (*link != device) {
            link = &(*link)->next;
        }
        *link = device->next;
        device_free(device); /* under the lock: opening it again waits until it is closed */
    }
    oribi_mutex_unlock(&platform->lock);
}

const char *oribi_device_name(const oribi_device *device)
{
    return device->name;
}

const char *oribi_device_full_name(const oribi_device *device)
{
    return device->full_name;
}

int oribi_device_ordinal(const oribi_device *device)
{
    return device->device.ordinal;
}

const oribi_platform *oribi_device_platform(const oribi_device *device)
{
    return device->platform;
}

const SP_Device *oribi_device_handle(const oribi_device *device)
{
    return &device->device;
}

bool oribi_device_has_offsets(const oribi_device *device)
{
    return device->platform->parts.platform.use_bfc_allocator != 0;
}

void oribi_device_count(const oribi_device *device, oribi_device_counts *out_counts)
{
    oribi_device *own = (oribi_device *)device;
    oribi_mutex_lock(&own->lock);
    *out_counts = own->counts;
    oribi_mutex_unlock(&own->lock);
}

/* --- For people ------------------------------------------------------------------------------ */

static void put_properties(oribi_json *json, const oribi_device *device)
{
    const SP_DeviceFns *fns = &device->platform->parts.device_fns;
    const SP_Device *handle = &device->device;
    int64_t free_bytes = 0, total_bytes = 0;
    SP_AllocatorStats stats = {.struct_size = SP_ALLOCATORSTATS_STRUCT_SIZE};
    oribi_json_put_string(json, "hardware", handle->hardware_name);
    oribi_json_put_string(json, "vendor", handle->device_vendor);
    oribi_json_put_string(json, "pci_bus_id", handle->pci_bus_id);
    oribi_json_put_int(json, "numa_node",
                       fns->get_numa_node != NULL ? fns->get_numa_node(handle) : -1);
    oribi_json_put_int(json, "bandwidth",
                       fns->get_memory_bandwidth != NULL ? fns->get_memory_bandwidth(handle) : -1);
    oribi_json_key(json, "gflops");
    oribi_json_double(json, fns->get_gflops != NULL ? fns->get_gflops(handle) : -1);
    if (oribi__executor(device)->device_memory_usage(handle, &free_bytes, &total_bytes)) {
        oribi_json_put_int(json, "free_bytes", free_bytes);
        oribi_json_put_int(json, "total_bytes", total_bytes);
    }
    if (oribi__executor(device)->get_allocator_stats(handle, &stats)) {
        oribi_json_put_int(json, "plugin_allocations", stats.num_allocs);
        oribi_json_put_int(json, "plugin_bytes_in_use", stats.bytes_in_use);
        oribi_json_put_int(json, "plugin_peak_bytes", stats.peak_bytes_in_use);
    }
}

static void put_device(oribi_json *json, const oribi_platform *platform, int ordinal)
{
    TF_Status *status = TF_NewStatus();
    oribi_device *device = oribi_device_open(platform, ordinal, status);
    oribi_json_open(json, '{');
    oribi_json_put_string(json, "platform", oribi_platform_name(platform));
    oribi_json_put_string(json, "type", oribi_platform_type(platform));
    oribi_json_put_int(json, "ordinal", ordinal);
    if (device != NULL) {
        oribi_json_put_string(json, "name", device->name);
        put_properties(json, device);
    } else {
        oribi_json_put_string(json, "error", TF_Message(status));
    }
    oribi_json_close(json, '}');
    oribi_device_release(device);
    TF_DeleteStatus(status);
}

void oribi_device_describe_all(struct oribi_json *json)
{
    TF_Status *status = TF_NewStatus();
    for (const oribi_platform *p = oribi_platform_next(NULL); p != NULL;
         p = oribi_platform_next(p)) {
        int n = 0;
        TF_SetStatus(status, TF_OK, "");
        if (!oribi_platform_count(p, &n, status)) {
            n = 0;
        }
        for (int i = 0; i < n; i++) {
            put_device(json, p, i);
        }
    }
    oribi__absent_describe(json);
    TF_DeleteStatus(status);
}
