/* SPDX-License-Identifier: Apache-2.0 */
/* Fast f32 loops of the normalisations and their rows; the including file is compiled for one ISA
 * and defines ORIBI_ISA (cpu/base/isa.h).
 */
#include "cpu/elementwise/elementwise.h"
#include "cpu/base/families.h"
#include "cpu/window/norm.h"
#include "cpu/base/vector_math.h"

#define NORM_WHY "branch-free loops that compilers vectorise, " ORIBI_ISA_NAME

enum { LANES = 16 }; /* independent chains in a reduction, so that compilers may use vectors */

static float largest_of(const float *x, int64_t n)
{
    float lanes[LANES], result = x[0];
    int64_t i = 0;
    if (n >= LANES) {
        for (int k = 0; k < LANES; k++) {
            lanes[k] = x[k];
        }
        for (i = LANES; i + LANES <= n; i += LANES) {
            for (int k = 0; k < LANES; k++) {
                lanes[k] = x[i + k] > lanes[k] ? x[i + k] : lanes[k];
            }
        }
        for (int k = 0; k < LANES; k++) {
            result = lanes[k] > result ? lanes[k] : result;
        }
    }
    for (; i < n; i++) {
        result = x[i] > result ? x[i] : result;
    }
    return result;
}

static float sum_of(const float *x, int64_t n)
{
    float lanes[LANES] = {0}, result = 0.0f;
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        for (int k = 0; k < LANES; k++) {
            lanes[k] += x[i + k];
        }
    }
    for (int k = 0; k < LANES; k++) {
        result += lanes[k];
    }
    for (; i < n; i++) {
        result += x[i];
    }
    return result;
}

static void exponentials(const float *x, float *y, int64_t n)
{
    ORIBI_CPU_NO_ALIAS
    for (int64_t i = 0; i < n; i++) {
        y[i] = vector_exp(x[i]);
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

/* Many rows a pass: where a row is short, the exponentials still come in long runs. */
static void softmax_rows(const void *xv, void *yv, int64_t rows, int64_t columns)
{
    enum { RUN = 4096 };
    const float *x = xv;
    float *y = yv;
    int64_t step = columns >= RUN ? 1 : RUN / columns;
    for (int64_t r = 0; r < rows; r += step, x += step * columns, y += step * columns) {
        int64_t n = rows - r < step ? rows - r : step;
        shift_rows(x, y, n, columns);
        exponentials(y, y, n * columns);
        for (int64_t k = 0; k < n; k++) {
            float *row = y + k * columns, scale = 1.0f / sum_of(row, columns);
            for (int64_t i = 0; i < columns; i++) {
                row[i] *= scale;
            }
        }
    }
}

static void log_softmax_rows(const void *xv, void *yv, int64_t rows, int64_t columns)
{
    enum { RUN = 512 };
    float run[RUN];
    for (int64_t r = 0; r < rows; r++) {
        const float *x = (const float *)xv + r * columns;
        float *y = (float *)yv + r * columns, sum = 0.0f;
        shift_rows(x, y, 1, columns);
        for (int64_t i = 0; i < columns; i += RUN) {
            int64_t n = columns - i < RUN ? columns - i : RUN;
            exponentials(y + i, run, n);
            sum += sum_of(run, n);
        }
        float shift = vector_log(sum);
        for (int64_t i = 0; i < columns; i++) {
            y[i] -= shift;
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

#define NORM_ROW(op, create_fn, compute_fn, destroy_fn, strided, relative)                         \
    {                                                                                              \
        .op_name = op, .types = {{"T", ORIBI_CPU_F32}}, ORIBI_ISA_FIELDS(ORIBI_ISA),               \
        .create = create_fn, .compute = compute_fn, .destroy = destroy_fn,                         \
        .strided_outputs = strided, .tolerance = relative, .why = NORM_WHY                         \
    }
/* The statistics have a type of their own, U. */
#define BN_ROW(op, create_fn)                                                                      \
    {                                                                                              \
        .op_name = op, .types = {{"T", ORIBI_CPU_F32}, {"U", ORIBI_CPU_F32}},                      \
        ORIBI_ISA_FIELDS(ORIBI_ISA), .create = create_fn, .compute = bn_compute,                   \
        .destroy = oribi_kit_free, .strided_outputs = 1, .tolerance = 1e-5, .why = NORM_WHY        \
    }
const oribi_cpu_kernel ORIBI_ISA_TABLE(norm)[] = {
    NORM_ROW("Softmax", NULL, softmax_compute, NULL, 0, 1e-5),
    NORM_ROW("LogSoftmax", NULL, log_softmax_compute, NULL, 0, 1e-5),
    NORM_ROW("LRN", oribi_cpu_lrn_create, lrn_compute, oribi_kit_free, 0, 1e-5),
    BN_ROW("FusedBatchNormV3", oribi_cpu_bn_create),
    BN_ROW("_FusedBatchNormEx", oribi_cpu_bn_ex_create),
    {.op_name = NULL},
};
