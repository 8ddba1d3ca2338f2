/* SPDX-License-Identifier: Apache-2.0 */
/* Float pools and normalisations by the kernels and formulas that emitted C carries, under the
 * label "micro". Functions of elements and reductions: micro_rows.h.
 */
#include "micro/float_rules.h"

#include "cpu/base/families.h"
#include "cpu/window/norm.h"
#include "cpu/window/pool_kernels.h"

#include "micro/unary/activation_f32.h"
#include "micro/norm/lrn_f32.h"
#include "micro/norm/softmax_f32.h"
#include "micro/double/softmax_f64.h"

/* --- Pools ----------------------------------------------------------------------------------- */

static void average_line(const oribi_cpu_pool *p, int64_t line)
{
    const float *x =
        (const float *)p->x + line / p->down.out * p->down.in * p->across.in * p->channels;
    for (int64_t column = 0; column < p->across.out; column++) {
        const oribi_cpu_window w = oribi_cpu_pool_window(p, line % p->down.out, column);
        const float divisor = (float)oribi_cpu_pool_divisor(&w);
        float *y = (float *)p->y + (line * p->across.out + column) * p->row_stride;
        for (int64_t c = 0; c < p->channels; c++) {
            float sum = 0.0f;
            for (int64_t i = w.down.from; i < w.down.to; i++) {
                for (int64_t j = w.across.from; j < w.across.to; j++) {
                    const int64_t pixel = (w.down.first + i * p->down.dilation) * p->across.in +
                                          w.across.first + j * p->across.dilation;
                    sum += x[pixel * p->channels + c];
                }
            }
            y[c] = sum / divisor;
        }
    }
}

static void average_compute(void *state, TF_OpKernelContext *context)
{
    oribi_cpu_pool_compute(state, context, average_line);
}

/* --- Normalisations -------------------------------------------------------------------------- */

#define SOFTMAX(name)                                                                              \
    static void name##_rows(const void *x, void *y, int64_t rows, int64_t columns)                 \
    {                                                                                              \
        const struct oribi_micro_softmax_f32_args args = {1, (int32_t)columns};                    \
        for (int64_t i = 0; i < rows; i++) {                                                       \
            oribi_micro_##name##_f32(&args, (const float *)x + i * columns,                        \
                                     (float *)y + i * columns);                                    \
        }                                                                                          \
    }                                                                                              \
    static void name##_compute(void *state, TF_OpKernelContext *context)                           \
    {                                                                                              \
        (void)state;                                                                               \
        oribi_cpu_softmax_compute(context, name##_rows, sizeof(float));                            \
    }
SOFTMAX(softmax)
SOFTMAX(log_softmax)

#define SOFTMAX_DOUBLES(name, logarithm)                                                           \
    static void name##_doubles(const void *x, void *y, int64_t rows, int64_t columns)              \
    {                                                                                              \
        const struct oribi_micro_softmax_f64_args args = {1, (int32_t)columns, logarithm};         \
        for (int64_t i = 0; i < rows; i++) {                                                       \
            oribi_micro_softmax_f64(&args, (const double *)x + i * columns,                        \
                                    (double *)y + i * columns);                                    \
        }                                                                                          \
    }                                                                                              \
    static void name##_doubles_compute(void *state, TF_OpKernelContext *context)                   \
    {                                                                                              \
        (void)state;                                                                               \
        oribi_cpu_softmax_compute(context, name##_doubles, sizeof(double));                        \
    }
SOFTMAX_DOUBLES(softmax, 0)
SOFTMAX_DOUBLES(log_softmax, 1)

static void lrn_pixels(const oribi_cpu_lrn *lrn, int64_t begin, int64_t end)
{
    const int64_t radius = lrn->radius < lrn->channels ? lrn->radius : lrn->channels;
    const struct oribi_micro_lrn_f32_args args = {
        1, (int32_t)lrn->channels, (int32_t)radius, lrn->bias, lrn->alpha, lrn->beta};
    for (int64_t i = begin; i < end; i++) {
        oribi_micro_lrn_f32(&args, lrn->x + i * lrn->channels, lrn->y + i * lrn->channels);
    }
}

static void lrn_compute(void *state, TF_OpKernelContext *context)
{
    oribi_cpu_lrn_compute(state, context, lrn_pixels);
}

static void norm_row(const oribi_cpu_bn_row *row)
{
    for (int64_t i = 0; i < row->count; i++) {
        const int64_t c = row->has_step ? i : 0;
        float y = (row->x[i] - row->mean[c]) * row->factor[c] + row->offset[c];
        y = row->side != NULL ? y + row->side[i] : y;
        row->y[i] = oribi_micro_activate_f32(
            y, row->has_relu ? ORIBI_MICRO_RELU_F32 : ORIBI_MICRO_LINEAR_F32, 0.0f);
    }
}

static void norm_compute(void *state, TF_OpKernelContext *context)
{
    oribi_cpu_bn_compute(state, context, norm_row);
}

#define ROW(op, dtype, fn, create_fn, destroy_fn)                                                  \
    {                                                                                              \
        .op_name = op, .types = {{"T", ORIBI_KIT_TYPE(dtype)}}, .label = "micro",                  \
        .priority = ORIBI_CPU_MICRO, .create = create_fn, .compute = fn##_compute,                 \
        .destroy = destroy_fn, .tolerance = 1e-5f, .why = "the arithmetic of emitted C"            \
    }
#define NORM_ROW(op, create_fn)                                                                    \
    {                                                                                              \
        .op_name = op, .types = {{"T", ORIBI_CPU_F32}, {"U", ORIBI_CPU_F32}}, .label = "micro",    \
        .priority = ORIBI_CPU_MICRO, .create = create_fn, .compute = norm_compute,                 \
        .destroy = oribi_kit_free, .strided_outputs = 1, .tolerance = 1e-5f,                       \
        .why = "the arithmetic of emitted C"                                                       \
    }
#define STRIDED_ROW(op, fn, create_fn)                                                             \
    {                                                                                              \
        .op_name = op, .types = {{"T", ORIBI_CPU_F32}}, .label = "micro",                          \
        .priority = ORIBI_CPU_MICRO, .create = create_fn, .compute = fn##_compute,                 \
        .destroy = oribi_kit_free, .strided_outputs = 1, .tolerance = 1e-5f,                       \
        .why = "the arithmetic of emitted C"                                                       \
    }
const oribi_cpu_kernel oribi_cpu_micro_window_kernels[] = {
    STRIDED_ROW("AvgPool", average, oribi_cpu_pool_create),
    STRIDED_ROW("Oribi>AvgPool", average, oribi_cpu_pool_create),
    ROW("Softmax", TF_FLOAT, softmax, NULL, NULL),
    ROW("Softmax", TF_DOUBLE, softmax_doubles, NULL, NULL),
    ROW("LogSoftmax", TF_FLOAT, log_softmax, NULL, NULL),
    ROW("LogSoftmax", TF_DOUBLE, log_softmax_doubles, NULL, NULL),
    ROW("LRN", TF_FLOAT, lrn, oribi_cpu_lrn_create, oribi_kit_free),
    NORM_ROW("FusedBatchNormV3", oribi_cpu_bn_create),
    NORM_ROW("_FusedBatchNormEx", oribi_cpu_bn_ex_create),
    {.op_name = NULL}};
