/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax and LogSoftmax of the last dimension. */
#include "device_ops/op.h"

enum { GROUP_FROM = 64 }; /* columns from which a group makes a row */

static void enqueue(op_kernel *kernel, op_request *r, const op_rows *p)
{
    const uint32_t threads = op_target()->threads;
    const TF_LaunchArg args[] = {op_memory(r->out), op_memory(r->x), op_value(p, sizeof *p)};
    if (p->columns >= GROUP_FROM && p->rows > 0 && !op_has_vectors(r)) {
        const op_shape shape = {.grid = {(uint32_t)p->rows, 1, 1},
                                .block = {threads, 1, 1},
                                .shared_bytes = threads * sizeof(float)};
        op_launch(kernel, r, kernel->group_function, &shape, args, 3);
    } else {
        op_enqueue(kernel, r, p->rows, 1, args, 3);
    }
}

static void run_softmax(void *kernel, TF_OpKernelContext *ctx, bool is_log)
{
    op_request r;
    if (op_open(&r, ctx, 1) && TF_NumDims(r.x) < 1) {
        (void)op_refuse(&r, TF_INVALID_ARGUMENT, "logits without a dimension");
    } else if (op_is_ok(&r) && op_output_like_x(&r)) {
        const int columns = (int)TF_Dim(r.x, TF_NumDims(r.x) - 1);
        const op_rows p = {columns > 0 ? (int)TF_TensorElementCount(r.x) / columns : 0, columns,
                           is_log};
        enqueue(kernel, &r, &p);
    }
    op_close(&r);
}

static void compute_softmax(void *kernel, TF_OpKernelContext *ctx)
{
    run_softmax(kernel, ctx, false);
}

static void compute_log_softmax(void *kernel, TF_OpKernelContext *ctx)
{
    run_softmax(kernel, ctx, true);
}

static void *create_softmax(TF_OpKernelConstruction *construction)
{
    TF_Status *status = TF_NewStatus();
    op_kernel *kernel = op_create("softmax", "op_softmax", status);
    if (kernel != NULL) {
        kernel->group_function = "op_softmax_group";
    }
    return op_finish(construction, kernel, status);
}

static const op_entry entries[] = {
    {"Softmax", "softmax", create_softmax, compute_softmax, {NULL}},
    {"LogSoftmax", "softmax", create_softmax, compute_log_softmax, {NULL}},
};
const op_table op_softmax_table = {entries, sizeof entries / sizeof *entries};
