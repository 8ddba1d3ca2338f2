/* SPDX-License-Identifier: Apache-2.0 */
/* LSTM of float: the body of lstm_full_f32.c and of lstm_full_fma_f32.c, which say by which
 * function of dots_f32.h it sums (ORIBI_MICRO_DOTS_F32). */
#ifndef ORIBI_MICRO_LSTM_FULL_F32_BODY_H_
#define ORIBI_MICRO_LSTM_FULL_F32_BODY_H_

#include "micro/float_rules.h"

#include "micro/recurrent/lstm_full_f32.h"
#include "micro/math_f32.h"
#include "micro/memory.h"
#include "micro/quantize/through_bytes.h"

#include <stddef.h>

static void sum_gates(const struct oribi_micro_lstm_full_f32_args *a, const float *input,
                      const float *hidden, float *gates)
{
    const int32_t rows = a->gates * a->units;
    for (int32_t row = 0; row < rows; row++) {
        gates[row] = a->norm == NULL ? a->bias[row] : 0.0F;
    }
    ORIBI_MICRO_DOTS_F32(a->weights, input, rows, a->in_c, gates);
    ORIBI_MICRO_DOTS_F32(a->recurrent, hidden, rows, a->outputs, gates);
}

/* Mean 0 and deviation 1, then the gate's factors and bias. */
static void normalise(const struct oribi_micro_lstm_full_f32_args *a, int32_t gate, float *values)
{
    const float *factors = a->norm + gate * a->units, *bias = a->bias + gate * a->units;
    float sum = 0.0F, squares = 0.0F;
    for (int32_t u = 0; u < a->units; u++) {
        sum += values[u];
    }
    const float mean = sum / (float)a->units;
    for (int32_t u = 0; u < a->units; u++) {
        const float apart = values[u] - mean;
        squares += apart * apart;
    }
    const float scale = 1.0F / oribi_micro_sqrt(squares / (float)a->units + 1e-8F);
    for (int32_t u = 0; u < a->units; u++) {
        const float value = (values[u] - mean) * scale;
        values[u] = value * factors[u] + bias[u];
    }
}

/* What is left of a gate once it is summed; peephole is its row of them, or negative. */
static void finish(const struct oribi_micro_lstm_full_f32_args *a, int32_t gate, int32_t peephole,
                   const float *cell, float *gates)
{
    float *values = gates + gate * a->units;
    const int32_t is_cell_gate = gate == a->gates - 2;
    for (int32_t u = 0; a->peephole != NULL && peephole >= 0 && u < a->units; u++) {
        values[u] += a->peephole[peephole * a->units + u] * cell[u];
    }
    if (a->norm != NULL) {
        normalise(a, gate, values);
    }
    for (int32_t u = 0; u < a->units; u++) {
        values[u] =
            is_cell_gate != 0 ? oribi_micro_tanh(values[u]) : oribi_micro_sigmoid(values[u]);
    }
}

static float clip(float x, float limit)
{
    if (limit > 0.0F) {
        x = x > limit ? limit : x < -limit ? -limit : x;
    }
    return x;
}

static void step_cell(const struct oribi_micro_lstm_full_f32_args *a, float *gates, float *cell)
{
    const int32_t is_coupled = a->gates == 3, units = a->units, forget = a->gates - 3;
    if (is_coupled == 0) {
        finish(a, 0, 0, cell, gates);
    }
    finish(a, forget, forget, cell, gates);
    finish(a, forget + 1, -1, cell, gates);
    for (int32_t u = 0; u < units; u++) {
        const float kept = gates[forget * units + u];
        const float taken = is_coupled != 0 ? 1.0F - kept : gates[u];
        const float old = kept * cell[u], added = taken * gates[(forget + 1) * units + u];
        cell[u] = clip(old + added, a->cell_clip);
    }
    finish(a, forget + 2, forget + 1, cell, gates);
}

static void through_bytes(const struct oribi_micro_lstm_full_f32_args *a, int32_t columns,
                          const float *from, float *to)
{
    const struct oribi_micro_through_bytes_args args = {1, columns, a->is_asymmetric};
    oribi_micro_through_bytes(&args, from, to);
}

/* The hidden state from the output gate, which is lost, and the cell. */
static void step_hidden(const struct oribi_micro_lstm_full_f32_args *a, float *gate,
                        const float *cell, float *hidden)
{
    float *whole = a->projection != NULL ? gate : hidden;
    for (int32_t u = 0; u < a->units; u++) {
        whole[u] = gate[u] * oribi_micro_tanh(cell[u]);
    }
    if (a->projection == NULL) {
        return;
    }
    if (a->is_hybrid != 0) {
        through_bytes(a, a->units, whole, whole);
    }
    for (int32_t o = 0; o < a->outputs; o++) {
        hidden[o] = a->projection_bias != NULL ? a->projection_bias[o] : 0.0F;
    }
    ORIBI_MICRO_DOTS_F32(a->projection, whole, a->outputs, a->units, hidden);
    for (int32_t o = 0; o < a->outputs; o++) {
        hidden[o] = clip(hidden[o], a->projection_clip);
    }
}

void ORIBI_MICRO_LSTM_FULL_F32(const struct oribi_micro_lstm_full_f32_args *args,
                               const float *input, const float *hidden, const float *cell,
                               float *output, float *next_hidden, float *next_cell, void *scratch)
{
    const struct oribi_micro_lstm_full_f32_args *a = args;
    float *gates = scratch, *bytes = gates + a->gates * a->units;
    const size_t row = (size_t)a->outputs * sizeof *hidden;
    (void)memcpy(next_hidden, hidden, (size_t)a->batch * row);
    (void)memcpy(next_cell, cell, (size_t)(a->batch * a->units) * sizeof *cell);
    for (int32_t b = 0; b < a->batch; b++) {
        for (int32_t t = 0; t < a->steps; t++) {
            const int32_t at = a->is_time_major != 0 ? t * a->batch + b : b * a->steps + t;
            if (a->is_hybrid != 0) {
                through_bytes(a, a->outputs, next_hidden, bytes);
            }
            sum_gates(a, input + at * a->in_c, a->is_hybrid != 0 ? bytes : next_hidden, gates);
            step_cell(a, gates, next_cell);
            step_hidden(a, gates + (a->gates - 1) * a->units, next_cell, next_hidden);
            (void)memcpy(output + at * a->outputs, next_hidden, row);
        }
        next_hidden += a->outputs;
        next_cell += a->units;
    }
}

#endif
