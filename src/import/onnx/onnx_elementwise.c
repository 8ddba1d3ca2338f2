/* SPDX-License-Identifier: Apache-2.0 */
/* Element-wise operators with ONNX's (NumPy's) broadcasting, which is TensorFlow's too. */
#include "import/onnx/onnx_emit.h"

static bool unary(oribi_onnx_node *n)
{
    return oribi_emit_bind(n, 0, oribi_emit1(n, n->row->into, n->inputs[0]));
}

/* Operand 1. Before opset 7 nothing is broadcast unless an attribute says so, and `axis` where the
 * dimensions of operand 1 stand among those of operand 0; without it they are the last ones. */
static oribi_value_id second(oribi_onnx_node *n)
{
    oribi_value_id b = n->inputs[1];
    if (n->opset >= 7 || n->domain.length > 0 || !oribi_onnx_flag(n, "broadcast", false) ||
        !oribi_onnx_has_attr(n, "axis")) {
        return b;
    }
    const int32_t rank = oribi_emit_rank(n, n->inputs[0]), own = oribi_emit_rank(n, b);
    const int32_t axis = oribi_emit_axis(n, oribi_onnx_int(n, "axis", 0), rank);
    if (!n->failed && own > rank - axis) {
        oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                        "input 1 has %d dimensions; from axis %d on input 0 has %d", (int)own,
                        (int)axis, (int)(rank - axis));
    }
    for (int32_t i = axis + own; !n->failed && i < rank; i++) {
        b = oribi_emit2(n, "ExpandDims", b, oribi_emit_int(n, -1));
    }
    return n->failed ? -1 : b;
}

static bool binary(oribi_onnx_node *n)
{
    return oribi_emit_bind(n, 0, oribi_emit2(n, n->row->into, n->inputs[0], second(n)));
}

/* Integers divide towards zero. */
static bool divide(oribi_onnx_node *n)
{
    const char *op = oribi_emit_is_float(n, n->inputs[0]) ? "RealDiv" : "TruncateDiv";
    return oribi_emit_bind(n, 0, oribi_emit2(n, op, n->inputs[0], second(n)));
}

/* fmod 0: the sign of the divisor; 1: of the dividend. */
static bool modulo(oribi_onnx_node *n)
{
    const oribi_value_id a = n->inputs[0], b = n->inputs[1];
    const TF_DataType dtype = oribi_emit_dtype(n, a);
    if (!oribi_onnx_flag(n, "fmod", false) || dtype == TF_UINT8 || dtype == TF_UINT16 ||
        dtype == TF_UINT32 || dtype == TF_UINT64) { /* without signs there is one remainder */
        return oribi_emit_bind(n, 0, oribi_emit2(n, "FloorMod", a, b));
    }
    if (dtype != TF_INT8 && dtype != TF_INT16) {
        return oribi_emit_bind(n, 0, oribi_emit2(n, "TruncateMod", a, b));
    }
    oribi_value_id y = oribi_emit2(n, "TruncateMod", oribi_emit_cast(n, a, TF_INT32),
                                   oribi_emit_cast(n, b, TF_INT32));
    return oribi_emit_bind(n, 0, oribi_emit_cast(n, y, dtype));
}

static bool is_inexact(const oribi_onnx_node *n, oribi_value_id a, oribi_value_id b)
{
    return oribi_emit_is_float(n, b) && !oribi_emit_is_float(n, a);
}

/* The result has the base's type. An integer base with a fractional exponent goes through double.
 */
static bool power(oribi_onnx_node *n)
{
    oribi_value_id base = n->inputs[0], exponent = second(n);
    TF_DataType dtype = oribi_emit_dtype(n, base);
    if (!n->failed && is_inexact(n, base, exponent)) {
        oribi_value_id y = oribi_emit2(n, "Pow", oribi_emit_cast(n, base, TF_DOUBLE),
                                       oribi_emit_cast(n, exponent, TF_DOUBLE));
        return oribi_emit_bind(n, 0, oribi_emit_cast(n, y, dtype));
    }
    oribi_value_id y = oribi_emit2(n, "Pow", base, oribi_emit_cast(n, exponent, dtype));
    return oribi_emit_bind(n, 0, y);
}

static bool bit_shift(oribi_onnx_node *n)
{
    bool left = oribi_onnx_string_is(n, "direction", "", "LEFT");
    if (!left && !oribi_onnx_string_is(n, "direction", "", "RIGHT")) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT, "direction is neither LEFT nor RIGHT");
    }
    return oribi_emit_bind(
        n, 0, oribi_emit2(n, left ? "LeftShift" : "RightShift", n->inputs[0], n->inputs[1]));
}

static bool is_infinite(oribi_onnx_node *n)
{
    oribi_value_id x = n->inputs[0];
    bool negative = oribi_onnx_flag(n, "detect_negative", true);
    bool positive = oribi_onnx_flag(n, "detect_positive", true);
    oribi_value_id zero = oribi_emit_scalar_like(n, x, 0);
    oribi_value_id y = oribi_emit1(n, "IsInf", x);
    if (!positive) {
        y = oribi_emit2(n, "LogicalAnd", y, oribi_emit2(n, "Less", x, zero));
    }
    if (!negative) {
        y = oribi_emit2(n, "LogicalAnd", y, oribi_emit2(n, "Greater", x, zero));
    }
    return oribi_emit_bind(n, 0, y);
}

static oribi_value_id chain(oribi_onnx_node *n, const char *op)
{
    oribi_value_id y = n->inputs[0];
    for (int32_t i = 1; i < n->n_inputs; i++) {
        y = oribi_emit2(n, op, y, n->inputs[i]);
    }
    return n->n_inputs == 1 ? oribi_emit1(n, "Identity", y) : y;
}

static bool variadic(oribi_onnx_node *n)
{
    return oribi_emit_bind(n, 0, chain(n, n->row->into));
}

static bool same_shapes(const oribi_onnx_node *n)
{
    const oribi_shape *first = &n->graph->values[n->inputs[0]]->shape;
    for (int32_t i = 0; i < n->n_inputs; i++) {
        const oribi_shape *shape = n->inputs[i] < 0 ? NULL : &n->graph->values[n->inputs[i]]->shape;
        if (shape == NULL || !oribi_shape_is_full(shape) || shape->rank != first->rank) {
            return false;
        }
        for (int32_t k = 0; k < shape->rank; k++) {
            if (shape->dims[k] != first->dims[k]) {
                return false;
            }
        }
    }
    return true;
}

static bool sum(oribi_onnx_node *n)
{
    if (n->n_inputs > 2 && same_shapes(n)) {
        return oribi_emit_bind(n, 0, oribi_emit(n, "AddN", n->inputs, n->n_inputs, NO_ATTRS));
    }
    return oribi_emit_bind(n, 0, chain(n, "AddV2"));
}

static bool mean(oribi_onnx_node *n)
{
    oribi_value_id count = oribi_emit_scalar_like(n, n->inputs[0], n->n_inputs);
    return oribi_emit_bind(n, 0, oribi_emit2(n, "RealDiv", chain(n, "AddV2"), count));
}

static bool where(oribi_onnx_node *n)
{
    return oribi_emit_bind(n, 0,
                           oribi_emit3(n, "SelectV2", n->inputs[0], n->inputs[1], n->inputs[2]));
}

/* The largest number of a float of 8 or 4 bits, or 0. */
static double most_of(TF_DataType dtype)
{
    switch ((int)dtype) {
    case TF_FLOAT8_E4M3FN:
        return 448;
    case TF_FLOAT8_E4M3FNUZ:
        return 240;
    case TF_FLOAT8_E5M2:
    case TF_FLOAT8_E5M2FNUZ:
        return 57344;
    case TF_FLOAT4_E2M1FN:
        return 6;
    default:
        return 0;
    }
}

bool oribi_onnx_is_small_float(TF_DataType dtype)
{
    return most_of(dtype) > 0;
}

/* Cast alone makes infinities, or no numbers, of what is too large. */
oribi_value_id oribi_onnx_saturated(oribi_onnx_node *n, oribi_value_id x, TF_DataType dtype)
{
    const double most = most_of(dtype);
    if (most > 0 && oribi_onnx_flag(n, "saturate", true)) {
        x = oribi_emit_dtype(n, x) == TF_DOUBLE ? x : oribi_emit_cast(n, x, TF_FLOAT);
        x = oribi_emit2(n, "Minimum", x, oribi_emit_scalar_like(n, x, most));
        x = oribi_emit2(n, "Maximum", x, oribi_emit_scalar_like(n, x, -most));
    }
    return oribi_emit(n, "Cast", INPUTS(x), ATTRS(ATTR_TYPE("DstT", dtype)));
}

static bool cast(oribi_onnx_node *n)
{
    TF_DataType to = oribi_onnx_dtype(oribi_onnx_int(n, "to", 0));
    if (!n->failed && to == 0) {
        return oribi_onnx_fail(n, TF_UNIMPLEMENTED, "a cast to this element type is not supported");
    }
    return oribi_emit_bind(n, 0, oribi_onnx_saturated(n, n->inputs[0], to));
}

/* The same bits. Those of a bool are 0 and 1. */
static bool bit_cast(oribi_onnx_node *n)
{
    oribi_value_id x = n->inputs[0];
    const TF_DataType from = oribi_emit_dtype(n, x);
    const TF_DataType to = oribi_onnx_dtype(oribi_onnx_int(n, "to", 0));
    if (n->failed) {
        return false;
    }
    if (to == 0 || to == TF_STRING || from == TF_STRING ||
        oribi_dtype_bytes(from) != oribi_dtype_bytes(to)) {
        return oribi_onnx_fail(n, TF_INVALID_ARGUMENT,
                               "the bits of %s are no elements of the type that 'to' asks for",
                               oribi_dtype_name(from));
    }
    if (from == TF_BOOL) {
        x = oribi_emit_cast(n, x, TF_UINT8);
    }
    const TF_DataType plain = to == TF_BOOL ? TF_UINT8 : to;
    if (oribi_emit_dtype(n, x) != plain) {
        x = oribi_emit(n, "Bitcast", INPUTS(x), ATTRS(ATTR_TYPE("type", plain)));
    }
    return oribi_emit_bind(n, 0, to == TF_BOOL ? oribi_emit_cast(n, x, TF_BOOL) : x);
}

static bool cast_like(oribi_onnx_node *n)
{
    TF_DataType to = oribi_emit_dtype(n, n->inputs[1]);
    return oribi_emit_bind(n, 0, oribi_onnx_saturated(n, n->inputs[0], to));
}

/* clang-format off */
const oribi_onnx_row oribi_onnx_elementwise_rows[] = {
    {"Abs", 6, 28, unary, 1, 1, "Abs"},
    {"Acos", 7, 28, unary, 1, 1, "Acos"},
    {"Acosh", 9, 28, unary, 1, 1, "Acosh"},
    {"Asin", 7, 28, unary, 1, 1, "Asin"},
    {"Asinh", 9, 28, unary, 1, 1, "Asinh"},
    {"Atan", 7, 28, unary, 1, 1, "Atan"},
    {"Atanh", 9, 28, unary, 1, 1, "Atanh"},
    {"BitwiseNot", 18, 28, unary, 1, 1, "Invert"},
    {"Ceil", 6, 28, unary, 1, 1, "Ceil"},
    {"Cos", 7, 28, unary, 1, 1, "Cos"},
    {"Cosh", 9, 28, unary, 1, 1, "Cosh"},
    {"Det", 11, 28, unary, 1, 1, "MatrixDeterminant"},
    {"Erf", 9, 28, unary, 1, 1, "Erf"},
    {"Exp", 6, 28, unary, 1, 1, "Exp"},
    {"Floor", 6, 28, unary, 1, 1, "Floor"},
    {"Identity", 1, 28, unary, 1, 1, "Identity"},
    {"IsNaN", 9, 28, unary, 1, 1, "IsNan"},
    {"Log", 6, 28, unary, 1, 1, "Log"},
    {"Neg", 6, 28, unary, 1, 1, "Neg"},
    {"Not", 1, 28, unary, 1, 1, "LogicalNot"},
    {"Reciprocal", 6, 28, unary, 1, 1, "Reciprocal"},
    {"Round", 11, 28, unary, 1, 1, "Round"},
    {"Sign", 9, 28, unary, 1, 1, "Sign"},
    {"Sin", 7, 28, unary, 1, 1, "Sin"},
    {"Sinh", 9, 28, unary, 1, 1, "Sinh"},
    {"Sqrt", 6, 28, unary, 1, 1, "Sqrt"},
    {"Tan", 7, 28, unary, 1, 1, "Tan"},
    {"Add", 1, 28, binary, 2, 2, "AddV2"},
    {"And", 1, 28, binary, 2, 2, "LogicalAnd"},
    {"BitwiseAnd", 18, 28, binary, 2, 2, "BitwiseAnd"},
    {"BitwiseOr", 18, 28, binary, 2, 2, "BitwiseOr"},
    {"BitwiseXor", 18, 28, binary, 2, 2, "BitwiseXor"},
    {"Equal", 1, 28, binary, 2, 2, "Equal"},
    {"Greater", 1, 28, binary, 2, 2, "Greater"},
    {"GreaterOrEqual", 12, 28, binary, 2, 2, "GreaterEqual"},
    {"Less", 1, 28, binary, 2, 2, "Less"},
    {"LessOrEqual", 12, 28, binary, 2, 2, "LessEqual"},
    {"Mul", 1, 28, binary, 2, 2, "Mul"},
    {"Or", 1, 28, binary, 2, 2, "LogicalOr"},
    {"Sub", 1, 28, binary, 2, 2, "Sub"},
    {"Xor", 1, 28, binary, 2, 2, "NotEqual"},
    {"BitCast", 26, 28, bit_cast, 1, 1, "Bitcast, Cast"},
    {"BitShift", 11, 28, bit_shift, 2, 2, "LeftShift, RightShift"},
    {"Cast", 6, 28, cast, 1, 1, "Minimum, Maximum, Cast"},
    {"CastLike", 15, 28, cast_like, 2, 2, "Minimum, Maximum, Cast"},
    {"Div", 1, 28, divide, 2, 2, "RealDiv, TruncateDiv"},
    {"IsInf", 10, 28, is_infinite, 1, 1, "IsInf, LogicalAnd, Less, Greater"},
    {"Max", 6, 28, variadic, 1, -1, "Maximum"},
    {"Mean", 6, 28, mean, 1, -1, "AddV2, RealDiv"},
    {"Min", 6, 28, variadic, 1, -1, "Minimum"},
    {"Mod", 10, 28, modulo, 2, 2, "FloorMod, TruncateMod, Cast"},
    {"Pow", 1, 28, power, 2, 2, "Pow, Cast"},
    {"Sum", 6, 28, sum, 1, -1, "AddV2, AddN"},
    {"Where", 9, 28, where, 3, 3, "SelectV2"},
    {NULL, 0, 0, NULL, 0, 0, NULL}};
/* clang-format on */
