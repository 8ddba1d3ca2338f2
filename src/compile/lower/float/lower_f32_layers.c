/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of float layers with weights: convolutions and dense layers, with what the fuse pass
 * made them take along. Read next: micro/conv/conv2d_f32.h.
 */
#include <string.h>

#include "compile/lower/args_table.h"
#include "compile/lower/float/lower_f32.h"
#include "compile/lower/lower_parts.h"
#include "micro/transposed/transpose_conv_f32.h"
#include "micro/dense/matmul_f32.h"
#include "micro/unary/activation_f32.h"
#include "micro/conv/conv2d_f32_prepare.h"
#include "micro/depthwise/depthwise_conv2d_f32.h"
#include "tensor/status.h"

enum { HEIGHT = 1, WIDTH = 2, DEPTH = 3 };

typedef struct epilogue {
    const float *bias;
    int32_t residual; /* input of the node; -1: none */
    int32_t activation;
    float alpha;
} epilogue;

static bool take_word(const oribi_call *call, const oribi_string *word, int32_t *next_input,
                      epilogue *out)
{
    static const struct {
        const char *word;
        int32_t activation;
    } words[] = {{"Relu", ORIBI_MICRO_RELU_F32},
                 {"Relu6", ORIBI_MICRO_RELU6_F32},
                 {"LeakyRelu", ORIBI_MICRO_LEAKY_RELU_F32}};
    if (oribi_lower_word(word, "BiasAdd")) {
        ++*next_input; /* read by the caller */
        return true;
    }
    if (oribi_lower_word(word, "Add")) {
        out->residual = (*next_input)++;
        return true;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (oribi_lower_word(word, words[i].word)) {
            out->activation = words[i].activation;
            out->alpha = oribi_lower_float(call, "leakyrelu_alpha");
            return true;
        }
    }
    return false;
}

/* Reads fused_ops; an op without them has an empty epilogue. */
static bool read_epilogue(oribi_lowering *lowering, oribi_call *call, int32_t channels,
                          epilogue *out)
{
    const oribi_attr *attr = oribi_attrs_find(&call->node->attrs, "fused_ops");
    int32_t next_input = 2;
    *out = (epilogue){.residual = -1};
    for (int32_t i = 0; attr != NULL && i < attr->count; i++) {
        if (!take_word(call, &attr->u.s[i], &next_input, out)) {
            return oribi_lower_refuse(lowering, call, "fuses an op that cannot be compiled");
        }
    }
    if (attr != NULL && attr->count > 0 && oribi_lower_word(&attr->u.s[0], "BiasAdd")) {
        out->bias = oribi_lower_constant(lowering, call, 2, TF_FLOAT);
        ORIBI_TRY(out->bias != NULL);
        if (oribi_lower_count(oribi_lower_input(lowering, call, 2)) != channels) {
            return oribi_lower_refuse(lowering, call, "has a bias of the wrong length");
        }
    }
    return true;
}

/* The kernel's inputs (x, residual); the output may lie on the residual. */
static bool take_inputs(oribi_lowering *lowering, oribi_call *call, const epilogue *e)
{
    const bool adds = e->residual >= 0;
    if (adds) {
        call->aliases[call->n_aliases++] = (oribi_call_alias){1, true, 0};
    }
    return oribi_call_take(lowering, call, (const int32_t[]){0, adds ? e->residual : 0}, 2);
}

/* The members of kernels that have an epilogue. */
#define SET_EPILOGUE(args, e)                                                                      \
    do {                                                                                           \
        (args)->bias = (e)->bias;                                                                  \
        (args)->adds = (e)->residual >= 0;                                                         \
        (args)->activation = (e)->activation;                                                      \
        (args)->alpha = (e)->alpha;                                                                \
    } while (0)

/* --- Convolutions ---------------------------------------------------------------------------- */

typedef struct geometry {
    int32_t in[4], out[4], filter[4];
    struct oribi_micro_axis axes[2];
} geometry;

static bool read_geometry(oribi_lowering *lowering, const oribi_call *call, geometry *g)
{
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_input(lowering, call, 0), g->in));
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_input(lowering, call, 1), g->filter));
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_output(lowering, call), g->out));
    return oribi_lower_axes(lowering, call, g->in, g->out, g->filter, g->axes);
}

/* The members of kernels that have windows. */
#define SET_GEOMETRY(args, g)                                                                      \
    do {                                                                                           \
        (args)->batch = (g)->in[0];                                                                \
        (args)->in_h = (g)->in[HEIGHT];                                                            \
        (args)->in_w = (g)->in[WIDTH];                                                             \
        (args)->in_c = (g)->in[DEPTH];                                                             \
        (args)->out_h = (g)->out[HEIGHT];                                                          \
        (args)->out_w = (g)->out[WIDTH];                                                           \
        (args)->filter_h = (g)->filter[0];                                                         \
        (args)->filter_w = (g)->filter[1];                                                         \
        (args)->stride_h = (g)->axes[0].stride;                                                    \
        (args)->stride_w = (g)->axes[1].stride;                                                    \
        (args)->dilation_h = (g)->axes[0].dilation;                                                \
        (args)->dilation_w = (g)->axes[1].dilation;                                                \
        (args)->before_h = (g)->axes[0].before;                                                    \
        (args)->before_w = (g)->axes[1].before;                                                    \
    } while (0)

/* Packs a filter of taps by channels that is input 1. NULL: with a message. */
static const float *pack_filter(oribi_lowering *lowering, const oribi_call *call, int64_t taps,
                                int32_t channels, int32_t groups, bool is_transposed)
{
    float *packed =
        oribi_claim_array(lowering->arena, (size_t)taps * (size_t)channels, 4, lowering->status);
    if (packed == NULL) {
        return NULL;
    }
    TF_Tensor *tensor = oribi_lower_constant_tensor(lowering, call, 1, TF_FLOAT);
    if (tensor == NULL) {
        return NULL;
    }
    const struct oribi_micro_filter_f32 filter = {
        TF_TensorData(tensor), is_transposed ? 1 : channels, is_transposed ? taps : 1};
    oribi_micro_conv2d_f32_pack(&filter, taps, channels, groups, packed);
    TF_DeleteTensor(tensor);
    return packed;
}

/* The call of a convolution, its macs apart. */
static bool set_convolution(oribi_lowering *lowering, oribi_call *call, const geometry *g,
                            const epilogue *e, int32_t groups, bool is_transposed)
{
    const int32_t out_c = g->filter[3];
    const int64_t taps = (int64_t)g->filter[0] * g->filter[1] * g->filter[2];
    struct oribi_micro_conv2d_f32_args args = {.out_c = out_c, .groups = groups};
    args.filter = pack_filter(lowering, call, taps, out_c, groups, is_transposed);
    ORIBI_TRY(args.filter != NULL);
    SET_GEOMETRY(&args, g);
    SET_EPILOGUE(&args, e);
    ORIBI_TRY(ORIBI_CALL_SET(lowering, call, ORIBI_LOWER_FMA(lowering, conv2d), conv2d_f32, &args));
    ORIBI_CALL_PLACE(call, &args, filter, taps * out_c);
    ORIBI_CALL_PLACE(call, &args, bias, out_c);
    return take_inputs(lowering, call, e);
}

bool oribi_lower_conv2d_f32(oribi_lowering *lowering, oribi_call *call)
{
    geometry g;
    epilogue e;
    ORIBI_TRY(oribi_lower_is_f32(lowering, call));
    ORIBI_TRY(read_geometry(lowering, call, &g));
    const int32_t out_c = g.filter[3], depth = g.filter[2];
    const int64_t taps = (int64_t)g.filter[0] * g.filter[1] * depth;
    ORIBI_TRY(read_epilogue(lowering, call, out_c, &e));
    if (depth < 1 || g.in[DEPTH] % depth != 0 || out_c % (g.in[DEPTH] / depth) != 0) {
        return oribi_lower_refuse(lowering, call, "has groups that do not divide its channels");
    }
    call->macs = taps * g.in[0] * g.out[HEIGHT] * g.out[WIDTH] * out_c;
    return set_convolution(lowering, call, &g, &e, g.in[DEPTH] / depth, false);
}

bool oribi_lower_depthwise_f32(oribi_lowering *lowering, oribi_call *call)
{
    geometry g;
    epilogue e;
    ORIBI_TRY(oribi_lower_is_f32(lowering, call));
    ORIBI_TRY(read_geometry(lowering, call, &g));
    const int32_t channels = g.out[DEPTH];
    const int64_t taps = (int64_t)g.filter[0] * g.filter[1];
    ORIBI_TRY(read_epilogue(lowering, call, channels, &e));
    struct oribi_micro_depthwise_conv2d_f32_args args = {.multiplier = g.filter[3]};
    args.filter = oribi_lower_constant(lowering, call, 1, TF_FLOAT);
    ORIBI_TRY(args.filter != NULL);
    SET_GEOMETRY(&args, &g);
    SET_EPILOGUE(&args, &e);
    call->macs = taps * g.in[0] * g.out[HEIGHT] * g.out[WIDTH] * channels;
    ORIBI_TRY(ORIBI_CALL_SET(lowering, call, ORIBI_LOWER_FMA(lowering, depthwise_conv2d),
                             depthwise_conv2d_f32, &args));
    ORIBI_CALL_PLACE(call, &args, filter, taps * channels);
    ORIBI_CALL_PLACE(call, &args, bias, channels);
    return take_inputs(lowering, call, &e);
}

/* Inputs: sizes of the result, filter [h, w, out, in], values. The window is that of the
 * convolution that would turn the result into the values. */
bool oribi_lower_transpose_conv_f32(oribi_lowering *lowering, oribi_call *call)
{
    geometry g;
    ORIBI_TRY(oribi_lower_is_plain(lowering, call));
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_input(lowering, call, 2), g.in));
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_input(lowering, call, 1), g.filter));
    ORIBI_TRY(oribi_lower_dims(lowering, call, oribi_lower_output(lowering, call), g.out));
    if (oribi_lower_output(lowering, call)->dtype != TF_FLOAT || g.filter[3] != g.in[DEPTH] ||
        g.filter[2] != g.out[DEPTH]) {
        return oribi_lower_refuse(lowering, call, "compiles for float elements, one group");
    }
    ORIBI_TRY(oribi_lower_axes(lowering, call, g.out, g.in, g.filter, g.axes));
    struct oribi_micro_transpose_conv_f32_args args = {.out_c = g.out[DEPTH]};
    SET_GEOMETRY(&args, &g);
    call->macs = oribi_lower_count(oribi_lower_input(lowering, call, 2)) * g.filter[0] *
                 g.filter[1] * g.out[DEPTH];
    return oribi_call_take(lowering, call, (const int32_t[]){1, 2}, 2) &&
           ORIBI_CALL_SET(lowering, call, ORIBI_LOWER_FMA(lowering, transpose_conv),
                          transpose_conv_f32, &args);
}

/* --- Products of matrices -------------------------------------------------------------------- */

/* A dense layer: a convolution of one row of pixels by a 1x1 filter. */
static bool lower_dense(oribi_lowering *lowering, oribi_call *call, int32_t rows, int32_t inner,
                        int32_t columns, bool is_transposed)
{
    const geometry g = {.in = {1, 1, rows, inner},
                        .out = {1, 1, rows, columns},
                        .filter = {1, 1, inner, columns},
                        .axes = {{.stride = 1, .dilation = 1}, {.stride = 1, .dilation = 1}}};
    epilogue e;
    ORIBI_TRY(read_epilogue(lowering, call, columns, &e));
    call->macs = (int64_t)rows * inner * columns;
    return set_convolution(lowering, call, &g, &e, 1, is_transposed);
}

static int64_t matrices(const oribi_value *value)
{
    const int32_t rank = value->shape.rank;
    const int64_t each = value->shape.dims[rank - 1] * value->shape.dims[rank - 2];
    return each > 0 ? oribi_lower_count(value) / each : 0;
}

/* Both have two dimensions at least. */
static bool read_batches(oribi_lowering *lowering, const oribi_call *call, const oribi_value *a,
                         const oribi_value *b, struct oribi_micro_broadcast *out)
{
    oribi_sizes a_dims, b_dims;
    ORIBI_TRY(oribi_lower_sizes(lowering, call, a, &a_dims, NULL) &&
              oribi_lower_sizes(lowering, call, b, &b_dims, NULL));
    const int32_t code =
        oribi_micro_broadcast_resolve(a_dims.at, a_dims.n - 2, b_dims.at, b_dims.n - 2, out);
    return oribi_lower_check(lowering, call, code);
}

bool oribi_lower_matmul_f32(oribi_lowering *lowering, oribi_call *call)
{
    const oribi_value *a = oribi_lower_input(lowering, call, 0);
    const oribi_value *b = oribi_lower_input(lowering, call, 1);
    const bool flips_a = oribi_lower_bool(call, "transpose_a") || oribi_lower_bool(call, "adj_x");
    const bool flips_b = oribi_lower_bool(call, "transpose_b") || oribi_lower_bool(call, "adj_y");
    ORIBI_TRY(oribi_lower_is_f32(lowering, call));
    const int32_t a_rank = a->shape.rank, b_rank = b->shape.rank;
    const bool is_fused = oribi_attrs_find(&call->node->attrs, "fused_ops") != NULL;
    if (a_rank < 2 || b_rank < 2 || (is_fused && (b->constant == NULL || flips_a))) {
        return oribi_lower_refuse(lowering, call,
                                  "multiplies elements of a type that cannot be compiled");
    }
    const int32_t a0 = (int32_t)a->shape.dims[a_rank - 2], a1 = (int32_t)a->shape.dims[a_rank - 1];
    const int32_t b0 = (int32_t)b->shape.dims[b_rank - 2], b1 = (int32_t)b->shape.dims[b_rank - 1];
    const int32_t rows = flips_a ? a1 : a0, inner = flips_a ? a0 : a1, columns = flips_b ? b0 : b1;
    const int64_t n_a = matrices(a), n_b = matrices(b);
    if (b->constant != NULL && !flips_a && n_b == 1) {
        return lower_dense(lowering, call, (int32_t)(rows * n_a), inner, columns, flips_b);
    }
    struct oribi_micro_matmul_f32_args args = {
        .rows = rows,
        .inner = inner,
        .columns = columns,
        .a_row = flips_a ? 1 : inner,
        .a_column = flips_a ? rows : 1,
        .b_row = flips_b ? 1 : columns,
        .b_column = flips_b ? inner : 1,
    };
    call->n_inputs = 2;
    call->macs = oribi_lower_count(oribi_lower_output(lowering, call)) * inner;
    return read_batches(lowering, call, a, b, &args.batch) &&
           ORIBI_CALL_SET(lowering, call, ORIBI_LOWER_FMA(lowering, matmul), matmul_f32, &args);
}
