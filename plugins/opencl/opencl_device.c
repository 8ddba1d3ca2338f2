/* SPDX-License-Identifier: Apache-2.0 */
/* Platform OPENCL: the devices of all OpenCL platforms of this machine, GPUs and accelerators
 * before CPUs. Written against the device contract alone. Read next: opencl_memory.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl.h"
#include "tensorflow/c/kernels_extension.h"
#include "tensorflow/c/plugin_note.h"

ORIBI_PLUGIN("opencl", "1.0", "Apache-2.0");

enum { MAX_PLATFORMS = 8 };
enum { BY_TYPE, VECTORS, LOCAL };

static struct {
    pthread_mutex_t lock;
    bool is_known;
    int n;
    cl_device_id ids[OPENCL_MAX_DEVICES];
    int tiles; /* the option, read before there are devices */
} found = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool opencl_check(cl_int code, const char *call, TF_Status *status)
{
    char message[96];
    if (code == CL_SUCCESS) {
        return true;
    }
    snprintf(message, sizeof message, "%s: OpenCL error %d", call, (int)code);
    TF_SetStatus(status,
                 code == CL_OUT_OF_RESOURCES || code == CL_OUT_OF_HOST_MEMORY ||
                         code == CL_MEM_OBJECT_ALLOCATION_FAILURE
                     ? TF_RESOURCE_EXHAUSTED
                     : TF_INTERNAL,
                 message);
    return false;
}

opencl_device *opencl_device_of(const SP_Device *device)
{
    return device->device_handle;
}

static void add_devices(cl_platform_id platform, cl_device_type type)
{
    cl_device_id ids[OPENCL_MAX_DEVICES];
    cl_uint n = 0;
    if (clGetDeviceIDs(platform, type, OPENCL_MAX_DEVICES, ids, &n) != CL_SUCCESS) {
        return;
    }
    for (cl_uint i = 0; i < n && i < OPENCL_MAX_DEVICES && found.n < OPENCL_MAX_DEVICES; i++) {
        found.ids[found.n++] = ids[i];
    }
}

static int find_devices(void)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint n = 0;
    pthread_mutex_lock(&found.lock);
    if (!found.is_known && clGetPlatformIDs(MAX_PLATFORMS, platforms, &n) == CL_SUCCESS) {
        n = n > MAX_PLATFORMS ? MAX_PLATFORMS : n;
        for (cl_uint i = 0; i < n; i++) {
            add_devices(platforms[i], CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR);
        }
        for (cl_uint i = 0; i < n; i++) {
            add_devices(platforms[i], CL_DEVICE_TYPE_CPU);
        }
    }
    found.is_known = true;
    n = (cl_uint)found.n;
    pthread_mutex_unlock(&found.lock);
    return (int)n;
}

static void device_count(const SP_Platform *platform, int *count, TF_Status *status)
{
    (void)platform;
    (void)status;
    *count = find_devices();
}

bool opencl_has_vectors(int ordinal)
{
    cl_device_type type = 0;
    if (found.tiles != BY_TYPE) {
        return found.tiles == VECTORS;
    }
    return ordinal >= 0 && ordinal < find_devices() &&
           clGetDeviceInfo(found.ids[ordinal], CL_DEVICE_TYPE, sizeof type, &type, NULL) ==
               CL_SUCCESS &&
           (type & CL_DEVICE_TYPE_CPU) != 0;
}

/* The option `tiles`; false when it is another word. */
static bool read_options(TF_Status *status)
{
    const char *tiles = TF_PluginOption("tiles");
    if (tiles != NULL && strcmp(tiles, "vectors") != 0 && strcmp(tiles, "local") != 0) {
        char message[128];
        snprintf(message, sizeof message,
                 "option tiles=%.40s: it is `vectors` or `local`, or left to the device's type",
                 tiles);
        TF_SetStatus(status, TF_INVALID_ARGUMENT, message);
        return false;
    }
    found.tiles = tiles == NULL ? BY_TYPE : strcmp(tiles, "local") == 0 ? LOCAL : VECTORS;
    return true;
}

static void close_device(opencl_device *own)
{
    if (own != NULL) {
        device_ops_gemms_close(&own->gemms, opencl_slots(), NULL);
        pthread_mutex_destroy(&own->programs_lock);
        if (own->queue != NULL) {
            (void)clReleaseCommandQueue(own->queue);
        }
        if (own->context != NULL) {
            (void)clReleaseContext(own->context);
        }
        pthread_mutex_destroy(&own->lock);
        pthread_mutex_destroy(&own->memory.lock);
        pthread_mutex_destroy(&own->streams_lock);
        free(own->blocks);
        free(own);
    }
}

static void create_device(const SP_Platform *platform, SE_CreateDeviceParams *params,
                          TF_Status *status)
{
    cl_int code = CL_SUCCESS;
    (void)platform;
    if (params->ordinal < 0 || params->ordinal >= find_devices()) {
        TF_SetStatus(status, TF_NOT_FOUND, "create_device: OpenCL has no device with this number");
        return;
    }
    opencl_device *own = oribi_kit_new(sizeof *own, "create_device", status);
    if (own == NULL) {
        return;
    }
    pthread_mutex_init(&own->lock, NULL);
    pthread_mutex_init(&own->memory.lock, NULL);
    pthread_mutex_init(&own->streams_lock, NULL);
    device_ops_gemms_open(&own->gemms);
    pthread_mutex_init(&own->programs_lock, NULL);
    own->id = found.ids[params->ordinal];
    (void)clGetDeviceInfo(own->id, CL_DEVICE_NAME, sizeof own->name - 1, own->name, NULL);
    (void)clGetDeviceInfo(own->id, CL_DEVICE_VENDOR, sizeof own->vendor - 1, own->vendor, NULL);
    own->context = clCreateContext(NULL, 1, &own->id, NULL, NULL, &code);
    if (opencl_check(code, "clCreateContext", status)) {
        own->queue = clCreateCommandQueue(own->context, own->id, 0, &code);
        (void)opencl_check(code, "clCreateCommandQueue", status);
    }
    if (TF_GetCode(status) != TF_OK) {
        close_device(own);
        return;
    }
    params->device->ordinal = params->ordinal;
    params->device->device_handle = own;
    params->device->hardware_name = own->name;
    params->device->device_vendor = own->vendor;
}

static void destroy_device(const SP_Platform *platform, SP_Device *device)
{
    (void)platform;
    close_device(device->device_handle);
    device->device_handle = NULL;
}

static void fill_executor(SP_StreamExecutor *executor)
{
    opencl_fill_memory(executor);
    opencl_fill_streams(executor);
    opencl_fill_copies(executor);
}

__attribute__((visibility("default"))) void SE_InitPlugin(SE_PlatformRegistrationParams *params,
                                                          TF_Status *status)
{
    TF_DeviceExtension extension = {.struct_size = TF_DEVICE_EXTENSION_STRUCT_SIZE};
    static const oribi_kit_platform platform = {.type = "OPENCL",
                                                .has_offsets = true,
                                                .count = device_count,
                                                .create = create_device,
                                                .destroy = destroy_device,
                                                .fill_executor = fill_executor,
                                                .timer_ns = opencl_timer_ns};
    oribi_kit_fill_platform(params, &platform);
    opencl_fill_launch(&extension);
    if (read_options(status)) {
        TF_SetDeviceExtension(params, &extension, status);
    }
}
