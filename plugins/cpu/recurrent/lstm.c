/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi>QLstm by micro/'s kernels. That of floats: lstm_full.c. */
#include "cpu/base/families.h"
#include "cpu/recurrent/lstm_slices.h"
#include "cpu/quantised/quantized.h"

#include "micro/recurrent/lstm_fixed_s8.h"
#include "micro/recurrent/lstm_s16_prepare.h"
#include "micro/recurrent/lstm_s8_prepare.h"

enum { INPUT, WEIGHTS, RECURRENT, BIAS, HIDDEN, CELL, N_INPUTS };

/* All inputs' dims, checked against each other. */
static bool read_sizes(oribi_kit_run *run, int32_t is_time_major,
                       struct oribi_micro_lstm_sizes *out)
{
    static const int ranks[N_INPUTS] = {3, 3, 3, 2, 2, 2};
    int32_t d[N_INPUTS][3] = {{0}};
    int found;
    for (int i = 0; i < N_INPUTS; i++) {
        if (!oribi_quantized_dims(run, i, ranks[i], ranks[i], d[i], &found)) {
            return false;
        }
    }
    *out = (struct oribi_micro_lstm_sizes){.batch = d[INPUT][is_time_major],
                                           .steps = d[INPUT][1 - is_time_major],
                                           .in_c = d[INPUT][2],
                                           .units = d[HIDDEN][1],
                                           .is_time_major = is_time_major};
    const int32_t n = out->units;
    const bool fits = d[WEIGHTS][0] == 4 && d[WEIGHTS][1] == n && d[WEIGHTS][2] == out->in_c &&
                      d[RECURRENT][0] == 4 && d[RECURRENT][1] == n && d[RECURRENT][2] == n &&
                      d[BIAS][0] == 4 && d[BIAS][1] == n && d[HIDDEN][0] == out->batch &&
                      d[CELL][0] == out->batch && d[CELL][1] == n;
    return (fits || oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                                   "the shapes of LSTM's inputs contradict each other")) &&
           oribi_quantized_check(run, oribi_micro_lstm_check_sizes(out));
}

static bool make_outputs(oribi_kit_run *run, const struct oribi_micro_lstm_sizes *s, void *out[3])
{
    const int64_t first = s->is_time_major != 0 ? s->steps : s->batch;
    const int64_t second = s->is_time_major != 0 ? s->batch : s->steps;
    const int64_t dims[3] = {first, second, s->units}, state[2] = {s->batch, s->units};
    out[0] = oribi_kit_output(run, 0, dims, 3);
    out[1] = out[0] != NULL ? oribi_kit_output(run, 1, state, 2) : NULL;
    out[2] = out[1] != NULL ? oribi_kit_output(run, 2, state, 2) : NULL;
    return out[2] != NULL;
}

/* The call in slices; its sizes, and elements of `in` bytes beside cells of `cell`. */
static bool run_slices(oribi_kit_run *run, const struct oribi_micro_lstm_sizes *s,
                       oribi_lstm_slices *slices, size_t in, size_t cell, void *const out[3])
{
    slices->batch = s->batch;
    slices->steps = s->steps;
    slices->is_time_major = s->is_time_major;
    slices->step_cost = 4 * (int64_t)s->units * ((int64_t)s->in_c + s->units);
    slices->in_bytes = (size_t)s->in_c * in;
    slices->out_bytes = slices->hidden_bytes = (size_t)s->units * in;
    slices->cell_bytes = (size_t)s->units * cell;
    slices->input = TF_TensorData(run->in[INPUT]);
    slices->hidden = TF_TensorData(run->in[HIDDEN]);
    slices->cell = TF_TensorData(run->in[CELL]);
    slices->output = out[0];
    slices->next_hidden = out[1];
    slices->next_cell = out[2];
    return oribi_lstm_slices_run(run, slices);
}

/* <name>_scale and <name>_zero; the zero point is checked by prepare. */
static void read_quant(oribi_kit_setup *setup, const char *scale, const char *zero,
                       struct oribi_micro_quantisation *out)
{
    int64_t value = 0;
    oribi_kit_attr_float(setup, scale, &out->scale);
    oribi_kit_attr_int(setup, zero, &value);
    out->zero = value < INT32_MIN || value > INT32_MAX ? INT32_MAX : (int32_t)value;
}

static void read_scales(oribi_kit_setup *setup, struct oribi_micro_lstm_spec *spec)
{
    enum { N = 2 * ORIBI_MICRO_LSTM_GATES };
    int32_t n = 0, total = 0;
    if (TF_GetCode(setup->status) != TF_OK) {
        return;
    }
    TF_OpKernelConstruction_GetAttrSize(setup->construction, "weight_scales", &n, &total,
                                        setup->status);
    if (TF_GetCode(setup->status) == TF_OK && n != N) {
        (void)oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT,
                                   "there are %d weight scales instead of %d", (int)n, (int)N);
    }
    if (TF_GetCode(setup->status) == TF_OK) {
        TF_OpKernelConstruction_GetAttrFloatList(setup->construction, "weight_scales", spec->scales,
                                                 N, setup->status);
    }
}

static void q_lstm_read(oribi_kit_setup *setup, struct oribi_micro_lstm_spec *spec)
{
    bool is_time_major = false;
    oribi_kit_attr_bool(setup, "time_major", &is_time_major);
    oribi_kit_attr_float(setup, "cell_clip", &spec->cell_clip);
    oribi_kit_attr_float(setup, "cell_scale", &spec->cell_scale);
    read_quant(setup, "input_scale", "input_zero", &spec->input);
    read_quant(setup, "hidden_scale", "hidden_zero", &spec->hidden);
    read_quant(setup, "product_scale", "product_zero", &spec->product);
    oribi_quantized_variant(setup, &spec->variant);
    read_scales(setup, spec);
    spec->sizes.is_time_major = is_time_major ? 1 : 0;
}
ORIBI_KIT_CREATE(q_lstm, struct oribi_micro_lstm_spec)

#define CALL(name, args_type, kernel)                                                              \
    static void name(const void *whole, int32_t batch, int32_t steps, const void *input,           \
                     const void *hidden, const void *cell, void *output, void *next_hidden,        \
                     void *next_cell, void *scratch)                                               \
    {                                                                                              \
        struct args_type args = *(const struct args_type *)whole;                                  \
        args.sizes.batch = batch;                                                                  \
        args.sizes.steps = steps;                                                                  \
        args.sizes.is_time_major = 1;                                                              \
        kernel(&args, input, hidden, cell, output, next_hidden, next_cell, scratch);               \
    }
CALL(call_s8, oribi_micro_lstm_s8_args, oribi_micro_lstm_s8)
CALL(call_fixed_s8, oribi_micro_lstm_s8_args, oribi_micro_lstm_fixed_s8)
CALL(call_s16, oribi_micro_lstm_s16_args, oribi_micro_lstm_s16)

static bool run_s8(oribi_kit_run *run, const struct oribi_micro_lstm_spec *spec, int32_t *numbers)
{
    const int64_t rows = 4 * (int64_t)spec->sizes.units;
    struct oribi_micro_lstm_s8_args args = {.weights = TF_TensorData(run->in[WEIGHTS]),
                                            .recurrent = TF_TensorData(run->in[RECURRENT])};
    void *out[3];
    if (!oribi_quantized_check(run, oribi_micro_lstm_s8_prepare(spec, TF_TensorData(run->in[BIAS]),
                                                                &args, numbers, numbers + rows)) ||
        !make_outputs(run, &spec->sizes, out)) {
        return false;
    }
    oribi_lstm_slices slices = {.call =
                                    spec->variant == ORIBI_MICRO_TFLITE ? call_fixed_s8 : call_s8,
                                .args = &args,
                                .scratch = numbers + 2 * rows};
    return run_slices(run, &spec->sizes, &slices, sizeof(int8_t), sizeof(int16_t), out);
}

static bool run_s16(oribi_kit_run *run, const struct oribi_micro_lstm_spec *spec, int32_t *numbers)
{
    const int64_t rows = 4 * (int64_t)spec->sizes.units;
    struct oribi_micro_lstm_s16_args args = {.weights = TF_TensorData(run->in[WEIGHTS]),
                                             .recurrent = TF_TensorData(run->in[RECURRENT])};
    void *out[3];
    if (!oribi_quantized_check(run, oribi_micro_lstm_s16_prepare(spec, TF_TensorData(run->in[BIAS]),
                                                                 &args, numbers, numbers + rows)) ||
        !make_outputs(run, &spec->sizes, out)) {
        return false;
    }
    oribi_lstm_slices slices = {.call = call_s16, .args = &args, .scratch = numbers + 2 * rows};
    return run_slices(run, &spec->sizes, &slices, sizeof(int16_t), sizeof(int16_t), out);
}

static bool q_lstm_run(const struct oribi_micro_lstm_spec *state, oribi_kit_run *run)
{
    struct oribi_micro_lstm_spec spec = *state;
    TF_Tensor *tensor = NULL;
    if (!read_sizes(run, spec.sizes.is_time_major, &spec.sizes)) {
        return false;
    }
    const bool is_wide = TF_TensorType(run->in[INPUT]) == TF_INT16;
    if (TF_TensorType(run->in[BIAS]) != (is_wide ? TF_INT64 : TF_INT32)) {
        return oribi_kit_fail(run, TF_INVALID_ARGUMENT,
                              "biases must be int32 under an int8 input, int64 under int16");
    }
    /* two biases of four bytes and one gate of two bytes for each of four rows a unit */
    int32_t *numbers = oribi_kit_scratch(run, (int64_t)spec.sizes.units * 4 * 10, &tensor);
    const bool ok =
        numbers != NULL && (is_wide ? run_s16(run, &spec, numbers) : run_s8(run, &spec, numbers));
    if (tensor != NULL) {
        TF_DeleteTensor(tensor);
    }
    return ok;
}
ORIBI_KIT_COMPUTE(q_lstm, N_INPUTS)

const oribi_cpu_kernel oribi_cpu_lstm_kernels[] = {
    ORIBI_CPU_STATE_ROW("Oribi>QLstm", q_lstm, q_lstm, "the arithmetic of micro/, bit for bit",
                        .types = {{"T", ORIBI_KIT_TYPE(TF_INT8) | ORIBI_KIT_TYPE(TF_INT16)}}),
    {.op_name = NULL},
};
