/* SPDX-License-Identifier: Apache-2.0 */
/* What CUDA has of its own: the primary context, which the runtime library shares, errors, peers,
 * the log of the PTX compiler, and functions with much shared memory.
 */
#include <stdio.h>
#include <string.h>

#include "gpu/gpu.h"
#include "tensorflow/c/plugin_note.h"

ORIBI_PLUGIN("cuda", "1.0", "Apache-2.0");

const char *const gpu_vendor_absent = "no NVIDIA driver";

bool gpu_vendor_open(gpu_device *device, TF_Status *status)
{
    return GPU_CALL(status, context_retain, &device->context, device->id);
}

void gpu_vendor_close(gpu_device *device)
{
    (void)gpu_driver.context_release(device->id);
}

void gpu_vendor_error(gpu_result code, const char **name, const char **text)
{
    if (gpu_driver.error_name(code, name) != GPU_SUCCESS) {
        *name = NULL;
    }
    if (gpu_driver.error_text(code, text) != GPU_SUCCESS) {
        *text = NULL;
    }
}

bool gpu_vendor_copy_peer(const gpu_device *to, gpu_address to_address, const gpu_device *from,
                          gpu_address from_address, size_t bytes, gpu_stream stream,
                          TF_Status *status)
{
    return GPU_CALL(status, copy_peer, to_address, to->context, from_address, from->context, bytes,
                    stream);
}

static void come(void *call)
{
    gpu_come(call, GPU_SUCCESS);
}

gpu_result gpu_vendor_host_call(gpu_stream stream, void *call)
{
    return gpu_driver.host_call(stream, come, call);
}

bool gpu_vendor_load(gpu_module *module, const char *image, TF_Status *status)
{
    char log[512] = "", message[800];
    gpu_option options[] = {CUDA_JIT_ERROR_LOG, CUDA_JIT_ERROR_LOG_BYTES};
    void *values[] = {log, (void *)(uintptr_t)(sizeof log - 1)};
    if (GPU_CALL(status, module_load, module, image, 2, options, values)) {
        return true;
    }
    if (log[0] != '\0') {
        snprintf(message, sizeof message, "%s: %s", TF_Message(status), log);
        TF_SetStatus(status, TF_GetCode(status), message);
    }
    return false;
}

bool gpu_vendor_allow_shared(gpu_function function, size_t bytes, TF_Status *status)
{
    return GPU_CALL(status, function_attribute, function, CUDA_FUNCTION_MAX_DYNAMIC_SHARED,
                    (int)bytes);
}

int64_t gpu_vendor_bandwidth(const gpu_device *device)
{
    int kilohertz = 0, bits = 0;
    if (gpu_driver.device_attribute(&kilohertz, CUDA_DEVICE_MEMORY_CLOCK_KHZ, device->id) !=
            GPU_SUCCESS ||
        gpu_driver.device_attribute(&bits, CUDA_DEVICE_MEMORY_BUS_BITS, device->id) !=
            GPU_SUCCESS ||
        kilohertz <= 0 || bits <= 0) {
        return -1;
    }
    return (int64_t)kilohertz * 1000 * (bits / 8) * 2; /* both edges of the clock */
}
