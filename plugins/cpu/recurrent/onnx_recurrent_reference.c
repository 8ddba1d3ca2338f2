/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX's LSTM, GRU and RNN in plain loops of double, for float and double alike. */
#include "cpu/base/families.h"
#include "cpu/recurrent/onnx_recurrent_call.h"

#include <math.h>
#include <string.h>

/* One row of one direction at work. */
typedef struct row_walk {
    oribi_kit_run *run;
    const oribi_recurrent_call *call;
    int32_t gates;
    int64_t d, b, patience;
    bool is_wide; /* elements are double */
    double *input, *hidden, *cell, *sums, *reset;
} row_walk;

static double at(const row_walk *w, int index, int64_t i)
{
    const void *data = w->call->in[index];
    return w->is_wide ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

static void put(const row_walk *w, int index, int64_t i, double value)
{
    void *data = w->call->out[index];
    if (w->is_wide) {
        ((double *)data)[i] = value;
    } else {
        ((float *)data)[i] = (float)value;
    }
}

static double apply(const row_walk *w, int32_t index, double x)
{
    const struct oribi_micro_recurrent_f32_args *a = &w->call->args;
    const int64_t i = w->d * (w->gates > 1 ? w->gates - 1 : 1) + index;
    const double alpha = (double)a->alpha[i], beta = (double)a->beta[i];
    switch (a->function[i]) {
    case ORIBI_MICRO_GATE_SIGMOID:
        return 1.0 / (1.0 + exp(-x));
    case ORIBI_MICRO_GATE_TANH:
        return tanh(x);
    case ORIBI_MICRO_GATE_RELU:
        return x < 0.0 ? 0.0 : x;
    case ORIBI_MICRO_GATE_AFFINE:
        return alpha * x + beta;
    case ORIBI_MICRO_GATE_LEAKY_RELU:
        return x < 0.0 ? alpha * x : x;
    case ORIBI_MICRO_GATE_THRESHOLDED_RELU:
        return x <= alpha ? 0.0 : x;
    case ORIBI_MICRO_GATE_SCALED_TANH:
        return alpha * tanh(beta * x);
    case ORIBI_MICRO_GATE_HARD_SIGMOID:
        x = alpha * x + beta;
        return x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x;
    case ORIBI_MICRO_GATE_ELU:
        return x < 0.0 ? alpha * expm1(x) : x;
    case ORIBI_MICRO_GATE_SOFTSIGN:
        return x / (1.0 + fabs(x));
    default: /* softplus */
        return (x > 0.0 ? x : 0.0) + log1p(exp(-fabs(x)));
    }
}

static double gate(const row_walk *w, int32_t index, double x)
{
    const double limit = (double)w->call->args.clip;
    if (limit > 0.0) {
        x = x > limit ? limit : x < -limit ? -limit : x;
    }
    return apply(w, index, x);
}

/* Row `row` of w or r, times n values. */
static double product(const row_walk *w, int index, int64_t row, const double *values, int64_t n)
{
    const int64_t first = (w->d * w->gates * w->call->args.units + row) * n;
    double sum = 0.0;
    for (int64_t i = 0; i < n; i++) {
        sum += at(w, index, first + i) * values[i];
    }
    return sum;
}

static double bias(const row_walk *w, int64_t which, int64_t row)
{
    const int64_t rows = (int64_t)w->gates * w->call->args.units;
    return w->call->in[ORIBI_RECURRENT_B] != NULL
               ? at(w, ORIBI_RECURRENT_B, (2 * w->d + which) * rows + row)
               : 0.0;
}

/* Sums [from, to); false: the run was stopped. */
static bool sum_rows(row_walk *w, int64_t from, int64_t to, const double *hidden)
{
    const struct oribi_micro_recurrent_f32_args *a = &w->call->args;
    for (int64_t row = from; row < to; row++) {
        w->sums[row] = bias(w, 0, row) + bias(w, 1, row) +
                       product(w, ORIBI_RECURRENT_W, row, w->input, a->in_c) +
                       product(w, ORIBI_RECURRENT_R, row, hidden, a->units);
        if (oribi_kit_stops(w->run, &w->patience, (int64_t)a->in_c + a->units)) {
            return false;
        }
    }
    return true;
}

static bool step_lstm(row_walk *w)
{
    const struct oribi_micro_recurrent_f32_args *a = &w->call->args;
    const int64_t units = a->units;
    const bool has_peephole = w->call->in[ORIBI_RECURRENT_PEEPHOLE] != NULL;
    if (!sum_rows(w, 0, 4 * units, w->hidden)) {
        return false;
    }
    for (int64_t u = 0; u < units; u++) {
        double p[3] = {0.0, 0.0, 0.0}; /* of input, output, forget */
        for (int64_t i = 0; has_peephole && i < 3; i++) {
            p[i] = at(w, ORIBI_RECURRENT_PEEPHOLE, (3 * w->d + i) * units + u);
        }
        const double old = w->cell[u], in = gate(w, 0, w->sums[u] + p[0] * old);
        const double kept =
            a->form != 0 ? 1.0 - in : gate(w, 0, w->sums[2 * units + u] + p[2] * old);
        w->cell[u] = kept * old + in * gate(w, 1, w->sums[3 * units + u]);
        w->hidden[u] = gate(w, 0, w->sums[units + u] + p[1] * w->cell[u]) * apply(w, 2, w->cell[u]);
    }
    return true;
}

static bool step_gru(row_walk *w)
{
    const struct oribi_micro_recurrent_f32_args *a = &w->call->args;
    const int64_t units = a->units;
    if (!sum_rows(w, 0, 2 * units, w->hidden)) {
        return false;
    }
    for (int64_t u = 0; u < units; u++) {
        w->sums[u] = gate(w, 0, w->sums[u]);
        w->reset[u] = gate(w, 0, w->sums[units + u]);
    }
    for (int64_t u = 0; u < units; u++) {
        const int64_t row = 2 * units + u;
        if (a->form != 0) {
            w->sums[row] = bias(w, 0, row) + product(w, ORIBI_RECURRENT_W, row, w->input, a->in_c) +
                           w->reset[u] * (bias(w, 1, row) +
                                          product(w, ORIBI_RECURRENT_R, row, w->hidden, units));
        }
        w->reset[u] *= w->hidden[u];
    }
    if (a->form == 0 && !sum_rows(w, 2 * units, 3 * units, w->reset)) {
        return false;
    }
    for (int64_t u = 0; u < units; u++) {
        const double next = gate(w, 1, w->sums[2 * units + u]);
        w->hidden[u] = w->sums[u] * w->hidden[u] + (1.0 - w->sums[u]) * next;
    }
    return true;
}

static bool step_rnn(row_walk *w)
{
    const int64_t units = w->call->args.units;
    if (!sum_rows(w, 0, units, w->hidden)) {
        return false;
    }
    for (int64_t u = 0; u < units; u++) {
        w->hidden[u] = gate(w, 0, w->sums[u]);
    }
    return true;
}

static void begin_state(const row_walk *w, int index, bool is_there, double *state)
{
    const struct oribi_micro_recurrent_f32_args *a = &w->call->args;
    const int64_t first = oribi_recurrent_state(a, w->b, w->d) * a->units;
    const bool reads = is_there && w->call->lengths[w->b] > 0;
    for (int64_t u = 0; u < a->units; u++) {
        state[u] = reads ? at(w, index, first + u) : 0.0;
    }
}

static void end_state(const row_walk *w, int index, const double *state)
{
    const struct oribi_micro_recurrent_f32_args *a = &w->call->args;
    const int64_t first = oribi_recurrent_state(a, w->b, w->d) * a->units;
    for (int64_t u = 0; u < a->units; u++) {
        put(w, index, first + u, state[u]);
    }
}

/* All steps of a row; false: the run was stopped. */
static bool walk_row(row_walk *w)
{
    const struct oribi_micro_recurrent_f32_args *a = &w->call->args;
    const int64_t length = w->call->lengths[w->b];
    begin_state(w, ORIBI_RECURRENT_HIDDEN, a->has_hidden != 0, w->hidden);
    begin_state(w, ORIBI_RECURRENT_CELL, a->has_cell != 0, w->cell);
    for (int64_t k = 0; k < a->steps; k++) {
        const int64_t t = k < length ? oribi_recurrent_time(a, w->d, k, length) : k;
        const int64_t to = oribi_recurrent_to(a, t, w->b, w->d) * a->units;
        for (int64_t i = 0; k < length && i < a->in_c; i++) {
            w->input[i] = at(w, ORIBI_RECURRENT_X, oribi_recurrent_from(a, t, w->b) * a->in_c + i);
        }
        const bool runs = k >= length || (w->gates == ORIBI_RECURRENT_LSTM  ? step_lstm(w)
                                          : w->gates == ORIBI_RECURRENT_GRU ? step_gru(w)
                                                                            : step_rnn(w));
        if (!runs || oribi_kit_stops(w->run, &w->patience, a->units)) {
            return false;
        }
        for (int64_t u = 0; u < a->units; u++) {
            put(w, 0, to + u, k < length ? w->hidden[u] : 0.0);
        }
    }
    end_state(w, 1, w->hidden);
    if (w->gates == ORIBI_RECURRENT_LSTM) {
        end_state(w, 2, w->cell);
    }
    return true;
}

static bool recurrent_run(const oribi_recurrent *recurrent, oribi_kit_run *run)
{
    oribi_recurrent_call call;
    TF_Tensor *tensor = NULL;
    row_walk w = {.run = run, .call = &call, .gates = recurrent->gates};
    bool good = oribi_recurrent_take(run, recurrent, &call);
    const int64_t units = call.args.units, rows = units * recurrent->gates;
    double *room = NULL;
    if (good) {
        room = oribi_kit_scratch(run, (call.args.in_c + 3 * units + rows) * 8, &tensor);
        good = room != NULL;
    }
    if (good) {
        w.is_wide = TF_TensorType(run->in[0]) == TF_DOUBLE;
        w.input = room;
        w.hidden = room + call.args.in_c;
        w.cell = w.hidden + units;
        w.reset = w.cell + units;
        w.sums = w.reset + units;
    }
    for (w.d = 0; good && w.d < call.args.directions; w.d++) {
        for (w.b = 0; good && w.b < call.args.batch; w.b++) {
            good = walk_row(&w);
        }
    }
    TF_DeleteTensor(tensor);
    TF_DeleteTensor(call.scratch);
    return good;
}
ORIBI_KIT_COMPUTE(recurrent, 1)

/* --- Rows ------------------------------------------------------------------------------------ */

#define ROW(op, name)                                                                              \
    ORIBI_CPU_STATE_ROW(op, oribi_recurrent_##name, recurrent, "plain loops",                      \
                        .types = {{"T", ORIBI_CPU_F32 | ORIBI_KIT_TYPE(TF_DOUBLE)}}),

/* clang-format off */
const oribi_cpu_kernel oribi_cpu_onnx_recurrent_reference_kernels[] = {
    ROW("ONNX>LSTM", lstm) ROW("ONNX>GRU", gru) ROW("ONNX>RNN", rnn)
    {.op_name = NULL},
};
/* clang-format on */
