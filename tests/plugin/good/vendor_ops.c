/* SPDX-License-Identifier: Apache-2.0 */
/* Ops of a vendor that say what they are: an elementwise one, a view, a reduction, a product, and
 * fused ones that stand for chains. Those named Test>Silent... compute the same and say nothing.
 */
#include <string.h>

#include "tensorflow/c/kernels.h"
#include "tensorflow/c/op_traits.h"
#include "tensorflow/c/shape_inference.h"

#define EXPORT __attribute__((visibility("default")))
EXPORT void TF_InitKernel(void);

enum { MAX_INPUTS = 4, MAX_RANK = 4 };

/* --- Shapes ---------------------------------------------------------------------------------- */

static void same_shape(TF_ShapeInferenceContext *ctx, TF_Status *status)
{
    TF_ShapeHandle *shape = TF_NewShapeHandle();
    TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
    }
    TF_DeleteShapeHandle(shape);
}

/* --- Kernels --------------------------------------------------------------------------------- */

typedef struct request {
    TF_OpKernelContext *ctx;
    TF_Status *status;
    TF_Tensor *inputs[MAX_INPUTS], *output;
    int n_inputs;
    int64_t dims[MAX_RANK];
    int rank;
} request;

static int open_request(request *r, TF_OpKernelContext *ctx)
{
    *r = (request){
        .ctx = ctx, .status = TF_NewStatus(), .n_inputs = TF_NumInputs(ctx), .dims = {1, 1, 1, 1}};
    for (int i = 0; i < r->n_inputs && TF_GetCode(r->status) == TF_OK; i++) {
        TF_GetInput(ctx, i, &r->inputs[i], r->status);
    }
    if (TF_GetCode(r->status) != TF_OK || TF_NumDims(r->inputs[0]) > MAX_RANK) {
        return 0;
    }
    r->rank = TF_NumDims(r->inputs[0]);
    for (int i = 0; i < r->rank; i++) {
        r->dims[i] = TF_Dim(r->inputs[0], i);
    }
    return 1;
}

static void *make_output(request *r)
{
    size_t bytes = TF_DataTypeSize(TF_TensorType(r->inputs[0]));
    for (int i = 0; i < r->rank; i++) {
        bytes *= (size_t)r->dims[i];
    }
    r->output = TF_AllocateOutput(r->ctx, 0, TF_TensorType(r->inputs[0]), r->dims, r->rank, bytes,
                                  r->status);
    return r->output != NULL ? TF_TensorData(r->output) : NULL;
}

static void close_request(request *r)
{
    if (TF_GetCode(r->status) != TF_OK) {
        TF_OpKernelContext_Failure(r->ctx, r->status);
    }
    for (int i = 0; i < r->n_inputs; i++) {
        TF_DeleteTensor(r->inputs[i]);
    }
    TF_DeleteTensor(r->output);
    TF_DeleteStatus(r->status);
}

static const float *floats(const request *r, int input)
{
    return TF_TensorData(r->inputs[input]);
}

/* Says what it was told; fails the request when that is 0. */
static int fits(request *r, int is_fit)
{
    if (!is_fit) {
        TF_SetStatus(r->status, TF_INVALID_ARGUMENT, "the shapes of the inputs do not fit the op");
    }
    return is_fit;
}

static int is_alike(const request *r, int input)
{
    int alike = TF_NumDims(r->inputs[input]) == r->rank;
    for (int i = 0; alike && i < r->rank; i++) {
        alike = TF_Dim(r->inputs[input], i) == r->dims[i];
    }
    return alike;
}

/* y = x * |x| + 1/2 */
static void bend(void *kernel, TF_OpKernelContext *ctx)
{
    request r;
    float *y = open_request(&r, ctx) ? make_output(&r) : NULL;
    (void)kernel;
    for (int64_t i = 0; y != NULL && i < TF_TensorElementCount(r.inputs[0]); i++) {
        const float x = floats(&r, 0)[i];
        y[i] = x * (x < 0 ? -x : x) + 0.5f;
    }
    close_request(&r);
}

/* The dimensions behind the second are one. */
static void merge(void *kernel, TF_OpKernelContext *ctx)
{
    request r;
    (void)kernel;
    if (open_request(&r, ctx) && fits(&r, r.rank == 4)) {
        r.dims[2] *= r.dims[3];
        r.rank = 3;
        void *y = make_output(&r);
        if (y != NULL) {
            memcpy(y, TF_TensorData(r.inputs[0]), TF_TensorByteSize(r.inputs[0]));
        }
    }
    close_request(&r);
}

static void merged_shape(TF_ShapeInferenceContext *ctx, TF_Status *status)
{
    TF_ShapeHandle *shape = TF_NewShapeHandle(), *front = TF_NewShapeHandle();
    TF_DimensionHandle *a = TF_NewDimensionHandle(), *b = TF_NewDimensionHandle();
    TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
    TF_ShapeInferenceContextWithRank(ctx, shape, 4, shape, status);
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContextSubshape(ctx, shape, 0, 2, front, status);
        TF_ShapeInferenceContextDim(ctx, shape, 2, a);
        TF_ShapeInferenceContextDim(ctx, shape, 3, b);
        const int64_t m = TF_DimensionHandleValue(a), n = TF_DimensionHandleValue(b);
        TF_ShapeHandle *back =
            TF_ShapeInferenceContextVectorFromSize(ctx, m < 0 || n < 0 ? 0 : (size_t)(m * n));
        if (m < 0 || n < 0) {
            TF_ShapeInferenceContextUnknownShapeOfRank(ctx, 1, back, status);
        }
        TF_ShapeInferenceContextConcatenateShapes(ctx, front, back, shape, status);
        TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
        TF_DeleteShapeHandle(back);
    }
    TF_DeleteDimensionHandle(a);
    TF_DeleteDimensionHandle(b);
    TF_DeleteShapeHandle(front);
    TF_DeleteShapeHandle(shape);
}

static void *make_span(TF_OpKernelConstruction *construction)
{
    static unsigned char keeps = 1, drops = 0;
    unsigned char keep = 1; /* Test>SilentSpan has no such attribute */
    TF_Status *status = TF_NewStatus();
    TF_OpKernelConstruction_GetAttrBool(construction, "keep", &keep, status);
    TF_DeleteStatus(status);
    return keep ? &keeps : &drops;
}

/* Makes the output without the axes that were reduced; the sizes stay as they are. */
static float *make_dropped(request *r, const int *is_reduced)
{
    const request kept = *r;
    r->rank = 0;
    for (int i = 0; i < kept.rank; i++) {
        if (!is_reduced[i]) {
            r->dims[r->rank++] = kept.dims[i];
        }
    }
    float *y = make_output(r);
    memcpy(r->dims, kept.dims, sizeof kept.dims);
    r->rank = kept.rank;
    return y;
}

/* Largest minus smallest. */
static void span(void *kernel, TF_OpKernelContext *ctx)
{
    request r;
    const unsigned char *keep = kernel;
    int64_t in[MAX_RANK] = {1, 1, 1, 1}, at[MAX_RANK];
    int is_reduced[MAX_RANK] = {0};
    float least[1000], most[1000];
    if (!open_request(&r, ctx)) {
        close_request(&r);
        return;
    }
    memcpy(in, r.dims, (size_t)r.rank * sizeof in[0]);
    for (int64_t i = 0; i < TF_TensorElementCount(r.inputs[1]); i++) {
        const int32_t axis = ((const int32_t *)TF_TensorData(r.inputs[1]))[i];
        if (!fits(&r, axis >= 0 && axis < r.rank)) {
            close_request(&r);
            return;
        }
        r.dims[axis] = 1;
        is_reduced[axis] = !*keep;
    }
    const int is_small = r.dims[0] * r.dims[1] * r.dims[2] * r.dims[3] <= 1000;
    float *y = fits(&r, is_small) ? make_dropped(&r, is_reduced) : NULL;
    const int64_t n_out = y != NULL ? TF_TensorElementCount(r.output) : 0;
    for (int64_t i = 0; i < n_out && i < 1000; i++) {
        least[i] = 1e30f;
        most[i] = -1e30f;
    }
    for (int64_t i = 0; y != NULL && i < TF_TensorElementCount(r.inputs[0]); i++) {
        int64_t rest = i, place = 0;
        for (int k = r.rank - 1; k >= 0; k--) {
            at[k] = rest % in[k];
            rest /= in[k];
        }
        for (int k = 0; k < r.rank; k++) {
            place = place * r.dims[k] + (r.dims[k] == 1 ? 0 : at[k]);
        }
        const float x = floats(&r, 0)[i];
        least[place] = x < least[place] ? x : least[place];
        most[place] = x > most[place] ? x : most[place];
    }
    for (int64_t i = 0; i < n_out && i < 1000; i++) {
        y[i] = most[i] - least[i];
    }
    close_request(&r);
}

static void spanned_shape(TF_ShapeInferenceContext *ctx, TF_Status *status)
{
    unsigned char keep = 1;
    if (TF_ShapeInferenceContext_HasAttr(ctx, "keep")) {
        TF_ShapeInferenceContext_GetAttrBool(ctx, "keep", &keep, status);
    }
    if (!keep) {
        TF_ShapeInferenceContextSetUnknownShape(ctx, status);
        return;
    }
    TF_ShapeHandle *shape = TF_NewShapeHandle();
    TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
    const int64_t rank = TF_ShapeInferenceContextRank(ctx, shape);
    TF_ShapeInferenceContextUnknownShapeOfRank(ctx, rank, shape, status);
    TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
    TF_DeleteShapeHandle(shape);
}

/* [m, k] [k, n] */
static void multiply(void *kernel, TF_OpKernelContext *ctx)
{
    request r;
    (void)kernel;
    if (open_request(&r, ctx) && fits(&r, r.rank == 2 && TF_NumDims(r.inputs[1]) == 2 &&
                                              TF_Dim(r.inputs[1], 0) == r.dims[1])) {
        const int64_t inner = r.dims[1], n = TF_Dim(r.inputs[1], 1);
        r.dims[1] = n;
        float *y = make_output(&r);
        for (int64_t i = 0; y != NULL && i < r.dims[0] * n; i++) {
            y[i] = 0;
            for (int64_t k = 0; k < inner; k++) {
                y[i] += floats(&r, 0)[i / n * inner + k] * floats(&r, 1)[k * n + i % n];
            }
        }
    }
    close_request(&r);
}

static void product_shape(TF_ShapeInferenceContext *ctx, TF_Status *status)
{
    TF_ShapeHandle *a = TF_NewShapeHandle(), *b = TF_NewShapeHandle();
    TF_ShapeInferenceContextGetInput(ctx, 0, a, status);
    TF_ShapeInferenceContextGetInput(ctx, 1, b, status);
    TF_ShapeInferenceContextWithRank(ctx, a, 2, a, status);
    TF_ShapeInferenceContextWithRank(ctx, b, 2, b, status);
    TF_ShapeInferenceContextSubshape(ctx, a, 0, 1, a, status);
    TF_ShapeInferenceContextSubshape(ctx, b, 1, 2, b, status);
    TF_ShapeInferenceContextConcatenateShapes(ctx, a, b, a, status);
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContextSetOutput(ctx, 0, a, status);
    }
    TF_DeleteShapeHandle(a);
    TF_DeleteShapeHandle(b);
}

/* x [.., c] times w [c]; then, where they are there, plus a bias [c] or a tensor like x, at least 0
 */
typedef struct scaling {
    int is_rectified;
} scaling;

static void *make_scaling(TF_OpKernelConstruction *construction)
{
    static scaling plain, rectified = {1};
    int32_t lists = 0, bytes = 0;
    TF_Status *status = TF_NewStatus();
    TF_OpKernelConstruction_GetAttrSize(construction, "fused_ops", &lists, &bytes, status);
    const int is_rectified = TF_GetCode(status) == TF_OK && lists > 1;
    TF_DeleteStatus(status);
    return is_rectified ? &rectified : &plain;
}

static int has_channels(const request *r)
{
    int yes = r->rank > 0;
    for (int i = 1; yes && i < r->n_inputs; i++) {
        yes = TF_TensorElementCount(r->inputs[i]) >= r->dims[r->rank - 1];
    }
    return yes;
}

static void scale(void *kernel, TF_OpKernelContext *ctx)
{
    request r;
    const scaling *s = kernel;
    float *y = open_request(&r, ctx) && fits(&r, has_channels(&r)) ? make_output(&r) : NULL;
    for (int64_t i = 0; y != NULL && i < TF_TensorElementCount(r.inputs[0]); i++) {
        const int64_t c = i % r.dims[r.rank - 1];
        const float sum =
            floats(&r, 0)[i] * floats(&r, 1)[c] + (r.n_inputs > 2 ? floats(&r, 2)[c] : 0);
        y[i] = s->is_rectified && sum < 0 ? 0 : sum;
    }
    close_request(&r);
}

/* Test>Bend and AddV2 in one. */
static void bend_and_add(void *kernel, TF_OpKernelContext *ctx)
{
    request r;
    float *y = open_request(&r, ctx) && fits(&r, is_alike(&r, 1)) ? make_output(&r) : NULL;
    (void)kernel;
    for (int64_t i = 0; y != NULL && i < TF_TensorElementCount(r.inputs[0]); i++) {
        const float x = floats(&r, 0)[i];
        y[i] = x * (x < 0 ? -x : x) + 0.5f + floats(&r, 1)[i];
    }
    close_request(&r);
}

/* --- Definitions ----------------------------------------------------------------------------- */

typedef struct row {
    const char *name, *inputs[3], *output, *attr, *trait, *chain;
    void (*shape)(TF_ShapeInferenceContext *ctx, TF_Status *status);
    void *(*create)(TF_OpKernelConstruction *construction);
    void (*compute)(void *kernel, TF_OpKernelContext *ctx);
    const char *device; /* another one beside the CPU, which is never asked to compute */
} row;

static const row rows[] = {
    {.name = "Test>Bend",
     .inputs = {"x: float"},
     .output = "y: float",
     .trait = "elementwise",
     .shape = same_shape,
     .compute = bend},
    {.name = "Test>SilentBend",
     .inputs = {"x: float"},
     .output = "y: float",
     .shape = same_shape,
     .compute = bend},
    {.name = "Test>Merge",
     .inputs = {"x: T"},
     .output = "y: T",
     .attr = "T: {float, int8, uint8}",
     .trait = "view(x)",
     .shape = merged_shape,
     .compute = merge},
    {.name = "Test>SilentMerge",
     .inputs = {"x: T"},
     .output = "y: T",
     .attr = "T: {float, int8, uint8}",
     .shape = merged_shape,
     .compute = merge},
    {.name = "Test>SilentSpan",
     .inputs = {"x: float", "axes: int32"},
     .output = "y: float",
     .shape = spanned_shape,
     .create = make_span,
     .compute = span},
    {.name = "Test>Span",
     .inputs = {"x: float", "axes: int32"},
     .output = "y: float",
     .attr = "keep: bool = true",
     .trait = "reduces(x, axes, keep)",
     .shape = spanned_shape,
     .create = make_span,
     .compute = span},
    {.name = "Test>Product",
     .inputs = {"a: float", "b: float"},
     .output = "y: float",
     .trait = "cost(matmul, b)",
     .shape = product_shape,
     .compute = multiply,
     .device = "FAKE"},
    {.name = "Test>SilentProduct",
     .inputs = {"a: float", "b: float"},
     .output = "y: float",
     .shape = product_shape,
     .compute = multiply,
     .device = "FAKE"},
    {.name = "Test>Scale",
     .inputs = {"x: float", "w: float"},
     .output = "y: float",
     .shape = same_shape,
     .create = make_scaling,
     .compute = scale},
    {.name = "Test>ScaleBias",
     .inputs = {"x: float", "w: float", "bias: float"},
     .output = "y: float",
     .attr = "fused_ops: list(string) = []",
     .chain = "Test>Scale BiasAdd=0 Relu?",
     .shape = same_shape,
     .create = make_scaling,
     .compute = scale},
    {.name = "Test>BendAdd",
     .inputs = {"x: float", "y: float"},
     .output = "z: float",
     .trait = "elementwise",
     .chain = "Test>Bend AddV2",
     .shape = same_shape,
     .compute = bend_and_add},
};

static void add_kernel(const row *r, const char *device, TF_Status *status)
{
    TF_KernelBuilder *kernel = TF_NewKernelBuilder(r->name, device, r->create, r->compute, NULL);
    if (TF_GetCode(status) == TF_OK) {
        TF_RegisterKernelBuilder(r->name, kernel, status);
    } else {
        TF_DeleteKernelBuilder(kernel);
    }
}

EXPORT void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    for (size_t i = 0; i < sizeof rows / sizeof *rows && TF_GetCode(status) == TF_OK; i++) {
        const row *r = &rows[i];
        TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder(r->name);
        for (int k = 0; k < 3 && r->inputs[k] != NULL; k++) {
            TF_OpDefinitionBuilderAddInput(op, r->inputs[k]);
        }
        TF_OpDefinitionBuilderAddOutput(op, r->output);
        if (r->attr != NULL) {
            TF_OpDefinitionBuilderAddAttr(op, r->attr);
        }
        if (r->trait != NULL) {
            TF_OpDefinitionBuilderAddTrait(op, r->trait);
        }
        if (r->chain != NULL) {
            TF_OpDefinitionBuilderAddFusion(op, r->chain);
        }
        TF_OpDefinitionBuilderSetShapeInferenceFunction(op, r->shape);
        TF_RegisterOpDefinition(op, status);
        add_kernel(r, "CPU", status);
        if (r->device != NULL) {
            add_kernel(r, r->device, status);
        }
    }
    TF_DeleteStatus(status);
}
