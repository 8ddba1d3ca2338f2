/* SPDX-License-Identifier: Apache-2.0 */
/* One step of an optimiser: ai.onnx.preview.training, version 1. Inputs are the learning rate R,
 * the count T of steps, then the tensors, all of one role side by side.
 */
#include "import/onnx/spelled/onnx_spelled.h"

typedef struct step {
    oribi_onnx_node *n;
    oribi_value_id rate, count; /* of the type of what is optimised */
    oribi_value_id is_later;    /* than the first step: a truth value */
    int32_t n_tensors;
} step;

static oribi_value_id number(const step *s, double value)
{
    return oribi_emit_scalar_like(s->n, s->rate, value);
}

static oribi_value_id product(const step *s, oribi_value_id a, oribi_value_id b)
{
    return oribi_emit2(s->n, "Mul", a, b);
}

static oribi_value_id sum(const step *s, oribi_value_id a, oribi_value_id b)
{
    return oribi_emit2(s->n, "AddV2", a, b);
}

static oribi_value_id tensor(const step *s, int32_t role, int32_t i)
{
    return s->n->inputs[2 + role * s->n_tensors + i];
}

/* `roles` tensors go with each that is optimised. */
static bool begin(step *s, oribi_onnx_node *n, int32_t roles)
{
    *s = (step){.n = n, .n_tensors = (n->n_inputs - 2) / roles};
    if ((n->n_inputs - 2) % roles != 0 || s->n_tensors < 1) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "%d inputs", (int)n->n_inputs);
    }
    for (int32_t i = 2; i < n->n_inputs; i++) {
        if (n->inputs[i] < 0) {
            return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "input %d is required", (int)i);
        }
    }
    const TF_DataType dtype = oribi_emit_dtype(n, n->inputs[2]);
    s->rate = oribi_emit_cast(n, n->inputs[0], dtype);
    s->count = oribi_emit_cast(n, n->inputs[1], dtype);
    s->is_later = oribi_emit2(n, "Greater", s->count, number(s, 0));
    return !n->failed;
}

/* The gradient with that of norm_coefficient / 2 * |x|^2. */
static oribi_value_id gradient(const step *s, int32_t i)
{
    const double norm = (double)oribi_onnx_float(s->n, "norm_coefficient", 0.0F);
    return norm == 0 ? tensor(s, 1, i)
                     : sum(s, product(s, tensor(s, 0, i), number(s, norm)), tensor(s, 1, i));
}

/* part * old + (1 - part) * new */
static oribi_value_id blend(const step *s, double part, oribi_value_id old, oribi_value_id new)
{
    return sum(s, product(s, old, number(s, part)), product(s, new, number(s, 1 - part)));
}

/* x - rate * along */
static oribi_value_id moved(const step *s, int32_t i, oribi_value_id rate, oribi_value_id along)
{
    return oribi_emit2(s->n, "Sub", tensor(s, 0, i), product(s, rate, along));
}

static oribi_value_id root(const step *s, oribi_value_id x)
{
    const double epsilon = (double)oribi_onnx_float(s->n, "epsilon", 1e-6F);
    return sum(s, oribi_emit1(s->n, "Sqrt", x), number(s, epsilon));
}

static bool give(const step *s, int32_t role, int32_t i, oribi_value_id value)
{
    return oribi_emit_bind(s->n, role * s->n_tensors + i, value);
}

static bool adagrad(oribi_onnx_node *n)
{
    step s;
    ORIBI_TRY(begin(&s, n, 3));
    const double decay = (double)oribi_onnx_float(n, "decay_factor", 0.0F);
    const oribi_value_id slower = sum(&s, product(&s, s.count, number(&s, decay)), number(&s, 1));
    const oribi_value_id rate = oribi_emit2(n, "RealDiv", s.rate, slower);
    for (int32_t i = 0; i < s.n_tensors; i++) {
        const oribi_value_id g = gradient(&s, i);
        const oribi_value_id h = sum(&s, tensor(&s, 2, i), product(&s, g, g));
        const oribi_value_id along = oribi_emit2(n, "RealDiv", g, root(&s, h));
        ORIBI_TRY(give(&s, 0, i, moved(&s, i, rate, along)) && give(&s, 1, i, h));
    }
    return true;
}

/* 1 - base^count */
static oribi_value_id without_power(const step *s, double base)
{
    return oribi_emit2(s->n, "Sub", number(s, 1),
                       oribi_emit2(s->n, "Pow", number(s, base), s->count));
}

static bool adam(oribi_onnx_node *n)
{
    step s;
    ORIBI_TRY(begin(&s, n, 4));
    const double alpha = (double)oribi_onnx_float(n, "alpha", 0.9F);
    const double beta = (double)oribi_onnx_float(n, "beta", 0.999F);
    const double post = (double)oribi_onnx_float(n, "norm_coefficient_post", 0.0F);
    const oribi_value_id later = oribi_emit2(
        n, "RealDiv", oribi_emit1(n, "Sqrt", without_power(&s, beta)), without_power(&s, alpha));
    const oribi_value_id rate =
        oribi_emit3(n, "SelectV2", s.is_later, product(&s, s.rate, later), s.rate);
    for (int32_t i = 0; i < s.n_tensors; i++) {
        const oribi_value_id g = gradient(&s, i);
        const oribi_value_id v = blend(&s, alpha, tensor(&s, 2, i), g);
        const oribi_value_id h = blend(&s, beta, tensor(&s, 3, i), product(&s, g, g));
        oribi_value_id x = moved(&s, i, rate, oribi_emit2(n, "RealDiv", v, root(&s, h)));
        x = post == 0 ? x : product(&s, x, number(&s, 1 - post));
        ORIBI_TRY(give(&s, 0, i, x) && give(&s, 1, i, v) && give(&s, 2, i, h));
    }
    return true;
}

static bool momentum(oribi_onnx_node *n)
{
    step s;
    ORIBI_TRY(begin(&s, n, 3));
    const double alpha = (double)oribi_onnx_float(n, "alpha", 0.0F);
    const double beta = (double)oribi_onnx_float(n, "beta", 0.0F);
    const bool is_nesterov = oribi_onnx_string_is(n, "mode", "", "nesterov");
    if (!is_nesterov && !oribi_onnx_string_is(n, "mode", "", "standard")) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "mode is not standard or nesterov");
    }
    const oribi_value_id part =
        oribi_emit3(n, "SelectV2", s.is_later, number(&s, beta), number(&s, 1));
    for (int32_t i = 0; i < s.n_tensors; i++) {
        const oribi_value_id g = gradient(&s, i);
        const oribi_value_id v =
            sum(&s, product(&s, tensor(&s, 2, i), number(&s, alpha)), product(&s, g, part));
        const oribi_value_id along =
            is_nesterov ? sum(&s, g, product(&s, v, number(&s, alpha))) : v;
        ORIBI_TRY(give(&s, 0, i, moved(&s, i, s.rate, along)) && give(&s, 1, i, v));
    }
    return true;
}

/* clang-format off */
const oribi_onnx_row oribi_onnx_training_rows[] = {
    {"Adagrad", 1, 1, adagrad, 5, -1, "Mul, AddV2, Sqrt, RealDiv, Sub"},
    {"Adam", 1, 1, adam, 6, -1, "Mul, AddV2, Pow, Sqrt, RealDiv, Sub, SelectV2"},
    {"Momentum", 1, 1, momentum, 5, -1, "Mul, AddV2, Sub, SelectV2"},
    {NULL, 0, 0, NULL, 0, 0, NULL}};
/* clang-format on */
