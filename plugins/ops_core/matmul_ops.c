/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products, and attention, which is two of them with a softmax between. */
#include <string.h>

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

/* Square matrices in the last two dimensions. */
static bool square(oribi_ops_ctx *ctx, oribi_ops_shape *out, TF_Status *status)
{
    if (!oribi_ops_input(ctx, 0, out, status) || !oribi_ops_at_least(out, 2, status)) {
        return false;
    }
    return out->n < 0 || (oribi_ops_merge_dim(&out->at[out->n - 2], out->at[out->n - 1], status) &&
                          oribi_ops_merge_dim(&out->at[out->n - 1], out->at[out->n - 2], status));
}

static void same_square(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape shape;
    if (square(ctx, &shape, status)) {
        oribi_ops_output(ctx, 0, &shape, status);
    }
}

static void determinant(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape shape;
    if (square(ctx, &shape, status)) {
        shape.n = shape.n < 0 ? shape.n : shape.n - 2;
        oribi_ops_output(ctx, 0, &shape, status);
    }
}

/* What stands on the right of square matrices; batches are the same, or broadcast. */
static void right_sides(oribi_ops_ctx *ctx, bool broadcasts, TF_Status *status)
{
    oribi_ops_shape a, b, out;
    if (!square(ctx, &a, status) || !oribi_ops_input(ctx, 1, &b, status) ||
        !oribi_ops_at_least(&b, 2, status)) {
        return;
    }
    if (broadcasts ? a.n < 0 || b.n < 0 : a.n < 0) {
        oribi_ops_output(ctx, 0, broadcasts ? oribi_ops_set_unknown(&out) : &b, status);
        return;
    }
    if (b.n < 0) {
        b = a;
        b.at[b.n - 1] = -1;
    }
    int64_t last[] = {a.at[a.n - 1], b.at[b.n - 1]};
    if (!oribi_ops_merge_dim(&last[0], b.at[b.n - 2], status)) {
        return;
    }
    a.n -= 2;
    b.n -= 2;
    out = a;
    if ((broadcasts ? oribi_ops_broadcast(&a, &b, true, &out, status)
                    : oribi_ops_merge(&out, &b, status)) &&
        oribi_ops_append(&out, last, 2, status)) {
        oribi_ops_output(ctx, 0, &out, status);
    }
}

static void solve(oribi_ops_ctx *ctx, TF_Status *status)
{
    right_sides(ctx, false, status);
}

static void triangular_solve(oribi_ops_ctx *ctx, TF_Status *status)
{
    right_sides(ctx, true, status);
}

/* --- Attention ----------------------------------------------------------------------------------
 * Its meaning is that of ONNX's Attention without caches, which importers put before the keys and
 * values: softcap before the mask, heads of queries that share one of keys, a causal mask whose
 * query i sees keys up to i + causal_offset, and where left_window is not -1 no more than
 * left_window before that. spans, [batches or 1, 2], says of each batch how many keys count and
 * what stands for causal_offset. sinks, [heads], are scores of keys without a value.
 */

/* Dims of input i in the order batch, heads, sequence, head size, whatever its layout. */
static bool read_operand(oribi_ops_ctx *ctx, int i, const char *layout_attr, int64_t out[4],
                         TF_Status *status)
{
    oribi_ops_shape shape;
    char layout[ORIBI_OPS_STRING];
    if (!oribi_ops_input_rank(ctx, i, 4, &shape, status) ||
        !oribi_ops_attr_string(ctx, layout_attr, layout, status)) {
        return false;
    }
    for (int axis = 0; axis < 4; axis++) {
        out[axis] = shape.at[strchr(layout, "BHSD"[axis]) - layout];
    }
    return true;
}

/* Batches repeat where one side has a single one. */
static bool merge_batch(int64_t *into, int64_t other, TF_Status *status)
{
    if (*into == 1 || other == 1) {
        *into = *into == 1 ? other : *into;
        return true;
    }
    return oribi_ops_merge_dim(into, other, status);
}

static void attention(oribi_ops_ctx *ctx, TF_Status *status)
{
    int64_t q[4], k[4], v[4];
    char layout[ORIBI_OPS_STRING];
    if (!read_operand(ctx, 0, "query_layout", q, status) ||
        !read_operand(ctx, 1, "key_layout", k, status) ||
        !read_operand(ctx, 2, "value_layout", v, status) ||
        !oribi_ops_attr_string(ctx, "output_layout", layout, status) ||
        !oribi_ops_merge_dim(&q[3], k[3], status) || !oribi_ops_merge_dim(&k[2], v[2], status) ||
        !oribi_ops_merge_dim(&k[1], v[1], status) || !merge_batch(&k[0], v[0], status) ||
        !merge_batch(&q[0], k[0], status)) {
        return;
    }
    if (q[1] > 0 && k[1] > 0 && q[1] % k[1] != 0) {
        (void)oribi_ops_fail(status,
                             "%lld heads of queries cannot share %lld heads of keys and values",
                             (long long)q[1], (long long)k[1]);
        return;
    }
    const bool heads_last = strcmp(layout, "BSHD") == 0;
    const int64_t dims[] = {q[0], q[heads_last ? 2 : 1], q[heads_last ? 1 : 2], v[3]};
    oribi_ops_output_dims(ctx, 0, 4, dims, status);
}

/* --- Weights of 4 bits -------------------------------------------------------------------------
 * Rows of a, [..., k], times b, uint8 [n, blocks, block_size / 2], whose bytes hold two numbers
 * each, the lower half first: (number - zero point) * scale, one of each for a block of k. Zero
 * points are floats [n, blocks], or 4 bits in bytes, [n, (blocks + 1) / 2], or 8 where there are
 * none. accuracy_level 4 allows that rows are rounded to bytes.
 */
static void matmul_4_bits(oribi_ops_ctx *ctx, TF_Status *status)
{
    oribi_ops_shape a, b, scales;
    int64_t block = 0;
    if (!oribi_ops_input(ctx, 0, &a, status) || !oribi_ops_input_rank(ctx, 1, 3, &b, status) ||
        !oribi_ops_input_rank(ctx, 2, 2, &scales, status) || !oribi_ops_at_least(&a, 1, status) ||
        !oribi_ops_attr_int(ctx, "block_size", &block, status)) {
        return;
    }
    int64_t n = b.at[0], blocks = b.at[1], bytes = b.at[2];
    if (!oribi_ops_merge_dim(&n, scales.at[0], status) ||
        !oribi_ops_merge_dim(&blocks, scales.at[1], status) ||
        !oribi_ops_merge_dim(&bytes, block / 2, status)) {
        return;
    }
    if (a.n > 0) {
        const int64_t k = a.at[a.n - 1];
        if (k >= 0 && blocks >= 0 && (k < 1 || (k - 1) / block + 1 != blocks)) {
            (void)oribi_ops_fail(status, "rows of %lld numbers do not meet %lld blocks of %lld",
                                 (long long)k, (long long)blocks, (long long)block);
            return;
        }
        a.at[a.n - 1] = n;
    }
    oribi_ops_output(ctx, 0, &a, status);
}

const oribi_ops_row oribi_ops_matmul[] = {
    {.name = "MatMul",
     .inputs = "a: T; b: T",
     .outputs = "product: T",
     .attrs = "transpose_a: bool = false; transpose_b: bool = false; "
              "T: {bfloat16, half, float, double, int32, int64, uint8, uint16, uint32, uint64, "
              "complex64, complex128}; grad_a: bool = false; grad_b: bool = false",
     .traits = "packs(b); cost(matmul, b)",
     .shape = mat_mul},
    {.name = "_FusedMatMul",
     .inputs = "a: T; b: T; args: num_args * T",
     .outputs = "product: T",
     .attrs = "transpose_a: bool = false; transpose_b: bool = false; "
              "T: {bfloat16, half, float}; num_args: int >= 0; fused_ops: list(string) = []; "
              "epsilon: float = 0.0001; leakyrelu_alpha: float = 0.2",
     .traits = "packs(b); cost(matmul, b)",
     .fuses = "MatMul " ORIBI_OPS_EPILOGUE,
     .shape = mat_mul},
    {.name = "BatchMatMulV2",
     .inputs = "x: T; y: T",
     .outputs = "output: T",
     .attrs = "T: {bfloat16, half, float, double, int16, int32, int64, uint8, uint16, uint32, "
              "uint64, complex64, complex128}; adj_x: bool = false; adj_y: bool = false; "
              "grad_x: bool = false; grad_y: bool = false",
     .traits = "packs(y); cost(matmul, y)",
     .shape = oribi_ops_shape_batch_mat_mul},
    {.name = "Oribi>FusedBatchMatMul",
     .inputs = "x: T; y: T; args: num_args * T",
     .outputs = "output: T",
     .attrs = "T: {bfloat16, half, float}; adj_x: bool = false; adj_y: bool = false; "
              "num_args: int >= 0; fused_ops: list(string) = []; leakyrelu_alpha: float = 0.2",
     .traits = "packs(y); cost(matmul, y)",
     .fuses = "BatchMatMulV2 " ORIBI_OPS_EPILOGUE,
     .shape = oribi_ops_shape_batch_mat_mul},
    {.name = "Cholesky",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: {double, float, half, complex64, complex128}",
     .shape = same_square},
    {.name = "MatrixInverse",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "adjoint: bool = false; T: {double, float, half, complex64, complex128}",
     .shape = same_square},
    {.name = "MatrixSolve",
     .inputs = "matrix: T; rhs: T",
     .outputs = "output: T",
     .attrs = "adjoint: bool = false; T: {double, float, half, complex64, complex128}",
     .shape = solve},
    {.name = "MatrixTriangularSolve",
     .inputs = "matrix: T; rhs: T",
     .outputs = "output: T",
     .attrs = "lower: bool = true; adjoint: bool = false; "
              "T: {bfloat16, double, float, half, complex64, complex128}",
     .shape = triangular_solve},
    {.name = "MatrixDeterminant",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = "T: {half, float, double, complex64, complex128}",
     .shape = determinant},
    {.name = "Oribi>MatMul4Bits",
     .inputs = "a: float; b: uint8; scales: float; zero_points: n_zeros * Tzero; "
               "bias: n_biases * float",
     .outputs = "product: float",
     .attrs = "block_size: int >= 8; accuracy_level: int = 0; n_zeros: int >= 0 = 0; "
              "n_biases: int >= 0 = 0; Tzero: {float, uint8} = DT_FLOAT",
     .traits = "packs(b, scales, zero_points)",
     .shape = matmul_4_bits},
    {.name = "Oribi>Attention",
     .inputs = "query: T; key: T; value: T; mask: N * Tmask; spans: n_spans * int64; "
               "sinks: n_sinks * T",
     .outputs = "output: T",
     .attrs = "T: {float}; Tmask: {float, bool} = DT_FLOAT; N: int >= 0 = 0; "
              "n_spans: int >= 0 = 0; n_sinks: int >= 0 = 0; left_window: int >= -1 = -1; "
              "query_layout: {'BHSD', 'BSHD'} = 'BHSD'; "
              "key_layout: {'BHSD', 'BSHD', 'BHDS'} = 'BHSD'; "
              "value_layout: {'BHSD', 'BSHD', 'BHDS'} = 'BHSD'; "
              "output_layout: {'BHSD', 'BSHD'} = 'BHSD'; scale: float = 0.0; "
              "softcap: float = 0.0; is_causal: bool = false; causal_offset: int = 0; "
              "safe_softmax: bool = true",
     .shape = attention},
    {.name = NULL},
};
