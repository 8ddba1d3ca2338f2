/* SPDX-License-Identifier: Apache-2.0 */
/* LSTM of float. */
#include "micro/float_rules.h"

#include "micro/recurrent/lstm_f32.h"
#include "micro/math_f32.h"
#include "micro/memory.h"

static float dot(const float *a, const float *b, int32_t n)
{
    float sum = 0.0F;
    for (int32_t i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

static void sum_gates(const struct oribi_micro_lstm_f32_args *a, const float *input,
                      const float *hidden, float *gates)
{
    for (int32_t row = 0; row < 4 * a->units; row++) {
        TVMGEN_YIELD();
        const float in = dot(a->weights + row * a->in_c, input, a->in_c) + a->bias[row];
        gates[row] = in + dot(a->recurrent + row * a->units, hidden, a->units);
    }
}

/* One unit: its cell changes, its new hidden value is returned. gates are `units` apart. */
static float unit(const struct oribi_micro_lstm_f32_args *a, const float *gates, float *cell)
{
    const float in = oribi_micro_sigmoid(gates[0]);
    const float forget = oribi_micro_sigmoid(gates[a->units]);
    const float update = oribi_micro_tanh(gates[2 * a->units]);
    const float out = oribi_micro_sigmoid(gates[3 * a->units]);
    const float kept = forget * *cell, added = in * update;
    float next = kept + added;
    if (a->cell_clip > 0.0F) {
        next = next > a->cell_clip ? a->cell_clip : next;
        next = next < -a->cell_clip ? -a->cell_clip : next;
    }
    *cell = next;
    return oribi_micro_tanh(next) * out;
}

static int32_t row_of(const struct oribi_micro_lstm_f32_args *a, int32_t b, int32_t t)
{
    return a->is_time_major != 0 ? t * a->batch + b : b * a->steps + t;
}

void oribi_micro_lstm_f32(const struct oribi_micro_lstm_f32_args *args, const float *input,
                          const float *hidden, const float *cell, float *output, float *next_hidden,
                          float *next_cell, void *scratch)
{
    const struct oribi_micro_lstm_f32_args *a = args;
    float *gates = scratch;
    const size_t row = (size_t)a->units * sizeof *hidden;
    (void)memcpy(next_hidden, hidden, (size_t)a->batch * row);
    (void)memcpy(next_cell, cell, (size_t)a->batch * row);
    for (int32_t b = 0; b < a->batch; b++) {
        for (int32_t t = 0; t < a->steps; t++) {
            const int32_t at = row_of(a, b, t);
            sum_gates(a, input + at * a->in_c, next_hidden, gates);
            for (int32_t u = 0; u < a->units; u++) {
                next_hidden[u] = unit(a, gates + u, next_cell + u);
            }
            (void)memcpy(output + at * a->units, next_hidden, row);
        }
        next_hidden += a->units;
        next_cell += a->units;
    }
}
