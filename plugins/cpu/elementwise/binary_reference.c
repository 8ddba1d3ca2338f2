/* SPDX-License-Identifier: Apache-2.0 */
/* Binary elementwise ops, reference: one plain strided loop per op and element type. Integers wrap;
 * a divisor of 0 or a negative integer exponent is refused. Fast f32 lines: binary_loops.h.
 */
#include "cpu/base/combine.h"
#include "cpu/base/families.h"
#include "cpu/base/micro_rows.h"
#include "cpu/base/numbers.h"
#include "micro/binary/bias_gelu_f32.h"
#include "micro/math_double.h"

#include <math.h>

#define LINE(id, T, R, expr, is_good, costs, why_not)                                              \
    static bool id##_##T##_line(const void *av, int64_t sa, const void *bv, int64_t sb, void *yv,  \
                                int64_t count)                                                     \
    {                                                                                              \
        const T *a = av, *b = bv;                                                                  \
        R *y = yv;                                                                                 \
        bool good = true;                                                                          \
        for (int64_t i = 0; i < count; i++) {                                                      \
            T u = a[i * sa], v = b[i * sb];                                                        \
            (void)u;                                                                               \
            (void)v;                                                                               \
            good = good && (is_good);                                                              \
            y[i] = (R)((is_good) ? (expr) : 0);                                                    \
        }                                                                                          \
        return good;                                                                               \
    }                                                                                              \
    static const oribi_cpu_binary_op id##_##T##_op = {.line = id##_##T##_line,                     \
                                                      .in_bytes = sizeof(T),                       \
                                                      .out_bytes = sizeof(R),                      \
                                                      .in_place = SAME_##R,                        \
                                                      .cost = costs,                               \
                                                      .refusal = why_not};                         \
    static void id##_##T##_compute(void *state, TF_OpKernelContext *context)                       \
    {                                                                                              \
        (state == NULL ? oribi_cpu_binary_compute : oribi_cpu_equality_compute)(context,           \
                                                                                &id##_##T##_op);   \
    }

/* Is the output of the input's type? Comparisons write `truth`; LogicalAnd writes bool over bool.
 */
typedef bool truth;
#define SAME_truth    false
#define SAME_bool     true
#define SAME_float    true
#define SAME_double   true
#define SAME_int8_t   true
#define SAME_int16_t  true
#define SAME_int32_t  true
#define SAME_int64_t  true
#define SAME_uint8_t  true
#define SAME_uint16_t true
#define SAME_uint32_t true
#define SAME_uint64_t true

#define BY_ZERO "Integer division by zero"

static double gelu(double v)
{
    return 0.5 * v * erfc(v * -0.70710678118654752440);
}

/* Quotient rounded to minus infinity, remainder with the divisor's sign. */
static double floor_mod(double u, double v)
{
    double m = fmod(u, v);
    return m != 0 && (m < 0) != (v < 0) ? m + v : m;
}

static int64_t truncate_div(int64_t u, int64_t v)
{
    return v == -1 ? (int64_t)(0 - (uint64_t)u) : u / v;
}

static int64_t truncate_mod(int64_t u, int64_t v)
{
    return v == -1 ? 0 : u % v;
}

static int64_t floor_div_int(int64_t u, int64_t v)
{
    int64_t q = truncate_div(u, v);
    return truncate_mod(u, v) != 0 && (u < 0) != (v < 0) ? q - 1 : q;
}

static int64_t floor_mod_int(int64_t u, int64_t v)
{
    int64_t m = truncate_mod(u, v);
    return m != 0 && (m < 0) != (v < 0) ? m + v : m;
}

static uint64_t power_int(uint64_t base, uint64_t exponent)
{
    uint64_t result = 1;
    for (; exponent != 0; exponent >>= 1) {
        result = (exponent & 1) != 0 ? result * base : result;
        base *= base;
    }
    return result;
}

/* Shifts out of range are clamped to the width less one, as TensorFlow's are. */
static int shift_by(int64_t by, size_t bytes)
{
    int64_t most = (int64_t)bytes * 8 - 1;
    return (int)(by < 0 ? 0 : by > most ? most : by);
}

#define W(x) ((uint64_t)(x))
#define COMPARE(T)                                                                                 \
    LINE(equal, T, truth, u == v, true, 1, NULL)                                                   \
    LINE(not_equal, T, truth, u != v, true, 1, NULL)                                               \
    LINE(less, T, truth, u < v, true, 1, NULL)                                                     \
    LINE(less_equal, T, truth, u <= v, true, 1, NULL)                                              \
    LINE(greater, T, truth, u > v, true, 1, NULL)                                                  \
    LINE(greater_equal, T, truth, u >= v, true, 1, NULL)
#define FLOAT_LINES(T)                                                                             \
    LINE(add, T, T, u + v, true, 1, NULL)                                                          \
    LINE(sub, T, T, u - v, true, 1, NULL)                                                          \
    LINE(mul, T, T, u *v, true, 1, NULL)                                                           \
    LINE(div, T, T, u / v, true, 2, NULL)                                                          \
    LINE(div_no_nan, T, T, v == 0 ? 0 : u / v, true, 2, NULL)                                      \
    LINE(mul_no_nan, T, T, v == 0 ? 0 : u * v, true, 1, NULL)                                      \
    LINE(floor_div, T, T, floor((double)(T)(u / v)), true, 5, NULL)                                \
    LINE(floor_mod, T, T, floor_mod((double)u, (double)v), true, 30, NULL)                         \
    LINE(truncate_mod, T, T, fmod((double)u, (double)v), true, 30, NULL)                           \
    LINE(maximum, T, T, u > v || u != u ? u : v, true, 1, NULL)                                    \
    LINE(minimum, T, T, u < v || u != u ? u : v, true, 1, NULL)                                    \
    LINE(pow, T, T, pow((double)u, (double)v), true, 60, NULL)                                     \
    LINE(atan2, T, T, atan2((double)u, (double)v), true, 60, NULL)                                 \
    LINE(bias_gelu, T, T, gelu((double)u + (double)v), true, 60, NULL)                             \
    LINE(prelu, T, T, u < 0 ? u * v : u, true, 1, NULL)                                            \
    LINE(squared_difference, T, T, (u - v) * (u - v), true, 1, NULL)                               \
    COMPARE(T)
#define INT_LINES(T)                                                                               \
    LINE(add, T, T, W(u) + W(v), true, 1, NULL)                                                    \
    LINE(sub, T, T, W(u) - W(v), true, 1, NULL)                                                    \
    LINE(mul, T, T, W(u) * W(v), true, 1, NULL)                                                    \
    LINE(maximum, T, T, u > v ? u : v, true, 1, NULL)                                              \
    LINE(minimum, T, T, u < v ? u : v, true, 1, NULL)                                              \
    LINE(bit_and, T, T, u &v, true, 1, NULL)                                                       \
    LINE(bit_or, T, T, u | v, true, 1, NULL)                                                       \
    LINE(bit_xor, T, T, u ^ v, true, 1, NULL)                                                      \
    LINE(shift_left, T, T, W(u) << shift_by((int64_t)v, sizeof(T)), true, 1, NULL)                 \
    COMPARE(T)
#define SIGNED_LINES(T)                                                                            \
    INT_LINES(T)                                                                                   \
    LINE(div, T, T, truncate_div(u, v), v != 0, 20, BY_ZERO)                                       \
    LINE(floor_div, T, T, floor_div_int(u, v), v != 0, 20, BY_ZERO)                                \
    LINE(floor_mod, T, T, floor_mod_int(u, v), v != 0, 20, BY_ZERO)                                \
    LINE(pow, T, T, power_int(W(u), W(v)), v >= 0, 20,                                             \
         "Integers to negative integer powers are not allowed")                                    \
    LINE(shift_right, T, T, u >> shift_by(v, sizeof(T)), true, 1, NULL)
/* Ops that have no narrower integers. */
#define WIDE_LINES(T)                                                                              \
    LINE(prelu, T, T, u < 0 ? W(u) * W(v) : W(u), true, 1, NULL)                                   \
    LINE(truncate_mod, T, T, truncate_mod(u, v), v != 0, 20, BY_ZERO)                              \
    LINE(squared_difference, T, T, (W(u) - W(v)) * (W(u) - W(v)), true, 1, NULL)
#define UNSIGNED_LINES(T)                                                                          \
    INT_LINES(T)                                                                                   \
    LINE(div, T, T, u / v, v != 0, 20, BY_ZERO)                                                    \
    LINE(truncate_mod, T, T, u % v, v != 0, 20, BY_ZERO)                                           \
    LINE(shift_right, T, T, u >> shift_by((int64_t)(v > 63 ? 63 : v), sizeof(T)), true, 1, NULL)

FLOAT_LINES(float)
FLOAT_LINES(double)
SIGNED_LINES(int8_t)
SIGNED_LINES(int16_t)
SIGNED_LINES(int32_t)
SIGNED_LINES(int64_t)
UNSIGNED_LINES(uint8_t)
UNSIGNED_LINES(uint16_t)
UNSIGNED_LINES(uint32_t)
UNSIGNED_LINES(uint64_t)
WIDE_LINES(int32_t)
WIDE_LINES(int64_t)
LINE(prelu, uint32_t, uint32_t, u, true, 1, NULL)
LINE(prelu, uint64_t, uint64_t, u, true, 1, NULL)
#define COMBINE(T) ORIBI_CPU_COMBINE(_##T, add_##T##_op, maximum_##T##_op, minimum_##T##_op)
COMBINE(float)
COMBINE(double)
COMBINE(int8_t)
COMBINE(int16_t)
COMBINE(int32_t)
COMBINE(int64_t)
COMBINE(uint8_t)
COMBINE(uint16_t)
COMBINE(uint32_t)
COMBINE(uint64_t)
LINE(logical_and, bool, bool, u &&v, true, 1, NULL)
LINE(logical_or, bool, bool, u || v, true, 1, NULL)
LINE(equal, bool, truth, u == v, true, 1, NULL)
LINE(not_equal, bool, truth, u != v, true, 1, NULL)

ORIBI_CPU_MICRO_BINARY(bias_gelu)
ORIBI_CPU_MICRO_BINARY(pow)
ORIBI_CPU_MICRO_BINARY(atan2)
LINE(micro_pow, double, double, oribi_micro_double_pow(u, v), true, 120, NULL)

#define ROW(op, T, dtype, fn) ORIBI_CPU_ROW(op, fn##_##T, "plain loop", ORIBI_CPU_OF(dtype)),
#define EQUALITY(op, T, dtype, fn)                                                                 \
    ORIBI_CPU_ROW(op, fn##_##T, "plain loop", ORIBI_CPU_OF(dtype),                                 \
                  .create = oribi_cpu_equality_create),
#define FLOATS(op, id) ROW(op, float, TF_FLOAT, id) ROW(op, double, TF_DOUBLE, id)
#define WIDE(op, id)   ROW(op, int32_t, TF_INT32, id) ROW(op, int64_t, TF_INT64, id)
#define SIGNED(op, id)                                                                             \
    ROW(op, int8_t, TF_INT8, id)                                                                   \
    ROW(op, int16_t, TF_INT16, id)                                                                 \
    WIDE(op, id)
#define WIDE_UNSIGNED(op, id) ROW(op, uint32_t, TF_UINT32, id) ROW(op, uint64_t, TF_UINT64, id)
#define UNSIGNED(op, id)                                                                           \
    ROW(op, uint8_t, TF_UINT8, id)                                                                 \
    ROW(op, uint16_t, TF_UINT16, id)                                                               \
    WIDE_UNSIGNED(op, id)
#define INTS(op, id)    SIGNED(op, id) UNSIGNED(op, id)
#define NUMBERS(op, id) FLOATS(op, id) INTS(op, id)

#define COMBINED(T, dtype) ORIBI_CPU_COMBINE_ROWS(_##T, dtype, any, "plain loop")

#define EQUAL(T, dtype)     EQUALITY("Equal", T, dtype, equal)
#define NOT_EQUAL(T, dtype) EQUALITY("NotEqual", T, dtype, not_equal)

/* Types are those that the op admits. */
/* clang-format off */
const oribi_cpu_kernel oribi_cpu_binary_reference_kernels[] = {
    FLOATS("Add", add)
    SIGNED("Add", add)
    ROW("Add", uint8_t, TF_UINT8, add)
    NUMBERS("AddV2", add)
    NUMBERS("Sub", sub)
    NUMBERS("Mul", mul)
    NUMBERS("Div", div)
    FLOATS("RealDiv", div)
    INTS("TruncateDiv", div)
    FLOATS("DivNoNan", div_no_nan)
    FLOATS("MulNoNan", mul_no_nan)
    FLOATS("FloorDiv", floor_div)
    SIGNED("FloorDiv", floor_div)
    UNSIGNED("FloorDiv", div)
    FLOATS("FloorMod", floor_mod)
    SIGNED("FloorMod", floor_mod)
    UNSIGNED("FloorMod", truncate_mod)
    FLOATS("Mod", truncate_mod)
    WIDE("Mod", truncate_mod)
    FLOATS("TruncateMod", truncate_mod)
    WIDE("TruncateMod", truncate_mod)
    NUMBERS("Maximum", maximum)
    NUMBERS("Minimum", minimum)
    FLOATS("Pow", pow)
    SIGNED("Pow", pow)
    FLOATS("ONNX>PRelu", prelu)
    WIDE("ONNX>PRelu", prelu)
    WIDE_UNSIGNED("ONNX>PRelu", prelu)
    FLOATS("SquaredDifference", squared_difference)
    WIDE("SquaredDifference", squared_difference)
    FLOATS("Atan2", atan2)
    FLOATS("Oribi>BiasGelu", bias_gelu)
    ORIBI_CPU_MICRO_ROW("Oribi>BiasGelu", bias_gelu, NULL, NULL)
    NUMBERS("Less", less)
    NUMBERS("LessEqual", less_equal)
    NUMBERS("Greater", greater)
    NUMBERS("GreaterEqual", greater_equal)
    ORIBI_CPU_NUMBERS(EQUAL)
    EQUALITY("Equal", bool, TF_BOOL, equal)
    ORIBI_CPU_NUMBERS(NOT_EQUAL)
    EQUALITY("NotEqual", bool, TF_BOOL, not_equal)
    INTS("BitwiseAnd", bit_and)
    INTS("BitwiseOr", bit_or)
    INTS("BitwiseXor", bit_xor)
    INTS("LeftShift", shift_left)
    INTS("RightShift", shift_right)
    ORIBI_CPU_NUMBERS(COMBINED)
    ORIBI_CPU_MICRO_ROW("Pow", pow, NULL, NULL)
    ORIBI_CPU_MICRO_ROW("Atan2", atan2, NULL, NULL)
    ORIBI_CPU_MICRO_TYPED("Pow", TF_DOUBLE, micro_pow_double_compute, NULL, NULL)
    ORIBI_CPU_ROW("LogicalAnd", logical_and_bool, "plain loop"),
    ORIBI_CPU_ROW("LogicalOr", logical_or_bool, "plain loop"),
    {.op_name = NULL},
};
/* clang-format on */
