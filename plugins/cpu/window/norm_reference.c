/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisations, reference: plain loops in double. Fast f32 loops: norm_loops.h. */
#include "cpu/base/families.h"
#include "cpu/window/norm.h"

#include <math.h>

/* The row's largest value is taken off first, so that no exponential overflows. */
#define OFFSET(T)                                                                                  \
    static double offset_##T(const T *x, int64_t n, double *out_sum)                               \
    {                                                                                              \
        double largest = (double)x[0];                                                             \
        for (int64_t i = 1; i < n; i++) {                                                          \
            largest = (double)x[i] > largest ? (double)x[i] : largest;                             \
        }                                                                                          \
        *out_sum = 0;                                                                              \
        for (int64_t i = 0; i < n; i++) {                                                          \
            *out_sum += exp((double)x[i] - largest);                                               \
        }                                                                                          \
        return largest;                                                                            \
    }
OFFSET(float)
OFFSET(double)

#define ROWS(name, T, value)                                                                       \
    static void name##_##T(const void *xv, void *yv, int64_t rows, int64_t columns)                \
    {                                                                                              \
        for (int64_t r = 0; r < rows; r++) {                                                       \
            const T *x = (const T *)xv + r * columns;                                              \
            T *y = (T *)yv + r * columns;                                                          \
            double sum, largest = offset_##T(x, columns, &sum);                                    \
            for (int64_t i = 0; i < columns; i++) {                                                \
                y[i] = (T)(value);                                                                 \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void name##_##T##_compute(void *state, TF_OpKernelContext *context)                     \
    {                                                                                              \
        (void)state;                                                                               \
        oribi_cpu_softmax_compute(context, name##_##T, sizeof(T));                                 \
    }
ROWS(softmax, float, exp((double)x[i] - largest) / sum)
ROWS(softmax, double, exp((double)x[i] - largest) / sum)
ROWS(log_softmax, float, (double)x[i] - largest - log(sum))
ROWS(log_softmax, double, (double)x[i] - largest - log(sum))

static void lrn_pixels(const oribi_cpu_lrn *lrn, int64_t begin, int64_t end)
{
    for (int64_t pixel = begin; pixel < end; pixel++) {
        const float *x = lrn->x + pixel * lrn->channels;
        float *y = lrn->y + pixel * lrn->channels;
        for (int64_t c = 0; c < lrn->channels; c++) {
            const int64_t last = lrn->channels - 1;
            const int64_t from = c > lrn->radius ? c - lrn->radius : 0;
            const int64_t to = last - c > lrn->radius ? c + lrn->radius : last;
            double sum = 0;
            for (int64_t i = from; i <= to; i++) {
                sum += (double)x[i] * (double)x[i];
            }
            double base = (double)lrn->bias + (double)lrn->alpha * sum;
            y[c] = (float)((double)x[c] * pow(base, -(double)lrn->beta));
        }
    }
}

static void lrn_compute(void *state, TF_OpKernelContext *context)
{
    oribi_cpu_lrn_compute(state, context, lrn_pixels);
}

static void bn_row(const oribi_cpu_bn_row *row)
{
    for (int64_t i = 0; i < row->count; i++) {
        int64_t c = row->has_step ? i : 0;
        double y = ((double)row->x[i] - (double)row->mean[c]) * (double)row->factor[c] +
                   (double)row->offset[c] + (row->side == NULL ? 0 : (double)row->side[i]);
        row->y[i] = (float)(row->has_relu && y < 0 ? 0 : y);
    }
}

static void bn_compute(void *state, TF_OpKernelContext *context)
{
    oribi_cpu_bn_compute(state, context, bn_row);
}

#define SOFTMAX_ROW(op, T, dtype, fn)                                                              \
    ORIBI_CPU_ROW(op, fn##_##T, "plain loops in double", ORIBI_CPU_OF(dtype))
const oribi_cpu_kernel oribi_cpu_norm_reference_kernels[] = {
    SOFTMAX_ROW("Softmax", float, TF_FLOAT, softmax),
    SOFTMAX_ROW("Softmax", double, TF_DOUBLE, softmax),
    SOFTMAX_ROW("LogSoftmax", float, TF_FLOAT, log_softmax),
    SOFTMAX_ROW("LogSoftmax", double, TF_DOUBLE, log_softmax),
    ORIBI_CPU_STATE_ROW("LRN", oribi_cpu_lrn, lrn, "plain loops in double", ORIBI_CPU_OF(TF_FLOAT)),
    ORIBI_CPU_STATE_ROW("FusedBatchNormV3", oribi_cpu_bn, bn, "plain loops in double",
                        .types = {{"T", ORIBI_CPU_F32}, {"U", ORIBI_CPU_F32}},
                        .strided_outputs = 1),
    ORIBI_CPU_STATE_ROW("FusedBatchNorm", oribi_cpu_bn, bn, "plain loops in double",
                        ORIBI_CPU_OF(TF_FLOAT), .strided_outputs = 1),
    ORIBI_CPU_STATE_ROW("_FusedBatchNormEx", oribi_cpu_bn_ex, bn, "plain loops in double",
                        .types = {{"T", ORIBI_CPU_F32}, {"U", ORIBI_CPU_F32}},
                        .strided_outputs = 1),
    {.op_name = NULL},
};
