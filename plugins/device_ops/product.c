/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products. */
#include "device_ops/op.h"

static op_product product_of(const op_kernel *own, const op_request *r)
{
    const int32_t x[2] = {(int32_t)TF_Dim(r->x, 0), (int32_t)TF_Dim(r->x, 1)};
    const int32_t y[2] = {(int32_t)TF_Dim(r->y, 0), (int32_t)TF_Dim(r->y, 1)};
    return (op_product){.m = x[own->transpose_x != 0],
                        .k = x[own->transpose_x == 0],
                        .n = y[own->transpose_y == 0],
                        .x_row = own->transpose_x ? 1 : x[1],
                        .x_column = own->transpose_x ? x[1] : 1,
                        .y_row = own->transpose_y ? 1 : y[1],
                        .y_column = own->transpose_y ? y[1] : 1};
}

static void compute_matmul(void *kernel, TF_OpKernelContext *ctx)
{
    op_kernel *own = kernel;
    op_request r;
    if (op_open(&r, ctx, 2)) {
        if (TF_NumDims(r.x) != 2 || TF_NumDims(r.y) != 2 ||
            TF_Dim(r.y, own->transpose_y != 0) != TF_Dim(r.x, own->transpose_x == 0)) {
            (void)op_refuse(&r, TF_INVALID_ARGUMENT, "operands that are no fitting matrices");
        } else if (op_output(&r,
                             (int64_t[]){TF_Dim(r.x, own->transpose_x != 0),
                                         TF_Dim(r.y, own->transpose_y == 0)},
                             2)) {
            const op_product p = product_of(own, &r);
            const TF_LaunchArg args[] = {op_memory(r.out), op_memory(r.x), op_memory(r.y),
                                         op_value(&p, sizeof p)};
            op_enqueue(own, &r, p.n, p.m, args, 4);
        }
    }
    op_close(&r);
}

static void *create_matmul(TF_OpKernelConstruction *construction)
{
    TF_Status *status = TF_NewStatus();
    op_kernel *kernel = op_create("product", "op_matmul", status);
    if (kernel != NULL) {
        TF_OpKernelConstruction_GetAttrBool(construction, "transpose_a", &kernel->transpose_x,
                                            status);
    }
    if (TF_GetCode(status) == TF_OK) {
        TF_OpKernelConstruction_GetAttrBool(construction, "transpose_b", &kernel->transpose_y,
                                            status);
    }
    return op_finish(construction, kernel, status);
}

static const op_entry entries[] = {
    {"MatMul", "product", create_matmul, compute_matmul, NULL},
};
const op_table op_product_table = {entries, sizeof entries / sizeof *entries};
