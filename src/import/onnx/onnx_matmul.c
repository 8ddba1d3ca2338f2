/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products. */
#include "import/onnx/onnx_emit.h"

oribi_value_id oribi_onnx_product(oribi_onnx_node *n, oribi_value_id a, oribi_value_id b)
{
    int32_t a_rank = oribi_emit_rank(n, a), b_rank = oribi_emit_rank(n, b);
    if (n->failed || a_rank == 0 || b_rank == 0) {
        oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "a scalar cannot be a matrix");
        return -1;
    }
    if (a_rank == 1) {
        a = oribi_emit2(n, "ExpandDims", a, oribi_emit_int(n, 0));
    }
    if (b_rank == 1) {
        b = oribi_emit2(n, "ExpandDims", b, oribi_emit_int(n, 1));
    }
    bool is_plain = a_rank <= 2 && b_rank <= 2;
    oribi_value_id y = oribi_emit2(n, is_plain ? "MatMul" : "BatchMatMulV2", a, b);
    int64_t gone[2];
    int32_t n_gone = 0;
    if (a_rank == 1) {
        gone[n_gone++] = -2;
    }
    if (b_rank == 1) {
        gone[n_gone++] = -1;
    }
    if (n_gone == 0) {
        return y;
    }
    return oribi_emit(n, "Squeeze", INPUTS(y), ATTRS(ATTR_INTS("squeeze_dims", gone, n_gone)));
}

static bool matmul(oribi_onnx_node *n)
{
    return oribi_emit_bind(n, 0, oribi_onnx_product(n, n->inputs[0], n->inputs[1]));
}

static oribi_value_id scaled(oribi_onnx_node *n, oribi_value_id x, float factor)
{
    return factor == 1.0f ? x
                          : oribi_emit2(n, "Mul", x, oribi_emit_scalar_like(n, x, (double)factor));
}

oribi_value_id oribi_onnx_gemm(oribi_onnx_node *n)
{
    oribi_value_id a = n->inputs[0], b = n->inputs[1], c = oribi_emit_input(n, 2);
    float alpha = oribi_onnx_float(n, "alpha", 1.0f), beta = oribi_onnx_float(n, "beta", 1.0f);
    bool transpose_a = oribi_onnx_flag(n, "transA", false);
    bool transpose_b = oribi_onnx_flag(n, "transB", false);
    oribi_value_id y = oribi_emit(
        n, "MatMul", INPUTS(a, b),
        ATTRS(ATTR_BOOL("transpose_a", transpose_a), ATTR_BOOL("transpose_b", transpose_b)));
    y = scaled(n, y, alpha);
    if (c < 0 || n->failed || beta == 0.0f) {
        return y;
    }
    int32_t c_rank = oribi_emit_rank(n, c);
    int64_t columns = oribi_emit_dim(n, b, transpose_b ? 0 : 1);
    bool is_row = oribi_emit_dim(n, c, c_rank - 1) == columns && columns >= 0 &&
                  (c_rank == 1 || (c_rank == 2 && oribi_emit_dim(n, c, 0) == 1));
    if (!n->failed && is_row && oribi_emit_is_float(n, c)) {
        c = c_rank == 2 ? oribi_emit_reshape(n, c, &columns, 1) : c;
        y = oribi_emit2(n, "BiasAdd", y, scaled(n, c, beta));
    } else {
        y = oribi_emit2(n, "AddV2", y, scaled(n, c, beta));
    }
    return y;
}

static bool gemm(oribi_onnx_node *n)
{
    return oribi_emit_bind(n, 0, oribi_onnx_gemm(n));
}

/* clang-format off */
const oribi_onnx_row oribi_onnx_matmul_rows[] = {
    {"Gemm", 6, 28, gemm, 2, 3, "MatMul, Mul, BiasAdd, AddV2"},
    {"MatMul", 1, 28, matmul, 2, 2, "MatMul, BatchMatMulV2"},
    {NULL, 0, 0, NULL, 0, 0, NULL}};
/* clang-format on */
