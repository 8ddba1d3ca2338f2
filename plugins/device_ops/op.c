/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels share: a kernel loads its functions as it first needs them, asks for its output
 * and enqueues; none waits. Float only, sizes below 2^31 elements.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_ops/op.h"

enum { MAX_ARGS = 12 };
enum { MAX_ROWS = 65535 }; /* what every vendor's grid takes along y */

bool op_is_ok(const op_request *r)
{
    return TF_GetCode(r->status) == TF_OK;
}

bool op_refuse(op_request *r, TF_Code code, const char *message)
{
    TF_SetStatus(r->status, code, message);
    return false;
}

bool op_refuse_rank(op_request *r, int64_t rank)
{
    char text[80];
    (void)snprintf(text, sizeof text, "a rank of %lld, above the limit of %d", (long long)rank,
                   OP_MAX_RANK);
    return op_refuse(r, TF_UNIMPLEMENTED, text);
}

/* Do all sizes but 0 fit together, as strides of 32 bits need? Of an empty tensor one may be any.
 */
static bool is_small(const TF_Tensor *tensor)
{
    int64_t n = 1;
    for (int i = 0; i < TF_NumDims(tensor); i++) {
        const int64_t dim = TF_Dim(tensor, i);
        if (dim > INT_MAX || (n *= dim == 0 ? 1 : dim) > INT_MAX) {
            return false;
        }
    }
    return true;
}

bool op_open(op_request *r, TF_OpKernelContext *ctx, int n_inputs)
{
    *r = (op_request){.ctx = ctx, .status = TF_NewStatus()};
    TF_GetInput(ctx, 0, &r->x, r->status);
    if (op_is_ok(r) && n_inputs > 1) {
        TF_GetInput(ctx, 1, &r->y, r->status);
    }
    for (int i = 0; i < 2 && op_is_ok(r); i++) {
        const TF_Tensor *tensor = i == 0 ? r->x : r->y;
        if (tensor != NULL && TF_NumDims(tensor) > OP_MAX_RANK) {
            return op_refuse_rank(r, TF_NumDims(tensor));
        }
    }
    if (op_is_ok(r) && (!is_small(r->x) || (r->y != NULL && !is_small(r->y)))) {
        return op_refuse(r, TF_UNIMPLEMENTED, "2^31 or more elements");
    }
    return op_is_ok(r);
}

bool op_dims(op_request *r, const TF_Tensor *tensor, oribi_dims *out)
{
    const int rank = TF_NumDims(tensor);
    out->n = 0;
    if (rank > OP_MAX_RANK) {
        return op_refuse_rank(r, rank);
    }
    for (int i = 0; i < rank; i++) {
        (void)oribi_dims_add(out, TF_Dim(tensor, i));
    }
    return true;
}

bool op_output(op_request *r, const oribi_dims *dims)
{
    if (dims->n > OP_MAX_RANK) {
        return op_refuse_rank(r, dims->n);
    }
    int64_t n = 1;
    for (int i = 0; i < dims->n; i++) {
        if (dims->at[i] > INT_MAX || (n *= dims->at[i]) > INT_MAX) {
            return op_refuse(r, TF_UNIMPLEMENTED, "2^31 or more elements");
        }
    }
    if (TF_TensorElementCount(r->x) > INT_MAX ||
        (r->y != NULL && TF_TensorElementCount(r->y) > INT_MAX)) {
        return op_refuse(r, TF_UNIMPLEMENTED, "2^31 or more elements");
    }
    r->out = TF_AllocateOutput(r->ctx, 0, TF_FLOAT, dims->at, dims->n, 0, r->status);
    return r->out != NULL && op_is_ok(r);
}

bool op_output_like_x(op_request *r)
{
    oribi_dims dims;
    return op_dims(r, r->x, &dims) && op_output(r, &dims);
}

TF_Tensor *op_other_output(op_request *r, int index, const oribi_dims *dims)
{
    if (r->n_others == OP_MAX_OTHERS) {
        (void)op_refuse(r, TF_INTERNAL, "more tensors than a request keeps");
        return NULL;
    }
    TF_Tensor *tensor = TF_AllocateOutput(r->ctx, index, TF_FLOAT, dims->at, dims->n, 0, r->status);
    if (tensor != NULL) {
        r->others[r->n_others++] = tensor;
    }
    return op_is_ok(r) ? tensor : NULL;
}

void op_output_view(op_request *r, const oribi_dims *dims)
{
    const int64_t none = 0;
    r->out = TF_AllocateTensor(TF_TensorType(r->x), &none, 1, 0);
    if (r->out == NULL) {
        (void)op_refuse(r, TF_RESOURCE_EXHAUSTED, "out of memory");
        return;
    }
    TF_TensorBitcastFrom(r->x, TF_TensorType(r->x), r->out, dims->at, dims->n, r->status);
    if (op_is_ok(r)) {
        TF_SetOutput(r->ctx, 0, r->out, r->status);
    }
}

bool op_read_ints(op_request *r, const TF_Tensor *tensor, int64_t *values, int most, int *out_n)
{
    const TF_DataType type = TF_TensorType(tensor);
    const int64_t n = TF_TensorElementCount(tensor);
    if ((type != TF_INT32 && type != TF_INT64) || TF_NumDims(tensor) > 1 || n > most) {
        return op_refuse(r, TF_INVALID_ARGUMENT,
                         "an argument that is no list of 32 or 64-bit integers, or too long a one");
    }
    for (int64_t i = 0; i < n; i++) {
        values[i] = type == TF_INT64 ? ((const int64_t *)TF_TensorData(tensor))[i]
                                     : ((const int32_t *)TF_TensorData(tensor))[i];
    }
    *out_n = (int)n;
    return true;
}

bool op_read_dims(op_request *r, const TF_Tensor *tensor, oribi_dims *out)
{
    int n = 0;
    out->n = 0;
    if (TF_NumDims(tensor) == 1 && TF_Dim(tensor, 0) > OP_MAX_RANK) {
        return op_refuse_rank(r, TF_Dim(tensor, 0));
    }
    if (!op_read_ints(r, tensor, out->at, OP_MAX_RANK, &n)) {
        return false;
    }
    out->n = n;
    return true;
}

bool op_axis(op_request *r, int64_t axis, int rank, int *out_axis)
{
    if (axis < -rank || axis >= rank) {
        return op_refuse(r, TF_INVALID_ARGUMENT, "an axis that the shape does not have");
    }
    *out_axis = (int)(axis < 0 ? axis + rank : axis);
    return true;
}

TF_Tensor *op_other(op_request *r, int index)
{
    TF_Tensor *tensor = NULL;
    if (r->n_others == OP_MAX_OTHERS) {
        (void)op_refuse(r, TF_INTERNAL, "more tensors than a request keeps");
        return NULL;
    }
    TF_GetInput(r->ctx, index, &tensor, r->status);
    if (tensor != NULL) {
        r->others[r->n_others++] = tensor;
    }
    return op_is_ok(r) ? tensor : NULL;
}

void op_close(op_request *r)
{
    if (!op_is_ok(r)) {
        TF_OpKernelContext_Failure(r->ctx, r->status);
    }
    for (int i = 0; i < r->n_others; i++) {
        TF_DeleteTensor(r->others[i]);
    }
    TF_DeleteTensor(r->x);
    TF_DeleteTensor(r->y);
    TF_DeleteTensor(r->bias);
    TF_DeleteTensor(r->residual);
    TF_DeleteTensor(r->out);
    TF_DeleteStatus(r->status);
}

TF_LaunchArg op_memory(const TF_Tensor *tensor)
{
    return (TF_LaunchArg){.kind = TF_LAUNCH_MEMORY,
                          .value = TF_TensorByteSize(tensor) > 0 ? TF_TensorData(tensor) : NULL};
}

TF_LaunchArg op_value(const void *value, size_t bytes)
{
    return (TF_LaunchArg){.kind = TF_LAUNCH_VALUE, .value = value, .bytes = bytes};
}

bool op_has_vectors(const op_request *r)
{
    return op_target()->has_vectors != NULL && op_target()->has_vectors(TF_GetDeviceId(r->ctx));
}

static bool is_same(const op_code *a, const op_code *b)
{
    const char *x = a->options != NULL ? a->options : "", *y = b->options != NULL ? b->options : "";
    return strcmp(a->function, b->function) == 0 && strcmp(x, y) == 0;
}

static TF_DeviceFunction *load_new(op_request *r, const op_code *code)
{
    const device_ops_image *image = op_image(code->family);
    if (image == NULL) {
        (void)op_refuse(r, TF_INTERNAL, "no code of this family for the device");
        return NULL;
    }
    const TF_DeviceCode what = {.struct_size = TF_DEVICE_CODE_STRUCT_SIZE,
                                .image = image->data,
                                .image_bytes = image->bytes,
                                .function = code->function,
                                .options =
                                    code->options != NULL ? code->options : op_target()->options};
    return TF_LoadDeviceFunction(r->ctx, &what, r->status);
}

/* The function, loaded at its first use; NULL after failing. */
static TF_DeviceFunction *load(op_kernel *kernel, op_request *r, const op_code *code)
{
    TF_DeviceFunction *loaded = NULL;
    int i = 0;
    pthread_mutex_lock(&kernel->lock);
    while (i < OP_MAX_FUNCTIONS && kernel->functions[i].loaded != NULL &&
           !is_same(&kernel->functions[i].code, code)) {
        i++;
    }
    if (i == OP_MAX_FUNCTIONS) {
        (void)op_refuse(r, TF_INTERNAL, "more device functions than a kernel keeps");
    } else if (kernel->functions[i].loaded == NULL) {
        kernel->functions[i] = (op_function){*code, load_new(r, code)};
    }
    if (i < OP_MAX_FUNCTIONS) {
        loaded = kernel->functions[i].loaded;
    }
    pthread_mutex_unlock(&kernel->lock);
    return loaded;
}

void op_launch_code(op_kernel *kernel, op_request *r, const op_code *code, const op_shape *shape,
                    const TF_LaunchArg *args, int n_args)
{
    TF_LaunchArg all[MAX_ARGS];
    TF_Launch launch = {.struct_size = TF_LAUNCH_STRUCT_SIZE,
                        .shared_bytes = shape->shared_bytes,
                        .args = all,
                        .n_args = n_args};
    for (int i = 0; i < n_args; i++) { /* an empty tensor has no memory, and is not read either */
        all[i] = args[i];
        if (args[i].kind == TF_LAUNCH_MEMORY && args[i].value == NULL) {
            all[i].value = args[0].value;
        }
    }
    memcpy(launch.grid, shape->grid, sizeof launch.grid);
    memcpy(launch.block, shape->block, sizeof launch.block);
    TF_DeviceFunction *loaded = load(kernel, r, code);
    if (loaded != NULL && op_is_ok(r)) {
        TF_LaunchKernel(r->ctx, loaded, &launch, r->status);
    }
}

void op_launch(op_kernel *kernel, op_request *r, const char *function, const op_shape *shape,
               const TF_LaunchArg *args, int n_args)
{
    op_launch_code(kernel, r, &(op_code){kernel->family, function, NULL}, shape, args, n_args);
}

void op_enqueue(op_kernel *kernel, op_request *r, int64_t columns, int64_t rows,
                const TF_LaunchArg *args, int n_args)
{
    const int64_t threads = op_target()->threads;
    const op_shape shape = {.grid = {(uint32_t)((columns + threads - 1) / threads),
                                     (uint32_t)(rows < MAX_ROWS ? rows : MAX_ROWS), 1},
                            .block = {(uint32_t)threads, 1, 1}};
    if (columns > 0 && rows > 0) {
        op_launch(kernel, r, kernel->function, &shape, args, n_args);
    }
}

void op_enqueue_strips(op_kernel *kernel, op_request *r, int64_t n, const TF_LaunchArg *args,
                       int n_args)
{
    const op_code code = {"strips", kernel->strips, NULL};
    const op_shape shape = {.grid = {(uint32_t)((n + OP_STRIP - 1) / OP_STRIP), 1, 1},
                            .block = {1, 1, 1}};
    if (!op_has_vectors(r)) {
        op_enqueue(kernel, r, n, 1, args, n_args);
    } else if (n > 0) {
        op_launch_code(kernel, r, &code, &shape, args, n_args);
    }
}

/* --- Construction ---------------------------------------------------------------------------- */

op_kernel *op_create(const char *family, const char *function, TF_Status *status)
{
    op_kernel *kernel = calloc(1, sizeof *kernel);
    if (kernel == NULL) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "out of memory");
    } else {
        pthread_mutex_init(&kernel->lock, NULL);
        kernel->family = family;
        kernel->function = function;
        (void)snprintf(kernel->strips, sizeof kernel->strips, "%s_strips", function);
    }
    return kernel;
}

int op_read_list(TF_OpKernelConstruction *c, const char *name, int64_t *values, int most,
                 TF_Status *status)
{
    int32_t count = 0, total = 0;
    if (TF_GetCode(status) == TF_OK) {
        TF_OpKernelConstruction_GetAttrSize(c, name, &count, &total, status);
    }
    if (TF_GetCode(status) != TF_OK || count <= 0) {
        return 0;
    }
    if (count > most) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT, "an attribute with too many numbers");
        return 0;
    }
    TF_OpKernelConstruction_GetAttrInt64List(c, name, values, count, status);
    return count;
}

void *op_finish(TF_OpKernelConstruction *construction, op_kernel *kernel, TF_Status *status)
{
    if (TF_GetCode(status) != TF_OK) {
        TF_OpKernelConstruction_Failure(construction, status);
    }
    TF_DeleteStatus(status);
    return kernel;
}

void op_delete(void *state)
{
    op_kernel *kernel = state;
    if (kernel != NULL) {
        for (int i = 0; i < OP_MAX_FUNCTIONS; i++) {
            TF_DeleteDeviceFunction(kernel->functions[i].loaded);
        }
        free(kernel->attrs);
        pthread_mutex_destroy(&kernel->lock);
        free(kernel);
    }
}
