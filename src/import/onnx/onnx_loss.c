/* SPDX-License-Identifier: Apache-2.0 */
/* Losses: of scores [n, classes, ...] those of the classes `target` [n, ...], weighed and reduced.
 */
#include "import/onnx/onnx_emit.h"

typedef struct targets {
    oribi_value_id classes; /* 0 where they are ignored */
    oribi_value_id ignored; /* truth values; -1: none are */
} targets;

static targets read_targets(oribi_onnx_node *n, oribi_value_id given)
{
    targets t = {oribi_emit_cast(n, given, TF_INT64), -1};
    if (oribi_onnx_has_attr(n, "ignore_index")) {
        int64_t ignored = oribi_onnx_int(n, "ignore_index", 0);
        oribi_value_id index =
            oribi_emit_reshape(n, oribi_emit_vector_as(n, TF_INT64, &ignored, 1), NULL, 0);
        t.ignored = oribi_emit2(n, "Equal", t.classes, index);
        t.classes =
            oribi_emit3(n, "SelectV2", t.ignored, oribi_emit_scalar(n, TF_INT64, 0), t.classes);
    }
    return t;
}

static oribi_value_id zero_where(oribi_onnx_node *n, oribi_value_id condition, oribi_value_id x)
{
    return condition < 0
               ? x
               : oribi_emit3(n, "SelectV2", condition, oribi_emit_scalar_like(n, x, 0), x);
}

static oribi_value_id total(oribi_onnx_node *n, const char *op, oribi_value_id x)
{
    x = oribi_emit_reshape(n, x, (int64_t[]){-1}, 1);
    return oribi_emit2(n, op, x, oribi_emit_vector(n, (int64_t[]){0}, 1));
}

/* weight: one for each class, or -1. */
static oribi_value_id likelihood_loss(oribi_onnx_node *n, oribi_value_id scores,
                                      oribi_value_id target, oribi_value_id weight)
{
    const targets t = read_targets(n, target);
    const oribi_value_id places = oribi_emit2(n, "ExpandDims", t.classes, oribi_emit_int(n, 1));
    oribi_value_id x =
        oribi_emit(n, "ONNX>GatherElements", INPUTS(scores, places), ATTRS(ATTR_INT("axis", 1)));
    x = oribi_emit(n, "Squeeze", INPUTS(x), ATTRS(ATTR_INTS("squeeze_dims", ((int64_t[]){1}), 1)));
    x = zero_where(n, t.ignored, oribi_emit1(n, "Neg", x));
    oribi_value_id weights = -1;
    if (weight >= 0) {
        weights = oribi_emit3(n, "GatherV2", weight, t.classes, oribi_emit_int(n, 0));
        weights = zero_where(n, t.ignored, weights);
        x = oribi_emit2(n, "Mul", x, weights);
    } else if (t.ignored >= 0) {
        weights =
            oribi_emit_cast(n, oribi_emit1(n, "LogicalNot", t.ignored), oribi_emit_dtype(n, x));
    }
    if (oribi_onnx_string_is(n, "reduction", "mean", "none")) {
        return x;
    }
    if (oribi_onnx_string_is(n, "reduction", "mean", "sum")) {
        return total(n, "Sum", x);
    }
    if (!oribi_onnx_string_is(n, "reduction", "mean", "mean")) {
        oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "reduction is not none, sum or mean");
        return -1;
    }
    return weights < 0 ? total(n, "Mean", x)
                       : oribi_emit2(n, "RealDiv", total(n, "Sum", x), total(n, "Sum", weights));
}

static bool negative_log_likelihood(oribi_onnx_node *n)
{
    return oribi_emit_bind(n, 0,
                           likelihood_loss(n, n->inputs[0], n->inputs[1], oribi_emit_input(n, 2)));
}

static bool softmax_cross_entropy(oribi_onnx_node *n)
{
    oribi_value_id x = n->inputs[0];
    const int32_t rank = oribi_emit_rank(n, x);
    const oribi_dims perm = oribi_emit_exchange(rank, oribi_emit_axis(n, 1, rank), rank - 1);
    x = oribi_emit1(n, "LogSoftmax", oribi_emit_transpose(n, x, &perm));
    x = oribi_emit_transpose(n, x, &perm);
    return oribi_emit_bind(n, 0, likelihood_loss(n, x, n->inputs[1], oribi_emit_input(n, 2))) &&
           (!oribi_emit_wants(n, 1) || oribi_emit_bind(n, 1, x));
}

/* clang-format off */
const oribi_onnx_row oribi_onnx_loss_rows[] = {
    {"NegativeLogLikelihoodLoss", 12, 28, negative_log_likelihood, 2, 3, "ONNX>GatherElements, Neg, GatherV2, Mul, Sum, Mean, RealDiv"},
    {"SoftmaxCrossEntropyLoss", 12, 28, softmax_cross_entropy, 2, 3, "LogSoftmax, ONNX>GatherElements, Neg, GatherV2, Mul, Sum, Mean, RealDiv"},
    {NULL, 0, 0, NULL, 0, 0, NULL}};
/* clang-format on */
