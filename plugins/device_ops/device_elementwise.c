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

OP_CREATE(create_clip, "elementwise", "op_clip_by_value")
OP_CREATE(create_relu, "elementwise", "op_relu")
OP_CREATE(create_relu6, "elementwise", "op_relu6")
OP_CREATE(create_elu, "elementwise", "op_elu")
OP_CREATE(create_selu, "elementwise", "op_selu")
OP_CREATE(create_sigmoid, "elementwise", "op_sigmoid")
OP_CREATE(create_tanh, "elementwise", "op_tanh")
OP_CREATE(create_softplus, "elementwise", "op_softplus")
OP_CREATE(create_softsign, "elementwise", "op_softsign")
OP_CREATE(create_mish, "elementwise", "op_mish")
OP_CREATE(create_hard_swish, "elementwise", "op_hard_swish")
OP_CREATE(create_exp, "elementwise", "op_exp")
OP_CREATE(create_expm1, "elementwise", "op_expm1")
OP_CREATE(create_log, "elementwise", "op_log")
OP_CREATE(create_log1p, "elementwise", "op_log1p")
OP_CREATE(create_neg, "elementwise", "op_neg")
OP_CREATE(create_abs, "elementwise", "op_abs")
OP_CREATE(create_sqrt, "elementwise", "op_sqrt")
OP_CREATE(create_rsqrt, "elementwise", "op_rsqrt")
OP_CREATE(create_square, "elementwise", "op_square")
OP_CREATE(create_reciprocal, "elementwise", "op_reciprocal")
OP_CREATE(create_floor, "elementwise", "op_floor")
OP_CREATE(create_ceil, "elementwise", "op_ceil")
OP_CREATE(create_round, "elementwise", "op_round")
OP_CREATE(create_sign, "elementwise", "op_sign")
OP_CREATE(create_sin, "elementwise", "op_sin")
OP_CREATE(create_cos, "elementwise", "op_cos")
OP_CREATE(create_erf, "elementwise", "op_erf")
OP_CREATE(create_add, "elementwise", "op_add")
OP_CREATE(create_sub, "elementwise", "op_sub")
OP_CREATE(create_mul, "elementwise", "op_mul")
OP_CREATE(create_div, "elementwise", "op_div")
OP_CREATE(create_maximum, "elementwise", "op_maximum")
OP_CREATE(create_minimum, "elementwise", "op_minimum")
OP_CREATE(create_squared_difference, "elementwise", "op_squared_difference")
OP_CREATE(create_pow, "elementwise", "op_pow")
OP_CREATE(create_prelu, "elementwise", "op_prelu")

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
static const op_entry entries[] = {
    ROW("Relu", relu, compute_unary),
    ROW("Relu6", relu6, compute_unary),
    ROW("Elu", elu, compute_unary),
    ROW("Selu", selu, compute_unary),
    ROW("Sigmoid", sigmoid, compute_unary),
    ROW("Tanh", tanh, compute_unary),
    ROW("Softplus", softplus, compute_unary),
    ROW("Softsign", softsign, compute_unary),
    ROW("ONNX>Mish", mish, compute_unary),
    ROW("ONNX>HardSwish", hard_swish, compute_unary),
    ROW("Exp", exp, compute_unary),
    ROW("Expm1", expm1, compute_unary),
    ROW("Log", log, compute_unary),
    ROW("Log1p", log1p, compute_unary),
    ROW("Neg", neg, compute_unary),
    ROW("Abs", abs, compute_unary),
    ROW("Sqrt", sqrt, compute_unary),
    ROW("Rsqrt", rsqrt, compute_unary),
    ROW("Square", square, compute_unary),
    ROW("Reciprocal", reciprocal, compute_unary),
    ROW("Floor", floor, compute_unary),
    ROW("Ceil", ceil, compute_unary),
    ROW("Round", round, compute_unary),
    ROW("Rint", round, compute_unary),
    ROW("Sign", sign, compute_unary),
    ROW("Sin", sin, compute_unary),
    ROW("Cos", cos, compute_unary),
    ROW("Erf", erf, compute_unary),
    ROW("LeakyRelu", leaky_relu, compute_unary),
    ROW("ONNX>Celu", celu, compute_unary),
    ROW("ONNX>ThresholdedRelu", thresholded_relu, compute_unary),
    ROW("ONNX>HardSigmoid", hard_sigmoid, compute_unary),
    ROW("ONNX>Gelu", gelu, compute_unary),
    ROW("AddV2", add, compute_binary),
    ROW("Add", add, compute_binary),
    ROW("Sub", sub, compute_binary),
    ROW("Mul", mul, compute_binary),
    ROW("RealDiv", div, compute_binary),
    ROW("Div", div, compute_binary),
    ROW("Maximum", maximum, compute_binary),
    ROW("Minimum", minimum, compute_binary),
    ROW("SquaredDifference", squared_difference, compute_binary),
    ROW("Pow", pow, compute_binary),
    ROW("ONNX>PRelu", prelu, compute_binary),
    ROW("ClipByValue", clip, compute_clip),
    ROW("BiasAdd", bias_add, compute_bias_add),
};
const op_table op_elementwise_table = {entries, sizeof entries / sizeof *entries};
