/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the example device: each asks for its memory, takes the context's stream and enqueues
 * one step; none waits. Reshape shows an argument in host memory and an output that is a view.
 */
#include <stdlib.h>

#include "fake.h"
#include "tensorflow/c/kernels.h"

enum { MAX_RANK = 8 };

typedef struct request { /* what every kernel here needs while it computes */
    TF_OpKernelContext *ctx;
    TF_Status *status;
    TF_Tensor *x, *y, *out;
    SP_Stream stream;
} request;

static bool open_request(request *r, TF_OpKernelContext *ctx, int n_inputs)
{
    *r = (request){.ctx = ctx, .status = TF_NewStatus()};
    TF_GetInput(ctx, 0, &r->x, r->status);
    if (TF_GetCode(r->status) == TF_OK && n_inputs > 1) {
        TF_GetInput(ctx, 1, &r->y, r->status);
    }
    if (TF_GetCode(r->status) == TF_OK) {
        r->stream = TF_GetStream(ctx, r->status);
    }
    return TF_GetCode(r->status) == TF_OK;
}

static bool refuse(request *r, TF_Code code, const char *why)
{
    TF_SetStatus(r->status, code, why);
    return false;
}

static bool make_output(request *r, const int64_t *dims, int rank)
{
    r->out = TF_AllocateOutput(r->ctx, 0, TF_FLOAT, dims, rank, 0, r->status);
    return r->out != NULL;
}

static void close_request(request *r)
{
    TF_OpKernelContext_Failure(r->ctx, r->status); /* does nothing when all is well */
    TF_DeleteTensor(r->x);
    TF_DeleteTensor(r->y);
    TF_DeleteTensor(r->out);
    TF_DeleteStatus(r->status);
}

static void *address_of(const TF_Tensor *tensor)
{
    return tensor != NULL ? fake_address(TF_TensorData(tensor)) : NULL;
}

/* --- Relu and AddV2 -------------------------------------------------------------------------- */

typedef struct elementwise {
    float *out;
    const float *x, *y;
    int64_t n, y_count; /* y begins again after y_count */
} elementwise;

static bool relu_step(void *arg, bool runs)
{
    const elementwise *e = arg;
    for (int64_t i = 0; runs && i < e->n; i++) {
        e->out[i] = e->x[i] > 0 ? e->x[i] : 0;
    }
    return runs;
}

static bool add_step(void *arg, bool runs)
{
    const elementwise *e = arg;
    for (int64_t i = 0; runs && i < e->n; i++) {
        e->out[i] = e->x[i] + e->y[i % e->y_count];
    }
    return runs;
}

/* The output has the shape of x; y has it too, or that of its last dimension. */
static bool shape_elementwise(request *r)
{
    int64_t dims[MAX_RANK];
    const int rank = TF_NumDims(r->x);
    for (int i = 0; i < rank && i < MAX_RANK; i++) {
        dims[i] = TF_Dim(r->x, i);
    }
    if (rank > MAX_RANK) {
        return refuse(r, TF_UNIMPLEMENTED, "a rank above 8");
    }
    if (r->y != NULL && TF_TensorElementCount(r->y) != TF_TensorElementCount(r->x) &&
        (rank < 1 || TF_NumDims(r->y) != 1 || TF_Dim(r->y, 0) != dims[rank - 1])) {
        return refuse(r, TF_UNIMPLEMENTED, "shapes that differ but for a vector");
    }
    return make_output(r, dims, rank);
}

static void compute_elementwise(TF_OpKernelContext *ctx, int n_inputs, fake_step step)
{
    request r;
    if (open_request(&r, ctx, n_inputs) && shape_elementwise(&r)) {
        const elementwise e = {.out = address_of(r.out),
                               .x = address_of(r.x),
                               .y = address_of(r.y),
                               .n = TF_TensorElementCount(r.x),
                               .y_count = r.y != NULL ? TF_TensorElementCount(r.y) : 0};
        (void)fake_enqueue(r.stream, "launch", step, &e, sizeof e, r.status);
    }
    close_request(&r);
}

static void compute_relu(void *kernel, TF_OpKernelContext *ctx)
{
    (void)kernel;
    compute_elementwise(ctx, 1, relu_step);
}

static void compute_add(void *kernel, TF_OpKernelContext *ctx)
{
    (void)kernel;
    compute_elementwise(ctx, 2, add_step);
}

/* --- MatMul ---------------------------------------------------------------------------------- */

typedef struct product { /* strides in elements */
    float *out;
    const float *a, *b;
    int64_t m, n, k, a_row, a_column, b_row, b_column;
} product;

static bool product_step(void *arg, bool runs)
{
    const product *p = arg;
    for (int64_t i = 0; runs && i < p->m * p->n; i++) {
        const float *a = p->a + i / p->n * p->a_row;
        const float *b = p->b + i % p->n * p->b_column;
        float sum = 0;
        for (int64_t k = 0; k < p->k; k++) {
            sum += a[k * p->a_column] * b[k * p->b_row];
        }
        p->out[i] = sum;
    }
    return runs;
}

typedef struct matmul { /* attributes, read once */
    unsigned char transpose_a, transpose_b;
} matmul;

static void *create_matmul(TF_OpKernelConstruction *construction)
{
    TF_Status *status = TF_NewStatus();
    matmul *m = calloc(1, sizeof *m);
    if (m == NULL) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "out of memory");
    } else {
        TF_OpKernelConstruction_GetAttrBool(construction, "transpose_a", &m->transpose_a, status);
    }
    if (TF_GetCode(status) == TF_OK) {
        TF_OpKernelConstruction_GetAttrBool(construction, "transpose_b", &m->transpose_b, status);
    }
    if (TF_GetCode(status) != TF_OK) {
        TF_OpKernelConstruction_Failure(construction, status);
    }
    TF_DeleteStatus(status);
    return m;
}

static void delete_matmul(void *kernel)
{
    free(kernel);
}

static bool shape_matmul(request *r, const matmul *m, product *p)
{
    if (TF_NumDims(r->x) != 2 || TF_NumDims(r->y) != 2 ||
        TF_Dim(r->x, !m->transpose_a) != TF_Dim(r->y, m->transpose_b)) {
        return refuse(r, TF_INVALID_ARGUMENT, "operands that are no fitting matrices");
    }
    const int64_t a_columns = TF_Dim(r->x, 1), b_columns = TF_Dim(r->y, 1);
    *p = (product){.m = TF_Dim(r->x, m->transpose_a),
                   .n = TF_Dim(r->y, !m->transpose_b),
                   .k = TF_Dim(r->x, !m->transpose_a),
                   .a_row = m->transpose_a ? 1 : a_columns,
                   .a_column = m->transpose_a ? a_columns : 1,
                   .b_row = m->transpose_b ? 1 : b_columns,
                   .b_column = m->transpose_b ? b_columns : 1};
    return make_output(r, (int64_t[]){p->m, p->n}, 2);
}

static void compute_matmul(void *kernel, TF_OpKernelContext *ctx)
{
    request r;
    product p;
    if (open_request(&r, ctx, 2) && shape_matmul(&r, kernel, &p)) {
        p.out = address_of(r.out);
        p.a = address_of(r.x);
        p.b = address_of(r.y);
        (void)fake_enqueue(r.stream, "launch", product_step, &p, sizeof p, r.status);
    }
    close_request(&r);
}

/* --- Reshape --------------------------------------------------------------------------------- */

/* The shape is in host memory; the output is the input's memory under another shape. */
static void compute_reshape(void *kernel, TF_OpKernelContext *ctx)
{
    request r;
    (void)kernel;
    if (open_request(&r, ctx, 2)) {
        int64_t dims[MAX_RANK], known = 1;
        const int64_t rank = TF_TensorElementCount(r.y);
        const int32_t *wanted = TF_TensorData(r.y);
        for (int64_t i = 0; i < rank && i < MAX_RANK; i++) {
            known *= wanted[i] < 0 ? 1 : wanted[i];
        }
        for (int64_t i = 0; i < rank && i < MAX_RANK; i++) {
            dims[i] =
                wanted[i] < 0 ? TF_TensorElementCount(r.x) / (known > 0 ? known : 1) : wanted[i];
        }
        r.out = TF_AllocateTensor(TF_FLOAT, (int64_t[]){0}, 1, 0);
        if (rank > MAX_RANK || r.out == NULL) {
            (void)refuse(&r, TF_UNIMPLEMENTED, "a rank above 8");
        } else {
            TF_TensorBitcastFrom(r.x, TF_FLOAT, r.out, dims, (int)rank, r.status);
        }
        if (TF_GetCode(r.status) == TF_OK) {
            TF_SetOutput(ctx, 0, r.out, r.status);
        }
    }
    close_request(&r);
}

static void add_kernel(const char *op, TF_KernelBuilder *builder, TF_Status *status)
{
    TF_KernelBuilder_TypeConstraint(builder, "T", TF_FLOAT, status);
    TF_RegisterKernelBuilder(op, builder, status);
}

__attribute__((visibility("default"))) void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    TF_KernelBuilder *reshape = TF_NewKernelBuilder("Reshape", "FAKE", NULL, compute_reshape, NULL);
    add_kernel("Relu", TF_NewKernelBuilder("Relu", "FAKE", NULL, compute_relu, NULL), status);
    add_kernel("AddV2", TF_NewKernelBuilder("AddV2", "FAKE", NULL, compute_add, NULL), status);
    add_kernel("MatMul",
               TF_NewKernelBuilder("MatMul", "FAKE", create_matmul, compute_matmul, delete_matmul),
               status);
    TF_KernelBuilder_TypeConstraint(reshape, "Tshape", TF_INT32, status);
    TF_KernelBuilder_HostMemory(reshape, "shape");
    add_kernel("Reshape", reshape, status);
    TF_DeleteStatus(status);
}
