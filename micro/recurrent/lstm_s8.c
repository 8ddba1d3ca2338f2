/* SPDX-License-Identifier: Apache-2.0 */
/* LSTM of int8: TensorFlow Lite Micro rounds and saturates both sums of a gate, then their sum. */
#include "micro/recurrent/lstm_s8.h"

#include "micro/recurrent/lstm_sum_s8.h"
#include "micro/recurrent/lstm_unit.h"
#include "micro/memory.h"

static int16_t narrow(int32_t x)
{
    return (int16_t)oribi_micro_clamp(x, INT16_MIN, INT16_MAX);
}

static void sum_gates(const struct oribi_micro_lstm_s8_args *a, const int8_t *input,
                      const int8_t *hidden, int16_t *gates)
{
    int32_t row = 0;
    for (int32_t g = 0; g < ORIBI_MICRO_LSTM_GATES; g++) {
        for (int32_t u = 0; u < a->sizes.units; u++) {
            TVMGEN_YIELD();
            const int32_t in = oribi_micro_lstm_input_s8(a, input, g, row);
            const int32_t recurrent = oribi_micro_lstm_hidden_s8(a, hidden, g, row);
            gates[row] = narrow(narrow(in) + narrow(recurrent));
            row++;
        }
    }
}

void oribi_micro_lstm_s8(const struct oribi_micro_lstm_s8_args *args, const int8_t *input,
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
                next_hidden[u] =
                    (int8_t)oribi_micro_lstm_unit(&args->cell, gates + u, s->units, next_cell + u);
            }
            (void)memcpy(output + oribi_micro_lstm_row(s, b, t, s->units), next_hidden,
                         (size_t)s->units);
        }
        next_hidden += s->units;
        next_cell += s->units;
    }
}
