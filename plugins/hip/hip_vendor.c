/* SPDX-License-Identifier: Apache-2.0 */
/* What HIP has of its own: a current device instead of contexts, and errors as plain texts. */
#include "gpu/gpu.h"
#include "tensorflow/c/plugin_note.h"

ORIBI_PLUGIN("hip", "1.0", "Apache-2.0");

const char *const gpu_vendor_absent = "no AMD HIP runtime";

bool gpu_vendor_open(gpu_device *device, TF_Status *status)
{
    (void)status;
    device->context = device->id;
    return true;
}

void gpu_vendor_close(gpu_device *device)
{
    (void)device;
}

void gpu_vendor_error(gpu_result code, const char **name, const char **text)
{
    *name = gpu_driver.error_name(code);
    *text = gpu_driver.error_text(code);
}

bool gpu_vendor_copy_peer(const gpu_device *to, gpu_address to_address, const gpu_device *from,
                          gpu_address from_address, size_t bytes, gpu_stream stream,
                          TF_Status *status)
{
    return GPU_CALL(status, copy_peer, to_address, to->context, from_address, from->context, bytes,
                    stream);
}

static void come(gpu_stream stream, gpu_result code, void *call)
{
    (void)stream;
    gpu_come(call, code);
}

/* Not hipLaunchHostFunc, which older libraries declare and do not have. */
gpu_result gpu_vendor_host_call(gpu_stream stream, void *call)
{
    return gpu_driver.host_call(stream, come, call, 0);
}

bool gpu_vendor_load(gpu_module *module, const char *image, TF_Status *status)
{
    return GPU_CALL(status, module_load, module, image, 0, NULL, NULL);
}

/* A group may have all of the local memory without asking. */
bool gpu_vendor_allow_shared(gpu_function function, size_t bytes, TF_Status *status)
{
    (void)function;
    (void)bytes;
    (void)status;
    return true;
}

int64_t gpu_vendor_bandwidth(const gpu_device *device) /* its attributes' numbers have changed */
{
    (void)device;
    return -1;
}

void gpu_vendor_open_products(void)
{
}

void gpu_vendor_gemm(SP_Stream stream, const TF_Gemm *gemm, TF_Status *status)
{
    (void)stream;
    (void)gemm;
    TF_SetStatus(status, TF_UNIMPLEMENTED, "gemm: the vendor's library is not used");
}

void gpu_vendor_end_products(SP_Stream stream)
{
    (void)stream;
}
