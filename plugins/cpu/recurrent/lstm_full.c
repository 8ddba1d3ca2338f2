/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>LstmFull by micro/'s kernel. */
#include "cpu/base/families.h"
#include "cpu/recurrent/lstm_slices.h"
#include "cpu/quantised/quantized.h"

#include "micro/recurrent/lstm_full_f32_prepare.h"

enum {
    INPUT,
    WEIGHTS,
    RECURRENT,
    BIAS,
    HIDDEN,
    CELL,
    PEEPHOLE,
    NORM,
    PROJECTION,
    PROJECTION_BIAS,
    N_INPUTS
};

typedef struct oribi_micro_lstm_full_f32_args arguments;

static void lstm_full_read(oribi_kit_setup *setup, arguments *args)
{
    bool is_time_major = false, is_hybrid = false, is_asymmetric = false;
    oribi_kit_attr_bool(setup, "time_major", &is_time_major);
    oribi_kit_attr_float(setup, "cell_clip", &args->cell_clip);
    oribi_kit_attr_float(setup, "projection_clip", &args->projection_clip);
    oribi_kit_attr_bool(setup, "hybrid", &is_hybrid);
    oribi_kit_attr_bool(setup, "asymmetric", &is_asymmetric);
    args->is_time_major = is_time_major ? 1 : 0;
    args->is_hybrid = is_hybrid ? 1 : 0;
    args->is_asymmetric = is_asymmetric ? 1 : 0;
}
ORIBI_KIT_CREATE(lstm_full, arguments)

/* Does an input that may be empty have these sizes? */
static bool is_fit(const int32_t dims[3], int32_t rows, int32_t columns)
{
    return dims[0] == 0 || (dims[0] == rows && dims[1] == columns);
}

/* All inputs' dims, checked against each other. */
static bool read_sizes(oribi_kit_run *run, arguments *a)
{
    static const int ranks[N_INPUTS] = {3, 3, 3, 2, 2, 2, 2, 2, 2, 1};
    int32_t d[N_INPUTS][3] = {{0}};
    int found;
    for (int i = 0; i < N_INPUTS; i++) {
        if (!oribi_quantized_dims(run, i, ranks[i], ranks[i], d[i], &found)) {
            return false;
        }
    }
    a->batch = d[INPUT][a->is_time_major];
    a->steps = d[INPUT][1 - a->is_time_major];
    a->in_c = d[INPUT][2];
    a->gates = d[WEIGHTS][0];
    a->units = d[CELL][1];
    a->outputs = d[HIDDEN][1];
    const int32_t g = a->gates, units = a->units;
    const bool fits =
        (g == 3 || g == 4) && d[WEIGHTS][1] == units && d[WEIGHTS][2] == a->in_c &&
        d[RECURRENT][0] == g && d[RECURRENT][1] == units && d[RECURRENT][2] == a->outputs &&
        d[BIAS][0] == g && d[BIAS][1] == units && d[HIDDEN][0] == a->batch &&
        d[CELL][0] == a->batch && is_fit(d[PEEPHOLE], g - 1, units) && is_fit(d[NORM], g, units) &&
        is_fit(d[PROJECTION], a->outputs, units) && is_fit(d[PROJECTION_BIAS], a->outputs, 0) &&
        (d[PROJECTION][0] != 0 || (a->outputs == units && d[PROJECTION_BIAS][0] == 0));
    if (!fits) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "the shapes of LSTM's inputs contradict each other");
    }
    return oribi_quantized_check(run, oribi_micro_lstm_full_f32_check(a));
}

/* Returns the data of an input; NULL: it is empty. */
static const float *data_of(const oribi_kit_run *run, int index)
{
    return TF_TensorElementCount(run->in[index]) > 0 ? TF_TensorData(run->in[index]) : NULL;
}

static bool make_outputs(oribi_kit_run *run, const arguments *a, void *out[3])
{
    const int64_t first = a->is_time_major != 0 ? a->steps : a->batch;
    const int64_t second = a->is_time_major != 0 ? a->batch : a->steps;
    const int64_t dims[3] = {first, second, a->outputs};
    const int64_t hidden[2] = {a->batch, a->outputs}, cell[2] = {a->batch, a->units};
    out[0] = oribi_kit_output(run, 0, dims, 3);
    out[1] = out[0] != NULL ? oribi_kit_output(run, 1, hidden, 2) : NULL;
    out[2] = out[1] != NULL ? oribi_kit_output(run, 2, cell, 2) : NULL;
    return out[2] != NULL;
}

typedef struct lstm_call {
    arguments args;
    void (*kernel)(const arguments *, const float *, const float *, const float *, float *, float *,
                   float *, void *);
} lstm_call;

static void call(const void *whole, int32_t batch, int32_t steps, const void *input,
                 const void *hidden, const void *cell, void *output, void *next_hidden,
                 void *next_cell, void *scratch)
{
    arguments args = ((const lstm_call *)whole)->args;
    args.batch = batch;
    args.steps = steps;
    args.is_time_major = 1;
    ((const lstm_call *)whole)
        ->kernel(&args, input, hidden, cell, output, next_hidden, next_cell, scratch);
}

static bool run_by(oribi_kit_run *run, lstm_call whole)
{
    arguments *args = &whole.args;
    TF_Tensor *tensor = NULL;
    void *out[3];
    if (!read_sizes(run, args) || !make_outputs(run, args, out)) {
        return false;
    }
    void *scratch = oribi_kit_scratch(run, oribi_micro_lstm_full_f32_scratch(args), &tensor);
    if (scratch == NULL) {
        return false;
    }
    args->weights = data_of(run, WEIGHTS);
    args->recurrent = data_of(run, RECURRENT);
    args->bias = data_of(run, BIAS);
    args->peephole = data_of(run, PEEPHOLE);
    args->norm = data_of(run, NORM);
    args->projection = data_of(run, PROJECTION);
    args->projection_bias = data_of(run, PROJECTION_BIAS);
    const size_t width = sizeof(float);
    const oribi_lstm_slices slices = {
        .call = call,
        .args = &whole,
        .batch = args->batch,
        .steps = args->steps,
        .is_time_major = args->is_time_major,
        .step_cost = 4 * (int64_t)args->units * ((int64_t)args->in_c + 2 * (int64_t)args->outputs),
        .in_bytes = (size_t)args->in_c * width,
        .out_bytes = (size_t)args->outputs * width,
        .hidden_bytes = (size_t)args->outputs * width,
        .cell_bytes = (size_t)args->units * width,
        .input = data_of(run, INPUT),
        .hidden = data_of(run, HIDDEN),
        .cell = data_of(run, CELL),
        .output = out[0],
        .next_hidden = out[1],
        .next_cell = out[2],
        .scratch = scratch};
    const bool good = oribi_lstm_slices_run(run, &slices);
    TF_DeleteTensor(tensor);
    return good;
}

static bool lstm_full_run(const arguments *state, oribi_kit_run *run)
{
    return run_by(run, (lstm_call){*state, oribi_micro_lstm_full_f32});
}
ORIBI_KIT_COMPUTE(lstm_full, N_INPUTS)

static bool lstm_fma_run(const arguments *state, oribi_kit_run *run)
{
    return run_by(run, (lstm_call){*state, oribi_micro_lstm_full_fma_f32});
}
ORIBI_KIT_COMPUTE(lstm_fma, N_INPUTS)

const oribi_cpu_kernel oribi_cpu_lstm_full_kernels[] = {
    ORIBI_CPU_STATE_ROW("Oribi>LstmFull", lstm_full, lstm_full,
                        "the arithmetic of micro/, bit for bit"),
    ORIBI_CPU_FMA_ROW("Oribi>LstmFull", lstm_full, lstm_fma),
    {.op_name = NULL},
};
