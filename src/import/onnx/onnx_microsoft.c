/* SPDX-License-Identifier: Apache-2.0 */
/* Operators of the domain com.microsoft. Quantised ones are dequantised, computed, quantised:
 * src/pass/qdq.c makes integer ops of that, as it does where a model spells the three out.
 */
#include "import/onnx/onnx_window.h"
#include "import/onnx/spelled/onnx_spelled.h"
#include "tensor/status.h"

/* Input `at`, whose scale and zero point follow it, as float; -1: failed. */
static oribi_value_id dequantised(oribi_onnx_node *n, int32_t at)
{
    const oribi_value_id y =
        oribi_onnx_dequantized(n, n->inputs[at], n->inputs[at + 1], oribi_emit_input(n, at + 2), 0);
    if (y < 0 && !n->failed) {
        oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                        "input %d must be int8 or uint8, its scale float and its zero point of "
                        "the same type and rank",
                        (int)at);
    }
    return y;
}

/* y quantised by the scale at input `at` and the zero point behind it, bound to output 0. */
static bool bind_quantised(oribi_onnx_node *n, oribi_value_id y, int32_t at)
{
    const oribi_value_id zero = oribi_emit_input(n, at + 1);
    if (zero < 0 && !n->failed) {
        return oribi_onnx_fail(n, TF_UNIMPLEMENTED, "the zero point, input %d, is not there",
                               (int)(at + 1));
    }
    y = oribi_onnx_quantized(n, y, n->inputs[at], zero, 0);
    if (y < 0 && !n->failed) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                               "inputs %d and %d must be a scale of float and a zero point of int8 "
                               "or uint8, of one rank",
                               (int)at, (int)(at + 1));
    }
    return oribi_emit_bind(n, 0, y);
}

static bool qlinear_add(oribi_onnx_node *n)
{
    return bind_quantised(n, oribi_emit2(n, "AddV2", dequantised(n, 0), dequantised(n, 3)), 6);
}

static bool qlinear_mul(oribi_onnx_node *n)
{
    return bind_quantised(n, oribi_emit2(n, "Mul", dequantised(n, 0), dequantised(n, 3)), 6);
}

static bool qlinear_sigmoid(oribi_onnx_node *n)
{
    return bind_quantised(n, oribi_emit1(n, "Sigmoid", dequantised(n, 0)), 3);
}

static bool qlinear_leaky_relu(oribi_onnx_node *n)
{
    const oribi_value_id x = dequantised(n, 0);
    const float alpha = oribi_onnx_float(n, "alpha", 0.01F);
    const oribi_value_id y =
        oribi_emit(n, "LeakyRelu", INPUTS(x), ATTRS(ATTR_FLOAT("alpha", alpha)));
    return bind_quantised(n, y, 3);
}

static bool qlinear_softmax(oribi_onnx_node *n)
{
    const int64_t opset = oribi_onnx_int(n, "opset", 13);
    return bind_quantised(n, oribi_onnx_softmax(n, dequantised(n, 0), opset), 3);
}

/* channels_last tells the layout of x and of the result. */
static bool qlinear_average_pool(oribi_onnx_node *n)
{
    const bool is_last = oribi_onnx_flag(n, "channels_last", false);
    oribi_value_id x = dequantised(n, 0), y;
    if (is_last && oribi_emit_rank(n, x) != 4) {
        return oribi_onnx_fail(n, TF_UNIMPLEMENTED, "channels_last of %d dimensions",
                               (int)oribi_emit_rank(n, x));
    }
    x = is_last ? oribi_emit_to_nchw(n, x) : x;
    ORIBI_TRY(!n->failed && oribi_onnx_average_pool(n, x, &y));
    if (y < 0) {
        return oribi_onnx_fail(n, TF_UNIMPLEMENTED,
                               "dilation, three spatial axes, or ceil_mode with count_include_pad");
    }
    return bind_quantised(n, is_last ? oribi_emit_to_nhwc(n, y) : y, 3);
}

static bool qlinear_global_average_pool(oribi_onnx_node *n)
{
    const bool is_last = oribi_onnx_flag(n, "channels_last", false);
    const int32_t rank = oribi_emit_rank(n, n->inputs[0]);
    oribi_dims axes = {0};
    if (n->failed || rank < 3) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "an input with %d dimensions", (int)rank);
    }
    for (int32_t i = 0; i + 2 < rank; i++) {
        (void)oribi_dims_add(&axes, is_last ? i + 1 : i + 2);
    }
    const oribi_value_id x = dequantised(n, 0), along = oribi_emit_vector(n, axes.at, axes.n);
    const oribi_value_id y =
        oribi_emit(n, "Mean", INPUTS(x, along), ATTRS(ATTR_BOOL("keep_dims", true)));
    return bind_quantised(n, y, 3);
}

/* Inputs: the result's scale and zero point, then three for each part. */
static bool qlinear_concat(oribi_onnx_node *n)
{
    const int32_t count = (n->n_inputs - 2) / 3;
    if ((n->n_inputs - 2) % 3 != 0 || count < 1) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "%d inputs", (int)n->n_inputs);
    }
    oribi_value_id *parts = oribi_arena_array(&n->onnx->scratch, (size_t)count + 1, sizeof *parts);
    ORIBI_TRY(parts != NULL || oribi_onnx_no_memory(n));
    for (int32_t i = 0; i < count; i++) {
        parts[i] = dequantised(n, 2 + 3 * i);
    }
    const int32_t rank = oribi_emit_rank(n, n->inputs[2]);
    parts[count] = oribi_emit_int(n, oribi_emit_axis(n, oribi_onnx_int(n, "axis", 1), rank));
    return bind_quantised(n, oribi_emit(n, "ConcatV2", parts, count + 1, NO_ATTRS), 0);
}

static bool quick_gelu(oribi_onnx_node *n)
{
    const float alpha = oribi_onnx_float(n, "alpha", 1.702F);
    return oribi_emit_bind(
        n, 0, oribi_emit(n, n->row->into, INPUTS(n->inputs[0]), ATTRS(ATTR_FLOAT("alpha", alpha))));
}

static bool binary(oribi_onnx_node *n)
{
    return oribi_emit_bind(n, 0, oribi_emit2(n, n->row->into, n->inputs[0], n->inputs[1]));
}

static bool fast_gelu(oribi_onnx_node *n)
{
    oribi_value_id x = n->inputs[0];
    if (oribi_emit_input(n, 1) >= 0) {
        x = oribi_emit2(n, "AddV2", x, n->inputs[1]);
    }
    return oribi_emit_bind(n, 0, oribi_onnx_gelu(n, x, true));
}

static bool gelu(oribi_onnx_node *n)
{
    return oribi_emit_bind(n, 0, oribi_onnx_gelu(n, n->inputs[0], false));
}

/* An operand of a product. transBatch moves its first axis behind all but the last, trans exchanges
 * the last two then. */
static oribi_value_id operand(oribi_onnx_node *n, int32_t at, const char *trans_batch,
                              const char *trans)
{
    oribi_value_id x = n->inputs[at];
    const int32_t rank = oribi_emit_rank(n, x);
    if (n->failed || rank < 2) {
        return x;
    }
    if (oribi_onnx_flag(n, trans_batch, false)) {
        oribi_dims perm = {0};
        for (int32_t i = 1; i <= rank; i++) {
            (void)oribi_dims_add(&perm, i < rank - 1 ? i : i < rank ? 0 : rank - 1);
        }
        x = oribi_emit_transpose(n, x, &perm);
    }
    if (oribi_onnx_flag(n, trans, false)) {
        const oribi_dims perm = oribi_emit_exchange(rank, rank - 2, rank - 1);
        x = oribi_emit_transpose(n, x, &perm);
    }
    return x;
}

static bool fused_matmul(oribi_onnx_node *n)
{
    const float alpha = oribi_onnx_float(n, "alpha", 1.0F);
    const oribi_value_id a = operand(n, 0, "transBatchA", "transA");
    oribi_value_id y = oribi_onnx_product(n, a, operand(n, 1, "transBatchB", "transB"));
    if (alpha != 1.0F) {
        y = oribi_emit2(n, "Mul", y, oribi_emit_scalar_like(n, y, (double)alpha));
    }
    return oribi_emit_bind(n, 0, y);
}

#define AROUND "ONNX>DequantizeLinear, ONNX>QuantizeLinear, "
/* clang-format off */
const oribi_onnx_row oribi_onnx_microsoft_rows[] = {
    {"Attention", 1, 1, oribi_onnx_attention_microsoft, 2, 7, "MatMul, BatchMatMulV2, SplitV, Reshape, ConcatV2, Oribi>Attention"},
    {"BiasGelu", 1, 1, binary, 2, 2, "Oribi>BiasGelu"},
    {"DequantizeLinear", 1, 1, oribi_onnx_dequantize_linear, 2, 3, "ONNX>DequantizeLinear, or Cast, Sub, Mul"},
    {"DynamicQuantizeLSTM", 1, 1, oribi_onnx_dynamic_lstm, 3, 12, "Oribi>DynamicLstm"},
    {"DynamicQuantizeMatMul", 1, 1, oribi_onnx_dynamic_matmul, 3, 5, "ONNX>DynamicQuantizeLinear, ONNX>DequantizeLinear, MatMul, BatchMatMulV2, AddV2"},
    {"EmbedLayerNormalization", 1, 1, oribi_onnx_embed_layer_norm, 1, 9, "GatherV2, AddV2, Mean, Sub, Square, Rsqrt, Mul"},
    {"FastGelu", 1, 1, fast_gelu, 1, 2, "Square, Mul, AddV2, Tanh"},
    {"FusedConv", 1, 1, oribi_onnx_fused_conv, 2, 4, "Conv2D, DepthwiseConv2dNative, BiasAdd, AddV2, Relu, Tanh, Sigmoid, LeakyRelu, ClipByValue"},
    {"FusedGemm", 1, 1, oribi_onnx_fused_gemm, 2, 3, "MatMul, Mul, BiasAdd, AddV2, Relu, Tanh, Sigmoid, LeakyRelu"},
    {"FusedMatMul", 1, 1, fused_matmul, 2, 2, "Transpose, MatMul, BatchMatMulV2, Mul"},
    {"GatherBlockQuantized", 1, 1, oribi_onnx_gather_blocks, 3, 4, "GatherV2, BitwiseAnd, RightShift, Cast, Sub, Mul"},
    {"Gelu", 1, 1, gelu, 1, 1, "Erf, Mul, AddV2"},
    {"GroupQueryAttention", 1, 1, oribi_onnx_grouped_attention, 1, 17, "SplitV, Reshape, GatherV2, Mul, Oribi>AppendCache, Oribi>Attention"},
    {"MatMulBnb4", 1, 1, oribi_onnx_matmul_bnb4, 3, 3, "BitwiseAnd, RightShift, GatherV2, Mul, MatMul, BatchMatMulV2"},
    {"MatMulIntegerToFloat", 1, 1, oribi_onnx_matmul_to_float, 4, 7, "ONNX>DequantizeLinear, MatMul, BatchMatMulV2, AddV2"},
    {"MatMulNBits", 1, 1, oribi_onnx_matmul_bits, 3, 6, "Oribi>MatMul4Bits, BitwiseAnd, RightShift, Cast, Sub, Mul, MatMul, BatchMatMulV2, AddV2"},
    {"MultiHeadAttention", 1, 1, oribi_onnx_multi_head_attention, 1, 10, "SplitV, AddV2, Reshape, ConcatV2, Oribi>Attention"},
    {"QAttention", 1, 1, oribi_onnx_qattention, 5, 9, "ONNX>DequantizeLinear, MatMul, BatchMatMulV2, SplitV, Reshape, ConcatV2, Oribi>Attention"},
    {"QEmbedLayerNormalization", 1, 1, oribi_onnx_embed_layer_norm_quantised, 1, 18, "GatherV2, ONNX>DequantizeLinear, AddV2, Mean, Sub, Square, Rsqrt, Mul"},
    {"QGemm", 1, 1, oribi_onnx_qgemm, 6, 9, AROUND "MatMul, AddV2, Mul"},
    {"QLinearAdd", 1, 1, qlinear_add, 8, 8, AROUND "AddV2"},
    {"QLinearAveragePool", 1, 1, qlinear_average_pool, 5, 5, AROUND "AvgPool"},
    {"QLinearConcat", 1, 1, qlinear_concat, 5, -1, AROUND "ConcatV2"},
    {"QLinearGlobalAveragePool", 1, 1, qlinear_global_average_pool, 5, 5, AROUND "Mean"},
    {"QLinearLeakyRelu", 1, 1, qlinear_leaky_relu, 5, 5, AROUND "LeakyRelu"},
    {"QLinearMul", 1, 1, qlinear_mul, 8, 8, AROUND "Mul"},
    {"QLinearSigmoid", 1, 1, qlinear_sigmoid, 5, 5, AROUND "Sigmoid"},
    {"QLinearSoftmax", 1, 1, qlinear_softmax, 5, 5, AROUND "Softmax"},
    {"QuantizeLinear", 1, 1, oribi_onnx_quantize_linear, 2, 3, "ONNX>QuantizeLinear, or RealDiv, Round, AddV2, ClipByValue, Cast"},
    {"QuickGelu", 1, 1, quick_gelu, 1, 1, "ONNX>Swish"},
    {"RotaryEmbedding", 1, 1, oribi_onnx_rotary_embedding_microsoft, 4, 4, "GatherV2, SplitV, Mul, Sub, AddV2, ConcatV2"},
    {"SkipLayerNormalization", 1, 1, oribi_onnx_skip_layer_norm, 3, 5, "AddV2, Mean, Sub, Square, Rsqrt, Mul"},
    {"SkipSimplifiedLayerNormalization", 1, 1, oribi_onnx_skip_simplified_norm, 3, 4, "AddV2, Square, Mean, Rsqrt, Mul"},
    {NULL, 0, 0, NULL, 0, 0, NULL}};
/* clang-format on */
