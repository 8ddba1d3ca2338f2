/* SPDX-License-Identifier: Apache-2.0 */
/* Float functions, pools, normalisations and reductions by the kernels and formulas that emitted C
 * carries, under the label "micro". Sums, products and bounds of two values need no row here: one
 * operation rounds alike everywhere. Read next: micro_layers.c.
 */
#include "micro/float_rules.h"

#include "cpu/elementwise.h"
#include "cpu/families.h"
#include "cpu/norm.h"
#include "cpu/pool.h"
#include "cpu/reduce.h"

#include "micro/activation_f32.h"
#include "micro/lrn_f32.h"
#include "micro/math_f64.h"
#include "micro/softmax_f32.h"
#include "micro/unary_f32.h"

enum { SLICE = 1 << 20 }; /* elements of one call: the kernels count in 32 bits */

/* --- Functions of one and two values --------------------------------------------------------- */

static void unary_loop(const oribi_cpu_unary *work, int64_t begin, int64_t end,
                       void (*kernel)(const struct oribi_micro_unary_f32_args *, const float *,
                                      float *))
{
    const float *x = work->x;
    float *y = work->y;
    while (begin < end) {
        const int64_t count = end - begin < SLICE ? end - begin : SLICE;
        const struct oribi_micro_unary_f32_args args = {.count = (int32_t)count, .alpha = work->a};
        kernel(&args, x + begin, y + begin);
        begin += count;
    }
}

#define UNARY(name)                                                                                \
    static void name##_loop(void *object, int64_t begin, int64_t end)                              \
    {                                                                                              \
        unary_loop(object, begin, end, oribi_micro_##name##_f32);                                  \
    }                                                                                              \
    static void name##_compute(void *state, TF_OpKernelContext *context)                           \
    {                                                                                              \
        (void)state;                                                                               \
        oribi_cpu_unary_compute(context, name##_loop, 20, 0, 0);                                   \
    }
UNARY(elu)
UNARY(erf)
UNARY(exp)
UNARY(hard_swish)
UNARY(log)
UNARY(reciprocal)
UNARY(rsqrt)
UNARY(selu)
UNARY(sigmoid)
UNARY(softplus)
UNARY(softsign)
UNARY(sqrt)
UNARY(tanh)

static bool pow_line(const void *a, int64_t sa, const void *b, int64_t sb, void *y, int64_t count)
{
    const float *x = a, *e = b;
    float *out = y;
    for (int64_t i = 0; i < count; i++) {
        out[i] = oribi_micro_pow(x[i * sa], e[i * sb]);
    }
    return true;
}

static void pow_compute(void *state, TF_OpKernelContext *context)
{
    static const oribi_cpu_binary_op op = {
        .line = pow_line, .in_bytes = 4, .out_bytes = 4, .in_place = true, .cost = 60};
    (void)state;
    oribi_cpu_binary_compute(context, &op);
}

/* --- Pools ----------------------------------------------------------------------------------- */

static void average_line(const oribi_cpu_pool *p, int64_t line)
{
    const float *x = (const float *)p->x + line / p->out_h * p->in_h * p->in_w * p->channels;
    for (int64_t column = 0; column < p->out_w; column++) {
        const oribi_cpu_window w = oribi_cpu_pool_window(p, line % p->out_h, column);
        const float divisor = (float)oribi_cpu_pool_divisor(p, &w);
        float *y = (float *)p->y + (line * p->out_w + column) * p->row_stride;
        for (int64_t c = 0; c < p->channels; c++) {
            float sum = 0.0f;
            for (int64_t i = w.from_h; i < w.to_h; i++) {
                for (int64_t j = w.from_w; j < w.to_w; j++) {
                    const int64_t pixel =
                        (w.y0 + i * p->dilation_h) * p->in_w + w.x0 + j * p->dilation_w;
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

/* --- Reductions: one after the other, in order ----------------------------------------------- */

#define FOLD(T, A, result, init, step)                                                             \
    A acc = result;                                                                                \
    for (int64_t i = 0; i < count; i++) {                                                          \
        A v = (A)x[i * stride];                                                                    \
        acc = (A)(step);                                                                           \
    }                                                                                              \
    result = acc;
ORIBI_CPU_REDUCE(sum, float, float, 0, acc + v, acc, FOLD, 3)
ORIBI_CPU_REDUCE(mean, float, float, 0, acc + v, acc / (float)n, FOLD, 3)
ORIBI_CPU_REDUCE(prod, float, float, 1, acc *v, acc, FOLD, 3)

#define ROW(op, fn, create_fn, destroy_fn)                                                         \
    {                                                                                              \
        .op_name = op, .types = {{"T", ORIBI_CPU_F32}}, .label = "micro",                          \
        .priority = ORIBI_CPU_MICRO, .create = create_fn, .compute = fn##_compute,                 \
        .destroy = destroy_fn, .tolerance = 1e-5, .why = "the arithmetic of emitted C"             \
    }
#define NORM_ROW(op, create_fn)                                                                    \
    {                                                                                              \
        .op_name = op, .types = {{"T", ORIBI_CPU_F32}, {"U", ORIBI_CPU_F32}}, .label = "micro",    \
        .priority = ORIBI_CPU_MICRO, .create = create_fn, .compute = norm_compute,                 \
        .destroy = oribi_cpu_free, .strided_outputs = 1, .tolerance = 1e-5,                        \
        .why = "the arithmetic of emitted C"                                                       \
    }
#define STRIDED_ROW(op, fn, create_fn)                                                             \
    {                                                                                              \
        .op_name = op, .types = {{"T", ORIBI_CPU_F32}}, .label = "micro",                          \
        .priority = ORIBI_CPU_MICRO, .create = create_fn, .compute = fn##_compute,                 \
        .destroy = oribi_cpu_free, .strided_outputs = 1, .tolerance = 1e-5,                        \
        .why = "the arithmetic of emitted C"                                                       \
    }
const oribi_cpu_kernel oribi_cpu_micro_math_kernels[] = {
    ROW("Elu", elu, NULL, NULL),
    ROW("Erf", erf, NULL, NULL),
    ROW("Exp", exp, NULL, NULL),
    ROW("ONNX>HardSwish", hard_swish, NULL, NULL),
    ROW("Log", log, NULL, NULL),
    ROW("Reciprocal", reciprocal, NULL, NULL),
    ROW("Rsqrt", rsqrt, NULL, NULL),
    ROW("Selu", selu, NULL, NULL),
    ROW("Sigmoid", sigmoid, NULL, NULL),
    ROW("Softplus", softplus, NULL, NULL),
    ROW("Softsign", softsign, NULL, NULL),
    ROW("Sqrt", sqrt, NULL, NULL),
    ROW("Tanh", tanh, NULL, NULL),
    ROW("Pow", pow, NULL, NULL),
    STRIDED_ROW("AvgPool", average, oribi_cpu_pool_create),
    STRIDED_ROW("Oribi>AvgPool", average, oribi_cpu_pool_create),
    ROW("Softmax", softmax, NULL, NULL),
    ROW("LogSoftmax", log_softmax, NULL, NULL),
    ROW("LRN", lrn, oribi_cpu_lrn_create, oribi_cpu_free),
    NORM_ROW("FusedBatchNormV3", oribi_cpu_bn_create),
    NORM_ROW("_FusedBatchNormEx", oribi_cpu_bn_ex_create),
    ROW("Mean", mean, oribi_cpu_reduce_create, oribi_cpu_free),
    ROW("Prod", prod, oribi_cpu_reduce_create, oribi_cpu_free),
    ROW("Sum", sum, oribi_cpu_reduce_create, oribi_cpu_free),
    {.op_name = NULL}};
