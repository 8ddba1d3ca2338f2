/* SPDX-License-Identifier: Apache-2.0 */
/* Unary elementwise ops, reference: one plain loop per op and element type, floats computed in
 * double and rounded once. Fast f32 loops: unary_loops.h.
 */
#include "cpu/elementwise/elementwise.h"
#include "cpu/base/families.h"
#include "cpu/base/micro_rows.h"

#include <math.h>

#define LOOP(id, T, expr)                                                                          \
    static void id##_##T##_loop(void *object, int64_t begin, int64_t end)                          \
    {                                                                                              \
        const oribi_kit_elements *work = object;                                                   \
        const T *x = work->x;                                                                      \
        T *y = work->y;                                                                            \
        for (int64_t i = begin; i < end; i++) {                                                    \
            wide_##T v = (wide_##T)x[i];                                                           \
            y[i] = (T)(expr);                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void id##_##T##_compute(void *state, TF_OpKernelContext *context)                       \
    {                                                                                              \
        oribi_kit_unary(context, state, id##_##T##_loop, 20);                                      \
    }

/* Predicates: any input type, bool out. */
#define PREDICATE(id, T, expr)                                                                     \
    static void id##_##T##_loop(void *object, int64_t begin, int64_t end)                          \
    {                                                                                              \
        const oribi_kit_elements *work = object;                                                   \
        const T *x = work->x;                                                                      \
        bool *y = work->y;                                                                         \
        for (int64_t i = begin; i < end; i++) {                                                    \
            T v = x[i];                                                                            \
            y[i] = (expr);                                                                         \
        }                                                                                          \
    }                                                                                              \
    static void id##_##T##_compute(void *state, TF_OpKernelContext *context)                       \
    {                                                                                              \
        oribi_kit_unary(context, state, id##_##T##_loop, 1);                                       \
    }

/* Floats are computed in double; integers wrap in 64 bits. */
typedef double wide_float, wide_double;
typedef int64_t wide_int8_t, wide_int16_t, wide_int32_t, wide_int64_t;
typedef uint64_t wide_uint8_t, wide_uint16_t, wide_uint32_t, wide_uint64_t;

static double sigmoid(double v)
{
    return v >= 0 ? 1 / (1 + exp(-v)) : exp(v) / (1 + exp(v));
}

static double softplus(double v)
{
    return v != v ? v : log1p(exp(-fabs(v))) + (v > 0 ? v : 0);
}

static double softsign(double v)
{
    return v / (1 + fabs(v));
}

static double log_gamma(double v)
{
    int sign = 0; /* lgamma keeps it in a global; two threads would race */
    return lgamma_r(v, &sign);
}

/* Fixed-point free constants of self-normalising networks (Klambauer et al., 2017). */
#define SELU_SCALE 1.0507009873554804934193349852946
#define SELU_ALPHA 1.6732632423543772848170429916717

#define FLOAT_OPS(X)                                                                               \
    X(abs, "Abs", fabs(v))                                                                         \
    X(neg, "Neg", -v)                                                                              \
    X(square, "Square", v *v)                                                                      \
    X(sign, "Sign", v > 0 ? 1 : v < 0 ? -1 : v)                                                    \
    X(relu, "Relu", v < 0 ? 0 : v)                                                                 \
    X(relu6, "Relu6", v<0 ? 0 : v> 6 ? 6 : v)                                                      \
    X(exp, "Exp", exp(v))                                                                          \
    X(expm1, "Expm1", expm1(v))                                                                    \
    X(log, "Log", log(v))                                                                          \
    X(log1p, "Log1p", log1p(v))                                                                    \
    X(sqrt, "Sqrt", sqrt(v))                                                                       \
    X(rsqrt, "Rsqrt", 1 / sqrt(v))                                                                 \
    X(reciprocal, "Reciprocal", 1 / v)                                                             \
    X(sin, "Sin", sin(v))                                                                          \
    X(cos, "Cos", cos(v))                                                                          \
    X(tan, "Tan", tan(v))                                                                          \
    X(asin, "Asin", asin(v))                                                                       \
    X(acos, "Acos", acos(v))                                                                       \
    X(atan, "Atan", atan(v))                                                                       \
    X(sinh, "Sinh", sinh(v))                                                                       \
    X(cosh, "Cosh", cosh(v))                                                                       \
    X(tanh, "Tanh", tanh(v))                                                                       \
    X(asinh, "Asinh", asinh(v))                                                                    \
    X(acosh, "Acosh", acosh(v))                                                                    \
    X(atanh, "Atanh", atanh(v))                                                                    \
    X(erf, "Erf", erf(v))                                                                          \
    X(erfc, "Erfc", erfc(v))                                                                       \
    X(lgamma, "Lgamma", log_gamma(v))                                                              \
    X(sigmoid, "Sigmoid", sigmoid(v))                                                              \
    X(floor, "Floor", floor(v))                                                                    \
    X(ceil, "Ceil", ceil(v))                                                                       \
    X(rint, "Rint", rint(v))                                                                       \
    X(round, "Round", rint(v))                                                                     \
    X(softplus, "Softplus", softplus(v))                                                           \
    X(softsign, "Softsign", softsign(v))                                                           \
    X(elu, "Elu", v < 0 ? expm1(v) : v)                                                            \
    X(selu, "Selu", SELU_SCALE *(v < 0 ? SELU_ALPHA * expm1(v) : v))

/* Integer ops wrap; the unsigned step keeps C's rules. */
#define SIGNED_OPS(X, T)                                                                           \
    X(abs, T, v < 0 ? (wide_##T)(0 - (uint64_t)v) : v)                                             \
    X(neg, T, 0 - (uint64_t)v)                                                                     \
    X(sign, T, (v > 0) - (v < 0))                                                                  \
    X(square, T, (uint64_t)v *(uint64_t)v)                                                         \
    X(invert, T, ~v)                                                                               \
    X(relu, T, v < 0 ? 0 : v)                                                                      \
    X(relu6, T, v<0 ? 0 : v> 6 ? 6 : v)                                                            \
    X(round, T, v)
#define UNSIGNED_OPS(X, T)                                                                         \
    X(invert, T, ~v)                                                                               \
    X(relu, T, v)                                                                                  \
    X(relu6, T, v > 6 ? 6 : v)

#define DEFINE_FLOAT(id, op, expr) LOOP(id, float, expr) LOOP(id, double, expr)
FLOAT_OPS(DEFINE_FLOAT)
SIGNED_OPS(LOOP, int8_t)
SIGNED_OPS(LOOP, int16_t)
SIGNED_OPS(LOOP, int32_t)
SIGNED_OPS(LOOP, int64_t)
UNSIGNED_OPS(LOOP, uint8_t)
UNSIGNED_OPS(LOOP, uint16_t)
UNSIGNED_OPS(LOOP, uint32_t)
UNSIGNED_OPS(LOOP, uint64_t)
PREDICATE(is_nan, float, v != v)
PREDICATE(is_nan, double, v != v)
PREDICATE(is_inf, float, isinf(v) != 0)
PREDICATE(is_inf, double, isinf(v) != 0)
PREDICATE(is_finite, float, isfinite(v) != 0)
PREDICATE(is_finite, double, isfinite(v) != 0)
PREDICATE(logical_not, bool, !v)

typedef struct leaky_state {
    float alpha;
} leaky_state;

static void leaky_read(oribi_kit_setup *setup, leaky_state *state)
{
    oribi_kit_attr_float(setup, "alpha", &state->alpha);
}
ORIBI_KIT_CREATE(leaky, leaky_state)

#define LEAKY(T)                                                                                   \
    static void leaky_##T##_loop(void *object, int64_t begin, int64_t end)                         \
    {                                                                                              \
        const oribi_kit_elements *work = object;                                                   \
        const T *x = work->x;                                                                      \
        T *y = work->y, alpha = (T)((const leaky_state *)work->state)->alpha;                      \
        for (int64_t i = begin; i < end; i++) {                                                    \
            y[i] = x[i] < 0 ? x[i] * alpha : x[i];                                                 \
        }                                                                                          \
    }                                                                                              \
    static void leaky_##T##_compute(void *state, TF_OpKernelContext *context)                      \
    {                                                                                              \
        oribi_kit_unary(context, state, leaky_##T##_loop, 1);                                      \
    }
LEAKY(float)
LEAKY(double)

/* Of those that emitted C computes: the kernel of that name. */
#define MICRO_OPS(X)                                                                               \
    X(cos, "Cos")                                                                                  \
    X(elu, "Elu")                                                                                  \
    X(erf, "Erf")                                                                                  \
    X(exp, "Exp")                                                                                  \
    X(log, "Log")                                                                                  \
    X(reciprocal, "Reciprocal")                                                                    \
    X(rsqrt, "Rsqrt")                                                                              \
    X(selu, "Selu")                                                                                \
    X(sigmoid, "Sigmoid")                                                                          \
    X(sin, "Sin")                                                                                  \
    X(softplus, "Softplus")                                                                        \
    X(softsign, "Softsign")                                                                        \
    X(sqrt, "Sqrt")                                                                                \
    X(tanh, "Tanh")
#define MICRO(id, op)      ORIBI_CPU_MICRO_UNARY(id, 0)
#define MICRO_ROWS(id, op) ORIBI_CPU_MICRO_UNARY_ROWS(op, id, NULL, NULL)
MICRO_OPS(MICRO)
ORIBI_CPU_MICRO_UNARY_F32(atan, 0)

#define ROW(op, T, dtype, fn)    ORIBI_CPU_ROW(op, fn##_##T, "plain loop", ORIBI_CPU_OF(dtype)),
#define FLOAT_ROWS(id, op, expr) ROW(op, float, TF_FLOAT, id) ROW(op, double, TF_DOUBLE, id)
#define SIGNED_ROWS(op, id)                                                                        \
    ROW(op, int8_t, TF_INT8, id)                                                                   \
    ROW(op, int16_t, TF_INT16, id)                                                                 \
    ROW(op, int32_t, TF_INT32, id)                                                                 \
    ROW(op, int64_t, TF_INT64, id)
#define UNSIGNED_ROWS(op, id)                                                                      \
    ROW(op, uint8_t, TF_UINT8, id)                                                                 \
    ROW(op, uint16_t, TF_UINT16, id)                                                               \
    ROW(op, uint32_t, TF_UINT32, id)                                                               \
    ROW(op, uint64_t, TF_UINT64, id)
#define LEAKY_ROW(T, dtype)                                                                        \
    ORIBI_CPU_STATE_ROW("LeakyRelu", leaky, leaky_##T, "plain loop", ORIBI_CPU_OF(dtype)),

/* clang-format off */
const oribi_cpu_kernel oribi_cpu_unary_reference_kernels[] = {
    FLOAT_OPS(FLOAT_ROWS)
    MICRO_OPS(MICRO_ROWS)
    ORIBI_CPU_MICRO_ROW("Atan", atan, NULL, NULL)
    SIGNED_ROWS("Abs", abs)
    SIGNED_ROWS("Neg", neg)
    SIGNED_ROWS("Sign", sign)
    SIGNED_ROWS("Square", square)
    SIGNED_ROWS("Relu", relu)
    SIGNED_ROWS("Relu6", relu6)
    SIGNED_ROWS("Round", round)
    SIGNED_ROWS("Invert", invert)
    UNSIGNED_ROWS("Relu", relu)
    UNSIGNED_ROWS("Relu6", relu6)
    UNSIGNED_ROWS("Invert", invert)
    ROW("IsNan", float, TF_FLOAT, is_nan)
    ROW("IsNan", double, TF_DOUBLE, is_nan)
    ROW("IsInf", float, TF_FLOAT, is_inf)
    ROW("IsInf", double, TF_DOUBLE, is_inf)
    ROW("IsFinite", float, TF_FLOAT, is_finite)
    ROW("IsFinite", double, TF_DOUBLE, is_finite)
    LEAKY_ROW(float, TF_FLOAT)
    LEAKY_ROW(double, TF_DOUBLE)
    ORIBI_CPU_ROW("LogicalNot", logical_not_bool, "plain loop"),
    {.op_name = NULL},
};
/* clang-format on */
