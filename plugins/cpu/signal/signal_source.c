/* SPDX-License-Identifier: Apache-2.0 */
/* What signals are weighed with, out of a few numbers: ONNX>HannWindow, ONNX>HammingWindow,
 * ONNX>BlackmanWindow, ONNX>MelWeightMatrix. Computed in double, then made the type that the
 * attribute output_datatype names.
 */
#include "cpu/base/cpu_shape.h"
#include "cpu/base/families.h"
#include "cpu/base/numbers.h"
#include "cpu/base/optional.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* Integers saturate: a value that C cannot convert is never converted. */
static void put(void *data, TF_DataType type, int64_t at, double value)
{
    switch (type) {
#define CASE(T, dtype)                                                                             \
    case dtype:                                                                                    \
        ((T *)data)[at] = (T)value;                                                                \
        break;
        ORIBI_CPU_NUMBERS(CASE)
#undef CASE
    default:
        break;
    }
}

typedef struct window_state {
    double cosine[3]; /* weights of 1, cos(x) and cos(2 x) */
    bool is_periodic;
} window_state;

static void *window_create(TF_OpKernelConstruction *construction, const double *cosine)
{
    oribi_kit_setup setup;
    int64_t periodic = 1;
    window_state *state = oribi_kit_setup_begin(&setup, construction, sizeof *state);
    if (state != NULL) {
        memcpy(state->cosine, cosine, sizeof state->cosine);
        oribi_kit_attr_int(&setup, "periodic", &periodic);
        state->is_periodic = periodic != 0;
    }
    return oribi_kit_setup_end(&setup);
}

static void *hann_create(TF_OpKernelConstruction *construction)
{
    return window_create(construction, (const double[]){0.5, -0.5, 0});
}

static void *hamming_create(TF_OpKernelConstruction *construction)
{
    return window_create(construction, (const double[]){25.0 / 46, -21.0 / 46, 0});
}

static void *blackman_create(TF_OpKernelConstruction *construction)
{
    return window_create(construction, (const double[]){0.42, -0.5, 0.08});
}

typedef struct window_call {
    const window_state *state;
    void *y;
    TF_DataType type;
    int64_t size;
} window_call;

static void window_range(void *object, int64_t begin, int64_t end)
{
    const window_call *c = object;
    const double *cosine = c->state->cosine;
    const double turn = (double)(c->state->is_periodic ? c->size : c->size - 1);
    for (int64_t i = begin; i < end; i++) {
        const double x = 2 * PI * (double)i / turn;
        const double value = cosine[0] + cosine[1] * cos(x) + cosine[2] * cos(2 * x);
        put(c->y, c->type, i, turn > 0 ? value < 0 ? 0 : value : 1);
    }
}

static bool window_run(const window_state *state, oribi_kit_run *run)
{
    window_call c = {.state = state, .type = TF_ExpectedOutputDataType(run->context, 0)};
    if (!oribi_cpu_read_int(run, 0, "size", &c.size)) {
        return false;
    }
    if (c.size < 0) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "a window of %lld numbers is not possible",
                              (long long)c.size);
    }
    c.y = oribi_kit_output(run, 0, &c.size, 1);
    if (c.y != NULL) {
        oribi_kit_parallel(run, c.size, 100, &c, window_range);
    }
    return c.y != NULL;
}
ORIBI_KIT_COMPUTE(window, 1)

/* --- MelWeightMatrix ------------------------------------------------------------------------- */

typedef struct mel_call {
    void *y;
    TF_DataType type;
    int64_t bands, bins, length, rate;
    double low, step; /* on the scale of mels */
} mel_call;

static double mel_of(double hertz)
{
    return 2595 * log10(1 + hertz / 700);
}

/* The bin of band edge i. */
static double edge(const mel_call *c, int64_t i)
{
    const double hertz = 700 * (pow(10, ((double)i * c->step + c->low) / 2595) - 1);
    return floor((double)(c->length + 1) * hertz / (double)c->rate);
}

/* A triangle over the bins from one edge by the next to the one after it. */
static void mel_bands(void *object, int64_t begin, int64_t end)
{
    const mel_call *c = object;
    for (int64_t band = begin; band < end; band++) {
        const double left = edge(c, band), top = edge(c, band + 1), right = edge(c, band + 2);
        for (int64_t bin = 0; bin < c->bins; bin++) {
            const double at = (double)bin;
            const double value = at >= left && at < top    ? (at - left) / (top - left)
                                 : at >= top && at < right ? (right - at) / (right - top)
                                 : at >= top && at <= top  ? 1
                                                           : 0;
            put(c->y, c->type, bin * c->bands + band, value);
        }
    }
}

static bool mel_run(const void *state, oribi_kit_run *run)
{
    mel_call c = {.type = TF_ExpectedOutputDataType(run->context, 0)};
    double high = 0;
    int64_t count = 0;
    (void)state;
    if (!oribi_cpu_read_int(run, 0, "num_mel_bins", &c.bands) ||
        !oribi_cpu_read_int(run, 1, "dft_length", &c.length) ||
        !oribi_cpu_read_int(run, 2, "sample_rate", &c.rate) ||
        !oribi_cpu_optional_real(run, 3, "lower_edge_hertz", 0, &c.low) ||
        !oribi_cpu_optional_real(run, 4, "upper_edge_hertz", 0, &high)) {
        return false;
    }
    if (c.bands < 0 || c.bands > INT32_MAX || c.length < 0 || c.length > INT32_MAX || c.rate < 1 ||
        !(c.low >= 0) || !(high >= c.low)) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "%lld bands from %g to %g hertz of transforms of %lld numbers at a "
                              "rate of %lld are not possible",
                              (long long)c.bands, c.low, high, (long long)c.length,
                              (long long)c.rate);
    }
    c.bins = c.length / 2 + 1;
    c.low = mel_of(c.low);
    c.step = (mel_of(high) - c.low) / (double)(c.bands + 2);
    if (c.bands > 0 && !(edge(&c, c.bands + 1) <= (double)c.bins)) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "upper_edge_hertz %g lies above the %lld bins of a transform", high,
                              (long long)c.bins);
    }
    const int64_t dims[] = {c.bins, c.bands};
    if (!oribi_cpu_count(run, dims, 2, &count)) {
        return false;
    }
    c.y = oribi_kit_output(run, 0, dims, 2);
    if (c.y != NULL && count > 0) {
        oribi_kit_parallel(run, c.bands, c.bins * 10 + 300, &c, mel_bands);
    }
    return c.y != NULL;
}
ORIBI_KIT_COMPUTE(mel, 5)

#define TYPE(T, dtype) | ORIBI_KIT_TYPE(dtype)
#define ALL_TYPES      (UINT64_C(0) ORIBI_CPU_NUMBERS(TYPE))
const oribi_cpu_kernel oribi_cpu_signal_source_kernels[] = {
    ORIBI_CPU_STATE_ROW("ONNX>HannWindow", hann, window, "plain loops in double",
                        .types = {{"output_datatype", ALL_TYPES}}),
    ORIBI_CPU_STATE_ROW("ONNX>HammingWindow", hamming, window, "plain loops in double",
                        .types = {{"output_datatype", ALL_TYPES}}),
    ORIBI_CPU_STATE_ROW("ONNX>BlackmanWindow", blackman, window, "plain loops in double",
                        .types = {{"output_datatype", ALL_TYPES}}),
    ORIBI_CPU_ROW("ONNX>MelWeightMatrix", mel, "plain loops in double",
                  .types = {{"output_datatype", ALL_TYPES}}),
    {.op_name = NULL},
};
