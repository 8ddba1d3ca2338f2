/* SPDX-License-Identifier: Apache-2.0 */
/* Element by element, with broadcasting; BiasAdd. What each computes: code/elementwise.c. */
#include <stdlib.h>
#include <string.h>

#include "device_ops/device_walk.h"

static void compute_unary(void *state, TF_OpKernelContext *ctx)
{
    const op_kernel *kernel = state;
    const op_count *attrs = kernel->attrs; /* NULL: the op has none */
    op_request r;
    if (op_open(&r, ctx, 1) && op_output_like_x(&r)) {
        op_count p = attrs != NULL ? *attrs : (op_count){0};
        p.n = (int)TF_TensorElementCount(r.x);
        const TF_LaunchArg args[] = {op_memory(r.out), op_memory(r.x), op_value(&p, sizeof p)};
        op_enqueue(state, &r, p.n, 1, args, 3);
    }
    op_close(&r);
}

static void enqueue_walk(op_kernel *kernel, op_request *r, const op_walk *w)
{
    const TF_LaunchArg args[] = {op_memory(r->out), op_memory(r->x), op_memory(r->y),
                                 op_value(w, sizeof *w)};
    op_enqueue_strips(kernel, r, w->n, args, 4);
}

static void compute_binary(void *kernel, TF_OpKernelContext *ctx)
{
    op_request r;
    op_walk w = {0};
    if (op_open(&r, ctx, 2) && walk_broadcast(&r, &w)) {
        enqueue_walk(kernel, &r, &w);
    }
    op_close(&r);
}

static bool step_of(op_request *r, const TF_Tensor *bound, int32_t *out)
{
    const int64_t n = TF_TensorElementCount(bound);
    *out = n != 1;
    return n == 1 || n == TF_TensorElementCount(r->x) ||
           op_refuse(r, TF_INVALID_ARGUMENT, "a bound must be one number or have the shape of x");
}

static void compute_clip(void *kernel, TF_OpKernelContext *ctx)
{
    op_request r;
    op_clip p = {0};
    const TF_Tensor *high = op_open(&r, ctx, 2) ? op_other(&r, 2) : NULL;
    if (high != NULL && step_of(&r, r.y, &p.low_step) && step_of(&r, high, &p.high_step) &&
        op_output_like_x(&r)) {
        p.n = (int)TF_TensorElementCount(r.x);
        const TF_LaunchArg args[] = {op_memory(r.out), op_memory(r.x), op_memory(r.y),
                                     op_memory(high), op_value(&p, sizeof p)};
        op_enqueue(kernel, &r, p.n, 1, args, 5);
    }
    op_close(&r);
}

static void compute_bias_add(void *kernel, TF_OpKernelContext *ctx)
{
    op_kernel *own = kernel;
    op_request r;
    op_walk w = {0};
    if (op_open(&r, ctx, 2)) {
        const int rank = TF_NumDims(r.x), channel = own->is_nchw ? 1 : rank - 1;
        if (rank < 2 || TF_NumDims(r.y) != 1 || TF_Dim(r.y, 0) != TF_Dim(r.x, channel)) {
            (void)op_refuse(&r, TF_INVALID_ARGUMENT,
                            "the bias must be a vector with one value for each channel");
        } else if (op_output_like_x(&r)) {
            oribi_dims dims;
            (void)op_dims(&r, r.x, &dims);
            walk_strides(&dims, w.x);
            w.y[channel] = 1;
            walk_close(&w, &dims);
            enqueue_walk(own, &r, &w);
        }
    }
    op_close(&r);
}

/* --- Construction ---------------------------------------------------------------------------- */

/* Ops, and the functions that compute them and nothing else. */
/* clang-format off */
#define UNARY(X)                                                                                   \
    X("Relu", relu) X("Relu6", relu6) X("Elu", elu) X("Selu", selu) X("Sigmoid", sigmoid)          \
    X("Tanh", tanh) X("Softplus", softplus) X("Softsign", softsign) X("ONNX>Mish", mish)           \
    X("ONNX>HardSwish", hard_swish) X("Exp", exp) X("Expm1", expm1) X("Log", log)                  \
    X("Log1p", log1p) X("Neg", neg) X("Abs", abs) X("Sqrt", sqrt) X("Rsqrt", rsqrt)                \
    X("Square", square) X("Reciprocal", reciprocal) X("Floor", floor) X("Ceil", ceil)              \
    X("Round", round) X("Sign", sign) X("Sin", sin) X("Cos", cos) X("Erf", erf)
#define BINARY(X)                                                                                  \
    X("AddV2", add) X("Sub", sub) X("Mul", mul) X("RealDiv", div) X("Maximum", maximum)            \
    X("Minimum", minimum) X("SquaredDifference", squared_difference) X("Pow", pow)                 \
    X("ONNX>PRelu", prelu)
/* clang-format on */
#define CREATE(op, name) OP_CREATE(create_##name, "elementwise", "op_" #name)
UNARY(CREATE)
BINARY(CREATE)
OP_CREATE(create_clip, "elementwise", "op_clip_by_value")

/* A function with numbers of the node: the attributes of these names, where not NULL. */
static void *create_with(TF_OpKernelConstruction *c, const char *function, const char *alpha,
                         const char *beta)
{
    oribi_kit_setup setup;
    op_kernel *kernel = op_begin(&setup, c, "elementwise", function, sizeof(op_count));
    op_count *attrs = kernel != NULL ? kernel->attrs : NULL;
    if (attrs != NULL) {
        oribi_kit_attr_float(&setup, alpha, &attrs->alpha);
    }
    if (attrs != NULL && beta != NULL) {
        oribi_kit_attr_float(&setup, beta, &attrs->beta);
    }
    return oribi_kit_setup_end(&setup);
}

#define CREATE_WITH(name, alpha, beta)                                                             \
    static void *create_##name(TF_OpKernelConstruction *c)                                         \
    {                                                                                              \
        return create_with(c, "op_" #name, alpha, beta);                                           \
    }
CREATE_WITH(leaky_relu, "alpha", NULL)
CREATE_WITH(celu, "alpha", NULL)
CREATE_WITH(thresholded_relu, "alpha", NULL)
CREATE_WITH(hard_sigmoid, "alpha", "beta")

static void *create_gelu(TF_OpKernelConstruction *c)
{
    char text[8] = {0};
    oribi_kit_setup setup;
    op_kernel *kernel = op_begin(&setup, c, "elementwise", "op_gelu", sizeof(op_count));
    oribi_kit_attr_string(&setup, "approximate", text, sizeof text);
    if (kernel != NULL) {
        ((op_count *)kernel->attrs)->alpha = strcmp(text, "tanh") == 0 ? 1.0f : 0.0f;
    }
    return oribi_kit_setup_end(&setup);
}

static void *create_bias_add(TF_OpKernelConstruction *c)
{
    char format[8] = {0};
    oribi_kit_setup setup;
    op_kernel *kernel = op_begin(&setup, c, "elementwise", "op_add", 0);
    oribi_kit_attr_string(&setup, "data_format", format, sizeof format);
    if (kernel != NULL) {
        kernel->is_nchw = strncmp(format, "NC", 2) == 0;
    }
    return oribi_kit_setup_end(&setup);
}

#define ROW(op, name, compute)                                                                     \
    {                                                                                              \
        op, "elementwise", create_##name, compute,                                                 \
        {                                                                                          \
            NULL                                                                                   \
        }                                                                                          \
    }
#define UNARY_ROW(op, name)  ROW(op, name, compute_unary),
#define BINARY_ROW(op, name) ROW(op, name, compute_binary),
static const op_entry entries[] = {
    UNARY(UNARY_ROW) BINARY(BINARY_ROW) ROW("Rint", round, compute_unary),
    ROW("LeakyRelu", leaky_relu, compute_unary),
    ROW("ONNX>Celu", celu, compute_unary),
    ROW("ONNX>ThresholdedRelu", thresholded_relu, compute_unary),
    ROW("ONNX>HardSigmoid", hard_sigmoid, compute_unary),
    ROW("ONNX>Gelu", gelu, compute_unary),
    ROW("Add", add, compute_binary),
    ROW("Div", div, compute_binary),
    ROW("ClipByValue", clip, compute_clip),
    ROW("BiasAdd", bias_add, compute_bias_add),
};
const op_table op_elementwise_table = {entries, sizeof entries / sizeof *entries};
