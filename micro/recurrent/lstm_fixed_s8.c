/* SPDX-License-Identifier: Apache-2.0 */
/* LSTM of int8: TensorFlow Lite saturates what the input gives and what the hidden state adds. */
#include "micro/recurrent/lstm_fixed_s8.h"

#include "micro/elementwise/curve_fixed_s16.h"
#include "micro/recurrent/lstm_sum_s8.h"
#include "micro/memory.h"

static void sum_gates(const struct oribi_micro_lstm_s8_args *a, const int8_t *input,
                      const int8_t *hidden, int16_t *gates)
{
    int32_t row = 0;
    for (int32_t g = 0; g < ORIBI_MICRO_LSTM_GATES; g++) {
        for (int32_t u = 0; u < a->sizes.units; u++) {
            TVMGEN_YIELD();
            const int32_t in = oribi_micro_clamp(oribi_micro_lstm_input_s8(a, input, g, row),
                                                 INT16_MIN, INT16_MAX);
            const int32_t more = oribi_micro_clamp(oribi_micro_lstm_hidden_s8(a, hidden, g, row),
                                                   -(1 << 30), 1 << 30); /* in + more fits */
            gates[row] = (int16_t)oribi_micro_clamp(in + more, INT16_MIN, INT16_MAX);
            row++;
        }
    }
}

/* One unit: its cell changes, its new hidden value is returned. gates are `units` apart. */
static int32_t unit(const struct oribi_micro_lstm_cell *c, const int16_t *gates, int32_t units,
                    int16_t *cell)
{
    const int32_t in = oribi_micro_fixed_logistic(gates[0]);
    const int32_t forget = oribi_micro_fixed_logistic(gates[units]);
    const int32_t update = oribi_micro_fixed_tanh(gates[2 * units], 3);
    const int32_t out = oribi_micro_fixed_logistic(gates[3 * units]);
    const int32_t kept = oribi_micro_rounding_shift(forget * *cell, 15);
    const int32_t added = oribi_micro_rounding_shift(in * update, c->shift);
    const int32_t next =
        oribi_micro_clamp(oribi_micro_clamp(kept + added, INT16_MIN, INT16_MAX), c->low, c->high);
    const int32_t curve = oribi_micro_fixed_tanh(next, c->tanh_shift);
    const int32_t hidden =
        oribi_micro_scale(out * curve, c->hidden_multiplier, c->hidden_shift) + c->hidden_zero;
    *cell = (int16_t)next;
    return oribi_micro_clamp(hidden, c->hidden_low, c->hidden_high);
}

void oribi_micro_lstm_fixed_s8(const struct oribi_micro_lstm_s8_args *args, const int8_t *input,
                               const int8_t *hidden, const int16_t *cell, int8_t *output,
                               int8_t *next_hidden, int16_t *next_cell, void *scratch)
{
    const struct oribi_micro_lstm_sizes *s = &args->sizes;
    int16_t *gates = scratch;
    (void)memcpy(next_hidden, hidden, (size_t)(s->batch * s->units));
    (void)memcpy(next_cell, cell, (size_t)(s->batch * s->units) * sizeof *cell);
    for (int32_t b = 0; b < s->batch; b++) {
        for (int32_t t = 0; t < s->steps; t++) {
            sum_gates(args, input + oribi_micro_lstm_row(s, b, t, s->in_c), next_hidden, gates);
            for (int32_t u = 0; u < s->units; u++) {
                next_hidden[u] = (int8_t)unit(&args->cell, gates + u, s->units, next_cell + u);
            }
            (void)memcpy(output + oribi_micro_lstm_row(s, b, t, s->units), next_hidden,
                         (size_t)s->units);
        }
        next_hidden += s->units;
        next_cell += s->units;
    }
}
