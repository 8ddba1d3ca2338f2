/* SPDX-License-Identifier: Apache-2.0 */
/* What HIP has of its own: devices, a current device for each thread, host calls. */
#include <stdio.h>
#include <stdlib.h>

#include "gpu_double/double.h"

enum { N_DEVICES = 2, INVALID_DEVICE = 101 };

static _Thread_local int current;

int double_current(void)
{
    return current;
}

gpu_context double_context(int device)
{
    return device;
}

static gpu_result check_device(const char *symbol, int device)
{
    const gpu_result code = double_enter(symbol, -1);
    return code != GPU_SUCCESS                 ? code
           : device >= 0 && device < N_DEVICES ? GPU_SUCCESS
                                               : (gpu_result)INVALID_DEVICE;
}

gpu_result hipInit(unsigned flags)
{
    const gpu_result code = double_enter("hipInit", -1);
    return code != GPU_SUCCESS || flags == 0 ? code : (gpu_result)DOUBLE_INVALID_VALUE;
}

gpu_result hipDriverGetVersion(int *version)
{
    *version = 50200;
    return GPU_SUCCESS;
}

gpu_result hipGetDeviceCount(int *count)
{
    *count = N_DEVICES;
    return double_enter("hipGetDeviceCount", -1);
}

gpu_result hipDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return check_device("hipDeviceGet", ordinal);
}

gpu_result hipDeviceGetName(char *name, int bytes, int device)
{
    snprintf(name, (size_t)bytes, "double %d", device);
    return check_device("hipDeviceGetName", device);
}

gpu_result hipDeviceGetPCIBusId(char *name, int bytes, int device)
{
    snprintf(name, (size_t)bytes, "0000:%02x:00.0", device + 1);
    return check_device("hipDeviceGetPCIBusId", device);
}

gpu_result hipDeviceCanAccessPeer(int *can, int device, int peer)
{
    *can = device != peer;
    return check_device("hipDeviceCanAccessPeer", device);
}

gpu_result hipDeviceEnablePeerAccess(int peer, unsigned flags)
{
    const gpu_result code = check_device("hipDeviceEnablePeerAccess", peer);
    return code == GPU_SUCCESS && (peer == current || flags != 0) ? (gpu_result)DOUBLE_INVALID_VALUE
                                                                  : code;
}

gpu_result hipGetDevice(gpu_context *device)
{
    *device = current;
    return double_is_host_call ? (gpu_result)DOUBLE_NOT_PERMITTED : GPU_SUCCESS;
}

gpu_result hipSetDevice(gpu_context device)
{
    if (double_is_host_call || device < 0 || device >= N_DEVICES) {
        return double_is_host_call ? (gpu_result)DOUBLE_NOT_PERMITTED : (gpu_result)INVALID_DEVICE;
    }
    current = device;
    return GPU_SUCCESS;
}

const char *hipGetErrorName(gpu_result code)
{
    return code == GPU_OUT_OF_MEMORY ? "hipErrorOutOfMemory" : "hipErrorUnknown";
}

const char *hipGetErrorString(gpu_result code)
{
    return code == GPU_OUT_OF_MEMORY ? "out of memory" : "of the double";
}

typedef struct call_step {
    gpu_stream stream;
    gpu_host_function call;
    void *arg;
} call_step;

static bool step_call(void *arg, bool is_lost)
{
    const call_step *self = arg;
    double_is_host_call = true;
    self->call(self->stream, is_lost ? DOUBLE_LAUNCH_FAILED : GPU_SUCCESS, self->arg);
    double_is_host_call = false;
    return true;
}

gpu_result hipStreamAddCallback(gpu_stream stream, gpu_host_function call, void *arg,
                                unsigned flags)
{
    const char *symbol = "hipStreamAddCallback";
    int device;
    const gpu_result code = double_enter_current(symbol, &device);
    call_step *self = code == GPU_SUCCESS && flags == 0 ? calloc(1, sizeof *self) : NULL;
    if (self == NULL) {
        return code != GPU_SUCCESS ? code : DOUBLE_INVALID_VALUE;
    }
    *self = (call_step){stream, call, arg};
    return double_enqueue(symbol, stream, step_call, self);
}
