/* SPDX-License-Identifier: Apache-2.0 */
/* Element by element: arithmetic, comparisons, activations. */
#include "import/tflite/tflite.h"

typedef bool quantised_function(oribi_tflite_node *n, const char *op, int64_t activation);

static bool binary(oribi_tflite_node *n, quantised_function *quantised, const char *quantised_op)
{
    int64_t activation = oribi_tflite_byte(n, 0, 0);
    if (oribi_tflite_is_quantised(n, 0)) {
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
    return binary(n, oribi_tflite_q_product, "Oribi>QDiv");
}

static bool squared_difference(oribi_tflite_node *n)
{
    return oribi_tflite_is_quantised(n, 0)
               ? oribi_tflite_q_product(n, "Oribi>QSquaredDifference", ORIBI_TFLITE_ACT_NONE)
               : oribi_tflite_translate_plain(n);
}

/* Bytes are compared as numbers, on a scale of 1/256; int16 as it stands, whatever its scale. */
static bool compare(oribi_tflite_node *n)
{
    oribi_tflite_quant a = {0}, b = {0};
    if (!oribi_tflite_is_bytes(n)) {
        return oribi_tflite_translate_copy(n);
    }
    ORIBI_TRY(oribi_tflite_quant_of(n, n->inputs[0], "the first operand", &a) &&
              oribi_tflite_quant_of(n, n->inputs[1], "the second operand", &b));
    oribi_value_id y = oribi_tflite_emit(
        n, "Oribi>QCompare", INPUTS(oribi_tflite_input(n, 0), oribi_tflite_input(n, 1)),
        ATTRS(ATTR_FLOAT("a_scale", a.scale), ATTR_INT("a_zero", a.zero),
              ATTR_FLOAT("b_scale", b.scale), ATTR_INT("b_zero", b.zero),
              ATTR_TEXT("comparison", n->row->into)));
    return oribi_tflite_bind(n, 0, y);
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

static bool unary(oribi_tflite_node *n, const char *function)
{
    return oribi_tflite_is_quantised(n, 0) ? oribi_tflite_q_unary(n, function, 0.0f)
                                           : oribi_tflite_translate_plain(n);
}

/* Ops that TFLite has for bytes alone. */
static bool unary_of_bytes(oribi_tflite_node *n, const char *function)
{
    return oribi_tflite_is_bytes(n) ? oribi_tflite_q_unary(n, function, 0.0f)
                                    : oribi_tflite_translate_plain(n);
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
    return oribi_tflite_is_quantised(n, 0) ? oribi_tflite_q_prelu(n)
                                           : oribi_tflite_translate_plain(n);
}

/* A function that QUnary calls as TFLite calls the operator, which has it not for uint8. */
static bool named(oribi_tflite_node *n)
{
    if (oribi_tflite_is_bytes(n) && !oribi_tflite_is_int8(n)) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED, "not supported for quantised uint8");
    }
    return unary(n, n->op);
}

static bool relu_n1_to_1(oribi_tflite_node *n)
{
    if (oribi_tflite_is_bytes(n)) {
        return oribi_tflite_q_unary(n, "RELU_N1_TO_1", 0.0f);
    }
    if (oribi_tflite_is_quantised(n, 0)) {
        return oribi_tflite_fail(n, TF_UNIMPLEMENTED, "not supported for quantised tensors");
    }
    oribi_value_id x = oribi_tflite_input(n, 0);
    return oribi_tflite_bind(n, 0, oribi_tflite_activate(n, x, ORIBI_TFLITE_ACT_RELU_N1_TO_1));
}

static bool relu_0_to_1(oribi_tflite_node *n)
{
    if (oribi_tflite_is_bytes(n)) {
        return oribi_tflite_q_unary(n, "RELU_0_TO_1", 0.0f);
    }
    oribi_value_id x = oribi_tflite_input(n, 0);
    x = oribi_tflite_emit(n, "Minimum", INPUTS(x, oribi_tflite_scalar_like(n, x, 1.0f)), NO_ATTRS);
    return oribi_tflite_bind(n, 0, oribi_tflite_emit(n, "Relu", INPUTS(x), NO_ATTRS));
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
    const bool is_approximate = oribi_tflite_byte(n, 0, 0) != 0;
    const char *approximate = is_approximate ? "tanh" : "none";
    if (oribi_tflite_is_quantised(n, 0)) {
        return oribi_tflite_q_unary(n, is_approximate ? "GELU_TANH" : "GELU", 0.0f);
    }
    oribi_value_id y = oribi_tflite_emit(n, "ONNX>Gelu", INPUTS(oribi_tflite_input(n, 0)),
                                         ATTRS(ATTR_TEXT("approximate", approximate)));
    return oribi_tflite_bind(n, 0, y);
}

#define COPY(number, inputs, into)                                                                 \
    {                                                                                              \
        number, 0, inputs, inputs, 1, oribi_tflite_translate_copy, into                            \
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
    {101, 0, 1, 1, 1, named, "Abs"},
    COPY(59, 1, "Neg"),
    {150, 0, 1, 1, 1, gelu, NULL},
    {152, 0, 1, 1, 1, relu_0_to_1, NULL},
    {54, 0, 2, 2, 1, prelu, "ONNX>PRelu"},
    PLAIN(8, 1, "Floor"),
    PLAIN(104, 1, "Ceil"),
    PLAIN(116, 1, "Round"),
    {47, 0, 1, 1, 1, named, "Exp"},
    {73, 0, 1, 1, 1, named, "Log"},
    {75, 0, 1, 1, 1, named, "Sqrt"},
    {76, 0, 1, 1, 1, named, "Rsqrt"},
    PLAIN(92, 1, "Square"),
    PLAIN(66, 1, "Sin"),
    PLAIN(108, 1, "Cos"),
    {111, 0, 1, 1, 1, named, "Elu"},
    PLAIN(158, 1, "Sign"),
    PLAIN(87, 1, "LogicalNot"),
    PLAIN(78, 2, "Pow"),
    COPY(90, 2, "FloorDiv"), /* of integers as they stand, whatever their scales */
    COPY(95, 2, "FloorMod"),
    {99, 0, 2, 2, 1, squared_difference, "SquaredDifference"},
    PLAIN(156, 2, "Atan2"),
    COPY(160, 2, "BitwiseXor"),
    COPY(161, 2, "RightShift"),
    {58, 0, 2, 2, 1, compare, "Less"},
    {63, 0, 2, 2, 1, compare, "LessEqual"},
    {61, 0, 2, 2, 1, compare, "Greater"},
    {62, 0, 2, 2, 1, compare, "GreaterEqual"},
    {71, 0, 2, 2, 1, compare, "Equal"},
    {72, 0, 2, 2, 1, compare, "NotEqual"},
    PLAIN(84, 2, "LogicalOr"),
    PLAIN(86, 2, "LogicalAnd"),
    COPY(64, 3, "Select"),
    COPY(123, 3, "SelectV2"),
    {0, 0, 0, 0, 0, NULL, NULL},
};
