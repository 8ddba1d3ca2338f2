/* SPDX-License-Identifier: Apache-2.0 */
/* Fast f32 reductions: lines are folded in independent lanes, so that compilers may use vectors;
 * the lanes also bound the rounding error. The including file is compiled for one ISA and defines
 * ORIBI_ISA (cpu/base/isa.h).
 */
#include "cpu/base/families.h"
#include "cpu/window/reduce.h"

#define REDUCE_WHY "lanes that compilers turn into vectors, " ORIBI_ISA_NAME

enum { LANES = 32 };

#define FOLD(T, A, result, init, step)                                                             \
    int64_t i = 0;                                                                                 \
    if (stride == 1 && count >= 2 * LANES) {                                                       \
        A lanes[LANES];                                                                            \
        for (int k = 0; k < LANES; k++) {                                                          \
            lanes[k] = init;                                                                       \
        }                                                                                          \
        for (; i + LANES <= count; i += LANES) {                                                   \
            for (int k = 0; k < LANES; k++) {                                                      \
                A acc = lanes[k], v = x[i + k];                                                    \
                lanes[k] = (step);                                                                 \
            }                                                                                      \
        }                                                                                          \
        for (int k = 0; k < LANES; k++) {                                                          \
            A acc = result, v = lanes[k];                                                          \
            result = (step);                                                                       \
        }                                                                                          \
    }                                                                                              \
    for (; i < count; i++) {                                                                       \
        A acc = result, v = x[i * stride];                                                         \
        result = (step);                                                                           \
    }

ORIBI_CPU_REDUCE(sum, float, float, 0.0f, acc + v, acc, FOLD, 1)
ORIBI_CPU_REDUCE(mean, float, float, 0.0f, acc + v, acc / (float)n, FOLD, 1)
ORIBI_CPU_REDUCE(prod, float, float, 1.0f, acc *v, acc, FOLD, 1)
ORIBI_CPU_REDUCE(max, float, float, -__builtin_inff(), v > acc || v != v ? v : acc, acc, FOLD, 1)
ORIBI_CPU_REDUCE(min, float, float, __builtin_inff(), v < acc || v != v ? v : acc, acc, FOLD, 1)

#define REDUCE_ROW(op, fn, relative)                                                               \
    ORIBI_CPU_ISA_ROW(op, ORIBI_ISA, fn, REDUCE_WHY, ORIBI_CPU_OF(TF_FLOAT),                       \
                      .create = oribi_cpu_reduce_create, .destroy = oribi_kit_free,                \
                      .tolerance = (float)(relative))
const oribi_cpu_kernel ORIBI_ISA_TABLE(reduce)[] = {
    REDUCE_ROW("Sum", sum, 1e-5), REDUCE_ROW("Mean", mean, 1e-5), REDUCE_ROW("Prod", prod, 1e-5),
    REDUCE_ROW("Max", max, 0),    REDUCE_ROW("Min", min, 0),      {.op_name = NULL},
};
