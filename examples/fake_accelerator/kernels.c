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

/* --- MatMul, and products that other plugins' kernels ask for --------------------------------- */

typedef struct matrix {
    float *at;
    int64_t row, column; /* elements from one to the next */
} matrix;

typedef struct product { /* c = alpha a b + beta c */
    matrix a, b, c;
    int64_t m, n, k;
    double alpha, beta;
} product;

static matrix matrix_of(const void *opaque, bool is_transposed, int64_t columns)
{
    return (matrix){fake_address(opaque), is_transposed ? 1 : columns, is_transposed ? columns : 1};
}

static bool product_step(void *arg, bool runs)
{
    const product *p = arg;
    for (int64_t i = 0; runs && i < p->m * p->n; i++) {
        const float *a = p->a.at + i / p->n * p->a.row;
        const float *b = p->b.at + i % p->n * p->b.column;
        float *c = p->c.at + i / p->n * p->c.row + i % p->n;
        double sum = 0;
        for (int64_t k = 0; k < p->k; k++) {
            sum += (double)a[k * p->a.column] * (double)b[k * p->b.row];
        }
        *c = (float)(p->alpha * sum + (p->beta != 0 ? p->beta * (double)*c : 0));
    }
    return runs;
}

#if FAKE_HAS_EXTENSION
void fake_gemm(const SP_Device *device, SP_Stream stream, const TF_Gemm *g, TF_Status *status)
{
    product p = {.m = g->m, .n = g->n, .k = g->k, .alpha = g->alpha, .beta = g->beta};
    (void)device;
    p.a = matrix_of(g->a, g->transpose_a, g->lda);
    p.b = matrix_of(g->b, g->transpose_b, g->ldb);
    p.c = matrix_of(g->c, false, g->ldc);
    if (g->dtype != TF_FLOAT) {
        TF_SetStatus(status, TF_UNIMPLEMENTED, "products of floats only");
        return;
    }
    for (int64_t i = 0; i < g->batch; i++) {
        if (!fake_enqueue(stream, "gemm", product_step, &p, sizeof p, status)) {
            return;
        }
        p.a.at += g->stride_a;
        p.b.at += g->stride_b;
        p.c.at += g->stride_c;
    }
}
#endif

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
    *p = (product){.m = TF_Dim(r->x, m->transpose_a),
                   .k = TF_Dim(r->x, !m->transpose_a),
                   .n = TF_Dim(r->y, !m->transpose_b),
                   .alpha = 1};
    return make_output(r, (int64_t[]){p->m, p->n}, 2);
}

static void compute_matmul(void *kernel, TF_OpKernelContext *ctx)
{
    const matmul *m = kernel;
    request r;
    product p;
    if (open_request(&r, ctx, 2) && shape_matmul(&r, m, &p)) {
        p.a = matrix_of(TF_TensorData(r.x), m->transpose_a, TF_Dim(r.x, 1));
        p.b = matrix_of(TF_TensorData(r.y), m->transpose_b, TF_Dim(r.y, 1));
        p.c = matrix_of(TF_TensorData(r.out), false, p.n);
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
