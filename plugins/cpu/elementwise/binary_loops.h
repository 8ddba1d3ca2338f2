/* SPDX-License-Identifier: Apache-2.0 */
/* Fast f32 lines of the binary ops and their rows; the including file is compiled for one ISA and
 * defines ORIBI_ISA (cpu/base/isa.h). Included once in each.
 */
#include "cpu/base/combine.h"
#include "cpu/base/families.h"

#define BINARY_WHY "loops by line shape that compilers vectorise, " ORIBI_ISA_NAME

/* Maximum and Minimum hand on a NaN of either side. */
#define FAST_OPS(X)                                                                                \
    X(add, "AddV2", u + v)                                                                         \
    X(sub, "Sub", u - v)                                                                           \
    X(mul, "Mul", u *v)                                                                            \
    X(div, "RealDiv", u / v)                                                                       \
    X(maximum, "Maximum", u > v || u != u ? u : v)                                                 \
    X(minimum, "Minimum", u < v || u != u ? u : v)                                                 \
    X(squared_difference, "SquaredDifference", (u - v) * (u - v))

/* The three shapes of a line that matter get a loop without strides. */
#define FAST_LINE(id, op, expr)                                                                    \
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
    }                                                                                              \
    static const oribi_cpu_binary_op id##_op = {.line = id##_line,                                 \
                                                .in_bytes = sizeof(float),                         \
                                                .out_bytes = sizeof(float),                        \
                                                .in_place = true,                                  \
                                                .collapse = true,                                  \
                                                .cost = 1};                                        \
    static void id##_compute(void *state, TF_OpKernelContext *context)                             \
    {                                                                                              \
        (void)state;                                                                               \
        oribi_cpu_binary_compute(context, &id##_op);                                               \
    }
FAST_OPS(FAST_LINE)
ORIBI_CPU_COMBINE(_f32, add_op, maximum_op, minimum_op)

#define FAST_ROW(id, op, expr)                                                                     \
    {.op_name = op,                                                                                \
     .types = {{"T", ORIBI_CPU_F32}},                                                              \
     ORIBI_ISA_FIELDS(ORIBI_ISA),                                                                  \
     .compute = id##_compute,                                                                      \
     .why = BINARY_WHY},
/* clang-format off */
const oribi_cpu_kernel ORIBI_ISA_TABLE(binary)[] = {
    FAST_OPS(FAST_ROW)
    FAST_ROW(add, "Add", )
    ORIBI_CPU_COMBINE_ROWS(_f32, TF_FLOAT, ORIBI_ISA, BINARY_WHY)
    {.op_name = NULL},
};
/* clang-format on */
