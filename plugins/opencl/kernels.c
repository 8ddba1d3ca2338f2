/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the device, through TF_LaunchKernel: each loads its one function in its first compute,
 * asks for its output and enqueues; none waits. Float only, sizes below 2^31 elements.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

enum { BLOCK = 64 };

bool opencl_is_ok(const opencl_request *r)
{
    return TF_GetCode(r->status) == TF_OK;
}

bool opencl_refuse(opencl_request *r, TF_Code code, const char *message)
{
    TF_SetStatus(r->status, code, message);
    return false;
}

bool opencl_open(opencl_request *r, TF_OpKernelContext *ctx, int n_inputs)
{
    *r = (opencl_request){.ctx = ctx, .status = TF_NewStatus()};
    TF_GetInput(ctx, 0, &r->x, r->status);
    if (opencl_is_ok(r) && n_inputs > 1) {
        TF_GetInput(ctx, 1, &r->y, r->status);
    }
    if (opencl_is_ok(r) && TF_NumDims(r->x) > OPENCL_MAX_RANK) {
        return opencl_refuse(r, TF_UNIMPLEMENTED, "a rank above 6 on OPENCL");
    }
    return opencl_is_ok(r);
}

bool opencl_output(opencl_request *r, const int64_t *dims, int rank)
{
    int64_t n = 1;
    for (int i = 0; i < rank; i++) {
        if (dims[i] > INT_MAX || (n *= dims[i]) > INT_MAX) {
            return opencl_refuse(r, TF_UNIMPLEMENTED, "2^31 or more elements on OPENCL");
        }
    }
    if (TF_TensorElementCount(r->x) > INT_MAX ||
        (r->y != NULL && TF_TensorElementCount(r->y) > INT_MAX)) {
        return opencl_refuse(r, TF_UNIMPLEMENTED, "2^31 or more elements on OPENCL");
    }
    r->out = TF_AllocateOutput(r->ctx, 0, TF_FLOAT, dims, rank, 0, r->status);
    return r->out != NULL && opencl_is_ok(r);
}

static bool same_shape(opencl_request *r)
{
    int64_t dims[OPENCL_MAX_RANK];
    for (int i = 0; i < TF_NumDims(r->x); i++) {
        dims[i] = TF_Dim(r->x, i);
    }
    return opencl_output(r, dims, TF_NumDims(r->x));
}

void opencl_close(opencl_request *r)
{
    if (!opencl_is_ok(r)) {
        TF_OpKernelContext_Failure(r->ctx, r->status);
    }
    TF_DeleteTensor(r->x);
    TF_DeleteTensor(r->y);
    TF_DeleteTensor(r->bias);
    TF_DeleteTensor(r->residual);
    TF_DeleteTensor(r->out);
    TF_DeleteStatus(r->status);
}

TF_LaunchArg opencl_memory(const TF_Tensor *tensor)
{
    return (TF_LaunchArg){.kind = TF_LAUNCH_MEMORY, .value = TF_TensorData(tensor)};
}

TF_LaunchArg opencl_value(const void *value, size_t bytes)
{
    return (TF_LaunchArg){.kind = TF_LAUNCH_VALUE, .value = value, .bytes = bytes};
}

void opencl_enqueue(opencl_kernel *kernel, opencl_request *r, int64_t columns, int64_t rows,
                    const TF_LaunchArg *args, int n_args)
{
    TF_DeviceCode code = {.struct_size = TF_DEVICE_CODE_STRUCT_SIZE,
                          .image = kernel->source,
                          .image_bytes = strlen(kernel->source),
                          .function = kernel->function};
    TF_Launch launch = {.struct_size = TF_LAUNCH_STRUCT_SIZE,
                        .grid = {(uint32_t)((columns + BLOCK - 1) / BLOCK), (uint32_t)rows, 1},
                        .block = {BLOCK, 1, 1},
                        .args = args,
                        .n_args = n_args};
    if (columns == 0 || rows == 0) {
        return;
    }
    pthread_mutex_lock(&kernel->lock);
    if (kernel->loaded == NULL) {
        kernel->loaded = TF_LoadDeviceFunction(r->ctx, &code, r->status);
    }
    TF_DeviceFunction *function = kernel->loaded;
    pthread_mutex_unlock(&kernel->lock);
    if (function != NULL && opencl_is_ok(r)) {
        TF_LaunchKernel(r->ctx, function, &launch, r->status);
    }
}

/* --- One by one ------------------------------------------------------------------------------ */

static void compute_relu(void *kernel, TF_OpKernelContext *ctx)
{
    opencl_request r;
    if (opencl_open(&r, ctx, 1) && same_shape(&r)) {
        const int n = (int)TF_TensorElementCount(r.x);
        const TF_LaunchArg args[] = {opencl_memory(r.out), opencl_memory(r.x),
                                     opencl_value(&n, sizeof n)};
        opencl_enqueue(kernel, &r, n, 1, args, 3);
    }
    opencl_close(&r);
}

typedef struct walk { /* as in source.c: where element i of the output finds its operands */
    int32_t n, dims[OPENCL_MAX_RANK], x[OPENCL_MAX_RANK], y[OPENCL_MAX_RANK];
} walk;

static void fill_strides(const TF_Tensor *tensor, int first, int32_t strides[OPENCL_MAX_RANK])
{
    int64_t step = 1;
    for (int i = TF_NumDims(tensor) - 1; i >= 0; i--) {
        strides[first + i] = TF_Dim(tensor, i) == 1 ? 0 : (int32_t)step;
        step *= TF_Dim(tensor, i);
    }
}

static int64_t dim_from_end(const TF_Tensor *tensor, int i)
{
    return i < TF_NumDims(tensor) ? TF_Dim(tensor, TF_NumDims(tensor) - 1 - i) : 1;
}

static void enqueue_walk(opencl_kernel *kernel, opencl_request *r, const walk *w)
{
    const TF_LaunchArg args[] = {opencl_memory(r->out), opencl_memory(r->x), opencl_memory(r->y),
                                 opencl_value(w, sizeof *w)};
    opencl_enqueue(kernel, r, w->n, 1, args, 4);
}

static bool broadcast_output(opencl_request *r, walk *w)
{
    int64_t dims[OPENCL_MAX_RANK];
    const int x_rank = TF_NumDims(r->x), y_rank = TF_NumDims(r->y);
    const int rank = x_rank > y_rank ? x_rank : y_rank;
    if (rank > OPENCL_MAX_RANK) {
        return opencl_refuse(r, TF_UNIMPLEMENTED, "a rank above 6 on OPENCL");
    }
    for (int i = 0; i < rank; i++) {
        const int64_t x = dim_from_end(r->x, i), y = dim_from_end(r->y, i);
        if (x != y && x != 1 && y != 1) {
            return opencl_refuse(r, TF_INVALID_ARGUMENT, "shapes that do not broadcast");
        }
        dims[rank - 1 - i] = x == 1 ? y : x;
    }
    if (!opencl_output(r, dims, rank)) {
        return false;
    }
    w->n = (int32_t)TF_TensorElementCount(r->out);
    for (int i = 0; i < OPENCL_MAX_RANK; i++) {
        w->dims[i] = i < OPENCL_MAX_RANK - rank ? 1 : (int32_t)dims[i - (OPENCL_MAX_RANK - rank)];
    }
    return true;
}

static void compute_binary(void *kernel, TF_OpKernelContext *ctx)
{
    opencl_request r;
    walk w = {0};
    if (opencl_open(&r, ctx, 2) && broadcast_output(&r, &w)) {
        fill_strides(r.x, OPENCL_MAX_RANK - TF_NumDims(r.x), w.x);
        fill_strides(r.y, OPENCL_MAX_RANK - TF_NumDims(r.y), w.y);
        enqueue_walk(kernel, &r, &w);
    }
    opencl_close(&r);
}

static void compute_bias_add(void *kernel, TF_OpKernelContext *ctx)
{
    opencl_kernel *own = kernel;
    opencl_request r;
    walk w = {0};
    if (opencl_open(&r, ctx, 2)) {
        const int rank = TF_NumDims(r.x), channel = own->is_nchw ? 1 : rank - 1;
        if (rank < 2 || TF_NumDims(r.y) != 1 || TF_Dim(r.y, 0) != TF_Dim(r.x, channel)) {
            (void)opencl_refuse(&r, TF_INVALID_ARGUMENT, "bias that is no vector of the channels");
        } else if (same_shape(&r)) {
            const int first = OPENCL_MAX_RANK - rank;
            for (int i = 0; i < OPENCL_MAX_RANK; i++) {
                w.dims[i] = i < first ? 1 : (int32_t)TF_Dim(r.x, i - first);
            }
            w.n = (int32_t)TF_TensorElementCount(r.x);
            fill_strides(r.x, first, w.x);
            w.y[first + channel] = 1;
            enqueue_walk(own, &r, &w);
        }
    }
    opencl_close(&r);
}

/* --- Products, softmax, views ---------------------------------------------------------------- */

typedef struct product { /* as in source.c */
    int32_t m, n, k, x_row, x_column, y_row, y_column;
} product;

static product product_of(const opencl_kernel *own, const opencl_request *r)
{
    const int32_t x[2] = {(int32_t)TF_Dim(r->x, 0), (int32_t)TF_Dim(r->x, 1)};
    const int32_t y[2] = {(int32_t)TF_Dim(r->y, 0), (int32_t)TF_Dim(r->y, 1)};
    return (product){.m = x[own->transpose_x != 0],
                     .k = x[own->transpose_x == 0],
                     .n = y[own->transpose_y == 0],
                     .x_row = own->transpose_x ? 1 : x[1],
                     .x_column = own->transpose_x ? x[1] : 1,
                     .y_row = own->transpose_y ? 1 : y[1],
                     .y_column = own->transpose_y ? y[1] : 1};
}

static void compute_matmul(void *kernel, TF_OpKernelContext *ctx)
{
    opencl_kernel *own = kernel;
    opencl_request r;
    if (opencl_open(&r, ctx, 2)) {
        if (TF_NumDims(r.x) != 2 || TF_NumDims(r.y) != 2 ||
            TF_Dim(r.y, own->transpose_y != 0) != TF_Dim(r.x, own->transpose_x == 0)) {
            (void)opencl_refuse(&r, TF_INVALID_ARGUMENT, "operands that are no fitting matrices");
        } else if (opencl_output(&r,
                                 (int64_t[]){TF_Dim(r.x, own->transpose_x != 0),
                                             TF_Dim(r.y, own->transpose_y == 0)},
                                 2)) {
            const product p = product_of(own, &r);
            const TF_LaunchArg args[] = {opencl_memory(r.out), opencl_memory(r.x),
                                         opencl_memory(r.y), opencl_value(&p, sizeof p)};
            opencl_enqueue(own, &r, p.n, p.m, args, 4);
        }
    }
    opencl_close(&r);
}

static void compute_softmax(void *kernel, TF_OpKernelContext *ctx)
{
    opencl_request r;
    if (opencl_open(&r, ctx, 1) && TF_NumDims(r.x) < 1) {
        (void)opencl_refuse(&r, TF_INVALID_ARGUMENT, "logits without a dimension");
    } else if (opencl_is_ok(&r) && same_shape(&r)) {
        const int columns = (int)TF_Dim(r.x, TF_NumDims(r.x) - 1);
        const int rows = columns > 0 ? (int)TF_TensorElementCount(r.x) / columns : 0;
        const TF_LaunchArg args[] = {opencl_memory(r.out), opencl_memory(r.x),
                                     opencl_value(&rows, sizeof rows),
                                     opencl_value(&columns, sizeof columns)};
        opencl_enqueue(kernel, &r, rows, 1, args, 4);
    }
    opencl_close(&r);
}

/* The dimensions that are wanted, a -1 among them worked out; false when they do not fit. */
static bool read_shape(opencl_request *r, int64_t *dims, int64_t rank)
{
    const int64_t count = TF_TensorElementCount(r->x);
    const bool is_long = TF_TensorType(r->y) == TF_INT64;
    int64_t known = 1;
    int unknown = -1;
    for (int i = 0; i < (int)rank; i++) {
        dims[i] = is_long ? ((const int64_t *)TF_TensorData(r->y))[i]
                          : ((const int32_t *)TF_TensorData(r->y))[i];
        if (dims[i] == -1 && unknown < 0) {
            unknown = i;
        } else if (dims[i] < 0 || (dims[i] > 0 && known > INT64_MAX / dims[i])) {
            return false;
        } else {
            known *= dims[i];
        }
    }
    if (unknown >= 0) {
        dims[unknown] = known > 0 ? count / known : 0;
        known *= dims[unknown];
    }
    return known == count;
}

/* The shape is in host memory; the output is the input's memory under another shape. */
static void compute_reshape(void *kernel, TF_OpKernelContext *ctx)
{
    opencl_request r;
    (void)kernel;
    if (opencl_open(&r, ctx, 2)) {
        int64_t dims[OPENCL_MAX_RANK];
        const int64_t rank = TF_TensorElementCount(r.y);
        if (rank > OPENCL_MAX_RANK) {
            (void)opencl_refuse(&r, TF_UNIMPLEMENTED, "a rank above 6 on OPENCL");
        } else if (!read_shape(&r, dims, rank)) {
            (void)opencl_refuse(&r, TF_INVALID_ARGUMENT, "a shape of another number of elements");
        } else if ((r.out = TF_AllocateTensor(TF_FLOAT, (int64_t[]){0}, 1, 0)) == NULL) {
            (void)opencl_refuse(&r, TF_RESOURCE_EXHAUSTED, "out of memory");
        } else {
            TF_TensorBitcastFrom(r.x, TF_FLOAT, r.out, dims, (int)rank, r.status);
        }
        if (opencl_is_ok(&r)) {
            TF_SetOutput(ctx, 0, r.out, r.status);
        }
    }
    opencl_close(&r);
}

/* --- Construction ---------------------------------------------------------------------------- */

opencl_kernel *opencl_create(TF_OpKernelConstruction *construction, const char *function,
                             TF_Status *status)
{
    opencl_kernel *kernel = calloc(1, sizeof *kernel);
    if (kernel == NULL) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "out of memory");
    } else {
        pthread_mutex_init(&kernel->lock, NULL);
        kernel->function = function;
        kernel->source = opencl_source;
    }
    (void)construction;
    return kernel;
}

void *opencl_finish(TF_OpKernelConstruction *construction, opencl_kernel *kernel, TF_Status *status)
{
    if (TF_GetCode(status) != TF_OK) {
        TF_OpKernelConstruction_Failure(construction, status);
    }
    TF_DeleteStatus(status);
    return kernel;
}

#define CREATE(name)                                                                               \
    static void *create_##name(TF_OpKernelConstruction *construction)                              \
    {                                                                                              \
        TF_Status *status = TF_NewStatus();                                                        \
        return opencl_finish(construction, opencl_create(construction, #name, status), status);    \
    }
CREATE(relu)
CREATE(add)
CREATE(sub)
CREATE(mul)
CREATE(maximum)
CREATE(softmax)

static void *create_matmul(TF_OpKernelConstruction *construction)
{
    TF_Status *status = TF_NewStatus();
    opencl_kernel *kernel = opencl_create(construction, "matmul", status);
    if (kernel != NULL) {
        TF_OpKernelConstruction_GetAttrBool(construction, "transpose_a", &kernel->transpose_x,
                                            status);
    }
    if (TF_GetCode(status) == TF_OK) {
        TF_OpKernelConstruction_GetAttrBool(construction, "transpose_b", &kernel->transpose_y,
                                            status);
    }
    return opencl_finish(construction, kernel, status);
}

static void *create_bias_add(TF_OpKernelConstruction *construction)
{
    TF_Status *status = TF_NewStatus();
    opencl_kernel *kernel = opencl_create(construction, "add", status);
    char format[8] = {0};
    if (kernel != NULL) {
        TF_OpKernelConstruction_GetAttrString(construction, "data_format", format,
                                              sizeof format - 1, status);
        kernel->is_nchw = strncmp(format, "NC", 2) == 0;
    }
    return opencl_finish(construction, kernel, status);
}

void opencl_delete(void *state)
{
    opencl_kernel *kernel = state;
    if (kernel != NULL) {
        TF_DeleteDeviceFunction(kernel->loaded);
        free(kernel->window);
        pthread_mutex_destroy(&kernel->lock);
        free(kernel);
    }
}

static const opencl_entry entries[] = {
    {"Relu", create_relu, compute_relu, NULL},
    {"AddV2", create_add, compute_binary, NULL},
    {"Sub", create_sub, compute_binary, NULL},
    {"Mul", create_mul, compute_binary, NULL},
    {"Maximum", create_maximum, compute_binary, NULL},
    {"BiasAdd", create_bias_add, compute_bias_add, NULL},
    {"MatMul", create_matmul, compute_matmul, NULL},
    {"Softmax", create_softmax, compute_softmax, NULL},
    {"Reshape", NULL, compute_reshape, "shape"},
};

static void add_kernels(const opencl_entry *all, size_t n, TF_Status *status)
{
    for (size_t i = 0; i < n; i++) {
        const opencl_entry *e = &all[i];
        TF_KernelBuilder *builder = TF_NewKernelBuilder(e->op, "OPENCL", e->create, e->compute,
                                                        e->create != NULL ? opencl_delete : NULL);
        TF_KernelBuilder_TypeConstraint(builder, "T", TF_FLOAT, status);
        if (e->host_input != NULL) {
            TF_KernelBuilder_HostMemory(builder, e->host_input);
        }
        TF_RegisterKernelBuilder(e->op, builder, status);
        if (TF_GetCode(status) != TF_OK) {
            (void)fprintf(stderr, "opencl: %s: %s\n", e->op, TF_Message(status));
        }
    }
}

__attribute__((visibility("default"))) void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    add_kernels(entries, sizeof entries / sizeof *entries, status);
    add_kernels(opencl_window_entries, opencl_n_window_entries, status);
    TF_DeleteStatus(status);
}
