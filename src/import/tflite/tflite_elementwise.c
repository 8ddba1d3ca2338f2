/* SPDX-License-Identifier: Apache-2.0 */
/* Element by element: arithmetic, comparisons, activations. */
#include "import/tflite/tflite.h"

typedef bool quantised_function(oribi_tflite_node *n, const char *op, int64_t activation);

static bool binary(oribi_tflite_node *n, quantised_function *quantised, const char *quantised_op)
{
    int64_t activation = oribi_tflite_byte(n, 0, 0);
    if (oribi_tflite_is_quantised(n, 0) && quantised != NULL) {
        return quantised(n, quantised_op, activation);
    }
    if (oribi_tflite_dtype_in(n, 0) != TF_FLOAT && n->inputs[0]->scales.count > 0) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED, "not supported for quantised tensors");
    }
    oribi_value_id y = oribi_tflite_emit(
        n, n->row->into, INPUTS(oribi_tflite_input(n, 0), oribi_tflite_input(n, 1)), NO_ATTRS);
    return oribi_tflite_bind(n, 0, oribi_tflite_activate(n, y, activation));
}

static bool add(oribi_tflite_node *n)
{
    return binary(n, oribi_tflite_q_sum, "Oribi>QAdd");
}

static bool sub(oribi_tflite_node *n)
{
    return binary(n, oribi_tflite_q_sum, "Oribi>QSub");
}

static bool mul(oribi_tflite_node *n)
{
    return binary(n, oribi_tflite_q_product, "Oribi>QMul");
}

static bool divide(oribi_tflite_node *n)
{
    return binary(n, NULL, NULL);
}

/* Largest and smallest of quantised elements are those of the numbers when all scales agree. */
static bool extreme(oribi_tflite_node *n)
{
    const bool is_quantised = oribi_tflite_is_quantised(n, 0);
    if (is_quantised && (!oribi_tflite_same_quant(n, n->inputs[0], n->outputs[0]) ||
                         !oribi_tflite_same_quant(n, n->inputs[1], n->outputs[0]))) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED,
                                 "operands with different scales are not supported");
    }
    return is_quantised ? oribi_tflite_translate_copy(n) : oribi_tflite_translate_plain(n);
}

/* uint8 is TensorFlow Lite's in either variant. */
static bool is_bytes(const oribi_tflite_node *n)
{
    return oribi_tflite_is_int8(n) ||
           (oribi_tflite_dtype_in(n, 0) == TF_UINT8 && n->inputs[0]->scales.count > 0);
}

static bool unary(oribi_tflite_node *n, const char *function)
{
    return oribi_tflite_is_quantised(n, 0) ? oribi_tflite_q_unary(n, function, 0.0f)
                                           : oribi_tflite_translate_plain(n);
}

/* Ops that TFLite has for bytes alone. */
static bool unary_of_bytes(oribi_tflite_node *n, const char *function)
{
    return is_bytes(n) ? oribi_tflite_q_unary(n, function, 0.0f) : oribi_tflite_translate_plain(n);
}

static bool logistic(oribi_tflite_node *n)
{
    return unary(n, "LOGISTIC");
}

static bool tanh_(oribi_tflite_node *n)
{
    return unary(n, "TANH");
}

static bool relu(oribi_tflite_node *n)
{
    return unary(n, "RELU");
}

static bool relu6(oribi_tflite_node *n)
{
    return unary(n, "RELU6");
}

static bool hard_swish(oribi_tflite_node *n)
{
    return unary_of_bytes(n, "HARD_SWISH");
}

static bool prelu(oribi_tflite_node *n)
{
    return is_bytes(n) ? oribi_tflite_q_prelu(n) : oribi_tflite_translate_plain(n);
}

static bool absolute(oribi_tflite_node *n)
{
    return unary_of_bytes(n, "ABS");
}

static bool negate(oribi_tflite_node *n)
{
    return unary_of_bytes(n, "NEG");
}

static bool relu_n1_to_1(oribi_tflite_node *n)
{
    if (is_bytes(n)) {
        return oribi_tflite_q_unary(n, "RELU_N1_TO_1", 0.0f);
    }
    if (oribi_tflite_is_quantised(n, 0)) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED, "not supported for quantised tensors");
    }
    oribi_value_id x = oribi_tflite_input(n, 0);
    return oribi_tflite_bind(n, 0, oribi_tflite_activate(n, x, ORIBI_TFLITE_ACT_RELU_N1_TO_1));
}

static bool leaky_relu(oribi_tflite_node *n)
{
    float alpha = oribi_tflite_finite(n, 0, 0.0f, "alpha");
    if (oribi_tflite_is_quantised(n, 0)) {
        return oribi_tflite_q_unary(n, "LEAKY_RELU", alpha);
    }
    oribi_value_id y = oribi_tflite_emit(n, "LeakyRelu", INPUTS(oribi_tflite_input(n, 0)),
                                         ATTRS(ATTR_FLOAT("alpha", alpha)));
    return oribi_tflite_bind(n, 0, y);
}

static bool gelu(oribi_tflite_node *n)
{
    const char *approximate = oribi_tflite_byte(n, 0, 0) != 0 ? "tanh" : "none";
    oribi_value_id y = oribi_tflite_emit(n, "ONNX>Gelu", INPUTS(oribi_tflite_input(n, 0)),
                                         ATTRS(ATTR_TEXT("approximate", approximate)));
    return oribi_tflite_bind(n, 0, y);
}

#define PLAIN(number, inputs, into)                                                                \
    {                                                                                              \
        number, 0, inputs, inputs, 1, oribi_tflite_translate_plain, into                           \
    }

const oribi_tflite_row oribi_tflite_elementwise_rows[] = {
    /* operator, options, inputs at least and at most, outputs */
    {0, 11, 2, 2, 1, add, "AddV2"},
    {41, 28, 2, 2, 1, sub, "Sub"},
    {18, 21, 2, 2, 1, mul, "Mul"},
    {42, 29, 2, 2, 1, divide, "Div"},
    {55, 0, 2, 2, 1, extreme, "Maximum"},
    {57, 0, 2, 2, 1, extreme, "Minimum"},
    {14, 0, 1, 1, 1, logistic, "Sigmoid"},
    {28, 0, 1, 1, 1, tanh_, "Tanh"},
    {19, 0, 1, 1, 1, relu, "Relu"},
    {21, 0, 1, 1, 1, relu6, "Relu6"},
    {20, 0, 1, 1, 1, relu_n1_to_1, NULL},
    {117, 0, 1, 1, 1, hard_swish, "ONNX>HardSwish"},
    {98, 75, 1, 1, 1, leaky_relu, NULL},
    {101, 0, 1, 1, 1, absolute, "Abs"},
    {59, 0, 1, 1, 1, negate, "Neg"},
    {150, 0, 1, 1, 1, gelu, NULL},
    {54, 0, 2, 2, 1, prelu, "ONNX>PRelu"},
    PLAIN(8, 1, "Floor"),
    PLAIN(104, 1, "Ceil"),
    PLAIN(116, 1, "Round"),
    PLAIN(47, 1, "Exp"),
    PLAIN(73, 1, "Log"),
    PLAIN(75, 1, "Sqrt"),
    PLAIN(76, 1, "Rsqrt"),
    PLAIN(92, 1, "Square"),
    PLAIN(66, 1, "Sin"),
    PLAIN(108, 1, "Cos"),
    PLAIN(111, 1, "Elu"),
    PLAIN(158, 1, "Sign"),
    PLAIN(87, 1, "LogicalNot"),
    PLAIN(78, 2, "Pow"),
    PLAIN(90, 2, "FloorDiv"),
    PLAIN(95, 2, "FloorMod"),
    PLAIN(99, 2, "SquaredDifference"),
    PLAIN(156, 2, "Atan2"),
    PLAIN(58, 2, "Less"),
    PLAIN(63, 2, "LessEqual"),
    PLAIN(61, 2, "Greater"),
    PLAIN(62, 2, "GreaterEqual"),
    PLAIN(71, 2, "Equal"),
    PLAIN(72, 2, "NotEqual"),
    PLAIN(84, 2, "LogicalOr"),
    PLAIN(86, 2, "LogicalAnd"),
    PLAIN(64, 3, "Select"),
    PLAIN(123, 3, "SelectV2"),
    {0, 0, 0, 0, 0, NULL, NULL},
};
