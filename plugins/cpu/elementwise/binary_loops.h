/* SPDX-License-Identifier: Apache-2.0 */
/* Fast f32 lines of the binary ops and their rows; the including file is compiled for one ISA and
 * defines ORIBI_ISA (cpu/base/isa.h). Included once in each.
 */
#include "cpu/base/combine.h"
#include "cpu/base/families.h"
#include "cpu/base/vector_power.h"

#define BINARY_WHY "loops by line shape that compilers vectorise, " ORIBI_ISA_NAME

/* id, op, cycles, tolerance, value. Maximum and Minimum hand on a NaN of either side. */
#define FAST_OPS(X)                                                                                \
    X(add, "AddV2", 1, 0, u + v)                                                                   \
    X(sub, "Sub", 1, 0, u - v)                                                                     \
    X(mul, "Mul", 1, 0, u *v)                                                                      \
    X(div, "RealDiv", 1, 0, u / v)                                                                 \
    X(maximum, "Maximum", 1, 0, u > v || u != u ? u : v)                                           \
    X(minimum, "Minimum", 1, 0, u < v || u != u ? u : v)                                           \
    X(squared_difference, "SquaredDifference", 1, 0, (u - v) * (u - v))                            \
    X(prelu, "ONNX>PRelu", 1, 0, pick(u < 0.0f, u * v, u))

/* The three shapes of a line that matter get a loop without strides. */
#define LINE(id, expr)                                                                             \
    static bool id##_line(const void *av, int64_t sa, const void *bv, int64_t sb, void *yv,        \
                          int64_t count)                                                           \
    {                                                                                              \
        const float *a = av, *b = bv;                                                              \
        float *y = yv;                                                                             \
        if (sa == 1 && sb == 1) {                                                                  \
            ORIBI_CPU_NO_ALIAS                                                                     \
            for (int64_t i = 0; i < count; i++) {                                                  \
                float u = a[i], v = b[i];                                                          \
                y[i] = (expr);                                                                     \
            }                                                                                      \
        } else if (sa == 1 && sb == 0) {                                                           \
            float v = count > 0 ? *b : 0.0f;                                                       \
            ORIBI_CPU_NO_ALIAS                                                                     \
            for (int64_t i = 0; i < count; i++) {                                                  \
                float u = a[i];                                                                    \
                y[i] = (expr);                                                                     \
            }                                                                                      \
        } else if (sa == 0 && sb == 1) {                                                           \
            float u = count > 0 ? *a : 0.0f;                                                       \
            ORIBI_CPU_NO_ALIAS                                                                     \
            for (int64_t i = 0; i < count; i++) {                                                  \
                float v = b[i];                                                                    \
                y[i] = (expr);                                                                     \
            }                                                                                      \
        } else {                                                                                   \
            ORIBI_CPU_NO_ALIAS                                                                     \
            for (int64_t i = 0; i < count; i++) {                                                  \
                float u = a[i * sa], v = b[i * sb];                                                \
                y[i] = (expr);                                                                     \
            }                                                                                      \
        }                                                                                          \
        return true;                                                                               \
    }
#define COMPUTE(id, cycles)                                                                        \
    static const oribi_cpu_binary_op id##_op = {.line = id##_line,                                 \
                                                .in_bytes = sizeof(float),                         \
                                                .out_bytes = sizeof(float),                        \
                                                .in_place = true,                                  \
                                                .collapse = true,                                  \
                                                .cost = cycles};                                   \
    static void id##_compute(void *state, TF_OpKernelContext *context)                             \
    {                                                                                              \
        (void)state;                                                                               \
        oribi_cpu_binary_compute(context, &id##_op);                                               \
    }
#define FAST_LINE(id, op, cycles, tolerance, expr) LINE(id, expr) COMPUTE(id, cycles)
FAST_OPS(FAST_LINE)

static inline void gather(float *to, const float *from, int64_t stride, int64_t n)
{
    if (stride == 1) {
        memcpy(to, from, (size_t)n * sizeof *to);
        return;
    }
    for (int64_t k = 0; k < n; k++) {
        to[k] = from[k * stride];
    }
}

/* One loop for all strides, where vectors are much code: four would not be inlined, and then be
 * none (tests/cpu/inner_loops.py). */
#define GATHERED_LINE(id, expr)                                                                    \
    static bool id##_line(const void *av, int64_t sa, const void *bv, int64_t sb, void *yv,        \
                          int64_t count)                                                           \
    {                                                                                              \
        enum { MOST = 64 };                                                                        \
        const float *a = av, *b = bv;                                                              \
        float *y = yv, u[MOST], v[MOST];                                                           \
        for (int64_t i = 0; i < count; i += MOST) {                                                \
            const int64_t n = count - i < MOST ? count - i : MOST;                                 \
            gather(u, a + i * sa, sa, n);                                                          \
            gather(v, b + i * sb, sb, n);                                                          \
            for (int64_t k = 0; k < n; k++) {                                                      \
                u[k] = (expr);                                                                     \
            }                                                                                      \
            memcpy(y + i, u, (size_t)n * sizeof *u);                                               \
        }                                                                                          \
        return true;                                                                               \
    }
GATHERED_LINE(any_power, vector_power(u[k], v[k]))
GATHERED_LINE(bias_gelu, vector_gelu(u[k] + v[k]))
COMPUTE(bias_gelu, 8)

/* u^v for the exponents that models have. C's pow has +0 and +infinity for the square roots of -0
 * and -infinity. */
#define POWERS(X)                                                                                  \
    X(2.0f, u *u)                                                                                  \
    X(3.0f, u *u *u)                                                                               \
    X(1.0f, u)                                                                                     \
    X(-1.0f, 1.0f / u)                                                                             \
    X(-2.0f, (1.0f / u) * (1.0f / u))                                                              \
    X(0.5f, pick(u == -__builtin_inff(), -u, __builtin_sqrtf(u + 0.0f)))                           \
    X(-0.5f, pick(u == -__builtin_inff(), 0.0f, 1.0f / __builtin_sqrtf(u + 0.0f)))
#define POWER(exponent, expr)                                                                      \
    if (v == (exponent)) {                                                                         \
        ORIBI_CPU_NO_ALIAS                                                                         \
        for (int64_t i = 0; i < count; i++) {                                                      \
            float u = a[i];                                                                        \
            y[i] = (expr);                                                                         \
        }                                                                                          \
        return true;                                                                               \
    }

static bool power_line(const void *av, int64_t sa, const void *bv, int64_t sb, void *yv,
                       int64_t count)
{
    const float *a = av;
    float *y = yv;
    if (sa == 1 && sb == 0 && count > 0) {
        const float v = *(const float *)bv;
        POWERS(POWER)
    }
    return any_power_line(av, sa, bv, sb, yv, count);
}
COMPUTE(power, 10)
ORIBI_CPU_COMBINE(_f32, add_op, maximum_op, minimum_op)

#define FAST_ROW(id, op, cycles, relative, expr)                                                   \
    ORIBI_CPU_ISA_ROW(op, ORIBI_ISA, id, BINARY_WHY, ORIBI_CPU_OF(TF_FLOAT),                       \
                      .tolerance = (float)(relative)),
/* clang-format off */
const oribi_cpu_kernel ORIBI_ISA_TABLE(binary)[] = {
    FAST_OPS(FAST_ROW)
    FAST_ROW(add, "Add", 1, 0, )
    FAST_ROW(power, "Pow", 10, 1e-6, )
    FAST_ROW(bias_gelu, "Oribi>BiasGelu", 8, 1e-6, )
    ORIBI_CPU_COMBINE_ROWS(_f32, TF_FLOAT, ORIBI_ISA, BINARY_WHY)
    {.op_name = NULL},
};
/* clang-format on */
