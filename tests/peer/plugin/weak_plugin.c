/* SPDX-License-Identifier: Apache-2.0 */
/* One plugin for two hosts, compiled against Oribi's headers with weak references: where the host
 * has an extension function it is used, elsewhere the plugin does without. The second output says
 * which ones were there. Read next: ../compare_hosts.py.
 */
#ifndef WEAK_NOT /* a test of the loader: the same without */
#define TF_CAPI_WEAK
#endif
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/kernels_extension.h"
#include "tensorflow/c/ops.h"
#include "tensorflow/c/resource.h"
#include "tensorflow/c/shape_inference.h"
#include "tensorflow/c/thread_pool.h"

/* A function that no host has. */
TF_CAPI_EXPORT extern void TF_NeverThere(void);

enum { POOL = 1, INPUT_TYPE = 2, RESOURCES = 4, NEVER = 8 };

typedef struct loop {
    const float *x;
    float *y;
} loop;

static void square(void *object, int64_t begin, int64_t end)
{
    const loop *l = object;
    for (int64_t i = begin; i < end; i++) {
        l->y[i] = l->x[i] * l->x[i] + 0.1f;
    }
}

static void *make_one(void *arg, TF_Status *status)
{
    (void)status;
    return arg;
}

/* Which of the functions that this host has were called, and did what they should. */
static int32_t use_resources(TF_OpKernelContext *ctx, TF_Status *status)
{
    static int object;
    if (TF_LookupOrCreateResource == NULL) {
        return 0;
    }
    TF_Resource *resource =
        TF_LookupOrCreateResource(ctx, "", "weak", "int", make_one, &object, NULL, status);
    const int32_t used =
        resource != NULL && TF_ResourceObject(resource) == (void *)&object ? RESOURCES : 0;
    TF_DeleteResource(resource);
    return used;
}

static void *create(TF_OpKernelConstruction *ctx)
{
    static int32_t used[2] = {0, INPUT_TYPE};
    const bool is_float = TF_OpKernelConstruction_InputType != NULL &&
                          TF_OpKernelConstruction_InputType(ctx, 0) == TF_FLOAT;
    return &used[is_float];
}

static void compute(void *kernel, TF_OpKernelContext *ctx)
{
    int32_t used = *(const int32_t *)kernel;
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL;
    TF_GetInput(ctx, 0, &x, status);
    const int64_t n = TF_TensorElementCount(x);
    TF_Tensor *y = TF_AllocateOutput(ctx, 0, TF_FLOAT, &n, 1, (size_t)n * sizeof(float), status);
    loop l = {TF_TensorData(x), TF_TensorData(y)};
    used |= use_resources(ctx, status);
    if (TF_NeverThere != NULL) {
        TF_NeverThere();
        used |= NEVER;
    }
    if (TF_ThreadPool_ParallelFor != NULL) {
        const TF_RangeCallable fn = {&l, square, NULL};
        TF_ThreadPool_ParallelFor(ctx, n, 1000, fn);
        used |= POOL;
    } else {
        square(&l, 0, n);
    }
    TF_Tensor *which = TF_AllocateOutput(ctx, 1, TF_INT32, NULL, 0, sizeof used, status);
    *(int32_t *)TF_TensorData(which) = used;
    TF_OpKernelContext_Failure(ctx, status);
    TF_DeleteTensor(which);
    TF_DeleteTensor(y);
    TF_DeleteTensor(x);
    TF_DeleteStatus(status);
}

/* The second output is a scalar: said by an extension where it is there. */
static void infer(TF_ShapeInferenceContext *ctx, TF_Status *status)
{
    TF_ShapeHandle *shape = TF_NewShapeHandle();
    TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
    TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
    if (TF_ShapeInferenceContextMakeShape != NULL) {
        TF_ShapeInferenceContextMakeShape(ctx, NULL, 0, shape, status);
    } else {
        TF_ShapeHandle *scalar = TF_ShapeInferenceContextScalar(ctx);
        TF_ShapeInferenceContextSetOutput(ctx, 1, scalar, status);
        TF_DeleteShapeHandle(scalar);
        TF_DeleteShapeHandle(shape);
        return;
    }
    TF_ShapeInferenceContextSetOutput(ctx, 1, shape, status);
    TF_DeleteShapeHandle(shape);
}

void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("Com>Acme>Weak");
    TF_OpDefinitionBuilderAddInput(op, "x: float");
    TF_OpDefinitionBuilderAddOutput(op, "y: float");
    TF_OpDefinitionBuilderAddOutput(op, "used: int32");
    TF_OpDefinitionBuilderSetIsStateful(op, true);
    TF_OpDefinitionBuilderSetShapeInferenceFunction(op, infer);
    TF_RegisterOpDefinition(op, status);
    TF_RegisterKernelBuilder(
        "Weak", TF_NewKernelBuilder("Com>Acme>Weak", "CPU", create, compute, NULL), status);
    TF_DeleteStatus(status);
}
