/* SPDX-License-Identifier: Apache-2.0 */
/* Activations, clipping, softmax. Those that TensorFlow has no op for become the formula of the
 * ONNX specification.
 */
#include <math.h>

#include "import/onnx/onnx_emit.h"

static bool unary(oribi_onnx_node *n)
{
    return oribi_emit_bind(n, 0, oribi_emit1(n, n->row->into, n->inputs[0]));
}

static oribi_value_id like(oribi_onnx_node *n, double value)
{
    return oribi_emit_scalar_like(n, n->inputs[0], value);
}

static bool leaky_relu(oribi_onnx_node *n)
{
    float alpha = oribi_onnx_float(n, "alpha", 0.01f);
    return oribi_emit_bind(
        n, 0, oribi_emit(n, "LeakyRelu", INPUTS(n->inputs[0]), ATTRS(ATTR_FLOAT("alpha", alpha))));
}

/* max(x, 0) + scale * expm1(min(x, 0) / divisor) */
static oribi_value_id exponential_unit(oribi_onnx_node *n, double scale, double divisor)
{
    oribi_value_id x = n->inputs[0], zero = like(n, 0);
    oribi_value_id low = oribi_emit2(n, "Minimum", x, zero);
    if (divisor != 1.0) {
        low = oribi_emit2(n, "RealDiv", low, like(n, divisor));
    }
    low = oribi_emit2(n, "Mul", oribi_emit1(n, "Expm1", low), like(n, scale));
    return oribi_emit2(n, "AddV2", oribi_emit2(n, "Maximum", x, zero), low);
}

static bool elu(oribi_onnx_node *n)
{
    float alpha = oribi_onnx_float(n, "alpha", 1.0f);
    oribi_value_id y = alpha == 1.0f ? oribi_emit1(n, "Elu", n->inputs[0])
                                     : exponential_unit(n, (double)alpha, 1.0);
    return oribi_emit_bind(n, 0, y);
}

static bool celu(oribi_onnx_node *n)
{
    double alpha = (double)oribi_onnx_float(n, "alpha", 1.0f);
    return oribi_emit_bind(n, 0, exponential_unit(n, alpha, alpha));
}

static bool selu(oribi_onnx_node *n)
{
    const float standard_alpha = 1.67326319217681884765625f;
    const float standard_gamma = 1.05070102214813232421875f;
    float alpha = oribi_onnx_float(n, "alpha", standard_alpha);
    float gamma = oribi_onnx_float(n, "gamma", standard_gamma);
    if (alpha == standard_alpha && gamma == standard_gamma) {
        return oribi_emit_bind(n, 0, oribi_emit1(n, "Selu", n->inputs[0]));
    }
    oribi_value_id y = exponential_unit(n, (double)alpha, 1.0);
    return oribi_emit_bind(n, 0, oribi_emit2(n, "Mul", y, like(n, (double)gamma)));
}

static oribi_value_id hard_sigmoid_of(oribi_onnx_node *n, float alpha, float beta)
{
    oribi_value_id y = oribi_emit2(n, "Mul", n->inputs[0], like(n, (double)alpha));
    y = oribi_emit2(n, "AddV2", y, like(n, (double)beta));
    return oribi_emit3(n, "ClipByValue", y, like(n, 0), like(n, 1));
}

static bool hard_sigmoid(oribi_onnx_node *n)
{
    float alpha = oribi_onnx_float(n, "alpha", 0.2f), beta = oribi_onnx_float(n, "beta", 0.5f);
    return oribi_emit_bind(n, 0, hard_sigmoid_of(n, alpha, beta));
}

static bool hard_swish(oribi_onnx_node *n)
{
    oribi_value_id gate = hard_sigmoid_of(n, 1.0f / 6.0f, 0.5f);
    return oribi_emit_bind(n, 0, oribi_emit2(n, "Mul", n->inputs[0], gate));
}

static oribi_value_id swish_of(oribi_onnx_node *n)
{
    float alpha = oribi_onnx_float(n, "alpha", 1.0f);
    oribi_value_id gate = n->inputs[0];
    if (alpha != 1.0f) {
        gate = oribi_emit2(n, "Mul", gate, like(n, (double)alpha));
    }
    return oribi_emit2(n, "Mul", n->inputs[0], oribi_emit1(n, "Sigmoid", gate));
}

static bool swish(oribi_onnx_node *n)
{
    return oribi_emit_bind(n, 0, swish_of(n));
}

static bool swiglu(oribi_onnx_node *n)
{
    return oribi_emit_bind(n, 0, oribi_emit2(n, "Mul", swish_of(n), n->inputs[1]));
}

static bool mish(oribi_onnx_node *n)
{
    oribi_value_id gate = oribi_emit1(n, "Tanh", oribi_emit1(n, "Softplus", n->inputs[0]));
    return oribi_emit_bind(n, 0, oribi_emit2(n, "Mul", n->inputs[0], gate));
}

/* "none": x/2 (1 + erf(x / sqrt 2)); "tanh": x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))). */
oribi_value_id oribi_onnx_gelu(oribi_onnx_node *n, oribi_value_id x, bool by_tanh)
{
    oribi_value_id gate;
    if (by_tanh) {
        oribi_value_id cube = oribi_emit2(n, "Mul", oribi_emit1(n, "Square", x), x);
        gate = oribi_emit2(n, "AddV2", x, oribi_emit2(n, "Mul", cube, like(n, 0.044715)));
        gate = oribi_emit1(n, "Tanh", oribi_emit2(n, "Mul", gate, like(n, 0.7978845608028654)));
    } else {
        gate = oribi_emit1(n, "Erf", oribi_emit2(n, "Mul", x, like(n, 0.7071067811865476)));
    }
    gate = oribi_emit2(n, "AddV2", gate, like(n, 1));
    oribi_value_id half = oribi_emit2(n, "Mul", x, like(n, 0.5));
    return oribi_emit2(n, "Mul", half, gate);
}

static bool gelu(oribi_onnx_node *n)
{
    const bool by_tanh = oribi_onnx_string_is(n, "approximate", "none", "tanh");
    return oribi_emit_bind(n, 0, oribi_onnx_gelu(n, n->inputs[0], by_tanh));
}

static bool thresholded_relu(oribi_onnx_node *n)
{
    double alpha = (double)oribi_onnx_float(n, "alpha", 1.0f);
    oribi_value_id keep = oribi_emit2(n, "Greater", n->inputs[0], like(n, alpha));
    return oribi_emit_bind(n, 0, oribi_emit3(n, "SelectV2", keep, n->inputs[0], like(n, 0)));
}

static bool shrink(oribi_onnx_node *n)
{
    oribi_value_id x = n->inputs[0];
    double lambda = (double)oribi_onnx_float(n, "lambd", 0.5f);
    double bias = (double)oribi_onnx_float(n, "bias", 0.0f);
    oribi_value_id low = oribi_emit2(n, "Less", x, like(n, -lambda));
    oribi_value_id high = oribi_emit2(n, "Greater", x, like(n, lambda));
    oribi_value_id y =
        oribi_emit3(n, "SelectV2", high, oribi_emit2(n, "Sub", x, like(n, bias)), like(n, 0));
    y = oribi_emit3(n, "SelectV2", low, oribi_emit2(n, "AddV2", x, like(n, bias)), y);
    return oribi_emit_bind(n, 0, y);
}

static bool prelu(oribi_onnx_node *n)
{
    oribi_value_id x = n->inputs[0], slope = n->inputs[1], zero = like(n, 0);
    if (n->opset < 7) { /* of each channel, or one */
        const int32_t rank = oribi_emit_rank(n, x), own = oribi_emit_rank(n, slope);
        slope = own == 1 && rank > 2 ? oribi_emit_along_axis(n, slope, 1, rank) : slope;
    }
    oribi_value_id low = oribi_emit2(n, "Mul", oribi_emit2(n, "Minimum", x, zero), slope);
    return oribi_emit_bind(n, 0, oribi_emit2(n, "AddV2", oribi_emit2(n, "Maximum", x, zero), low));
}

/* Bounds that are absent are -1. */
static bool clip_between(oribi_onnx_node *n, oribi_value_id low, oribi_value_id high)
{
    oribi_value_id x = n->inputs[0];
    double low_value = NAN, high_value = NAN;
    bool is_relu6 = oribi_emit_is_float(n, x) && oribi_emit_known_scalar(n, low, &low_value) &&
                    oribi_emit_known_scalar(n, high, &high_value) && low_value == 0.0 &&
                    high_value == 6.0;
    if (is_relu6) {
        return oribi_emit_bind(n, 0, oribi_emit1(n, "Relu6", x));
    }
    if (low < 0 && high < 0) {
        return oribi_emit_bind(n, 0, oribi_emit1(n, "Identity", x));
    }
    /* ONNX: min(max(x, low), high), also where low is above high. */
    oribi_value_id y = low < 0 ? x : oribi_emit2(n, "Maximum", x, low);
    return oribi_emit_bind(n, 0, high < 0 ? y : oribi_emit2(n, "Minimum", y, high));
}

static bool clip(oribi_onnx_node *n)
{
    return clip_between(n, oribi_emit_input(n, 1), oribi_emit_input(n, 2));
}

static bool clip_by_attributes(oribi_onnx_node *n)
{
    bool has_low = oribi_onnx_has_attr(n, "min"), has_high = oribi_onnx_has_attr(n, "max");
    float low = oribi_onnx_float(n, "min", 0), high = oribi_onnx_float(n, "max", 0);
    return clip_between(n, has_low ? like(n, (double)low) : -1,
                        has_high ? like(n, (double)high) : -1);
}

/* --- Softmax --------------------------------------------------------------------------------- */

typedef oribi_value_id (*last_axis_fn)(oribi_onnx_node *n, oribi_value_id x);

static oribi_value_id softmax_last(oribi_onnx_node *n, oribi_value_id x)
{
    return oribi_emit1(n, "Softmax", x);
}

static oribi_value_id log_softmax_last(oribi_onnx_node *n, oribi_value_id x)
{
    return oribi_emit1(n, "LogSoftmax", x);
}

/* One at the first largest element. */
static oribi_value_id hardmax_last(oribi_onnx_node *n, oribi_value_id x)
{
    int32_t last = oribi_emit_rank(n, x) - 1;
    int64_t dim = oribi_emit_dim(n, x, last);
    oribi_value_id index = oribi_emit2(n, "ArgMax", x, oribi_emit_int(n, last));
    oribi_value_id depth = dim >= 0
                               ? oribi_emit_int(n, dim)
                               : oribi_emit_element(n, oribi_emit_shape_of(n, x, TF_INT32), last);
    return oribi_emit(n, "OneHot", INPUTS(index, depth, like(n, 1), like(n, 0)), NO_ATTRS);
}

/* Over one axis, since opset 13. */
static oribi_value_id over_axis(oribi_onnx_node *n, oribi_value_id x, last_axis_fn op)
{
    int32_t rank = oribi_emit_rank(n, x);
    int32_t axis = oribi_emit_axis(n, oribi_onnx_int(n, "axis", -1), rank);
    if (n->failed) {
        return -1;
    }
    if (rank == 4 && axis == 1) { /* the layout that convolutions leave behind */
        return oribi_emit_to_nchw(n, op(n, oribi_emit_to_nhwc(n, x)));
    }
    const oribi_dims perm = oribi_emit_exchange(rank, axis, rank - 1);
    x = oribi_emit_transpose(n, x, &perm);
    return oribi_emit_transpose(n, op(n, x), &perm);
}

/* Over the input as a matrix whose rows start at axis, before opset 13. */
static oribi_value_id over_matrix(oribi_onnx_node *n, oribi_value_id x, last_axis_fn op)
{
    int32_t rank = oribi_emit_rank(n, x);
    int64_t given = oribi_onnx_int(n, "axis", 1), columns = 1;
    int32_t axis = given == rank ? rank : oribi_emit_axis(n, given, rank);
    if (n->failed) {
        return -1;
    }
    if (axis == rank - 1) {
        return op(n, x);
    }
    for (int32_t i = axis; i < rank; i++) {
        int64_t dim = oribi_emit_dim(n, x, i);
        if (dim < 0) {
            oribi_onnx_want_shapes(n, "dimension %d must be known", (int)i);
            return -1;
        }
        if (__builtin_mul_overflow(columns, dim, &columns)) {
            oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "the input has too many elements");
            return -1;
        }
    }
    int64_t matrix[] = {-1, columns};
    oribi_value_id shape = oribi_emit_shape_of(n, x, TF_INT32);
    oribi_value_id y = op(n, oribi_emit_reshape(n, x, matrix, 2));
    return oribi_emit2(n, "Reshape", y, shape);
}

static bool normalised(oribi_onnx_node *n, last_axis_fn op)
{
    const oribi_value_id x = n->inputs[0];
    return oribi_emit_bind(n, 0, n->opset < 13 ? over_matrix(n, x, op) : over_axis(n, x, op));
}

oribi_value_id oribi_onnx_softmax(oribi_onnx_node *n, oribi_value_id x, int64_t opset)
{
    return opset < 13 ? over_matrix(n, x, softmax_last) : over_axis(n, x, softmax_last);
}

static bool softmax(oribi_onnx_node *n)
{
    return normalised(n, softmax_last);
}

static bool log_softmax(oribi_onnx_node *n)
{
    return normalised(n, log_softmax_last);
}

static bool hardmax(oribi_onnx_node *n)
{
    return normalised(n, hardmax_last);
}

/* clang-format off */
const oribi_onnx_row oribi_onnx_activation_rows[] = {
    {"Relu", 6, 28, unary, 1, 1, "Relu"},
    {"Sigmoid", 6, 28, unary, 1, 1, "Sigmoid"},
    {"Softplus", 1, 28, unary, 1, 1, "Softplus"},
    {"Softsign", 1, 28, unary, 1, 1, "Softsign"},
    {"Tanh", 6, 28, unary, 1, 1, "Tanh"},
    {"Celu", 12, 28, celu, 1, 1, "Minimum, Expm1, Mul, Maximum, AddV2"},
    {"Clip", 6, 10, clip_by_attributes, 1, 1, "Relu6, Maximum, Minimum, Identity"},
    {"Clip", 11, 28, clip, 1, 3, "Relu6, Maximum, Minimum, Identity"},
    {"Elu", 6, 28, elu, 1, 1, "Elu"},
    {"Gelu", 20, 28, gelu, 1, 1, "Erf, Tanh, Mul, AddV2"},
    {"HardSigmoid", 6, 28, hard_sigmoid, 1, 1, "Mul, AddV2, ClipByValue"},
    {"HardSwish", 14, 28, hard_swish, 1, 1, "Mul, AddV2, ClipByValue"},
    {"Hardmax", 1, 28, hardmax, 1, 1, "ArgMax, OneHot"},
    {"LeakyRelu", 6, 28, leaky_relu, 1, 1, "LeakyRelu"},
    {"LogSoftmax", 1, 28, log_softmax, 1, 1, "LogSoftmax"},
    {"Mish", 18, 28, mish, 1, 1, "Softplus, Tanh, Mul"},
    {"PRelu", 1, 28, prelu, 2, 2, "Minimum, Mul, Maximum, AddV2"},
    {"Selu", 6, 28, selu, 1, 1, "Selu"},
    {"Shrink", 9, 28, shrink, 1, 1, "Less, Greater, SelectV2"},
    {"Softmax", 1, 28, softmax, 1, 1, "Softmax"},
    {"SwiGLU", 28, 28, swiglu, 2, 2, "Sigmoid, Mul"},
    {"Swish", 24, 28, swish, 1, 1, "Sigmoid, Mul"},
    {"ThresholdedRelu", 10, 28, thresholded_relu, 1, 1, "Greater, SelectV2"},
    {NULL, 0, 0, NULL, 0, 0, NULL}};
/* clang-format on */
