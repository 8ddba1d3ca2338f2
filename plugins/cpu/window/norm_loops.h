/* SPDX-License-Identifier: Apache-2.0 */
/* Fast f32 loops of the normalisations and their rows; the including file is compiled for one ISA
 * and defines ORIBI_ISA (cpu/base/isa.h) and WIDTH (cpu/base/lanes.h).
 */
#include "cpu/elementwise/elementwise.h"
#include "cpu/base/families.h"
#include "cpu/base/lanes.h"
#include "cpu/window/norm.h"
#include "cpu/base/vector_math.h"

#define NORM_WHY "branch-free loops that compilers vectorise, " ORIBI_ISA_NAME

/* Four chains, so that a step need not wait for the one before. */
static float largest_of(const float *x, int64_t n)
{
    float result = x[0];
    int64_t i = 0;
    if (n >= 4 * WIDTH) {
        lanes most[4];
        memcpy(most, x, sizeof most);
        for (i = 4 * WIDTH; i + 4 * WIDTH <= n; i += 4 * WIDTH) {
            for (int k = 0; k < 4; k++) {
                most[k] = larger_of(most[k], *(const lanes *)(x + i + k * WIDTH));
            }
        }
        result = largest_in(larger_of(larger_of(most[0], most[1]), larger_of(most[2], most[3])));
    }
    for (; i < n; i++) {
        result = x[i] > result ? x[i] : result;
    }
    return result;
}

/* The sum of the squares of x - mean. */
static float squares_of(const float *x, int64_t n, float mean)
{
    lanes sums[4] = {{0.0f}};
    int64_t i = 0;
    for (; i + 4 * WIDTH <= n; i += 4 * WIDTH) {
        for (int k = 0; k < 4; k++) {
            const lanes u = *(const lanes *)(x + i + k * WIDTH) - mean;
            sums[k] += u * u;
        }
    }
    float result = sum_in((sums[0] + sums[1]) + (sums[2] + sums[3]));
    for (; i < n; i++) {
        result = ORIBI_FMA(x[i] - mean, x[i] - mean, result);
    }
    return result;
}

static void exponentials(const float *x, float *y, int64_t n)
{
    ORIBI_CPU_NO_ALIAS
    for (int64_t i = 0; i < n; i++) {
        y[i] = vector_exp_negative(x[i]);
    }
}

/* y = x - largest of each row. */
static void shift_rows(const float *x, float *y, int64_t rows, int64_t columns)
{
    for (int64_t r = 0; r < rows; r++) {
        const float *from = x + r * columns;
        float *to = y + r * columns, largest = largest_of(from, columns);
        ORIBI_CPU_NO_ALIAS
        for (int64_t i = 0; i < columns; i++) {
            to[i] = from[i] - largest;
        }
    }
}

/* y = e^(x - largest), whose sum is returned; in runs that stay in the first cache. */
static float exponentials_of(const float *x, float *y, int64_t n, float largest)
{
    enum { RUN = 4096 };
    float sum = 0.0f;
    for (int64_t at = 0; at < n; at += RUN) {
        int64_t m = n - at < RUN ? n - at : RUN;
        ORIBI_CPU_NO_ALIAS
        for (int64_t i = at; i < at + m; i++) {
            y[i] = vector_exp_negative(x[i] - largest);
        }
        sum += sum_of(y + at, m);
    }
    return sum;
}

static void scale_row(float *row, int64_t n, float scale)
{
    for (int64_t i = 0; i < n; i++) {
        row[i] *= scale;
    }
}

/* Rows of two, as detectors have them: loops over rows, which compilers make vectors of. */
static void softmax_pairs(const float *x, float *y, int64_t rows)
{
    ORIBI_CPU_NO_ALIAS
    for (int64_t r = 0; r < rows; r++) {
        const float a = x[2 * r], b = x[2 * r + 1], largest = b > a ? b : a;
        y[2 * r] = a - largest;
        y[2 * r + 1] = b - largest;
    }
    exponentials(y, y, 2 * rows);
    for (int64_t r = 0; r < rows; r++) {
        const float scale = 1.0f / (y[2 * r] + y[2 * r + 1]);
        y[2 * r] *= scale;
        y[2 * r + 1] *= scale;
    }
}

/* Many rows a pass where a row is short, so that the exponentials come in long runs. */
static void softmax_rows(const void *xv, void *yv, int64_t rows, int64_t columns)
{
    enum { RUN = 4096, SHORT = 64 };
    const float *x = xv;
    float *y = yv;
    int64_t step = columns >= SHORT ? 1 : RUN / columns;
    for (int64_t r = 0; r < rows; r += step, x += step * columns, y += step * columns) {
        int64_t n = rows - r < step ? rows - r : step;
        if (n == 1) {
            float sum = exponentials_of(x, y, columns, largest_of(x, columns));
            scale_row(y, columns, 1.0f / sum);
            continue;
        }
        if (columns == 2) {
            softmax_pairs(x, y, n);
            continue;
        }
        shift_rows(x, y, n, columns);
        exponentials(y, y, n * columns);
        for (int64_t k = 0; k < n; k++) {
            float *row = y + k * columns;
            scale_row(row, columns, 1.0f / sum_of(row, columns));
        }
    }
}

static void log_softmax_rows(const void *xv, void *yv, int64_t rows, int64_t columns)
{
    enum { RUN = 512 };
    float run[RUN];
    for (int64_t r = 0; r < rows; r++) {
        const float *x = (const float *)xv + r * columns;
        float *y = (float *)yv + r * columns, largest = largest_of(x, columns), sum = 0.0f;
        for (int64_t i = 0; i < columns; i += RUN) {
            sum += exponentials_of(x + i, run, columns - i < RUN ? columns - i : RUN, largest);
        }
        const float shift = vector_log(sum);
        ORIBI_CPU_NO_ALIAS
        for (int64_t i = 0; i < columns; i++) {
            y[i] = x[i] - largest - shift;
        }
    }
}

static void softmax_compute(void *state, TF_OpKernelContext *context)
{
    (void)state;
    oribi_cpu_softmax_compute(context, softmax_rows, sizeof(float));
}

static void log_softmax_compute(void *state, TF_OpKernelContext *context)
{
    (void)state;
    oribi_cpu_softmax_compute(context, log_softmax_rows, sizeof(float));
}

/* y[i] = x[i] * s[i] ^ -beta; the usual betas need no logarithm. */
static void lrn_scale(const oribi_cpu_lrn *lrn, const float *x, const float *s, float *y, int64_t n)
{
    if (lrn->beta == 0.75f) {
        for (int64_t i = 0; i < n; i++) {
            float root = __builtin_sqrtf(s[i]);
            y[i] = x[i] / (root * __builtin_sqrtf(root));
        }
    } else if (lrn->beta == 0.5f) {
        for (int64_t i = 0; i < n; i++) {
            y[i] = x[i] / __builtin_sqrtf(s[i]);
        }
    } else if (lrn->beta == 1.0f) {
        for (int64_t i = 0; i < n; i++) {
            y[i] = x[i] / s[i];
        }
    } else {
        const float power = -lrn->beta;
        for (int64_t i = 0; i < n; i++) {
            y[i] = x[i] * vector_exp(power * vector_log(s[i]));
        }
    }
}

/* Channels [from, from + n) of one pixel; window sums as 2 radius + 1 shifted additions. */
enum { LRN_CHUNK = 512 };
static void lrn_chunk(const oribi_cpu_lrn *lrn, const float *x, float *y, int64_t from, int64_t n)
{
    float sum[LRN_CHUNK] = {0};
    int64_t radius = lrn->radius < lrn->channels ? lrn->radius : lrn->channels;
    for (int64_t shift = -radius; shift <= radius; shift++) {
        int64_t first = from + shift < 0 ? -from - shift : 0;
        int64_t past = from + n + shift > lrn->channels ? lrn->channels - from - shift : n;
        const float *moved = x + from + shift;
        for (int64_t i = first; i < past; i++) {
            sum[i] += moved[i] * moved[i];
        }
    }
    for (int64_t i = 0; i < n; i++) {
        sum[i] = ORIBI_FMA(sum[i], lrn->alpha, lrn->bias);
    }
    lrn_scale(lrn, x + from, sum, y + from, n);
}

static void lrn_pixels(const oribi_cpu_lrn *lrn, int64_t begin, int64_t end)
{
    for (int64_t pixel = begin; pixel < end; pixel++) {
        for (int64_t c = 0; c < lrn->channels; c += LRN_CHUNK) {
            int64_t n = lrn->channels - c < LRN_CHUNK ? lrn->channels - c : LRN_CHUNK;
            lrn_chunk(lrn, lrn->x + pixel * lrn->channels, lrn->y + pixel * lrn->channels, c, n);
        }
    }
}

static void lrn_compute(void *state, TF_OpKernelContext *context)
{
    oribi_cpu_lrn_compute(state, context, lrn_pixels);
}

static inline float after(float y, bool has_relu)
{
    return has_relu && y < 0.0f ? 0.0f : y;
}

/* One loop for each of vector and scalar parameters, with and without side input. */
static void bn_row(const oribi_cpu_bn_row *row)
{
    const float *x = row->x, *mean = row->mean, *factor = row->factor, *offset = row->offset;
    const float *side = row->side;
    float *y = row->y;
    bool has_relu = row->has_relu;
    int64_t n = row->count;
    if (row->has_step && side == NULL) {
        ORIBI_CPU_NO_ALIAS
        for (int64_t i = 0; i < n; i++) {
            y[i] = after(ORIBI_FMA(x[i] - mean[i], factor[i], offset[i]), has_relu);
        }
    } else if (row->has_step) {
        ORIBI_CPU_NO_ALIAS
        for (int64_t i = 0; i < n; i++) {
            y[i] = after(ORIBI_FMA(x[i] - mean[i], factor[i], offset[i]) + side[i], has_relu);
        }
    } else {
        float m = *mean, f = *factor, o = *offset;
        ORIBI_CPU_NO_ALIAS
        for (int64_t i = 0; i < n; i++) {
            float plain = ORIBI_FMA(x[i] - m, f, o);
            y[i] = after(side == NULL ? plain : plain + side[i], has_relu);
        }
    }
}

static void bn_compute(void *state, TF_OpKernelContext *context)
{
    oribi_cpu_bn_compute(state, context, bn_row);
}

static void norm_row(const oribi_cpu_row_norm *norm, int64_t at, float mean)
{
    const float *x = (const float *)norm->x + at, *scale = norm->scale, *offset = norm->offset;
    float *y = (float *)norm->y + at;
    const int64_t n = norm->columns;
    float factor = 1.0f / __builtin_sqrtf(squares_of(x, n, mean) / (float)n + norm->epsilon);
    if (scale == NULL) {
        ORIBI_CPU_NO_ALIAS
        for (int64_t i = 0; i < n; i++) {
            y[i] = (x[i] - mean) * factor;
        }
    } else if (offset == NULL) {
        ORIBI_CPU_NO_ALIAS
        for (int64_t i = 0; i < n; i++) {
            y[i] = (x[i] - mean) * factor * scale[i];
        }
    } else {
        ORIBI_CPU_NO_ALIAS
        for (int64_t i = 0; i < n; i++) {
            y[i] = ORIBI_FMA((x[i] - mean) * factor, scale[i], offset[i]);
        }
    }
}

static void layer_norm_rows(const oribi_cpu_row_norm *norm, int64_t begin, int64_t end)
{
    const int64_t n = norm->columns;
    for (int64_t r = begin; r < end; r++) {
        norm_row(norm, r * n, sum_of((const float *)norm->x + r * n, n) / (float)n);
    }
}

static void rms_norm_rows(const oribi_cpu_row_norm *norm, int64_t begin, int64_t end)
{
    for (int64_t r = begin; r < end; r++) {
        norm_row(norm, r * norm->columns, 0.0f);
    }
}

static void layer_norm_compute(void *state, TF_OpKernelContext *context)
{
    oribi_cpu_row_norm_compute(state, context, layer_norm_rows);
}

static void rms_norm_compute(void *state, TF_OpKernelContext *context)
{
    oribi_cpu_row_norm_compute(state, context, rms_norm_rows);
}

#define NORM_ROW(op, create_fn, compute_fn, destroy_fn, strided, relative)                         \
    {                                                                                              \
        .op_name = op, .types = {{"T", ORIBI_CPU_F32}}, ORIBI_ISA_FIELDS(ORIBI_ISA),               \
        .create = create_fn, .compute = compute_fn, .destroy = destroy_fn,                         \
        .strided_outputs = strided, .tolerance = (float)(relative), .why = NORM_WHY                \
    }
/* The statistics have a type of their own, U. */
#define BN_ROW(op, create_fn)                                                                      \
    ORIBI_CPU_ISA_ROW(op, ORIBI_ISA, bn, NORM_WHY,                                                 \
                      .types = {{"T", ORIBI_CPU_F32}, {"U", ORIBI_CPU_F32}}, .create = create_fn,  \
                      .destroy = oribi_kit_free, .strided_outputs = 1, .tolerance = 1e-5f)
const oribi_cpu_kernel ORIBI_ISA_TABLE(norm)[] = {
    NORM_ROW("Softmax", NULL, softmax_compute, NULL, 0, 1e-5),
    NORM_ROW("LogSoftmax", NULL, log_softmax_compute, NULL, 0, 1e-5),
    NORM_ROW("Oribi>LayerNorm", oribi_cpu_row_norm_create, layer_norm_compute, oribi_kit_free, 0,
             1e-5),
    NORM_ROW("Oribi>RmsNorm", oribi_cpu_row_norm_create, rms_norm_compute, oribi_kit_free, 0, 1e-5),
    NORM_ROW("LRN", oribi_cpu_lrn_create, lrn_compute, oribi_kit_free, 0, 1e-5),
    BN_ROW("FusedBatchNormV3", oribi_cpu_bn_create),
    BN_ROW("_FusedBatchNormEx", oribi_cpu_bn_ex_create),
    {.op_name = NULL},
};
