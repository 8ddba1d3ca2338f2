/* SPDX-License-Identifier: Apache-2.0 */
/* Functions in OpenCL C. Device memory becomes two parameters of the function, since a buffer can
 * be shared by many tensors: `__global T *base, ulong offset`, the offset in bytes. A value is one
 * parameter, scratch one of `__local` memory; shared_bytes above 0 are one more at the end.
 */
#include <stdlib.h>

#include "opencl.h"

typedef struct loaded {
    pthread_mutex_t lock; /* a cl_kernel takes one caller at a time */
    opencl_device *device;
    cl_program program;
    cl_kernel kernel;
} loaded;

static void unload_function(const SP_Device *device, void *function)
{
    loaded *self = function;
    (void)device;
    if (self != NULL) {
        if (self->kernel != NULL) {
            (void)clReleaseKernel(self->kernel);
        }
        opencl_program_release(self->device, self->program);
        pthread_mutex_destroy(&self->lock);
        free(self);
    }
}

static void load_function(const SP_Device *device, const TF_DeviceCode *code, void **out_function,
                          TF_Status *status)
{
    cl_int result = CL_SUCCESS;
    opencl_device *own = opencl_device_of(device);
    cl_program program =
        opencl_program_take(own, code->image, code->image_bytes, code->options, status);
    if (program == NULL) {
        return;
    }
    loaded *self = calloc(1, sizeof *self);
    if (self == NULL) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "load_function: out of memory");
        opencl_program_release(own, program);
        return;
    }
    *self = (loaded){.device = own, .program = program};
    pthread_mutex_init(&self->lock, NULL);
    self->kernel = clCreateKernel(program, code->function, &result);
    if (opencl_check(result, "clCreateKernel", status)) {
        *out_function = self;
    } else {
        self->kernel = NULL;
        unload_function(device, self);
    }
}

static bool set_arg(opencl_device *own, cl_kernel kernel, const TF_LaunchArg *arg, cl_uint *index,
                    TF_Status *status)
{
    if (arg->kind != TF_LAUNCH_MEMORY) {
        return opencl_check(clSetKernelArg(kernel, (*index)++, arg->bytes,
                                           arg->kind == TF_LAUNCH_SCRATCH ? NULL : arg->value),
                            "clSetKernelArg", status);
    }
    size_t offset = 0;
    cl_mem buffer = opencl_find(own, arg->value, 1, &offset, status);
    const cl_ulong at = offset;
    return buffer != NULL &&
           opencl_check(clSetKernelArg(kernel, (*index)++, sizeof buffer, &buffer),
                        "clSetKernelArg", status) &&
           opencl_check(clSetKernelArg(kernel, (*index)++, sizeof at, &at), "clSetKernelArg",
                        status);
}

static void launch(const SP_Device *device, SP_Stream stream, void *function, const TF_Launch *what,
                   TF_Status *status)
{
    loaded *self = function;
    cl_uint index = 0;
    size_t global[3], local[3];
    for (int i = 0; i < 3; i++) {
        local[i] = what->block[i];
        global[i] = (size_t)what->grid[i] * what->block[i];
    }
    pthread_mutex_lock(&self->lock);
    bool ok = true;
    for (int i = 0; ok && i < what->n_args; i++) {
        ok = set_arg(opencl_device_of(device), self->kernel, &what->args[i], &index, status);
    }
    if (ok && what->shared_bytes > 0) {
        ok = opencl_check(clSetKernelArg(self->kernel, index, what->shared_bytes, NULL),
                          "clSetKernelArg", status);
    }
    if (ok) {
        (void)opencl_check(clEnqueueNDRangeKernel(stream->queue, self->kernel, 3, NULL, global,
                                                  local, 0, NULL, NULL),
                           "clEnqueueNDRangeKernel", status);
    }
    pthread_mutex_unlock(&self->lock);
}

static const void *native_stream(const SP_Device *device, SP_Stream stream)
{
    (void)device;
    return &stream->queue;
}

static TF_DeviceExtension slots;

const TF_DeviceExtension *opencl_slots(void)
{
    return &slots;
}

static void gemm(const SP_Device *device, SP_Stream stream, const TF_Gemm *what, TF_Status *status)
{
    device_ops_gemm(&opencl_device_of(device)->gemms, &slots, device, stream, what, status);
}

void opencl_fill_launch(TF_DeviceExtension *extension)
{
    extension->load_function = load_function;
    extension->unload_function = unload_function;
    extension->launch = launch;
    extension->gemm = gemm;
    extension->native_stream = native_stream;
    slots = *extension;
}
