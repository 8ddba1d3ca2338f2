/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>Svdf, Oribi>QSvdf and Oribi>QNarrowSvdf by micro/'s kernels. */
#include "cpu/base/families.h"
#include "cpu/quantised/quantized.h"

#include "micro/svdf/svdf_f32.h"
#include "micro/svdf/svdf_s8_prepare.h"

/* All inputs' dims, checked against each other: input, feature, time, bias, state. */
static bool read_sizes(oribi_kit_run *run, int32_t rank, struct oribi_micro_svdf_s8_spec *out)
{
    static const int ranks[5] = {2, 2, 2, 1, 2};
    int32_t dims[5][2] = {{0}};
    int found;
    for (int i = 0; i < 5; i++) {
        if (!oribi_quantized_dims(run, i, ranks[i], ranks[i], dims[i], &found)) {
            return false;
        }
        if (TF_TensorElementCount(run->in[i]) > INT32_MAX) {
            return oribi_kit_fail(run, TF_INVALID_ARGUMENT, "input %d has 2^31 values or more", i);
        }
    }
    const int32_t filters = dims[1][0], memory = dims[2][1];
    const bool fits = rank >= 1 && filters >= 1 && memory >= 1 && dims[1][1] == dims[0][1] &&
                      dims[2][0] == filters && filters % rank == 0 &&
                      dims[3][0] == filters / rank && dims[4][0] == dims[0][0] &&
                      dims[4][1] == (int64_t)filters * memory;
    if (!fits) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "the shapes of SVDF's inputs contradict each other");
    }
    out->batch = dims[0][0];
    out->in_c = dims[0][1];
    out->filters = filters;
    out->memory = memory;
    out->rank = rank;
    return true;
}

static bool make_outputs(oribi_kit_run *run, const struct oribi_micro_svdf_s8_spec *spec,
                         void **out, void **out_next)
{
    const int64_t dims[2] = {spec->batch, spec->filters / spec->rank};
    const int64_t next[2] = {spec->batch, (int64_t)spec->filters * spec->memory};
    *out = oribi_kit_output(run, 0, dims, 2);
    *out_next = *out != NULL ? oribi_kit_output(run, 1, next, 2) : NULL;
    return *out_next != NULL;
}

/* A unit is one value of the result. UNITS: some of those of one row, by a call of micro/. */
typedef struct svdf_call {
    const void *args, *input, *state;
    void *output, *next;
} svdf_call;

#define UNITS(name, args_type, kernel, value, cell)                                                \
    static void name(void *object, int64_t begin, int64_t end)                                     \
    {                                                                                              \
        const svdf_call *call = object;                                                            \
        const struct args_type *whole = call->args;                                                \
        for (int64_t unit = begin; unit < end;) {                                                  \
            struct args_type args = *whole;                                                        \
            const int64_t row = unit / whole->units, first = unit % whole->units;                  \
            const int64_t left = whole->units - first, n = left < end - unit ? left : end - unit;  \
            const int64_t state = unit * args.rank * args.memory;                                  \
            args.batch = 1;                                                                        \
            args.units = (int32_t)n;                                                               \
            args.feature += first * args.rank * args.in_c;                                         \
            args.time = (const cell *)args.time + first * args.rank * args.memory;                 \
            args.bias += first;                                                                    \
            kernel(&args, (const value *)call->input + row * args.in_c,                            \
                   (const cell *)call->state + state, (value *)call->output + unit,                \
                   (cell *)call->next + state);                                                    \
            unit += n;                                                                             \
        }                                                                                          \
    }
UNITS(units_f32, oribi_micro_svdf_f32_args, oribi_micro_svdf_f32, float, float)
UNITS(units_fma, oribi_micro_svdf_f32_args, oribi_micro_svdf_fma_f32, float, float)
UNITS(units_s8, oribi_micro_svdf_s8_args, oribi_micro_svdf_s8, int8_t, int16_t)
UNITS(units_narrow, oribi_micro_svdf_s8_args, oribi_micro_svdf_narrow_s8, int8_t, int8_t)

static void run_units(oribi_kit_run *run, const struct oribi_micro_svdf_s8_spec *spec,
                      svdf_call *call, void (*units)(void *, int64_t, int64_t))
{
    call->input = TF_TensorData(run->in[0]);
    call->state = TF_TensorData(run->in[4]);
    oribi_kit_parallel(run, (int64_t)spec->batch * (spec->filters / spec->rank),
                       spec->rank * ((int64_t)spec->in_c + spec->memory), call, units);
}

static void svdf_read(oribi_kit_setup *setup, int64_t *rank)
{
    oribi_kit_attr_int(setup, "rank", rank);
}
ORIBI_KIT_CREATE(svdf, int64_t)

static bool run_float(const int64_t *rank, oribi_kit_run *run,
                      void (*units)(void *, int64_t, int64_t))
{
    struct oribi_micro_svdf_s8_spec spec = {0};
    void *output, *next;
    if (!read_sizes(run, *rank < 1 || *rank > INT32_MAX ? 0 : (int32_t)*rank, &spec) ||
        !make_outputs(run, &spec, &output, &next)) {
        return false;
    }
    const struct oribi_micro_svdf_f32_args args = {TF_TensorData(run->in[1]),
                                                   TF_TensorData(run->in[2]),
                                                   TF_TensorData(run->in[3]),
                                                   spec.batch,
                                                   spec.in_c,
                                                   spec.filters / spec.rank,
                                                   spec.rank,
                                                   spec.memory};
    svdf_call call = {.args = &args, .output = output, .next = next};
    run_units(run, &spec, &call, units);
    return true;
}

static bool svdf_run(const int64_t *rank, oribi_kit_run *run)
{
    return run_float(rank, run, units_f32);
}
ORIBI_KIT_COMPUTE(svdf, 5)

static bool svdf_fma_run(const int64_t *rank, oribi_kit_run *run)
{
    return run_float(rank, run, units_fma);
}
ORIBI_KIT_COMPUTE(svdf_fma, 5)

static void q_svdf_read(oribi_kit_setup *setup, struct oribi_micro_svdf_s8_spec *spec)
{
    int64_t rank = 0;
    oribi_quantized_attr(setup, "input", &spec->input);
    oribi_quantized_attr(setup, "output", &spec->output);
    oribi_kit_attr_float(setup, "feature_scale", &spec->feature_scale);
    oribi_kit_attr_float(setup, "time_scale", &spec->time_scale);
    oribi_kit_attr_float(setup, "state_scale", &spec->state_scale);
    oribi_kit_attr_int(setup, "rank", &rank);
    spec->rank = rank < 1 || rank > INT32_MAX ? 0 : (int32_t)rank;
}

ORIBI_KIT_CREATE(q_svdf, struct oribi_micro_svdf_s8_spec)

/* By the kernel of micro/ that `units` calls. */
static bool run_quantised(const struct oribi_micro_svdf_s8_spec *state, oribi_kit_run *run,
                          void (*units)(void *, int64_t, int64_t))
{
    struct oribi_micro_svdf_s8_spec spec = *state;
    struct oribi_micro_svdf_s8_args args;
    void *output, *next;
    if (!read_sizes(run, spec.rank, &spec) ||
        !oribi_quantized_check(run, oribi_micro_svdf_s8_prepare(&spec, &args)) ||
        !make_outputs(run, &spec, &output, &next)) {
        return false;
    }
    args.feature = TF_TensorData(run->in[1]);
    args.time = TF_TensorData(run->in[2]);
    args.bias = TF_TensorData(run->in[3]);
    svdf_call call = {.args = &args, .output = output, .next = next};
    run_units(run, &spec, &call, units);
    return true;
}

static bool q_svdf_run(const struct oribi_micro_svdf_s8_spec *state, oribi_kit_run *run)
{
    return run_quantised(state, run, units_s8);
}
ORIBI_KIT_COMPUTE(q_svdf, 5)

static void q_narrow_svdf_read(oribi_kit_setup *setup, struct oribi_micro_svdf_s8_spec *spec)
{
    int64_t zero = 0;
    q_svdf_read(setup, spec);
    oribi_kit_attr_int(setup, "state_zero", &zero);
    if (zero < INT8_MIN || zero > INT8_MAX) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT, "state_zero %lld is no int8",
                                   (long long)zero);
    }
    spec->state_zero = (int32_t)zero;
}
ORIBI_KIT_CREATE(q_narrow_svdf, struct oribi_micro_svdf_s8_spec)

static bool q_narrow_svdf_run(const struct oribi_micro_svdf_s8_spec *state, oribi_kit_run *run)
{
    return run_quantised(state, run, units_narrow);
}
ORIBI_KIT_COMPUTE(q_narrow_svdf, 5)

const oribi_cpu_kernel oribi_cpu_recurrent_kernels[] = {
    ORIBI_CPU_STATE_ROW("Oribi>Svdf", svdf, svdf, "the arithmetic of micro/, bit for bit"),
    ORIBI_CPU_FMA_ROW("Oribi>Svdf", svdf, svdf_fma),
    ORIBI_CPU_STATE_ROW("Oribi>QSvdf", q_svdf, q_svdf, "the arithmetic of micro/, bit for bit"),
    ORIBI_CPU_STATE_ROW("Oribi>QNarrowSvdf", q_narrow_svdf, q_narrow_svdf,
                        "the arithmetic of micro/, bit for bit"),
    {.op_name = NULL},
};
