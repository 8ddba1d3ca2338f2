/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of the last dimension. */
#include "device_ops/op.h"

static void compute_softmax(void *kernel, TF_OpKernelContext *ctx)
{
    op_request r;
    if (op_open(&r, ctx, 1) && TF_NumDims(r.x) < 1) {
        (void)op_refuse(&r, TF_INVALID_ARGUMENT, "logits without a dimension");
    } else if (op_is_ok(&r) && op_output_like_x(&r)) {
        const int columns = (int)TF_Dim(r.x, TF_NumDims(r.x) - 1);
        const op_rows p = {columns > 0 ? (int)TF_TensorElementCount(r.x) / columns : 0, columns};
        const TF_LaunchArg args[] = {op_memory(r.out), op_memory(r.x), op_value(&p, sizeof p)};
        op_enqueue(kernel, &r, p.rows, 1, args, 3);
    }
    op_close(&r);
}

OP_CREATE(create_softmax, "softmax", "op_softmax")

static const op_entry entries[] = {
    {"Softmax", "softmax", create_softmax, compute_softmax, NULL},
};
const op_table op_softmax_table = {entries, sizeof entries / sizeof *entries};
