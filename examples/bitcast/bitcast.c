/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin in plain C: the op Bitcast with its shape function, and a kernel for it. Only functions
 * of TensorFlow's own C API, so the binary suits any host of that API.
 *
 *     cc -shared -fPIC $(pkg-config --cflags oribi-plugin) bitcast.c -o bitcast.so
 *     oribi run model.onnx --plugin ./bitcast.so -i x=@x.npy
 *
 * Oribi has this op too, with the same definition; of the kernels, this one wins, since built-in
 * ones have negative priorities. Not here: constants, pool. Read next: ../custom_op/centre.c.
 */
#include <stdlib.h>

#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"
#include "tensorflow/c/plugin_note.h"

ORIBI_PLUGIN("bitcast", "1.0", "Apache-2.0");

#define PLAIN_TYPES                                                                                \
    "{bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, int8, int16, "   \
    "complex64, complex128, qint8, quint8, qint16, quint16, qint32}"

enum { MAX_RANK = 254 };

/* --- Shapes ---------------------------------------------------------------------------------- */

/* Narrower elements: a new last dimension says how many make one of the old ones. */
static void split(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape, size_t parts,
                  TF_Status *status)
{
    TF_ShapeHandle *last = TF_ShapeInferenceContextVectorFromSize(ctx, parts);
    TF_ShapeInferenceContextConcatenateShapes(ctx, shape, last, shape, status);
    TF_DeleteShapeHandle(last);
}

/* Wider elements: the last dimension, which must hold just one of the new ones, goes. */
static void join(TF_ShapeInferenceContext *ctx, TF_ShapeHandle *shape, size_t parts,
                 TF_Status *status)
{
    TF_DimensionHandle *last = TF_NewDimensionHandle();
    TF_ShapeInferenceContextWithRankAtLeast(ctx, shape, 1, shape, status);
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContextDim(ctx, shape, -1, last);
        if (TF_DimensionHandleValueKnown(last) && TF_DimensionHandleValue(last) != (int64_t)parts) {
            TF_SetStatus(status, TF_INVALID_ARGUMENT,
                         "Bitcast to a wider type: the last dimension must hold one element of it");
        } else {
            TF_ShapeInferenceContextSubshape(ctx, shape, 0, -1, shape, status);
        }
    }
    TF_DeleteDimensionHandle(last);
}

static void infer_shape(TF_ShapeInferenceContext *ctx, TF_Status *status)
{
    TF_ShapeHandle *shape = TF_NewShapeHandle();
    TF_DataType from = TF_FLOAT;
    TF_DataType to = TF_FLOAT;

    TF_ShapeInferenceContext_GetAttrType(ctx, "T", &from, status);
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContext_GetAttrType(ctx, "type", &to, status);
    }
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
    }
    if (TF_GetCode(status) == TF_OK) {
        const size_t old_size = TF_DataTypeSize(from);
        const size_t new_size = TF_DataTypeSize(to);
        if (new_size < old_size) {
            split(ctx, shape, old_size / new_size, status);
        } else if (new_size > old_size && TF_ShapeInferenceContextRankKnown(ctx, shape)) {
            join(ctx, shape, new_size / old_size, status);
        }
    }
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
    }
    TF_DeleteShapeHandle(shape);
}

static void register_op(TF_Status *status)
{
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("Bitcast");
    TF_OpDefinitionBuilderAddInput(op, "input: T");
    TF_OpDefinitionBuilderAddOutput(op, "output: type");
    TF_OpDefinitionBuilderAddAttr(op, "T: " PLAIN_TYPES);
    TF_OpDefinitionBuilderAddAttr(op, "type: " PLAIN_TYPES);
    TF_OpDefinitionBuilderSetShapeInferenceFunction(op, infer_shape);
    TF_RegisterOpDefinition(op, status);
}

/* --- Kernel ---------------------------------------------------------------------------------- */

typedef struct bitcast {
    TF_DataType type;
    size_t from_size, to_size;
} bitcast;

static void *create(TF_OpKernelConstruction *construction)
{
    TF_Status *status = TF_NewStatus();
    TF_DataType from = TF_FLOAT;
    bitcast *kernel = calloc(1, sizeof *kernel);

    if (kernel == NULL) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "no memory for the kernel");
    } else {
        TF_OpKernelConstruction_GetAttrType(construction, "T", &from, status);
        if (TF_GetCode(status) == TF_OK) {
            TF_OpKernelConstruction_GetAttrType(construction, "type", &kernel->type, status);
        }
        kernel->from_size = TF_DataTypeSize(from);
        kernel->to_size = TF_DataTypeSize(kernel->type);
    }
    TF_OpKernelConstruction_Failure(construction, status);
    TF_DeleteStatus(status);
    return kernel;
}

/* Dimensions of the result; returns its rank, or -1 when the input does not suit. */
static int result_dims(const bitcast *kernel, const TF_Tensor *input, int64_t *dims)
{
    int rank = TF_NumDims(input);
    for (int i = 0; i < rank; i++) {
        dims[i] = TF_Dim(input, i);
    }
    if (kernel->to_size < kernel->from_size) {
        dims[rank] = (int64_t)(kernel->from_size / kernel->to_size);
        return rank + 1;
    }
    if (kernel->to_size > kernel->from_size) {
        rank--;
        if (rank < 0 || dims[rank] != (int64_t)(kernel->to_size / kernel->from_size)) {
            return -1;
        }
    }
    return rank;
}

/* The output shares the bytes of the input; nothing is copied. */
static void compute(void *object, TF_OpKernelContext *ctx)
{
    const bitcast *kernel = object;
    TF_Status *status = TF_NewStatus();
    TF_Tensor *input = NULL;
    TF_Tensor *result = NULL;
    int64_t dims[MAX_RANK + 1];
    const int64_t nothing = 0;

    TF_GetInput(ctx, 0, &input, status);
    if (TF_GetCode(status) != TF_OK) {
        goto done;
    }
    const int rank = result_dims(kernel, input, dims);
    if (rank < 0) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT,
                     "Bitcast to a wider type: the last dimension must hold one element of it");
        goto done;
    }
    /* an empty temporary, to be pointed at the input's bytes */
    result = TF_AllocateTemp(ctx, kernel->type, &nothing, 1, NULL, status);
    if (TF_GetCode(status) != TF_OK) {
        goto done;
    }
    TF_TensorBitcastFrom(input, kernel->type, result, dims, rank, status);
    if (TF_GetCode(status) == TF_OK) {
        TF_SetOutput(ctx, 0, result, status);
    }
done:
    TF_OpKernelContext_Failure(ctx, status); /* an OK status has no effect */
    TF_DeleteTensor(result);
    TF_DeleteTensor(input);
    TF_DeleteStatus(status);
}

static void destroy(void *object)
{
    free(object);
}

void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    register_op(status);
    if (TF_GetCode(status) == TF_OK) {
        TF_KernelBuilder *kernel = TF_NewKernelBuilder("Bitcast", "CPU", create, compute, destroy);
        TF_RegisterKernelBuilder("example_bitcast", kernel, status);
    }
    TF_DeleteStatus(status); /* the host remembers a failed registration and refuses the plugin */
}
