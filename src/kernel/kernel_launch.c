/* SPDX-License-Identifier: Apache-2.0 */
/* Device functions and matrix products on the stream of a computation (device_kernels.h). */
#include "tensorflow/c/device_kernels.h"

#include "base/alloc.h"
#include "device/device.h"
#include "kernel/context.h"

struct TF_DeviceFunction {
    oribi_device *device;
    void *function; /* the plugin's */
};

static const TF_DeviceExtension *extension_of(const oribi_device *device)
{
    return oribi_platform_extension(oribi_device_platform(device));
}

/* The stream of the step; NULL with the status set on the CPU. */
static oribi_stream *stream_for(const TF_OpKernelContext *ctx, const char *what, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    oribi_stream *stream = oribi_context_stream(ctx);
    if (stream == NULL) {
        oribi_fail(
            status, TF_FAILED_PRECONDITION,
            "%s in node '%s', which runs on the CPU: register the kernel for a device's type", what,
            ctx->step->kernel->node->name);
    }
    return stream;
}

static void fail_absent(const oribi_device *device, const char *slot, TF_Status *status)
{
    oribi_fail(status, TF_UNIMPLEMENTED, "device '%s': its plugin has no %s (TF_DeviceExtension)",
               oribi_device_name(device), slot);
}

static void name_device(const oribi_device *device, const char *slot, TF_Status *status)
{
    if (!oribi_ok(status)) {
        oribi_status_prefix(status, "device '%s': %s: ", oribi_device_name(device), slot);
    }
}

TF_DeviceFunction *TF_LoadDeviceFunction(TF_OpKernelContext *ctx, const TF_DeviceCode *code,
                                         TF_Status *status)
{
    oribi_stream *stream = stream_for(ctx, "TF_LoadDeviceFunction", status);
    if (stream == NULL) {
        return NULL;
    }
    oribi_device *device = oribi_stream_device(stream);
    const TF_DeviceExtension *extension = extension_of(device);
    if (extension->load_function == NULL || extension->unload_function == NULL) {
        fail_absent(device, "load_function", status);
        return NULL;
    }
    TF_DeviceFunction *self = oribi_claim_zero(1, sizeof *self, status);
    if (self == NULL) {
        return NULL;
    }
    extension->load_function(oribi_device_handle(device), code, &self->function, status);
    if (!oribi_ok(status)) {
        name_device(device, "load_function", status);
        oribi_free(self);
        return NULL;
    }
    oribi_device_retain(device);
    self->device = device;
    return self;
}

void TF_DeleteDeviceFunction(TF_DeviceFunction *function)
{
    if (function != NULL) {
        extension_of(function->device)
            ->unload_function(oribi_device_handle(function->device), function->function);
        oribi_device_release(function->device);
        oribi_free(function);
    }
}

static bool check_launch(const oribi_device *device, const TF_DeviceFunction *function,
                         const TF_Launch *launch, TF_Status *status)
{
    for (int i = 0; i < 3; i++) {
        if (launch->grid[i] == 0 || launch->block[i] == 0) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "TF_LaunchKernel: the grid is %u x %u x %u and the block %u x %u x "
                              "%u; each size must be at least 1",
                              launch->grid[0], launch->grid[1], launch->grid[2], launch->block[0],
                              launch->block[1], launch->block[2]);
        }
    }
    return function->device == device ||
           oribi_fail(status, TF_INVALID_ARGUMENT,
                      "TF_LaunchKernel on '%s': the function was loaded on '%s'",
                      oribi_device_name(device), oribi_device_name(function->device));
}

void TF_LaunchKernel(TF_OpKernelContext *ctx, TF_DeviceFunction *function, const TF_Launch *launch,
                     TF_Status *status)
{
    oribi_stream *stream = stream_for(ctx, "TF_LaunchKernel", status);
    if (stream == NULL) {
        return;
    }
    oribi_device *device = oribi_stream_device(stream);
    const TF_DeviceExtension *extension = extension_of(device);
    if (extension->launch == NULL) {
        fail_absent(device, "launch", status);
    } else if (check_launch(device, function, launch, status)) {
        extension->launch(oribi_device_handle(device), oribi_stream_handle(stream),
                          function->function, launch, status);
        name_device(device, "launch", status);
        oribi_stream_touch(stream);
    }
}

void TF_LaunchGemm(TF_OpKernelContext *ctx, const TF_Gemm *gemm, TF_Status *status)
{
    oribi_stream *stream = stream_for(ctx, "TF_LaunchGemm", status);
    if (stream == NULL) {
        return;
    }
    oribi_device *device = oribi_stream_device(stream);
    const TF_DeviceExtension *extension = extension_of(device);
    if (extension->gemm == NULL) {
        fail_absent(device, "gemm", status);
    } else {
        extension->gemm(oribi_device_handle(device), oribi_stream_handle(stream), gemm, status);
        name_device(device, "gemm", status);
        oribi_stream_touch(stream);
    }
}
