/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels share: a kernel loads its functions as it first needs them, asks for its output
 * and enqueues; none waits. Float only, sizes below 2^31 elements.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_ops/device_op.h"
#include "micro/geometry/geometry_axes.h"

enum { MAX_ARGS = 12 };
enum { MAX_ROWS = 65535 }; /* what every vendor's grid takes along y */

bool op_is_ok(const op_request *r)
{
    return oribi_kit_is_ok(&r->run);
}

bool op_refuse(op_request *r, TF_Code code, const char *message)
{
    return oribi_kit_fail(&r->run, code, "%s", message);
}

bool op_refuse_rank(op_request *r, int64_t rank)
{
    return oribi_kit_fail(&r->run, TF_UNIMPLEMENTED, "a rank of %lld, above the limit of %d",
                          (long long)rank, OP_MAX_RANK);
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
    r->x = r->y = r->bias = r->residual = r->out = NULL;
    if (!oribi_kit_begin(&r->run, ctx, n_inputs > 2 ? 2 : n_inputs)) {
        return false;
    }
    r->x = n_inputs > 0 ? r->run.in[0] : NULL;
    r->y = n_inputs > 1 ? r->run.in[1] : NULL;
    for (int i = 0; i < r->run.n_in; i++) {
        if (TF_NumDims(r->run.in[i]) > OP_MAX_RANK) {
            return op_refuse_rank(r, TF_NumDims(r->run.in[i]));
        }
        if (!is_small(r->run.in[i])) {
            return op_refuse(r, TF_UNIMPLEMENTED, "2^31 or more elements");
        }
    }
    return true;
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
    r->out = op_other_output(r, 0, dims);
    return r->out != NULL;
}

bool op_output_like_x(op_request *r)
{
    oribi_dims dims;
    return op_dims(r, r->x, &dims) && op_output(r, &dims);
}

TF_Tensor *op_other_output(op_request *r, int index, const oribi_dims *dims)
{
    (void)oribi_kit_output(&r->run, index, dims->at, dims->n); /* an empty one has no address */
    return op_is_ok(r) ? r->run.out[r->run.n_out - 1] : NULL;
}

void op_output_view(op_request *r, const oribi_dims *dims)
{
    (void)oribi_kit_output_alias(&r->run, 0, dims->at, dims->n);
}

bool op_read_ints(op_request *r, const TF_Tensor *tensor, int64_t *values, int most, int *out_n)
{
    return oribi_kit_read_ints(&r->run, tensor, "an argument", values, most, out_n);
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
    return oribi_geometry_axis(axis, rank, out_axis) ||
           op_refuse(r, TF_INVALID_ARGUMENT, "the shape does not have this axis");
}

TF_Tensor *op_other(op_request *r, int index)
{
    return oribi_kit_input(&r->run, index);
}

void op_close(op_request *r)
{
    oribi_kit_end(&r->run);
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
    return op_target()->has_vectors != NULL &&
           op_target()->has_vectors(TF_GetDeviceId(r->run.context));
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
        (void)op_refuse(r, TF_INTERNAL, "the device has no code for this family of ops");
        return NULL;
    }
    const TF_DeviceCode what = {.struct_size = TF_DEVICE_CODE_STRUCT_SIZE,
                                .image = image->data,
                                .image_bytes = image->bytes,
                                .function = code->function,
                                .options =
                                    code->options != NULL ? code->options : op_target()->options};
    return TF_LoadDeviceFunction(r->run.context, &what, r->run.status);
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
        (void)op_refuse(r, TF_INTERNAL, "the kernel uses more device functions than it can keep");
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
        TF_LaunchKernel(r->run.context, loaded, &launch, r->run.status);
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

op_kernel *op_begin(oribi_kit_setup *setup, TF_OpKernelConstruction *construction,
                    const char *family, const char *function, size_t attrs_bytes)
{
    op_kernel *kernel = oribi_kit_setup_begin(setup, construction, sizeof *kernel);
    if (kernel == NULL) {
        return NULL;
    }
    pthread_mutex_init(&kernel->lock, NULL);
    kernel->family = family;
    kernel->function = function;
    (void)snprintf(kernel->strips, sizeof kernel->strips, "%s_strips", function);
    kernel->attrs = attrs_bytes > 0 ? calloc(1, attrs_bytes) : NULL;
    if (attrs_bytes > 0 && kernel->attrs == NULL) {
        (void)oribi_kit_setup_fail(setup, TF_RESOURCE_EXHAUSTED, "out of memory");
        return NULL;
    }
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
