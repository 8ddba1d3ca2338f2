/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling, reference: plain loops, one channel at a time; averages are summed in double. Fast f32
 * lines: pool_loops.h.
 */
#include "cpu/base/families.h"
#include "cpu/window/pool_kernels.h"

#include <float.h>

#define LINE(id, T, wide, start, step, finish)                                                     \
    static void id##_##T##_line(const oribi_cpu_pool *p, int64_t line)                             \
    {                                                                                              \
        const T *x =                                                                               \
            (const T *)p->x + line / p->down.out * p->down.in * p->across.in * p->channels;        \
        for (int64_t ow = 0; ow < p->across.out; ow++) {                                           \
            oribi_cpu_window w = oribi_cpu_pool_window(p, line % p->down.out, ow);                 \
            double divisor = (double)oribi_cpu_pool_divisor(&w);                                   \
            T *y = (T *)p->y + (line * p->across.out + ow) * p->row_stride;                        \
            for (int64_t c = 0; c < p->channels; c++) {                                            \
                wide sum = start;                                                                  \
                for (int64_t i = w.down.from; i < w.down.to; i++) {                                \
                    for (int64_t j = w.across.from; j < w.across.to; j++) {                        \
                        T v = x[((w.down.first + i * p->down.dilation) * p->across.in +            \
                                 w.across.first + j * p->across.dilation) *                        \
                                    p->channels +                                                  \
                                c];                                                                \
                        sum = step;                                                                \
                    }                                                                              \
                }                                                                                  \
                (void)divisor;                                                                     \
                y[c] = (T)(finish);                                                                \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void id##_##T##_compute(void *state, TF_OpKernelContext *context)                       \
    {                                                                                              \
        oribi_cpu_pool_compute(state, context, id##_##T##_line);                                   \
    }
#define MAX_LINE(T, lowest) LINE(max, T, T, lowest, v > sum ? v : sum, sum)
#define AVG_LINE(T)         LINE(avg, T, double, 0, sum + (double)v, sum / divisor)

MAX_LINE(float, -__builtin_inff())
MAX_LINE(double, -__builtin_inf())
MAX_LINE(int8_t, INT8_MIN)
MAX_LINE(int16_t, INT16_MIN)
MAX_LINE(int32_t, INT32_MIN)
MAX_LINE(int64_t, INT64_MIN)
MAX_LINE(uint8_t, 0)
MAX_LINE(uint16_t, 0)
AVG_LINE(float)
AVG_LINE(double)

#define ROW(op, T, dtype, fn, make)                                                                \
    ORIBI_CPU_STATE_ROW(op, make, fn##_##T, "plain loops", ORIBI_CPU_OF(dtype),                    \
                        .strided_outputs = 1),
#define MAX_ROWS(T, dtype) ROW("MaxPool", T, dtype, max, oribi_cpu_pool)
/* clang-format off */
const oribi_cpu_kernel oribi_cpu_pool_reference_kernels[] = {
    MAX_ROWS(float, TF_FLOAT)
    MAX_ROWS(double, TF_DOUBLE)
    MAX_ROWS(int8_t, TF_INT8)
    MAX_ROWS(int16_t, TF_INT16)
    MAX_ROWS(int32_t, TF_INT32)
    MAX_ROWS(int64_t, TF_INT64)
    MAX_ROWS(uint8_t, TF_UINT8)
    MAX_ROWS(uint16_t, TF_UINT16)
    ROW("AvgPool", float, TF_FLOAT, avg, oribi_cpu_pool)
    ROW("AvgPool", double, TF_DOUBLE, avg, oribi_cpu_pool)
    ROW("Oribi>AvgPool", float, TF_FLOAT, avg, oribi_cpu_pool)
    ROW("Oribi>AvgPool", double, TF_DOUBLE, avg, oribi_cpu_pool)
    {.op_name = NULL},
};
/* clang-format on */
