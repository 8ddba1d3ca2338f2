/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that launches a function on a pluggable device: Com>Acme>Scale gives x times `factor`.
 * It is built apart from the device's plugin and knows no vendor's header; what it brings is code
 * in the form that the device takes. Here that is the example device's
 * (../fake_accelerator/launch.c), a C function; for CUDA it would be PTX, for OpenCL its source.
 *
 *     cc -shared -fPIC $(pkg-config --cflags oribi-plugin) scale.c -o scale.so
 *     oribi run model.onnx --plugin fake_accelerator.so --plugin scale.so --device FAKE
 *
 * Not here: a matrix product of the vendor's (TF_LaunchGemm).
 */
#include <pthread.h>

#include "oribi/kernel_kit.h"
#include "tensorflow/c/device_kernels.h"

ORIBI_PLUGIN("scale", "1.0", "Apache-2.0");

enum { BLOCK = 64 };

typedef struct scale {
    float factor;
    pthread_mutex_t lock;        /* of the first compute: runs of a session share the kernel */
    TF_DeviceFunction *function; /* loaded then, on its device */
} scale;

/* --- The function on the device: out[i] = x[i] * factor -----------------------------------------
 */

static void scale_one(const uint32_t block[3], const uint32_t thread[3], void *const *args)
{
    float *out = args[0];
    const float *x = args[1];
    const int64_t n = *(const int64_t *)args[2];
    const float factor = *(const float *)args[3];
    const int64_t i = (int64_t)block[0] * BLOCK + thread[0];

    if (i < n) {
        out[i] = x[i] * factor;
    }
}

static void (*const code)(const uint32_t *, const uint32_t *, void *const *) = scale_one;

/* --- The kernel ---------------------------------------------------------------------------------
 */

static void scale_read(oribi_kit_setup *setup, scale *kernel)
{
    pthread_mutex_init(&kernel->lock, NULL);
    oribi_kit_attr_float(setup, "factor", &kernel->factor);
}
ORIBI_KIT_CREATE(scale, scale)

static void destroy(void *state)
{
    scale *kernel = state;

    if (kernel == NULL) {
        return;
    }
    TF_DeleteDeviceFunction(kernel->function);
    pthread_mutex_destroy(&kernel->lock);
    free(kernel);
}

static TF_DeviceFunction *load(scale *kernel, TF_OpKernelContext *ctx, TF_Status *status)
{
    const TF_DeviceCode source = {.struct_size = TF_DEVICE_CODE_STRUCT_SIZE,
                                  .image = (const void *)&code,
                                  .image_bytes = sizeof code,
                                  .function = "scale_one"};

    pthread_mutex_lock(&kernel->lock);
    if (kernel->function == NULL) {
        kernel->function = TF_LoadDeviceFunction(ctx, &source, status);
    }
    TF_DeviceFunction *function = kernel->function;
    pthread_mutex_unlock(&kernel->lock);
    return function;
}

static void launch(scale *kernel, oribi_kit_run *run, const TF_Tensor *x, const void *out)
{
    int64_t n = TF_TensorElementCount(x);
    const TF_LaunchArg args[] = {
        {.kind = TF_LAUNCH_MEMORY, .value = out},
        {.kind = TF_LAUNCH_MEMORY, .value = TF_TensorData(x)},
        {.kind = TF_LAUNCH_VALUE, .value = &n, .bytes = sizeof n},
        {.kind = TF_LAUNCH_VALUE, .value = &kernel->factor, .bytes = sizeof kernel->factor}};
    const TF_Launch what = {.struct_size = TF_LAUNCH_STRUCT_SIZE,
                            .grid = {(uint32_t)((n + BLOCK - 1) / BLOCK), 1, 1},
                            .block = {BLOCK, 1, 1},
                            .args = args,
                            .n_args = sizeof args / sizeof args[0]};

    TF_DeviceFunction *function = load(kernel, run->context, run->status);
    if (function != NULL && n > 0) {
        TF_LaunchKernel(run->context, function, &what, run->status);
    }
}

static void compute(void *state, TF_OpKernelContext *context)
{
    int64_t dims[8];
    oribi_kit_run run;

    if (oribi_kit_begin(&run, context, 1)) {
        const int rank = oribi_kit_dims(&run, run.in[0], dims, 8);
        const void *out = rank >= 0 ? oribi_kit_output(&run, 0, dims, rank) : NULL;
        if (out != NULL) {
            launch(state, &run, run.in[0], out);
        }
    }
    oribi_kit_end(&run);
}

void TF_InitKernel(void)
{
    oribi_kit_register_op("Com>Acme>Scale", "x: float", "scaled: float", "factor: float = 2.0",
                          "elementwise", oribi_kit_shape_unchanged);
    oribi_kit_register_kernel("Com>Acme>Scale", "FAKE", scale_create, compute, destroy);
}
