/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the example device: each asks for its memory, takes the context's stream and enqueues
 * one function; none waits. Reshape shows an argument in host memory and an output that is a view.
 */
#include <stdlib.h>

#include "fake.h"

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

static bool make_output(request *r, const int64_t *dims, int rank)
{
    r->out = TF_AllocateOutput(r->ctx, 0, TF_FLOAT, dims, rank, 0, r->status);
    return r->out != NULL;
}

static bool same_shape(request *r)
{
    int64_t dims[MAX_RANK];
    const int rank = TF_NumDims(r->x);
    for (int i = 0; i < rank && i < MAX_RANK; i++) {
        dims[i] = TF_Dim(r->x, i);
    }
    if (rank > MAX_RANK) {
        TF_SetStatus(r->status, TF_UNIMPLEMENTED, "a rank above 8");
        return false;
    }
    return make_output(r, dims, rank);
}

static void close_request(request *r)
{
    if (TF_GetCode(r->status) != TF_OK) {
        TF_OpKernelContext_Failure(r->ctx, r->status);
    }
    TF_DeleteTensor(r->x);
    TF_DeleteTensor(r->y);
    TF_DeleteTensor(r->out);
    TF_DeleteStatus(r->status);
}

static const float *address_of(const TF_Tensor *tensor)
{
    return tensor != NULL ? fake_address(TF_TensorData(tensor)) : NULL;
}

/* --- Functions on the device ----------------------------------------------------------------- */

static void run_relu(const fake_args *a)
{
    for (int64_t i = 0; i < a->n; i++) {
        a->out[i] = a->x[i] > 0 ? a->x[i] : 0;
    }
}

static void run_add(const fake_args *a)
{
    for (int64_t i = 0; i < a->n; i++) {
        a->out[i] = a->x[i] + a->y[i % a->k];
    }
}

static void run_matmul(const fake_args *a)
{
    for (int64_t i = 0; i < a->m; i++) {
        for (int64_t j = 0; j < a->n; j++) {
            float sum = 0;
            for (int64_t l = 0; l < a->k; l++) {
                sum += a->x[i * a->x_row + l * a->x_column] * a->y[l * a->y_row + j * a->y_column];
            }
            a->out[i * a->n + j] = sum;
        }
    }
}

/* --- Kernels --------------------------------------------------------------------------------- */

static void compute_relu(void *kernel, TF_OpKernelContext *ctx)
{
    request r;
    (void)kernel;
    if (open_request(&r, ctx, 1) && same_shape(&r)) {
        const fake_args args = {.out = fake_address(TF_TensorData(r.out)),
                                .x = address_of(r.x),
                                .n = TF_TensorElementCount(r.x)};
        (void)fake_launch(r.stream, run_relu, &args, r.status);
    }
    close_request(&r);
}

/* y has the shape of x, or of its last dimension. */
static void compute_add(void *kernel, TF_OpKernelContext *ctx)
{
    request r;
    (void)kernel;
    if (open_request(&r, ctx, 2) && same_shape(&r)) {
        const fake_args args = {.out = fake_address(TF_TensorData(r.out)),
                                .x = address_of(r.x),
                                .y = address_of(r.y),
                                .n = TF_TensorElementCount(r.x),
                                .k = TF_TensorElementCount(r.y)};
        const int last = TF_NumDims(r.x) - 1;
        if (args.k != args.n && (last < 0 || TF_NumDims(r.y) != 1 || args.k != TF_Dim(r.x, last))) {
            TF_SetStatus(r.status, TF_UNIMPLEMENTED, "shapes that differ but for a vector");
        } else {
            (void)fake_launch(r.stream, run_add, &args, r.status);
        }
    }
    close_request(&r);
}

typedef struct matmul { /* attributes, read once */
    unsigned char transpose_x, transpose_y;
} matmul;

static void *create_matmul(TF_OpKernelConstruction *construction)
{
    TF_Status *status = TF_NewStatus();
    matmul *kernel = calloc(1, sizeof *kernel);
    if (kernel == NULL) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "out of memory");
    } else {
        TF_OpKernelConstruction_GetAttrBool(construction, "transpose_a", &kernel->transpose_x,
                                            status);
    }
    if (TF_GetCode(status) == TF_OK) {
        TF_OpKernelConstruction_GetAttrBool(construction, "transpose_b", &kernel->transpose_y,
                                            status);
    }
    if (TF_GetCode(status) != TF_OK) {
        TF_OpKernelConstruction_Failure(construction, status);
    }
    TF_DeleteStatus(status);
    return kernel;
}

static void delete_matmul(void *kernel)
{
    free(kernel);
}

static fake_args matmul_args(const matmul *kernel, const request *r)
{
    const int64_t x[2] = {TF_Dim(r->x, 0), TF_Dim(r->x, 1)};
    const int64_t y[2] = {TF_Dim(r->y, 0), TF_Dim(r->y, 1)};
    return (fake_args){.m = x[kernel->transpose_x != 0],
                       .k = x[kernel->transpose_x == 0],
                       .n = y[kernel->transpose_y == 0],
                       .x_row = kernel->transpose_x ? 1 : x[1],
                       .x_column = kernel->transpose_x ? x[1] : 1,
                       .y_row = kernel->transpose_y ? 1 : y[1],
                       .y_column = kernel->transpose_y ? y[1] : 1};
}

static void compute_matmul(void *kernel, TF_OpKernelContext *ctx)
{
    const matmul *own = kernel;
    request r;
    if (open_request(&r, ctx, 2)) {
        fake_args args = matmul_args(own, &r);
        if (TF_NumDims(r.x) != 2 || TF_NumDims(r.y) != 2 ||
            TF_Dim(r.y, own->transpose_y != 0) != args.k) {
            TF_SetStatus(r.status, TF_INVALID_ARGUMENT, "operands that are no fitting matrices");
        } else if (make_output(&r, (int64_t[]){args.m, args.n}, 2)) {
            args.out = fake_address(TF_TensorData(r.out));
            args.x = address_of(r.x);
            args.y = address_of(r.y);
            (void)fake_launch(r.stream, run_matmul, &args, r.status);
        }
    }
    close_request(&r);
}

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
            dims[i] = wanted[i];
            known *= wanted[i] < 0 ? 1 : wanted[i];
        }
        for (int64_t i = 0; i < rank && i < MAX_RANK; i++) {
            dims[i] = dims[i] < 0 ? TF_TensorElementCount(r.x) / (known > 0 ? known : 1) : dims[i];
        }
        r.out = TF_AllocateTensor(TF_FLOAT, (int64_t[]){0}, 1, 0);
        if (rank > MAX_RANK || r.out == NULL) {
            TF_SetStatus(r.status, TF_UNIMPLEMENTED, "a rank above 8");
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
