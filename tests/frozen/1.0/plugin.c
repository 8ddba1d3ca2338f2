/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin that brings an op of its own: Com>Acme>Centre moves each picture so that its centre of
 * mass is in the middle. An ONNX model calls it as `Centre` of the domain `com.acme`.
 *
 *     cc -shared -fPIC $(pkg-config --cflags oribi-plugin) centre.c -o centre.so
 *     oribi run digits_centred.onnx --plugin ./centre.so -i picture=@digit.png
 *
 * Not here: attributes of other kinds, types other than float. Read next: ../bitcast/bitcast.c.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"
#include "tensorflow/c/plugin_note.h"

ORIBI_PLUGIN("centre", "1.0", "Apache-2.0");

typedef struct centre {
    int64_t max_shift; /* pixels */
} centre;

static void infer_shape(TF_ShapeInferenceContext *ctx, TF_Status *status)
{
    TF_ShapeHandle *shape = TF_NewShapeHandle();

    TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContextWithRank(ctx, shape, 4, shape, status);
    }
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
    }
    TF_DeleteShapeHandle(shape);
}

static void *create(TF_OpKernelConstruction *construction)
{
    TF_Status *status = TF_NewStatus();
    centre *kernel = calloc(1, sizeof *kernel);

    TF_OpKernelConstruction_GetAttrInt64(construction, "max_shift", &kernel->max_shift, status);
    if (TF_GetCode(status) != TF_OK) {
        TF_OpKernelConstruction_Failure(construction, status);
    }
    TF_DeleteStatus(status);
    return kernel;
}

static void destroy(void *kernel)
{
    free(kernel);
}

/* Distance from the middle to the centre of mass along one axis, rounded and limited. */
static int64_t find_shift(const float *plane, int64_t height, int64_t width, int along_y,
                          int64_t limit)
{
    double mass = 0, moment = 0;

    for (int64_t y = 0; y < height; y++) {
        for (int64_t x = 0; x < width; x++) {
            double value = (double)plane[y * width + x];
            mass += value;
            moment += value * (double)(along_y ? y : x);
        }
    }
    double middle = (double)((along_y ? height : width) - 1) / 2;
    int64_t shift = mass > 0 ? (int64_t)lround(middle - moment / mass) : 0;
    return shift > limit ? limit : shift < -limit ? -limit : shift;
}

static void move_plane(const float *from, float *to, int64_t height, int64_t width, int64_t limit)
{
    int64_t dy = find_shift(from, height, width, 1, limit);
    int64_t dx = find_shift(from, height, width, 0, limit);

    for (int64_t y = 0; y < height; y++) {
        for (int64_t x = 0; x < width; x++) {
            int64_t sy = y - dy, sx = x - dx;
            int inside = sy >= 0 && sy < height && sx >= 0 && sx < width;
            to[y * width + x] = inside ? from[sy * width + sx] : 0.0f;
        }
    }
}

static void compute(void *state, TF_OpKernelContext *ctx)
{
    const centre *kernel = state;
    TF_Status *status = TF_NewStatus();
    TF_Tensor *input = NULL, *output = NULL;
    int64_t dims[4];

    TF_GetInput(ctx, 0, &input, status);
    if (TF_GetCode(status) == TF_OK && TF_NumDims(input) != 4) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT, "Centre wants pictures of shape [n, c, h, w]");
    }
    if (TF_GetCode(status) == TF_OK) {
        for (int i = 0; i < 4; i++) {
            dims[i] = TF_Dim(input, i);
        }
        output = TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, 4, TF_TensorByteSize(input), status);
    }
    if (TF_GetCode(status) == TF_OK) {
        const float *from = TF_TensorData(input);
        float *to = TF_TensorData(output);
        for (int64_t plane = 0; plane < dims[0] * dims[1]; plane++) {
            int64_t at = plane * dims[2] * dims[3];
            move_plane(from + at, to + at, dims[2], dims[3], kernel->max_shift);
        }
    } else {
        TF_OpKernelContext_Failure(ctx, status);
    }
    TF_DeleteTensor(output);
    TF_DeleteTensor(input);
    TF_DeleteStatus(status);
}

void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("Com>Acme>Centre");

    TF_OpDefinitionBuilderAddInput(op, "picture: float");
    TF_OpDefinitionBuilderAddOutput(op, "centred: float");
    TF_OpDefinitionBuilderAddAttr(op, "max_shift: int >= 0 = 2");
    TF_OpDefinitionBuilderSetShapeInferenceFunction(op, infer_shape);
    TF_RegisterOpDefinition(op, status);
    if (TF_GetCode(status) == TF_OK) {
        TF_KernelBuilder *builder =
            TF_NewKernelBuilder("Com>Acme>Centre", "CPU", create, compute, destroy);
        TF_RegisterKernelBuilder("Centre", builder, status);
    }
    TF_DeleteStatus(status); /* the host keeps a failure and refuses the plugin with it */
}
