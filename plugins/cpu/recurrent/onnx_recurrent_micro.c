/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX's LSTM, GRU and RNN, and TensorFlow Lite's hybrid one, by micro/'s kernels, which is what
 * emitted C computes: each row of each direction by calls of a bounded length, so that a run which
 * was stopped ends soon. The results are those of one call, bit for bit.
 */
#include "cpu/base/families.h"
#include "cpu/quantised/quantized.h"
#include "cpu/recurrent/onnx_recurrent_call.h"

#include "micro/recurrent/dynamic_lstm_f32.h"
#include "micro/recurrent/recurrent_f32_prepare.h"

#include <string.h>

enum { SLICE_CYCLES = 1000000 };

typedef struct slices {
    oribi_kit_run *run;
    const oribi_recurrent_call *call;
    int32_t gates;
    bool is_fused;                             /* --fma */
    struct oribi_micro_recurrent_f32_args one; /* a forward row */
    int64_t most, patience;                    /* steps of a call */
    float *input, *output, *scratch;
    float *hidden[2], *cell[2]; /* what a call reads, what it writes */
} slices;

static void call_micro(const slices *s)
{
    if (s->gates == ORIBI_RECURRENT_LSTM) {
        (s->is_fused ? oribi_micro_onnx_lstm_fma_f32
                     : oribi_micro_onnx_lstm_f32)(&s->one, s->input, NULL, s->hidden[0], s->cell[0],
                                                  s->output, s->hidden[1], s->cell[1], s->scratch);
    } else {
        (s->gates == ORIBI_RECURRENT_GRU
             ? (s->is_fused ? oribi_micro_onnx_gru_fma_f32 : oribi_micro_onnx_gru_f32)
         : s->one.form != 0
             ? (s->is_fused ? oribi_micro_hybrid_rnn_fma_f32 : oribi_micro_hybrid_rnn_f32)
         : s->is_fused ? oribi_micro_onnx_rnn_fma_f32
                       : oribi_micro_onnx_rnn_f32)(&s->one, s->input, NULL, s->hidden[0], s->output,
                                                   s->hidden[1], s->scratch);
    }
}

/* The weights and functions of direction d. */
static void choose_direction(slices *s, int64_t d)
{
    const struct oribi_micro_recurrent_f32_args *a = &s->call->args;
    const void *const *in = s->call->in;
    const int64_t rows = (int64_t)s->gates * a->units;
    const int32_t each = s->gates > 1 ? s->gates - 1 : 1;
    s->one.weights = (const float *)in[ORIBI_RECURRENT_W] + d * rows * a->in_c;
    s->one.recurrent = (const float *)in[ORIBI_RECURRENT_R] + d * rows * a->units;
    s->one.bias = in[ORIBI_RECURRENT_B];
    s->one.bias = s->one.bias != NULL ? s->one.bias + 2 * d * rows : NULL;
    s->one.peephole = in[ORIBI_RECURRENT_PEEPHOLE];
    s->one.peephole = s->one.peephole != NULL ? s->one.peephole + 3 * d * a->units : NULL;
    for (int32_t i = 0; i < each; i++) {
        s->one.function[i] = a->function[d * each + i];
        s->one.alpha[i] = a->alpha[d * each + i];
        s->one.beta[i] = a->beta[d * each + i];
    }
}

/* Steps [k, k + n) of a row of this length. */
static void run_slice(slices *s, int64_t d, int64_t b, int64_t k, int64_t n, int64_t length)
{
    const struct oribi_micro_recurrent_f32_args *a = &s->call->args;
    const float *x = s->call->in[ORIBI_RECURRENT_X];
    float *y = s->call->out[0];
    const size_t in_bytes = (size_t)a->in_c * sizeof *x, bytes = (size_t)a->units * sizeof *y;
    for (int64_t i = 0; i < n && k < length; i++) {
        const int64_t t = oribi_recurrent_time(a, d, k + i, length);
        memcpy(s->input + i * a->in_c, x + oribi_recurrent_from(a, t, b) * a->in_c, in_bytes);
    }
    if (k < length) {
        s->one.steps = (int32_t)n;
        call_micro(s);
        memcpy(s->hidden[0], s->hidden[1], bytes);
        memcpy(s->cell[0], s->cell[1], bytes);
    } else {
        memset(s->output, 0, (size_t)n * bytes);
    }
    for (int64_t i = 0; i < n; i++) {
        const int64_t t = k < length ? oribi_recurrent_time(a, d, k + i, length) : k + i;
        memcpy(y + oribi_recurrent_to(a, t, b, d) * a->units, s->output + i * a->units, bytes);
    }
}

static void begin_state(const slices *s, int64_t at, int index, bool is_there, float *state)
{
    const int32_t units = s->call->args.units;
    const float *first = s->call->in[index];
    memset(state, 0, (size_t)units * sizeof *state);
    if (is_there) {
        memcpy(state, first + at * units, (size_t)units * sizeof *state);
    }
}

static bool run_row(slices *s, int64_t d, int64_t b)
{
    const struct oribi_micro_recurrent_f32_args *a = &s->call->args;
    const int64_t length = s->call->lengths[b], at = oribi_recurrent_state(a, b, d);
    const size_t bytes = (size_t)a->units * sizeof(float);
    begin_state(s, at, ORIBI_RECURRENT_HIDDEN, a->has_hidden != 0 && length > 0, s->hidden[0]);
    begin_state(s, at, ORIBI_RECURRENT_CELL, a->has_cell != 0 && length > 0, s->cell[0]);
    for (int64_t k = 0, n; k < a->steps; k += n) {
        const int64_t end = k < length ? length : a->steps;
        n = end - k < s->most ? end - k : s->most;
        run_slice(s, d, b, k, n, length);
        if (oribi_kit_stops(s->run, &s->patience,
                            n * s->gates * a->units * ((int64_t)a->in_c + a->units))) {
            return false;
        }
    }
    memcpy((float *)s->call->out[1] + at * a->units, s->hidden[0], bytes);
    if (s->gates == ORIBI_RECURRENT_LSTM) {
        memcpy((float *)s->call->out[2] + at * a->units, s->cell[0], bytes);
    }
    return true;
}

static bool make_room(slices *s, TF_Tensor **out_tensor)
{
    const struct oribi_micro_recurrent_f32_args *a = &s->call->args;
    const int64_t cycles = (int64_t)s->gates * a->units * (a->in_c + a->units) + 1;
    s->most = SLICE_CYCLES / cycles + 1 < a->steps ? SLICE_CYCLES / cycles + 1 : a->steps;
    const int64_t floats = s->most * (a->in_c + a->units) + (5 + s->gates) * (int64_t)a->units;
    s->input = oribi_kit_scratch(s->run, (floats + 1) * (int64_t)sizeof(float), out_tensor);
    if (s->input == NULL) {
        return false;
    }
    s->output = s->input + s->most * a->in_c;
    s->hidden[0] = s->output + s->most * a->units;
    s->hidden[1] = s->hidden[0] + a->units;
    s->cell[0] = s->hidden[1] + a->units;
    s->cell[1] = s->cell[0] + a->units;
    s->scratch = s->cell[1] + a->units;
    memset(s->cell[1], 0, (size_t)a->units * sizeof(float)); /* a GRU has none */
    return true;
}

static bool run_rows(const oribi_recurrent *recurrent, oribi_kit_run *run, bool is_fused)
{
    oribi_recurrent_call call;
    TF_Tensor *tensor = NULL;
    slices s = {.run = run, .call = &call, .gates = recurrent->gates, .is_fused = is_fused};
    bool good = oribi_recurrent_take(run, recurrent, &call);
    const struct oribi_micro_recurrent_f32_args *a = &call.args;
    const bool is_empty = a->steps == 0 || a->batch == 0 || a->units == 0 || a->in_c == 0;
    good = good &&
           (is_empty ||
            oribi_quantized_check(run, oribi_micro_recurrent_f32_check(a, recurrent->gates))) &&
           make_room(&s, &tensor);
    s.one = call.args;
    s.one.directions = s.one.batch = 1;
    s.one.is_reverse = s.one.is_batch_major = s.one.has_lengths = 0;
    s.one.has_hidden = s.one.has_cell = 1;
    for (int64_t d = 0; good && d < call.args.directions; d++) {
        choose_direction(&s, d);
        for (int64_t b = 0; good && b < call.args.batch; b++) {
            good = run_row(&s, d, b);
        }
    }
    TF_DeleteTensor(tensor);
    TF_DeleteTensor(call.scratch);
    return good;
}

static bool micro_run(const oribi_recurrent *recurrent, oribi_kit_run *run)
{
    return run_rows(recurrent, run, false);
}
ORIBI_KIT_COMPUTE(micro, 1)

static bool fused_run(const oribi_recurrent *recurrent, oribi_kit_run *run)
{
    return run_rows(recurrent, run, true);
}
ORIBI_KIT_COMPUTE(fused, 1)

/* --- Rounded products: all rows of a direction go together ------------------------------------ */

/* The sizes and weights of all directions. */
static struct oribi_micro_recurrent_f32_args whole(const oribi_recurrent_call *call)
{
    struct oribi_micro_recurrent_f32_args a = call->args;
    a.weights = call->in[ORIBI_RECURRENT_W];
    a.recurrent = call->in[ORIBI_RECURRENT_R];
    a.bias = call->in[ORIBI_RECURRENT_B];
    a.peephole = call->in[ORIBI_RECURRENT_PEEPHOLE];
    a.has_lengths = 1;
    return a;
}

static bool run_directions(oribi_kit_run *run, const oribi_recurrent_call *call, float *scratch)
{
    const struct oribi_micro_recurrent_f32_args a = whole(call);
    const float *x = call->in[ORIBI_RECURRENT_X];
    const struct oribi_micro_byte_places places = oribi_micro_dynamic_places(&a, x, call->lengths);
    const int64_t cycles = (int64_t)a.batch * a.units * 4 * (a.in_c + a.units) + 1;
    const int64_t most = SLICE_CYCLES / cycles + 1;
    int64_t patience = 0;
    for (int32_t d = 0; d < a.directions; d++) {
        int32_t k = 0;
        do { /* without a step it begins the states */
            const int32_t end = a.steps - k < most ? a.steps : k + (int32_t)most;
            oribi_micro_dynamic_lstm_steps(
                &a, &places, d, k, end, x, call->lengths, call->in[ORIBI_RECURRENT_HIDDEN],
                call->in[ORIBI_RECURRENT_CELL], call->out[0], call->out[1], call->out[2], scratch);
            if (oribi_kit_stops(run, &patience, (end - k + 1) * cycles)) {
                return false;
            }
            k = end;
        } while (k < a.steps);
    }
    return true;
}

static bool dynamic_run(const oribi_recurrent *recurrent, oribi_kit_run *run)
{
    oribi_recurrent_call call;
    TF_Tensor *tensor = NULL;
    bool good = oribi_recurrent_take(run, recurrent, &call);
    const struct oribi_micro_recurrent_f32_args *a = &call.args;
    const int64_t floats = (4 + (int64_t)a->batch) * a->units + a->in_c;
    const bool has_states = a->batch > 0 && a->units > 0;
    const bool is_empty = !has_states || a->steps == 0 || a->in_c == 0;
    good = good && (is_empty || oribi_quantized_check(
                                    run, oribi_micro_recurrent_f32_check(a, ORIBI_RECURRENT_LSTM)));
    if (good && has_states) {
        float *scratch = oribi_kit_scratch(run, (floats + 1) * (int64_t)sizeof(float), &tensor);
        good = scratch != NULL && run_directions(run, &call, scratch);
    }
    TF_DeleteTensor(tensor);
    TF_DeleteTensor(call.scratch);
    return good;
}
ORIBI_KIT_COMPUTE(dynamic, 1)

#define ROW(op, name, run, near, ...)                                                              \
    {.op_name = op,                                                                                \
     .types = {{"T", ORIBI_CPU_F32}},                                                              \
     __VA_ARGS__,                                                                                  \
     .create = oribi_recurrent_##name##_create,                                                    \
     .compute = run##_compute,                                                                     \
     .destroy = oribi_kit_free,                                                                    \
     .tolerance = (float)(near),                                                                   \
     .why = "the arithmetic of emitted C"},

#define BESIDE .label = "micro", .priority = ORIBI_CPU_MICRO
#define FUSED  .label = "micro-fma", .priority = ORIBI_CPU_MICRO

/* clang-format off */
const oribi_cpu_kernel oribi_cpu_onnx_recurrent_micro_kernels[] = {
    ROW("ONNX>LSTM", lstm, micro, 1e-4, BESIDE) ROW("ONNX>GRU", gru, micro, 1e-4, BESIDE)
    ROW("ONNX>RNN", rnn, micro, 1e-4, BESIDE)
    ROW("ONNX>LSTM", lstm, fused, 1e-4, FUSED) ROW("ONNX>GRU", gru, fused, 1e-4, FUSED)
    ROW("ONNX>RNN", rnn, fused, 1e-4, FUSED) ROW("Oribi>DynamicLstm", lstm, dynamic, 5e-2, BESIDE)
    ROW("Oribi>HybridRnn", hybrid, micro, 1e-4, .priority = ORIBI_CPU_REFERENCE)
    ROW("Oribi>HybridRnn", hybrid, fused, 1e-4, FUSED)
    {.op_name = NULL},
};
/* clang-format on */
