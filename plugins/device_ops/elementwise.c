/* SPDX-License-Identifier: Apache-2.0 */
/* Element by element, with broadcasting. */
#include <string.h>

#include "device_ops/op.h"

static void compute_relu(void *kernel, TF_OpKernelContext *ctx)
{
    op_request r;
    if (op_open(&r, ctx, 1) && op_output_like_x(&r)) {
        const op_count p = {.n = (int)TF_TensorElementCount(r.x)};
        const TF_LaunchArg args[] = {op_memory(r.out), op_memory(r.x), op_value(&p, sizeof p)};
        op_enqueue(kernel, &r, p.n, 1, args, 3);
    }
    op_close(&r);
}

static void fill_strides(const TF_Tensor *tensor, int first, int32_t strides[OP_MAX_RANK])
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

static void enqueue_walk(op_kernel *kernel, op_request *r, const op_walk *w)
{
    const TF_LaunchArg args[] = {op_memory(r->out), op_memory(r->x), op_memory(r->y),
                                 op_value(w, sizeof *w)};
    op_enqueue(kernel, r, w->n, 1, args, 4);
}

static bool broadcast_output(op_request *r, op_walk *w)
{
    int64_t dims[OP_MAX_RANK];
    const int x_rank = TF_NumDims(r->x), y_rank = TF_NumDims(r->y);
    const int rank = x_rank > y_rank ? x_rank : y_rank;
    if (rank > OP_MAX_RANK) {
        return op_refuse(r, TF_UNIMPLEMENTED, "a rank above 8");
    }
    for (int i = 0; i < rank; i++) {
        const int64_t x = dim_from_end(r->x, i), y = dim_from_end(r->y, i);
        if (x != y && x != 1 && y != 1) {
            return op_refuse(r, TF_INVALID_ARGUMENT, "shapes that do not broadcast");
        }
        dims[rank - 1 - i] = x == 1 ? y : x;
    }
    if (!op_output(r, dims, rank)) {
        return false;
    }
    w->n = (int32_t)TF_TensorElementCount(r->out);
    for (int i = 0; i < OP_MAX_RANK; i++) {
        w->dims[i] = i < OP_MAX_RANK - rank ? 1 : (int32_t)dims[i - (OP_MAX_RANK - rank)];
    }
    return true;
}

static void compute_binary(void *kernel, TF_OpKernelContext *ctx)
{
    op_request r;
    op_walk w = {0};
    if (op_open(&r, ctx, 2) && broadcast_output(&r, &w)) {
        fill_strides(r.x, OP_MAX_RANK - TF_NumDims(r.x), w.x);
        fill_strides(r.y, OP_MAX_RANK - TF_NumDims(r.y), w.y);
        enqueue_walk(kernel, &r, &w);
    }
    op_close(&r);
}

static void compute_bias_add(void *kernel, TF_OpKernelContext *ctx)
{
    op_kernel *own = kernel;
    op_request r;
    op_walk w = {0};
    if (op_open(&r, ctx, 2)) {
        const int rank = TF_NumDims(r.x), channel = own->is_nchw ? 1 : rank - 1;
        if (rank < 2 || TF_NumDims(r.y) != 1 || TF_Dim(r.y, 0) != TF_Dim(r.x, channel)) {
            (void)op_refuse(&r, TF_INVALID_ARGUMENT, "bias that is no vector of the channels");
        } else if (op_output_like_x(&r)) {
            const int first = OP_MAX_RANK - rank;
            for (int i = 0; i < OP_MAX_RANK; i++) {
                w.dims[i] = i < first ? 1 : (int32_t)TF_Dim(r.x, i - first);
            }
            w.n = (int32_t)TF_TensorElementCount(r.x);
            fill_strides(r.x, first, w.x);
            w.y[first + channel] = 1;
            enqueue_walk(own, &r, &w);
        }
    }
    op_close(&r);
}

OP_CREATE(create_relu, "elementwise", "op_relu")
OP_CREATE(create_add, "elementwise", "op_add")
OP_CREATE(create_sub, "elementwise", "op_sub")
OP_CREATE(create_mul, "elementwise", "op_mul")
OP_CREATE(create_maximum, "elementwise", "op_maximum")

static void *create_bias_add(TF_OpKernelConstruction *construction)
{
    TF_Status *status = TF_NewStatus();
    op_kernel *kernel = op_create("elementwise", "op_add", status);
    char format[8] = {0};
    if (kernel != NULL) {
        TF_OpKernelConstruction_GetAttrString(construction, "data_format", format,
                                              sizeof format - 1, status);
        kernel->is_nchw = strncmp(format, "NC", 2) == 0;
    }
    return op_finish(construction, kernel, status);
}

static const op_entry entries[] = {
    {"Relu", "elementwise", create_relu, compute_relu, NULL},
    {"AddV2", "elementwise", create_add, compute_binary, NULL},
    {"Sub", "elementwise", create_sub, compute_binary, NULL},
    {"Mul", "elementwise", create_mul, compute_binary, NULL},
    {"Maximum", "elementwise", create_maximum, compute_binary, NULL},
    {"BiasAdd", "elementwise", create_bias_add, compute_bias_add, NULL},
};
const op_table op_elementwise_table = {entries, sizeof entries / sizeof *entries};
