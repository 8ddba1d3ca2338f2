/* SPDX-License-Identifier: Apache-2.0 */
/* Functions and their launch. A value is a parameter of its size, device memory a pointer. Scratch
 * is no parameter: it is the block's dynamic shared memory, `shared_bytes` of it first, then each
 * scratch argument at the next multiple of 16 bytes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "gpu.h"

enum { MAX_PARAMETERS = 128, SCRATCH_GRAIN = 16, PLAIN_SHARED_BYTES = 48 << 10 };

typedef struct loaded_function {
    gpu_loaded *loaded;
    gpu_function function;
    size_t allowed; /* dynamic shared bytes; under the device's lock */
} loaded_function;

static void load_function(const SP_Device *device, const TF_DeviceCode *code, void **out_function,
                          TF_Status *status)
{
    gpu_device *own = gpu_device_of(device);
    char message[160];
    if (code->options != NULL && code->options[0] != '\0') {
        TF_SetStatus(status, TF_INVALID_ARGUMENT,
                     "load_function: " GPU_PLATFORM " takes compiled code, and no options");
        return;
    }
    loaded_function *self = calloc(1, sizeof *self);
    if (self == NULL) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "load_function: out of memory");
        return;
    }
    self->allowed = PLAIN_SHARED_BYTES;
    self->loaded = gpu_load(own, code, status);
    if (self->loaded == NULL) {
        free(self);
        return;
    }
    const gpu_context before = gpu_enter(own);
    const bool ok =
        GPU_CALL(status, module_function, &self->function, self->loaded->module, code->function);
    gpu_leave(own, before);
    if (!ok) {
        snprintf(message, sizeof message, "function '%.40s': %.100s", code->function,
                 TF_Message(status));
        TF_SetStatus(status, TF_GetCode(status), message);
        gpu_unload(own, self->loaded);
        free(self);
        return;
    }
    *out_function = self;
}

static void unload_function(const SP_Device *device, void *function)
{
    loaded_function *self = function;
    if (self != NULL) {
        gpu_unload(gpu_device_of(device), self->loaded);
        free(self);
    }
}

/* Fills params with the address of each parameter; false: too many. */
static bool pack(const TF_Launch *what, void **params, size_t *shared, TF_Status *status)
{
    int n = 0;
    *shared = what->shared_bytes;
    for (int i = 0; i < what->n_args; i++) {
        const TF_LaunchArg *arg = &what->args[i];
        if (arg->kind == TF_LAUNCH_SCRATCH) {
            *shared = (*shared + SCRATCH_GRAIN - 1) / SCRATCH_GRAIN * SCRATCH_GRAIN + arg->bytes;
        } else if (n == MAX_PARAMETERS) {
            TF_SetStatus(status, TF_INVALID_ARGUMENT, "launch: more than 128 parameters");
            return false;
        } else {
            params[n++] = arg->kind == TF_LAUNCH_MEMORY ? (void *)&arg->value : (void *)arg->value;
        }
    }
    return true;
}

static bool allow_shared(gpu_device *own, loaded_function *self, size_t bytes, TF_Status *status)
{
    bool ok = true;
    if (bytes > PLAIN_SHARED_BYTES) {
        pthread_mutex_lock(&own->lock);
        if (bytes > self->allowed) {
            ok = gpu_vendor_allow_shared(self->function, bytes, status);
            self->allowed = ok ? bytes : self->allowed;
        }
        pthread_mutex_unlock(&own->lock);
    }
    return ok;
}

static void launch(const SP_Device *device, SP_Stream stream, void *function, const TF_Launch *what,
                   TF_Status *status)
{
    gpu_device *own = gpu_device_of(device);
    loaded_function *self = function;
    void *params[MAX_PARAMETERS];
    size_t shared = 0;
    if (!pack(what, params, &shared, status)) {
        return;
    }
    const gpu_context before = gpu_enter(own);
    if (allow_shared(own, self, shared, status)) {
        (void)GPU_CALL(status, launch, self->function, what->grid[0], what->grid[1], what->grid[2],
                       what->block[0], what->block[1], what->block[2], (unsigned)shared,
                       stream->handle, params, NULL);
    }
    gpu_leave(own, before);
}

/* Whoever wants the native stream calls the vendor's runtime next, on this thread: the device stays
 * the thread's own. */
static const void *native_stream(const SP_Device *device, SP_Stream stream)
{
    (void)gpu_enter(gpu_device_of(device));
    return &stream->handle;
}

static TF_DeviceExtension slots;

const TF_DeviceExtension *gpu_slots(void)
{
    return &slots;
}

/* By the vendor's library, else by the device's own kernels. */
static void gemm(const SP_Device *device, SP_Stream stream, const TF_Gemm *what, TF_Status *status)
{
    gpu_vendor_gemm(stream, what, status);
    if (TF_GetCode(status) == TF_UNIMPLEMENTED) {
        TF_SetStatus(status, TF_OK, "");
        device_ops_gemm(&gpu_device_of(device)->gemms, &slots, device, stream, what, status);
    }
}

/* No native_properties: their layout changes with the vendor's runtime, to which this plugin is not
 * linked; eigen_gpu_device.h fills its own. */
void gpu_fill_launch(TF_DeviceExtension *extension)
{
    extension->load_function = load_function;
    extension->unload_function = unload_function;
    extension->launch = launch;
    extension->gemm = gemm;
    extension->native_stream = native_stream;
    slots = *extension;
    gpu_vendor_open_products();
}
