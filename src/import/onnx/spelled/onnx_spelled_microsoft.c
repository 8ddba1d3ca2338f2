/* SPDX-License-Identifier: Apache-2.0 */
/* Operators of com.microsoft that its optimisers and quantisers write: MatMulNBits,
 * GatherBlockQuantized, FusedConv, FusedGemm.
 * Source   ONNX Runtime's ContribOperators.md.
 */
#include "import/onnx/onnx_window.h"
#include "import/onnx/spelled/onnx_spelled.h"
#include "tensor/status.h"

#include <string.h>

/* --- MatMulNBits ------------------------------------------------------------------------------ */

enum { MOST_BLOCK = 256 }; /* that Oribi>MatMul4Bits has kernels for */

typedef struct packed_weights { /* [n, blocks, bytes of a block] */
    int64_t rows, depth, block, blocks, bits;
} packed_weights;

static bool read_sizes(oribi_onnx_node *n, packed_weights *w)
{
    *w = (packed_weights){.rows = oribi_onnx_int(n, "N", 0),
                          .depth = oribi_onnx_int(n, "K", 0),
                          .block = oribi_onnx_int(n, "block_size", 0),
                          .bits = oribi_onnx_int(n, "bits", 4)};
    ORIBI_TRY(!n->failed);
    if (w->rows < 1 || w->depth < 1 || w->depth > INT32_MAX || w->block < 16 ||
        w->block > INT32_MAX || w->block % 8 != 0 ||
        (w->bits != 2 && w->bits != 4 && w->bits != 8)) {
        return oribi_onnx_fail(
            n, TF_INVALID_ARGUMENT, "N = %lld, K = %lld, block_size = %lld, bits = %lld",
            (long long)w->rows, (long long)w->depth, (long long)w->block, (long long)w->bits);
    }
    w->blocks = (w->depth + w->block - 1) / w->block;
    return true;
}

/* Bytes as the numbers packed in them, the lowest bits first: the last axis is 8 / bits times as
 * long. */
static oribi_value_id unpacked(oribi_onnx_node *n, oribi_value_id bytes, int64_t bits)
{
    oribi_value_id parts[4];
    const int32_t count = (int32_t)(8 / bits), rank = oribi_emit_rank(n, bytes);
    const uint8_t mask = (uint8_t)((1U << bits) - 1U);
    for (int32_t i = 0; i < count; i++) {
        const oribi_value_id shift = oribi_emit_scalar(n, TF_UINT8, (double)(i * bits));
        parts[i] = i == 0 ? bytes : oribi_emit2(n, "RightShift", bytes, shift);
        parts[i] = oribi_emit2(n, "BitwiseAnd", parts[i], oribi_emit_scalar(n, TF_UINT8, mask));
    }
    return oribi_emit(n, "Pack", parts, count, ATTRS(ATTR_INT("axis", rank)));
}

/* The zero point of each block, [n, blocks, 1], as float. */
static oribi_value_id zero_points(oribi_onnx_node *n, const packed_weights *w)
{
    const oribi_value_id given = oribi_emit_input(n, 3);
    if (given < 0) {
        return oribi_emit_scalar(n, TF_FLOAT, (double)(1 << (w->bits - 1)));
    }
    if (oribi_emit_dtype(n, given) != TF_UINT8) {
        return oribi_emit_reshape(n, oribi_emit_cast(n, given, TF_FLOAT),
                                  (int64_t[]){w->rows, w->blocks, 1}, 3);
    }
    const int64_t in_byte = 8 / w->bits, bytes = (w->blocks + in_byte - 1) / in_byte;
    oribi_value_id x = oribi_emit_reshape(n, given, (int64_t[]){w->rows, bytes}, 2), ends[2];
    x = w->bits == 8 ? x
                     : oribi_emit_reshape(n, unpacked(n, x, w->bits),
                                          (int64_t[]){w->rows, bytes * in_byte}, 2);
    if (bytes * in_byte > w->blocks) {
        const int64_t sizes[2] = {w->blocks, bytes * in_byte - w->blocks};
        x = oribi_emit_split(n, x, 1, sizes, 2, ends) ? ends[0] : -1;
    }
    return oribi_emit2(n, "ExpandDims", oribi_emit_cast(n, x, TF_FLOAT), oribi_emit_int(n, 2));
}

/* [n, k] as float. */
static oribi_value_id weights(oribi_onnx_node *n, const packed_weights *w)
{
    const int64_t wide = w->blocks * w->block;
    oribi_value_id ends[2];
    oribi_value_id x = oribi_emit_reshape(
        n, n->inputs[1], (int64_t[]){w->rows, w->blocks, w->block * w->bits / 8}, 3);
    x = w->bits == 8 ? x
                     : oribi_emit_reshape(n, unpacked(n, x, w->bits),
                                          (int64_t[]){w->rows, w->blocks, w->block}, 3);
    x = oribi_emit2(n, "Sub", oribi_emit_cast(n, x, TF_FLOAT), zero_points(n, w));
    x = oribi_emit2(n, "Mul", x,
                    oribi_emit_reshape(n, oribi_emit_cast(n, n->inputs[2], TF_FLOAT),
                                       (int64_t[]){w->rows, w->blocks, 1}, 3));
    x = oribi_emit_reshape(n, x, (int64_t[]){w->rows, wide}, 2);
    return wide == w->depth                                                             ? x
           : oribi_emit_split(n, x, 1, (int64_t[]){w->depth, wide - w->depth}, 2, ends) ? ends[0]
                                                                                        : -1;
}

/* A product whose weights stay packed: of constant ones of 4 bits. */
static bool stays_packed(oribi_onnx_node *n, const packed_weights *w)
{
    const oribi_value_id zeros = oribi_emit_input(n, 3);
    return w->bits == 4 && w->block <= MOST_BLOCK && oribi_emit_is_constant(n, n->inputs[1]) &&
           oribi_emit_is_constant(n, n->inputs[2]) &&
           (zeros < 0 || oribi_emit_is_constant(n, zeros));
}

/* Bytes as they are; else floats. */
static oribi_value_id packed_zeros(oribi_onnx_node *n, const packed_weights *w)
{
    const bool is_bits = oribi_emit_dtype(n, n->inputs[3]) == TF_UINT8;
    const int64_t dims[2] = {w->rows, is_bits ? (w->blocks + 1) / 2 : w->blocks};
    return oribi_emit_reshape(
        n, is_bits ? n->inputs[3] : oribi_emit_cast(n, n->inputs[3], TF_FLOAT), dims, 2);
}

static oribi_value_id packed_product(oribi_onnx_node *n, const packed_weights *w)
{
    const int64_t bytes[3] = {w->rows, w->blocks, w->block / 2}, each[2] = {w->rows, w->blocks};
    const bool has_zeros = oribi_emit_input(n, 3) >= 0, has_bias = oribi_emit_input(n, 5) >= 0;
    oribi_value_id inputs[5] = {
        oribi_emit_cast(n, n->inputs[0], TF_FLOAT), oribi_emit_reshape(n, n->inputs[1], bytes, 3),
        oribi_emit_reshape(n, oribi_emit_cast(n, n->inputs[2], TF_FLOAT), each, 2)};
    int32_t count = 3;
    if (has_zeros) {
        inputs[count++] = packed_zeros(n, w);
    }
    if (has_bias) {
        inputs[count++] = oribi_emit_cast(n, n->inputs[5], TF_FLOAT);
    }
    return oribi_emit(
        n, "Oribi>MatMul4Bits", inputs, count,
        ATTRS(ATTR_INT("block_size", w->block),
              ATTR_INT("accuracy_level", oribi_onnx_int(n, "accuracy_level", 0)),
              ATTR_INT("n_zeros", has_zeros), ATTR_INT("n_biases", has_bias),
              ATTR_TYPE("Tzero", has_zeros ? oribi_emit_dtype(n, inputs[3]) : TF_FLOAT)));
}

static oribi_value_id unpacked_product(oribi_onnx_node *n, const packed_weights *w)
{
    const oribi_dims perm = oribi_emit_exchange(2, 0, 1);
    const oribi_value_id b = oribi_emit_transpose(n, weights(n, w), &perm);
    const oribi_value_id y = oribi_onnx_product(n, oribi_emit_cast(n, n->inputs[0], TF_FLOAT), b);
    return oribi_emit_input(n, 5) < 0
               ? y
               : oribi_emit2(n, "AddV2", y, oribi_emit_cast(n, n->inputs[5], TF_FLOAT));
}

bool oribi_onnx_matmul_bits(oribi_onnx_node *n)
{
    packed_weights w;
    ORIBI_TRY(read_sizes(n, &w));
    if (oribi_emit_input(n, 4) >= 0) {
        return oribi_onnx_fail(n, TF_UNIMPLEMENTED, "the input g_idx");
    }
    if (oribi_emit_dtype(n, n->inputs[1]) != TF_UINT8) {
        return oribi_onnx_fail(n, TF_UNIMPLEMENTED, "weights of another type than uint8");
    }
    const TF_DataType dtype = oribi_emit_dtype(n, n->inputs[0]);
    const oribi_value_id y = stays_packed(n, &w) ? packed_product(n, &w) : unpacked_product(n, &w);
    return oribi_emit_bind(n, 0, oribi_emit_cast(n, y, dtype));
}

/* --- GatherBlockQuantized ---------------------------------------------------------------------
 */

typedef struct gathered {
    int32_t rank, gather_axis, quantize_axis;
    int64_t bits, block;
} gathered;

/* Bytes of 8 / bits numbers each, along the last axis; other types are numbers already. */
static oribi_value_id as_numbers(oribi_onnx_node *n, const gathered *g, oribi_value_id x)
{
    const TF_DataType dtype = oribi_emit_dtype(n, x);
    if (dtype != TF_UINT8 || g->bits == 8) {
        return oribi_emit_cast(n, x, dtype == TF_INT4 ? TF_INT8 : TF_UINT8);
    }
    const int64_t rest = -1;
    const oribi_value_id shape = oribi_emit_shape_of(n, x, TF_INT64);
    const oribi_value_id wanted[3] = {oribi_emit_range_of(n, shape, 0, oribi_emit_rank(n, x) - 1),
                                      oribi_emit_vector_as(n, TF_INT64, &rest, 1),
                                      oribi_emit_int(n, 0)};
    return oribi_emit2(n, "Reshape", unpacked(n, x, g->bits),
                       oribi_emit(n, "ConcatV2", wanted, 3, NO_ATTRS));
}

/* The slices that the indices name, of data, scales or zero points. */
static oribi_value_id slices(oribi_onnx_node *n, const gathered *g, oribi_value_id x)
{
    return oribi_emit3(n, "GatherV2", x, n->inputs[1], oribi_emit_int(n, g->gather_axis));
}

static bool read_gathered(oribi_onnx_node *n, gathered *g)
{
    const TF_DataType dtype = oribi_emit_dtype(n, n->inputs[0]);
    g->rank = oribi_emit_rank(n, n->inputs[0]);
    g->gather_axis = oribi_emit_axis(n, oribi_onnx_int(n, "gather_axis", 0), g->rank);
    g->quantize_axis = oribi_emit_axis(n, oribi_onnx_int(n, "quantize_axis", 1), g->rank);
    g->bits = oribi_onnx_int(n, "bits", 4);
    g->block = oribi_onnx_int(n, "block_size", 128);
    ORIBI_TRY(!n->failed);
    if (dtype != TF_INT4 && dtype != TF_UINT4 && dtype != TF_UINT8) {
        return oribi_onnx_fail(n, TF_UNIMPLEMENTED, "data of %s: uint8, int4 and uint4 are wanted",
                               oribi_dtype_name(dtype));
    }
    if (g->gather_axis == g->quantize_axis || g->block < 16 || g->block > INT32_MAX ||
        (g->bits != 2 && g->bits != 4 && g->bits != 8)) {
        return oribi_onnx_fail(n, TF_UNIMPLEMENTED,
                               "gather_axis = %d, quantize_axis = %d, block_size = %lld, bits = "
                               "%lld",
                               (int)g->gather_axis, (int)g->quantize_axis, (long long)g->block,
                               (long long)g->bits);
    }
    return true;
}

/* Rows are gathered as they are packed; what comes out is all that is ever float. An index that
 * names no row is an error here. */
bool oribi_onnx_gather_blocks(oribi_onnx_node *n)
{
    gathered g;
    ORIBI_TRY(read_gathered(n, &g));
    const oribi_value_id zeros = oribi_emit_input(n, 3);
    const oribi_value_id indices =
        oribi_emit_positive_indices(n, n->inputs[1], n->inputs[0], g.gather_axis);
    const int32_t indices_rank = oribi_emit_rank(n, n->inputs[1]);
    const int32_t axis =
        g.quantize_axis > g.gather_axis ? g.quantize_axis + indices_rank - 1 : g.quantize_axis;
    ORIBI_TRY(!n->failed);
    n->inputs[1] = indices;
    oribi_value_id x = as_numbers(n, &g, slices(n, &g, n->inputs[0]));
    const oribi_value_id count = oribi_emit_element(n, oribi_emit_shape_of(n, x, TF_INT64), axis);
    const TF_DataType dtype = oribi_emit_dtype(n, n->inputs[2]);
    const bool is_bytes = oribi_emit_dtype(n, n->inputs[0]) == TF_UINT8;
    x = oribi_emit_cast(n, x, TF_FLOAT);
    if (zeros >= 0) {
        oribi_value_id zero = oribi_emit_cast(n, as_numbers(n, &g, slices(n, &g, zeros)), TF_FLOAT);
        x = oribi_emit2(n, "Sub", x, oribi_emit_repeated(n, zero, axis, count, g.block));
    } else if (is_bytes) {
        const double middle = (double)(1 << (g.bits - 1));
        x = oribi_emit2(n, "Sub", x, oribi_emit_scalar(n, TF_FLOAT, middle));
    }
    const oribi_value_id scale = oribi_emit_cast(n, slices(n, &g, n->inputs[2]), TF_FLOAT);
    x = oribi_emit2(n, "Mul", x, oribi_emit_repeated(n, scale, axis, count, g.block));
    return oribi_emit_bind(n, 0, oribi_emit_cast(n, x, dtype));
}

/* --- FusedConv -------------------------------------------------------------------------------- */

/* Numbers of activation_params, up to two. */
static bool read_params(oribi_onnx_node *n, float out[2])
{
    oribi_onnx_attr attr;
    float *given = NULL;
    int32_t count = 0;
    if (oribi_onnx_find_attr(n, "activation_params", &attr)) {
        ORIBI_TRY(oribi_onnx_read_floats(n, &attr, &given, &count));
    }
    for (int32_t i = 0; i < count && i < 2; i++) {
        out[i] = given[i];
    }
    return !n->failed;
}

static oribi_value_id activated(oribi_onnx_node *n, oribi_value_id x)
{
    static const char *const plain[] = {"Relu", "Tanh", "Sigmoid"};
    float params[2] = {0.01F, 0};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        if (oribi_onnx_string_is(n, "activation", "", plain[i])) {
            return oribi_emit1(n, plain[i], x);
        }
    }
    params[0] = oribi_onnx_float(n, "activation_alpha", params[0]); /* of FusedGemm */
    if (!read_params(n, params)) {
        return -1;
    }
    if (oribi_onnx_string_is(n, "activation", "", "LeakyRelu")) {
        return oribi_emit(n, "LeakyRelu", INPUTS(x), ATTRS(ATTR_FLOAT("alpha", params[0])));
    }
    if (oribi_onnx_string_is(n, "activation", "", "Clip")) {
        return oribi_emit3(n, "ClipByValue", x, oribi_emit_scalar_like(n, x, (double)params[0]),
                           oribi_emit_scalar_like(n, x, (double)params[1]));
    }
    if (!n->failed && !oribi_onnx_string_is(n, "activation", "", "")) {
        oribi_onnx_fail(n, TF_UNIMPLEMENTED, "this activation");
    }
    return n->failed ? -1 : x;
}

/* A convolution, plus a fourth input, activated. */
bool oribi_onnx_fused_conv(oribi_onnx_node *n)
{
    oribi_value_id y = oribi_onnx_conv(n);
    if (oribi_emit_input(n, 3) >= 0) {
        y = oribi_emit2(n, "AddV2", y, n->inputs[3]);
    }
    return oribi_emit_bind(n, 0, activated(n, y));
}

bool oribi_onnx_fused_gemm(oribi_onnx_node *n)
{
    return oribi_emit_bind(n, 0, activated(n, oribi_onnx_gemm(n)));
}
