/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products. */
#include "ops_core/ops_core.h"
#include "ops_core/shape_functions.h"

static void mat_mul(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape a, b;
    bool transpose_a, transpose_b;
    if (!oribi_ops_input_rank(ctx, 0, 2, &a, status) ||
        !oribi_ops_input_rank(ctx, 1, 2, &b, status) ||
        !oribi_ops_attr_bool(ctx, "transpose_a", &transpose_a, status) ||
        !oribi_ops_attr_bool(ctx, "transpose_b", &transpose_b, status)) {
        return;
    }
    int64_t inner = a.at[transpose_a ? 0 : 1];
    const int64_t dims[] = {a.at[transpose_a ? 1 : 0], b.at[transpose_b ? 0 : 1]};
    if (oribi_ops_merge_dim(&inner, b.at[transpose_b ? 1 : 0], status)) {
        oribi_ops_output_dims(ctx, 0, 2, dims, status);
    }
}

void oribi_ops_shape_batch_mat_mul(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape a, b, result;
    bool adjoint_a, adjoint_b;
    if (!oribi_ops_input(ctx, 0, &a, status) || !oribi_ops_input(ctx, 1, &b, status) ||
        !oribi_ops_at_least(&a, 2, status) || !oribi_ops_at_least(&b, 2, status) ||
        !oribi_ops_attr_bool(ctx, "adj_x", &adjoint_a, status) ||
        !oribi_ops_attr_bool(ctx, "adj_y", &adjoint_b, status)) {
        return;
    }
    if (a.n < 0 || b.n < 0) {
        oribi_ops_output(ctx, 0, oribi_ops_set_unknown(&result), status);
        return;
    }
    int64_t inner = a.at[a.n - (adjoint_a ? 2 : 1)];
    const int64_t outer[] = {a.at[a.n - (adjoint_a ? 1 : 2)], b.at[b.n - (adjoint_b ? 2 : 1)]};
    if (!oribi_ops_merge_dim(&inner, b.at[b.n - (adjoint_b ? 1 : 2)], status)) {
        return;
    }
    a.n -= 2; /* what is left are the batches */
    b.n -= 2;
    if (oribi_ops_broadcast(&a, &b, true, &result, status) &&
        oribi_ops_append(&result, outer, 2, status)) {
        oribi_ops_output(ctx, 0, &result, status);
    }
}

/* Square matrices, a number for each. */
static void determinant(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape shape;
    if (!oribi_ops_input(ctx, 0, &shape, status) || !oribi_ops_at_least(&shape, 2, status)) {
        return;
    }
    if (shape.n >= 0) {
        if (!oribi_ops_merge_dim(&shape.at[shape.n - 2], shape.at[shape.n - 1], status)) {
            return;
        }
        shape.n -= 2;
    }
    oribi_ops_output(ctx, 0, &shape, status);
}

const oribi_ops_row oribi_ops_matmul[] = {
    {.name = "MatMul",
     .inputs = {"a: T", "b: T"},
     .outputs = {"product: T"},
     .attrs = {"transpose_a: bool = false", "transpose_b: bool = false",
               "T: {bfloat16, half, float, double, int32, int64, uint8, uint16, uint32, uint64, "
               "complex64, complex128}",
               "grad_a: bool = false", "grad_b: bool = false"},
     .traits = {"packs(b)", "cost(matmul, b)"},
     .shape = mat_mul},
    {.name = "_FusedMatMul",
     .inputs = {"a: T", "b: T", "args: num_args * T"},
     .outputs = {"product: T"},
     .attrs = {"transpose_a: bool = false", "transpose_b: bool = false",
               "T: {bfloat16, half, float}", "num_args: int >= 0", "fused_ops: list(string) = []",
               "epsilon: float = 0.0001", "leakyrelu_alpha: float = 0.2"},
     .traits = {"packs(b)", "cost(matmul, b)"},
     .fuses = "MatMul " ORIBI_OPS_EPILOGUE,
     .shape = mat_mul},
    {.name = "BatchMatMulV2",
     .inputs = {"x: T", "y: T"},
     .outputs = {"output: T"},
     .attrs = {"T: {bfloat16, half, float, double, int16, int32, int64, uint8, uint16, uint32, "
               "uint64, complex64, complex128}",
               "adj_x: bool = false", "adj_y: bool = false", "grad_x: bool = false",
               "grad_y: bool = false"},
     .traits = {"packs(y)", "cost(matmul, y)"},
     .shape = oribi_ops_shape_batch_mat_mul},
    {.name = "Oribi>FusedBatchMatMul",
     .inputs = {"x: T", "y: T", "args: num_args * T"},
     .outputs = {"output: T"},
     .attrs = {"T: {bfloat16, half, float}", "adj_x: bool = false", "adj_y: bool = false",
               "num_args: int >= 0", "fused_ops: list(string) = []",
               "leakyrelu_alpha: float = 0.2"},
     .traits = {"packs(y)", "cost(matmul, y)"},
     .fuses = "BatchMatMulV2 " ORIBI_OPS_EPILOGUE,
     .shape = oribi_ops_shape_batch_mat_mul},
    {.name = "MatrixDeterminant",
     .inputs = {"input: T"},
     .outputs = {"output: T"},
     .attrs = {"T: {half, float, double, complex64, complex128}"},
     .shape = determinant},
    {.name = NULL},
};
