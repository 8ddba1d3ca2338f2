/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the device, through TF_LaunchKernel: each loads its one function in its first compute,
 * asks for its output and enqueues; none waits. Float only, sizes below 2^31 elements.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl.h"
#include "tensorflow/c/device_kernels.h"

enum { MAX_RANK = 6, BLOCK = 64 };

typedef struct own_kernel {
    const char *function; /* in opencl_source */
    unsigned char transpose_x, transpose_y, is_nchw;
    pthread_mutex_t lock;
    TF_DeviceFunction *loaded;
} own_kernel;

typedef struct request { /* what every kernel here needs while it computes */
    TF_OpKernelContext *ctx;
    TF_Status *status;
    TF_Tensor *x, *y, *out;
} request;

static bool is_ok(const request *r)
{
    return TF_GetCode(r->status) == TF_OK;
}

static bool refuse(request *r, TF_Code code, const char *message)
{
    TF_SetStatus(r->status, code, message);
    return false;
}

static bool open_request(request *r, TF_OpKernelContext *ctx, int n_inputs)
{
    *r = (request){.ctx = ctx, .status = TF_NewStatus()};
    TF_GetInput(ctx, 0, &r->x, r->status);
    if (is_ok(r) && n_inputs > 1) {
        TF_GetInput(ctx, 1, &r->y, r->status);
    }
    if (is_ok(r) && TF_NumDims(r->x) > MAX_RANK) {
        return refuse(r, TF_UNIMPLEMENTED, "a rank above 6 on OPENCL");
    }
    return is_ok(r);
}

static bool make_output(request *r, const int64_t *dims, int rank)
{
    int64_t n = 1;
    for (int i = 0; i < rank; i++) {
        if (dims[i] > INT_MAX || (n *= dims[i]) > INT_MAX) {
            return refuse(r, TF_UNIMPLEMENTED, "2^31 or more elements on OPENCL");
        }
    }
    if (TF_TensorElementCount(r->x) > INT_MAX ||
        (r->y != NULL && TF_TensorElementCount(r->y) > INT_MAX)) {
        return refuse(r, TF_UNIMPLEMENTED, "2^31 or more elements on OPENCL");
    }
    r->out = TF_AllocateOutput(r->ctx, 0, TF_FLOAT, dims, rank, 0, r->status);
    return r->out != NULL && is_ok(r);
}

static bool same_shape(request *r)
{
    int64_t dims[MAX_RANK];
    for (int i = 0; i < TF_NumDims(r->x); i++) {
        dims[i] = TF_Dim(r->x, i);
    }
    return make_output(r, dims, TF_NumDims(r->x));
}

static void close_request(request *r)
{
    if (!is_ok(r)) {
        TF_OpKernelContext_Failure(r->ctx, r->status);
    }
    TF_DeleteTensor(r->x);
    TF_DeleteTensor(r->y);
    TF_DeleteTensor(r->out);
    TF_DeleteStatus(r->status);
}

static TF_LaunchArg memory_of(const TF_Tensor *tensor)
{
    return (TF_LaunchArg){.kind = TF_LAUNCH_MEMORY, .value = TF_TensorData(tensor)};
}

static TF_LaunchArg value_of(const void *value, size_t bytes)
{
    return (TF_LaunchArg){.kind = TF_LAUNCH_VALUE, .value = value, .bytes = bytes};
}

/* One thread for each of columns x rows, in blocks of `BLOCK` columns; nothing for no elements. */
static void enqueue(own_kernel *kernel, request *r, int64_t columns, int64_t rows,
                    const TF_LaunchArg *args, int n_args)
{
    TF_DeviceCode code = {.struct_size = TF_DEVICE_CODE_STRUCT_SIZE,
                          .image = opencl_source,
                          .image_bytes = strlen(opencl_source),
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
    if (function != NULL && is_ok(r)) {
        TF_LaunchKernel(r->ctx, function, &launch, r->status);
    }
}

/* --- One by one ------------------------------------------------------------------------------ */

static void compute_relu(void *kernel, TF_OpKernelContext *ctx)
{
    request r;
    if (open_request(&r, ctx, 1) && same_shape(&r)) {
        const int n = (int)TF_TensorElementCount(r.x);
        const TF_LaunchArg args[] = {memory_of(r.out), memory_of(r.x), value_of(&n, sizeof n)};
        enqueue(kernel, &r, n, 1, args, 3);
    }
    close_request(&r);
}

typedef struct walk { /* as in source.c: where element i of the output finds its operands */
    int32_t n, dims[MAX_RANK], x[MAX_RANK], y[MAX_RANK];
} walk;

static void fill_strides(const TF_Tensor *tensor, int first, int32_t strides[MAX_RANK])
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

static void enqueue_walk(own_kernel *kernel, request *r, const walk *w)
{
    const TF_LaunchArg args[] = {memory_of(r->out), memory_of(r->x), memory_of(r->y),
                                 value_of(w, sizeof *w)};
    enqueue(kernel, r, w->n, 1, args, 4);
}

static bool broadcast_output(request *r, walk *w)
{
    int64_t dims[MAX_RANK];
    const int x_rank = TF_NumDims(r->x), y_rank = TF_NumDims(r->y);
    const int rank = x_rank > y_rank ? x_rank : y_rank;
    if (rank > MAX_RANK) {
        return refuse(r, TF_UNIMPLEMENTED, "a rank above 6 on OPENCL");
    }
    for (int i = 0; i < rank; i++) {
        const int64_t x = dim_from_end(r->x, i), y = dim_from_end(r->y, i);
        if (x != y && x != 1 && y != 1) {
            return refuse(r, TF_INVALID_ARGUMENT, "shapes that do not broadcast");
        }
        dims[rank - 1 - i] = x == 1 ? y : x;
    }
    if (!make_output(r, dims, rank)) {
        return false;
    }
    w->n = (int32_t)TF_TensorElementCount(r->out);
    for (int i = 0; i < MAX_RANK; i++) {
        w->dims[i] = i < MAX_RANK - rank ? 1 : (int32_t)dims[i - (MAX_RANK - rank)];
    }
    return true;
}

static void compute_binary(void *kernel, TF_OpKernelContext *ctx)
{
    request r;
    walk w = {0};
    if (open_request(&r, ctx, 2) && broadcast_output(&r, &w)) {
        fill_strides(r.x, MAX_RANK - TF_NumDims(r.x), w.x);
        fill_strides(r.y, MAX_RANK - TF_NumDims(r.y), w.y);
        enqueue_walk(kernel, &r, &w);
    }
    close_request(&r);
}

static void compute_bias_add(void *kernel, TF_OpKernelContext *ctx)
{
    own_kernel *own = kernel;
    request r;
    walk w = {0};
    if (open_request(&r, ctx, 2)) {
        const int rank = TF_NumDims(r.x), channel = own->is_nchw ? 1 : rank - 1;
        if (rank < 2 || TF_NumDims(r.y) != 1 || TF_Dim(r.y, 0) != TF_Dim(r.x, channel)) {
            (void)refuse(&r, TF_INVALID_ARGUMENT, "bias that is no vector of the channels");
        } else if (same_shape(&r)) {
            const int first = MAX_RANK - rank;
            for (int i = 0; i < MAX_RANK; i++) {
                w.dims[i] = i < first ? 1 : (int32_t)TF_Dim(r.x, i - first);
            }
            w.n = (int32_t)TF_TensorElementCount(r.x);
            fill_strides(r.x, first, w.x);
            w.y[first + channel] = 1;
            enqueue_walk(own, &r, &w);
        }
    }
    close_request(&r);
}

/* --- Products, softmax, views ---------------------------------------------------------------- */

typedef struct product { /* as in source.c */
    int32_t m, n, k, x_row, x_column, y_row, y_column;
} product;

static product product_of(const own_kernel *own, const request *r)
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
    own_kernel *own = kernel;
    request r;
    if (open_request(&r, ctx, 2)) {
        if (TF_NumDims(r.x) != 2 || TF_NumDims(r.y) != 2 ||
            TF_Dim(r.y, own->transpose_y != 0) != TF_Dim(r.x, own->transpose_x == 0)) {
            (void)refuse(&r, TF_INVALID_ARGUMENT, "operands that are no fitting matrices");
        } else if (make_output(&r,
                               (int64_t[]){TF_Dim(r.x, own->transpose_x != 0),
                                           TF_Dim(r.y, own->transpose_y == 0)},
                               2)) {
            const product p = product_of(own, &r);
            const TF_LaunchArg args[] = {memory_of(r.out), memory_of(r.x), memory_of(r.y),
                                         value_of(&p, sizeof p)};
            enqueue(own, &r, p.n, p.m, args, 4);
        }
    }
    close_request(&r);
}

static void compute_softmax(void *kernel, TF_OpKernelContext *ctx)
{
    request r;
    if (open_request(&r, ctx, 1) && TF_NumDims(r.x) < 1) {
        (void)refuse(&r, TF_INVALID_ARGUMENT, "logits without a dimension");
    } else if (is_ok(&r) && same_shape(&r)) {
        const int columns = (int)TF_Dim(r.x, TF_NumDims(r.x) - 1);
        const int rows = columns > 0 ? (int)TF_TensorElementCount(r.x) / columns : 0;
        const TF_LaunchArg args[] = {memory_of(r.out), memory_of(r.x), value_of(&rows, sizeof rows),
                                     value_of(&columns, sizeof columns)};
        enqueue(kernel, &r, rows, 1, args, 4);
    }
    close_request(&r);
}

/* The dimensions that are wanted, a -1 among them worked out; false when they do not fit. */
static bool read_shape(request *r, int64_t *dims, int64_t rank)
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
    request r;
    (void)kernel;
    if (open_request(&r, ctx, 2)) {
        int64_t dims[MAX_RANK];
        const int64_t rank = TF_TensorElementCount(r.y);
        if (rank > MAX_RANK) {
            (void)refuse(&r, TF_UNIMPLEMENTED, "a rank above 6 on OPENCL");
        } else if (!read_shape(&r, dims, rank)) {
            (void)refuse(&r, TF_INVALID_ARGUMENT, "a shape of another number of elements");
        } else if ((r.out = TF_AllocateTensor(TF_FLOAT, (int64_t[]){0}, 1, 0)) == NULL) {
            (void)refuse(&r, TF_RESOURCE_EXHAUSTED, "out of memory");
        } else {
            TF_TensorBitcastFrom(r.x, TF_FLOAT, r.out, dims, (int)rank, r.status);
        }
        if (is_ok(&r)) {
            TF_SetOutput(ctx, 0, r.out, r.status);
        }
    }
    close_request(&r);
}

/* --- Construction ---------------------------------------------------------------------------- */

static own_kernel *create(TF_OpKernelConstruction *construction, const char *function,
                          TF_Status *status)
{
    own_kernel *kernel = calloc(1, sizeof *kernel);
    if (kernel == NULL) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "out of memory");
    } else {
        pthread_mutex_init(&kernel->lock, NULL);
        kernel->function = function;
    }
    (void)construction;
    return kernel;
}

static void *finish(TF_OpKernelConstruction *construction, own_kernel *kernel, TF_Status *status)
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
        return finish(construction, create(construction, #name, status), status);                  \
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
    own_kernel *kernel = create(construction, "matmul", status);
    if (kernel != NULL) {
        TF_OpKernelConstruction_GetAttrBool(construction, "transpose_a", &kernel->transpose_x,
                                            status);
    }
    if (TF_GetCode(status) == TF_OK) {
        TF_OpKernelConstruction_GetAttrBool(construction, "transpose_b", &kernel->transpose_y,
                                            status);
    }
    return finish(construction, kernel, status);
}

static void *create_bias_add(TF_OpKernelConstruction *construction)
{
    TF_Status *status = TF_NewStatus();
    own_kernel *kernel = create(construction, "add", status);
    char format[8] = {0};
    if (kernel != NULL) {
        TF_OpKernelConstruction_GetAttrString(construction, "data_format", format,
                                              sizeof format - 1, status);
        kernel->is_nchw = strncmp(format, "NC", 2) == 0;
    }
    return finish(construction, kernel, status);
}

static void delete_kernel(void *state)
{
    own_kernel *kernel = state;
    if (kernel != NULL) {
        TF_DeleteDeviceFunction(kernel->loaded);
        pthread_mutex_destroy(&kernel->lock);
        free(kernel);
    }
}

typedef struct entry {
    const char *op;
    void *(*create)(TF_OpKernelConstruction *);
    void (*compute)(void *, TF_OpKernelContext *);
    const char *host_input;
} entry;

static const entry entries[] = {
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

__attribute__((visibility("default"))) void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        const entry *e = &entries[i];
        TF_KernelBuilder *builder = TF_NewKernelBuilder(e->op, "OPENCL", e->create, e->compute,
                                                        e->create != NULL ? delete_kernel : NULL);
        TF_KernelBuilder_TypeConstraint(builder, "T", TF_FLOAT, status);
        if (e->host_input != NULL) {
            TF_KernelBuilder_HostMemory(builder, e->host_input);
        }
        TF_RegisterKernelBuilder(e->op, builder, status);
        if (TF_GetCode(status) != TF_OK) {
            (void)fprintf(stderr, "opencl: %s: %s\n", e->op, TF_Message(status));
        }
    }
    TF_DeleteStatus(status);
}
