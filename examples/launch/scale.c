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
#include <stdlib.h>

#include "tensorflow/c/device_kernels.h"
#include "tensorflow/c/ops.h"
#include "tensorflow/c/plugin_note.h"

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

static void *create(TF_OpKernelConstruction *construction)
{
    TF_Status *status = TF_NewStatus();
    scale *kernel = calloc(1, sizeof *kernel);

    pthread_mutex_init(&kernel->lock, NULL);
    TF_OpKernelConstruction_GetAttrFloat(construction, "factor", &kernel->factor, status);
    if (TF_GetCode(status) != TF_OK) {
        TF_OpKernelConstruction_Failure(construction, status);
    }
    TF_DeleteStatus(status);
    return kernel;
}

static void destroy(void *state)
{
    scale *kernel = state;

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

static void launch(scale *kernel, TF_OpKernelContext *ctx, TF_Tensor *x, TF_Tensor *out,
                   TF_Status *status)
{
    int64_t n = TF_TensorElementCount(x);
    const TF_LaunchArg args[] = {
        {.kind = TF_LAUNCH_MEMORY, .value = TF_TensorData(out)},
        {.kind = TF_LAUNCH_MEMORY, .value = TF_TensorData(x)},
        {.kind = TF_LAUNCH_VALUE, .value = &n, .bytes = sizeof n},
        {.kind = TF_LAUNCH_VALUE, .value = &kernel->factor, .bytes = sizeof kernel->factor}};
    const TF_Launch what = {.struct_size = TF_LAUNCH_STRUCT_SIZE,
                            .grid = {(uint32_t)((n + BLOCK - 1) / BLOCK), 1, 1},
                            .block = {BLOCK, 1, 1},
                            .args = args,
                            .n_args = sizeof args / sizeof args[0]};

    TF_DeviceFunction *function = load(kernel, ctx, status);
    if (function != NULL && n > 0) {
        TF_LaunchKernel(ctx, function, &what, status);
    }
}

static void compute(void *state, TF_OpKernelContext *ctx)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL, *out = NULL;
    int64_t dims[8];

    TF_GetInput(ctx, 0, &x, status);
    if (TF_GetCode(status) == TF_OK && TF_NumDims(x) > 8) {
        TF_SetStatus(status, TF_UNIMPLEMENTED, "Scale takes a rank of at most 8");
    }
    if (TF_GetCode(status) == TF_OK) {
        for (int i = 0; i < TF_NumDims(x); i++) {
            dims[i] = TF_Dim(x, i);
        }
        out =
            TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, TF_NumDims(x), TF_TensorByteSize(x), status);
    }
    if (TF_GetCode(status) == TF_OK) {
        launch(state, ctx, x, out, status);
    }
    TF_OpKernelContext_Failure(ctx, status); /* does nothing when all is well */
    TF_DeleteTensor(out);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

static void infer_shape(TF_ShapeInferenceContext *ctx, TF_Status *status)
{
    TF_ShapeHandle *shape = TF_NewShapeHandle();

    TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
    }
    TF_DeleteShapeHandle(shape);
}

void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("Com>Acme>Scale");

    TF_OpDefinitionBuilderAddInput(op, "x: float");
    TF_OpDefinitionBuilderAddOutput(op, "scaled: float");
    TF_OpDefinitionBuilderAddAttr(op, "factor: float = 2.0");
    TF_OpDefinitionBuilderSetShapeInferenceFunction(op, infer_shape);
    TF_RegisterOpDefinition(op, status);
    if (TF_GetCode(status) == TF_OK) {
        TF_RegisterKernelBuilder(
            "Scale", TF_NewKernelBuilder("Com>Acme>Scale", "FAKE", create, compute, destroy),
            status);
    }
    TF_DeleteStatus(status); /* the host keeps a failure and refuses the plugin with it */
}
