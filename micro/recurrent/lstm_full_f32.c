/* SPDX-License-Identifier: Apache-2.0 */
/* LSTM of float in all its forms. */
#include "micro/float_rules.h"

#include "micro/recurrent/lstm_full_f32.h"
#include "micro/math_f32.h"
#include "micro/memory.h"
#include "micro/quantize/through_bytes.h"

#include <stddef.h>

static float dot(const float *a, const float *b, int32_t n, float sum)
{
    for (int32_t i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

static void sum_gates(const struct oribi_micro_lstm_full_f32_args *a, const float *input,
                      const float *hidden, float *gates)
{
    for (int32_t row = 0; row < a->gates * a->units; row++) {
        TVMGEN_YIELD();
        const float first = a->norm == NULL ? a->bias[row] : 0.0F;
        const float in = dot(a->weights + row * a->in_c, input, a->in_c, first);
        gates[row] = dot(a->recurrent + row * a->outputs, hidden, a->outputs, in);
    }
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

/* The hidden state from the output gate and the cell; `whole` has room for the units. */
static void step_hidden(const struct oribi_micro_lstm_full_f32_args *a, const float *gate,
                        const float *cell, float *whole, float *hidden)
{
    float *to = a->projection != NULL ? whole : hidden;
    for (int32_t u = 0; u < a->units; u++) {
        to[u] = gate[u] * oribi_micro_tanh(cell[u]);
    }
    if (a->projection != NULL && a->is_hybrid != 0) {
        through_bytes(a, a->units, whole, whole);
    }
    for (int32_t o = 0; a->projection != NULL && o < a->outputs; o++) {
        TVMGEN_YIELD();
        const float first = a->projection_bias != NULL ? a->projection_bias[o] : 0.0F;
        hidden[o] =
            clip(dot(a->projection + o * a->units, whole, a->units, first), a->projection_clip);
    }
}

void oribi_micro_lstm_full_f32(const struct oribi_micro_lstm_full_f32_args *args,
                               const float *input, const float *hidden, const float *cell,
                               float *output, float *next_hidden, float *next_cell, void *scratch)
{
    const struct oribi_micro_lstm_full_f32_args *a = args;
    float *gates = scratch, *whole = gates + a->gates * a->units, *bytes = whole + a->units;
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
            step_hidden(a, gates + (a->gates - 1) * a->units, next_cell, whole, next_hidden);
            (void)memcpy(output + at * a->outputs, next_hidden, row);
        }
        next_hidden += a->outputs;
        next_cell += a->units;
    }
}
