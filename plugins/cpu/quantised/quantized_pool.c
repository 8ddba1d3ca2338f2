/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>QAveragePool and Oribi>QMaxPool by micro/'s kernels; of int8 by vectors. */
#include "cpu/base/families.h"
#include "cpu/quantised/quantized.h"

#include "micro/element.h"
#include "micro/fixed_point.h"
#include "micro/pool/pool_q_prepare.h"

#include <string.h>

static void pool_read(oribi_kit_setup *setup, struct oribi_micro_pool_q_spec *spec)
{
    struct oribi_micro_quantisation input = {1.0F, 0};
    oribi_quantized_attr_any(setup, "input", &input);
    oribi_quantized_attr_any(setup, "output", &spec->output);
    oribi_quantized_activation(setup, &spec->activation);
    oribi_quantized_pads(setup, &spec->padding, spec->pads);
    oribi_quantized_pair(setup, "ksize", &spec->filter_h, &spec->filter_w);
    oribi_quantized_pair(setup, "strides", &spec->stride_h, &spec->stride_w);
}
ORIBI_KIT_CREATE(pool, struct oribi_micro_pool_q_spec)

typedef struct pool_call {
    struct oribi_micro_pool_q_args args;
    void (*call)(const struct oribi_micro_pool_q_args *, const void *, void *);
    const char *input;
    char *output;
    int64_t width; /* of an element */
} pool_call;

/* A unit is one row of the result: windows that start where it lies in its image. */
static void pool_rows(void *object, int64_t begin, int64_t end)
{
    const pool_call *p = object;
    const struct oribi_micro_pool_q_args *whole = &p->args;
    const int64_t image = (int64_t)whole->in_h * whole->in_w * whole->channels * p->width;
    const int64_t row = (int64_t)whole->out_w * whole->channels * p->width;
    for (int64_t unit = begin; unit < end; unit++) {
        struct oribi_micro_pool_q_args args = *whole;
        const int32_t y = (int32_t)(unit % whole->out_h);
        args.batch = args.out_h = 1;
        args.before_h -= y * args.stride_h;
        p->call(&args, p->input + unit / whole->out_h * image, p->output + unit * row);
    }
}

static bool pool_run(const struct oribi_micro_pool_q_spec *state, oribi_kit_run *run,
                     void (*call)(const struct oribi_micro_pool_q_args *, const void *, void *))
{
    struct oribi_micro_pool_q_spec spec = *state;
    struct oribi_micro_pool_q_args args;
    int32_t in[4];
    int rank;
    if (!oribi_quantized_dims(run, 0, 4, 4, in, &rank)) {
        return false;
    }
    spec.kind = oribi_quantized_kind(TF_TensorType(run->in[0]));
    spec.batch = in[0];
    spec.in_h = in[1];
    spec.in_w = in[2];
    spec.channels = in[3];
    if (!oribi_quantized_check(run, oribi_micro_pool_q_prepare(&spec, &args))) {
        return false;
    }
    const int64_t dims[4] = {in[0], args.out_h, args.out_w, in[3]};
    void *output = oribi_kit_output(run, 0, dims, 4);
    if (output != NULL) {
        const int64_t taps = (int64_t)(args.filter_h < args.in_h ? args.filter_h : args.in_h) *
                             (args.filter_w < args.in_w ? args.filter_w : args.in_w);
        pool_call rows = {args, call, TF_TensorData(run->in[0]), output,
                          spec.kind == ORIBI_MICRO_S16 ? 2 : 1};
        oribi_kit_parallel(run, dims[0] * dims[1], dims[2] * dims[3] * taps, &rows, pool_rows);
    }
    return output != NULL;
}

/* oribi_micro_max_pool_s8 of one row; compilers see that nothing overlaps. */
static void max_row_s8(const struct oribi_micro_pool_q_args *a, const int8_t *input, int8_t *output,
                       void *scratch)
{
    const int32_t channels = a->channels;
    const int8_t low = (int8_t)a->low, high = (int8_t)a->high;
    (void)scratch;
    for (int32_t i = 0; i < a->out_w; i++) {
        const struct oribi_micro_pool_window w = oribi_micro_pool_window(a, 0, i);
        int8_t *restrict to = output + (int64_t)i * channels;
        memset(to, INT8_MIN, (size_t)channels);
        for (int32_t y = w.top; y < w.bottom; y++) {
            for (int32_t x = w.left; x < w.right; x++) {
                const int8_t *restrict from = input + ((int64_t)y * a->in_w + x) * channels;
                for (int32_t c = 0; c < channels; c++) {
                    to[c] = from[c] > to[c] ? from[c] : to[c];
                }
            }
        }
        for (int32_t c = 0; c < channels; c++) {
            to[c] = to[c] < low ? low : to[c] > high ? high : to[c];
        }
    }
}

/* oribi_micro_average_pool_s8 of one row, likewise. */
static void average_row_s8(const struct oribi_micro_pool_q_args *a, const int8_t *input,
                           int8_t *output, void *scratch)
{
    const int32_t channels = a->channels;
    (void)scratch;
    for (int32_t i = 0; i < a->out_w; i++, output += channels) {
        const struct oribi_micro_pool_window w = oribi_micro_pool_window(a, 0, i);
        const int32_t wide = w.right - w.left, values = (w.bottom - w.top) * wide;
        for (int32_t c = 0; c < channels; c += ORIBI_QUANTIZED_SUMS) {
            int32_t sums[ORIBI_QUANTIZED_SUMS] = {0};
            const int32_t left = channels - c;
            const int32_t n = left < ORIBI_QUANTIZED_SUMS ? left : ORIBI_QUANTIZED_SUMS;
            for (int32_t y = w.top; y < w.bottom; y++) {
                const int8_t *row = input + ((int64_t)y * a->in_w + w.left) * channels + c;
                oribi_quantized_add_rows(row, channels, wide, n, sums);
            }
            for (int32_t k = 0; k < n; k++) {
                const int32_t half = sums[k] > 0 ? values / 2 : -(values / 2);
                const int32_t mean = (sums[k] + half) / values;
                output[c + k] = (int8_t)oribi_micro_clamp(mean, a->low, a->high);
            }
        }
    }
}

#define POOL(name, row_s8)                                                                         \
    static void name##_call(const struct oribi_micro_pool_q_args *args, const void *input,         \
                            void *output)                                                          \
    {                                                                                              \
        if (args->kind == ORIBI_MICRO_S8) {                                                        \
            row_s8(args, input, output, NULL);                                                     \
        } else {                                                                                   \
            oribi_micro_wide_##name##_pool(args, input, output, NULL);                             \
        }                                                                                          \
    }                                                                                              \
    static bool name##_run(const void *state, oribi_kit_run *run)                                  \
    {                                                                                              \
        return pool_run(state, run, name##_call);                                                  \
    }                                                                                              \
    ORIBI_KIT_COMPUTE(name, 1)
POOL(average, average_row_s8)
POOL(max, max_row_s8)

const oribi_cpu_kernel oribi_cpu_quantized_pool_kernels[] = {
    ORIBI_QUANTIZED_ROW("Oribi>QAveragePool", pool, average, {"T", ORIBI_QUANTIZED_TYPES}),
    ORIBI_QUANTIZED_ROW("Oribi>QMaxPool", pool, max, {"T", ORIBI_QUANTIZED_TYPES}),
    {.op_name = NULL},
};
