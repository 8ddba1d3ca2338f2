/* SPDX-License-Identifier: Apache-2.0 */
/* Products of com.microsoft with weights of bytes and of 4 bits: QGemm, DynamicQuantizeMatMul,
 * MatMulIntegerToFloat, MatMulBnb4. Weights that are constant are folded to floats, unless
 * src/pass/qdq.c makes an integer product. Source   ONNX Runtime's ContribOperators.md; the two
 * tables: QLoRA (Dettmers and others, 2023), and a float of one sign, two exponent bits and one of
 * fraction over 12, as bitsandbytes has them.
 */
#include "import/onnx/spelled/onnx_spelled.h"
#include "tensor/status.h"

/* Input `at` as float, its scale and zero point from `scale` on; the scale is one or along axis. */
static oribi_value_id as_float(oribi_onnx_node *n, oribi_value_id x, int32_t scale, int64_t axis)
{
    const oribi_value_id y =
        oribi_onnx_dequantized(n, x, n->inputs[scale], oribi_emit_input(n, scale + 1), axis);
    if (y < 0 && !n->failed) {
        oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                        "the input before input %d must be int8 or uint8, its scale float and its "
                        "zero point of the same type and rank",
                        (int)scale);
    }
    return y;
}

/* C counts in units of both scales. */
static oribi_value_id with_bias(oribi_onnx_node *n, oribi_value_id y)
{
    const oribi_value_id c = oribi_emit_input(n, 6);
    if (c < 0) {
        return y;
    }
    const oribi_value_id units = oribi_emit2(n, "Mul", n->inputs[1], n->inputs[4]);
    return oribi_emit2(n, "AddV2", y,
                       oribi_emit2(n, "Mul", oribi_emit_cast(n, c, TF_FLOAT), units));
}

bool oribi_onnx_qgemm(oribi_onnx_node *n)
{
    const bool turns_a = oribi_onnx_flag(n, "transA", false);
    const bool turns_b = oribi_onnx_flag(n, "transB", false);
    const float alpha = oribi_onnx_float(n, "alpha", 1.0F);
    const oribi_value_id a = as_float(n, n->inputs[0], 1, 0);
    const oribi_value_id b = as_float(n, n->inputs[3], 4, turns_b ? 0 : 1);
    oribi_value_id y =
        oribi_emit(n, "MatMul", INPUTS(a, b),
                   ATTRS(ATTR_BOOL("transpose_a", turns_a), ATTR_BOOL("transpose_b", turns_b)));
    y = with_bias(n, y);
    if (alpha != 1.0F) {
        y = oribi_emit2(n, "Mul", y, oribi_emit_scalar_like(n, y, (double)alpha));
    }
    const oribi_value_id scale = oribi_emit_input(n, 7), zero = oribi_emit_input(n, 8);
    if (scale < 0) {
        return oribi_emit_bind(n, 0, y);
    }
    if (zero < 0 && !n->failed) {
        return oribi_onnx_fail(n, TF_UNIMPLEMENTED, "the zero point, input 8, is not there");
    }
    y = oribi_onnx_quantized(n, y, scale, zero, 0);
    if (y < 0 && !n->failed) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                               "inputs 7 and 8 must be a scale of float and a zero point");
    }
    return oribi_emit_bind(n, 0, y);
}

bool oribi_onnx_dynamic_matmul(oribi_onnx_node *n)
{
    const oribi_node *bytes =
        oribi_emit_node(n, "ONNX>DynamicQuantizeLinear", INPUTS(n->inputs[0]), NO_ATTRS, 3);
    const int32_t rank = oribi_emit_rank(n, n->inputs[1]);
    ORIBI_TRY(bytes != NULL && !n->failed);
    const oribi_value_id a =
        oribi_onnx_dequantized(n, bytes->outputs[0], bytes->outputs[1], bytes->outputs[2], 0);
    oribi_value_id y = oribi_onnx_product(n, a, as_float(n, n->inputs[1], 2, rank - 1));
    if (oribi_emit_input(n, 4) >= 0) {
        y = oribi_emit2(n, "AddV2", y, n->inputs[4]);
    }
    return oribi_emit_bind(n, 0, y);
}

bool oribi_onnx_matmul_to_float(oribi_onnx_node *n)
{
    enum { A, B, A_SCALE, B_SCALE, A_ZERO, B_ZERO, BIAS };
    const int32_t rank = oribi_emit_rank(n, n->inputs[B]);
    const oribi_value_id a =
        oribi_onnx_dequantized(n, n->inputs[A], n->inputs[A_SCALE], oribi_emit_input(n, A_ZERO), 0);
    const oribi_value_id b = oribi_onnx_dequantized(n, n->inputs[B], n->inputs[B_SCALE],
                                                    oribi_emit_input(n, B_ZERO), rank - 1);
    if (!n->failed && (a < 0 || b < 0)) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                               "A and B must be int8 or uint8, their scales float and their zero "
                               "points of the same type and rank");
    }
    oribi_value_id y = oribi_onnx_product(n, a, b);
    y = oribi_emit_input(n, BIAS) >= 0 ? oribi_emit2(n, "AddV2", y, n->inputs[BIAS]) : y;
    return oribi_emit_bind(n, 0, y);
}

/* What the 16 codes of a quant_type stand for. */
static oribi_value_id codes(oribi_onnx_node *n, int64_t quant_type)
{
    static const float tables[2][16] = {
        {0, 5.208333333e-03F, 0.66666667F, 1, 0.33333333F, 0.5F, 0.16666667F, 0.25F, 0,
         -5.208333333e-03F, -0.66666667F, -1, -0.33333333F, -0.5F, -0.16666667F, -0.25F},
        {-1, -0.6961928009986877F, -0.5250730514526367F, -0.39491748809814453F,
         -0.28444138169288635F, -0.18477343022823334F, -0.09105003625154495F, 0,
         0.07958029955625534F, 0.16093020141124725F, 0.24611230194568634F, 0.33791524171829224F,
         0.44070982933044434F, 0.5626170039176941F, 0.7229568362236023F, 1}};
    const int64_t count = 16;
    const oribi_value_id table = oribi_graph_add_constant_copy(n->graph, "codes", TF_FLOAT, &count,
                                                               1, tables[quant_type], n->status);
    n->failed = n->failed || table < 0;
    return table;
}

/* Two codes a byte, the first in the high bits. */
static oribi_value_id unpacked(oribi_onnx_node *n, oribi_value_id bytes)
{
    const oribi_value_id parts[2] = {
        oribi_emit2(n, "RightShift", bytes, oribi_emit_scalar(n, TF_UINT8, 4)),
        oribi_emit2(n, "BitwiseAnd", bytes, oribi_emit_scalar(n, TF_UINT8, 15))};
    const oribi_value_id both = oribi_emit(n, "Pack", parts, 2, ATTRS(ATTR_INT("axis", 1)));
    return oribi_emit_cast(n, both, TF_INT32);
}

bool oribi_onnx_matmul_bnb4(oribi_onnx_node *n)
{
    const int64_t rows = oribi_onnx_int(n, "N", 0), depth = oribi_onnx_int(n, "K", 0);
    const int64_t block = oribi_onnx_int(n, "block_size", 0);
    const int64_t type = oribi_onnx_int(n, "quant_type", 0);
    ORIBI_TRY(!n->failed);
    if (rows < 1 || depth < 1 || rows > INT32_MAX || depth > INT32_MAX || block < 2 ||
        rows * depth % 2 != 0 || rows * depth % block != 0 || type < 0 || type > 1) {
        return oribi_onnx_fail(
            n, TF_UNIMPLEMENTED, "N = %lld, K = %lld, block_size = %lld, quant_type = %lld",
            (long long)rows, (long long)depth, (long long)block, (long long)type);
    }
    const TF_DataType dtype = oribi_emit_dtype(n, n->inputs[0]);
    const int64_t blocks = rows * depth / block;
    const oribi_value_id bytes =
        oribi_emit_reshape(n, n->inputs[1], (int64_t[]){rows * depth / 2}, 1);
    oribi_value_id b =
        oribi_emit3(n, "GatherV2", codes(n, type), unpacked(n, bytes), oribi_emit_int(n, 0));
    b = oribi_emit2(n, "Mul", oribi_emit_reshape(n, b, (int64_t[]){blocks, block}, 2),
                    oribi_emit_reshape(n, oribi_emit_cast(n, n->inputs[2], TF_FLOAT),
                                       (int64_t[]){blocks, 1}, 2));
    const oribi_dims perm = oribi_emit_exchange(2, 0, 1);
    b = oribi_emit_transpose(n, oribi_emit_reshape(n, b, (int64_t[]){rows, depth}, 2), &perm);
    const oribi_value_id y = oribi_onnx_product(n, oribi_emit_cast(n, n->inputs[0], TF_FLOAT), b);
    return oribi_emit_bind(n, 0, oribi_emit_cast(n, y, dtype));
}
