/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions, reference: plain loops; floats fold in double, integers wrap in 64 bits. Fast f32
 * loops: reduce_loops.h.
 */
#include "cpu/base/families.h"
#include "cpu/base/micro_rows.h"
#include "cpu/window/reduce.h"
#include "cpu/base/numbers.h"
#include "micro/reduce/reduce_euclidean_norm_f32.h"

#include <math.h>

#define FOLD(T, A, result, init, step)                                                             \
    A acc = result;                                                                                \
    for (int64_t i = 0; i < count; i++) {                                                          \
        A v = (A)x[i * stride];                                                                    \
        acc = (A)(step);                                                                           \
    }                                                                                              \
    result = acc;

#define FLOATS(T, lowest, highest)                                                                 \
    ORIBI_CPU_REDUCE(sum_##T, T, double, 0, acc + v, acc, FOLD, 3)                                 \
    ORIBI_CPU_REDUCE(mean_##T, T, double, 0, acc + v, acc / (double)n, FOLD, 3)                    \
    ORIBI_CPU_REDUCE(euclidean_norm_##T, T, double, 0, acc + v * v, sqrt(acc), FOLD, 3)            \
    ORIBI_CPU_REDUCE(prod_##T, T, double, 1, acc *v, acc, FOLD, 3)                                 \
    ORIBI_CPU_REDUCE(max_##T, T, T, lowest, v > acc || v != v ? v : acc, acc, FOLD, 3)             \
    ORIBI_CPU_REDUCE(min_##T, T, T, highest, v < acc || v != v ? v : acc, acc, FOLD, 3)
#define INTS(T, A, lowest, highest)                                                                \
    ORIBI_CPU_REDUCE(sum_##T, T, uint64_t, 0, acc + v, acc, FOLD, 1)                               \
    ORIBI_CPU_REDUCE(mean_##T, T, uint64_t, 0, acc + v, (A)acc / (A)(n > 0 ? n : 1), FOLD, 1)      \
    ORIBI_CPU_REDUCE(prod_##T, T, uint64_t, 1, acc *v, acc, FOLD, 1)                               \
    ORIBI_CPU_REDUCE(max_##T, T, T, lowest, v > acc ? v : acc, acc, FOLD, 1)                       \
    ORIBI_CPU_REDUCE(min_##T, T, T, highest, v < acc ? v : acc, acc, FOLD, 1)

FLOATS(float, -__builtin_inff(), __builtin_inff())
FLOATS(double, -__builtin_inf(), __builtin_inf())
INTS(int8_t, int64_t, INT8_MIN, INT8_MAX)
INTS(int16_t, int64_t, INT16_MIN, INT16_MAX)
INTS(int32_t, int64_t, INT32_MIN, INT32_MAX)
INTS(int64_t, int64_t, INT64_MIN, INT64_MAX)
INTS(uint8_t, uint64_t, 0, UINT8_MAX)
INTS(uint16_t, uint64_t, 0, UINT16_MAX)
INTS(uint32_t, uint64_t, 0, UINT32_MAX)
INTS(uint64_t, uint64_t, 0, UINT64_MAX)
ORIBI_CPU_REDUCE(all, bool, bool, true, acc &&v, acc, FOLD, 1)
ORIBI_CPU_REDUCE(any, bool, bool, false, acc || v, acc, FOLD, 1)

/* In order, as emitted C folds; extremes round nothing. */
ORIBI_CPU_MICRO_REDUCE(euclidean_norm, 0)
ORIBI_CPU_MICRO_REDUCE(sum, 0)
ORIBI_CPU_MICRO_REDUCE(mean, __builtin_nanf(""))
ORIBI_CPU_MICRO_REDUCE(prod, 1)

/* L2Loss: half the sum of squares, one number. */
#define L2_LOSS(T)                                                                                 \
    static bool l2_loss_##T##_run(const void *state, oribi_kit_run *run)                           \
    {                                                                                              \
        const T *x = TF_TensorData(run->in[0]);                                                    \
        int64_t n = TF_TensorElementCount(run->in[0]);                                             \
        T *y = oribi_kit_output(run, 0, NULL, 0);                                                  \
        double sum = 0;                                                                            \
        (void)state;                                                                               \
        for (int64_t i = 0, patience = 0; y != NULL && i < n;) {                                   \
            const int64_t end = n - i < 65536 ? n : i + 65536;                                     \
            if (oribi_kit_stops(run, &patience, 4 * 65536)) {                                      \
                return false;                                                                      \
            }                                                                                      \
            for (; i < end; i++) {                                                                 \
                sum += (double)x[i] * (double)x[i];                                                \
            }                                                                                      \
        }                                                                                          \
        if (y != NULL) {                                                                           \
            *y = (T)(sum / 2);                                                                     \
        }                                                                                          \
        return y != NULL;                                                                          \
    }                                                                                              \
    ORIBI_KIT_COMPUTE(l2_loss_##T, 1)
L2_LOSS(float)
L2_LOSS(double)

#define L2_ROW(T, dtype)  ORIBI_CPU_ROW("L2Loss", l2_loss_##T, "plain loop", ORIBI_CPU_OF(dtype)),
#define MICRO_ROW(op, fn) ORIBI_CPU_MICRO_ROW(op, fn, oribi_cpu_reduce_create, oribi_kit_free)
#define ROW(op, T, dtype, fn)                                                                      \
    ORIBI_CPU_STATE_ROW(op, oribi_cpu_reduce, fn##_##T, "plain loops", ORIBI_CPU_OF(dtype)),
#define ROWS(T, dtype)                                                                             \
    ROW("Sum", T, dtype, sum)                                                                      \
    ROW("Mean", T, dtype, mean)                                                                    \
    ROW("Prod", T, dtype, prod)                                                                    \
    ROW("Max", T, dtype, max)                                                                      \
    ROW("Min", T, dtype, min)
/* clang-format off */
const oribi_cpu_kernel oribi_cpu_reduce_reference_kernels[] = {
    ORIBI_CPU_NUMBERS(ROWS)
    ROW("EuclideanNorm", float, TF_FLOAT, euclidean_norm)
    ROW("EuclideanNorm", double, TF_DOUBLE, euclidean_norm)
    MICRO_ROW("EuclideanNorm", euclidean_norm)
    MICRO_ROW("Sum", sum)
    MICRO_ROW("Mean", mean)
    MICRO_ROW("Prod", prod)
    ORIBI_CPU_STATE_ROW("All", oribi_cpu_reduce, all, "plain loops"),
    ORIBI_CPU_STATE_ROW("Any", oribi_cpu_reduce, any, "plain loops"),
    L2_ROW(float, TF_FLOAT)
    L2_ROW(double, TF_DOUBLE)
    {.op_name = NULL},
};
/* clang-format on */
