/* SPDX-License-Identifier: Apache-2.0 */
/* LSTM of int16. */
#include "micro/recurrent/lstm_s16.h"

#include "micro/recurrent/lstm_unit.h"
#include "micro/memory.h"
#include "micro/wide.h"

static int64_t dot(const int8_t *weights, const int16_t *x, int32_t n, int64_t sum)
{
    for (int32_t i = 0; i < n; i++) {
        sum += weights[i] * x[i];
    }
    return sum;
}

static int32_t narrow(int32_t x)
{
    return oribi_micro_clamp(x, INT16_MIN, INT16_MAX);
}

static void sum_gates(const struct oribi_micro_lstm_s16_args *a, const int16_t *input,
                      const int16_t *hidden, int16_t *gates)
{
    const struct oribi_micro_lstm_gates *m = &a->gates;
    const int32_t in_c = a->sizes.in_c, units = a->sizes.units;
    int32_t row = 0;
    for (int32_t g = 0; g < ORIBI_MICRO_LSTM_GATES; g++) {
        for (int32_t u = 0; u < units; u++) {
            TVMGEN_YIELD();
            const int64_t bias =
                (int64_t)a->bias_high[row] * INT64_C(4294967296) + (uint32_t)a->bias_low[row];
            const int32_t in =
                oribi_micro_scale_wide(dot(a->weights + row * in_c, input, in_c, bias),
                                       m->input_multiplier[g], m->input_shift[g]);
            const int32_t recurrent =
                oribi_micro_scale_wide(dot(a->recurrent + row * units, hidden, units, 0),
                                       m->recurrent_multiplier[g], m->recurrent_shift[g]);
            gates[row] = (int16_t)narrow(narrow(in) + narrow(recurrent));
            row++;
        }
    }
}

void oribi_micro_lstm_s16(const struct oribi_micro_lstm_s16_args *args, const int16_t *input,
                          const int16_t *hidden, const int16_t *cell, int16_t *output,
                          int16_t *next_hidden, int16_t *next_cell, void *scratch)
{
    const struct oribi_micro_lstm_sizes *s = &args->sizes;
    int16_t *gates = scratch;
    const size_t row = (size_t)s->units * sizeof *hidden;
    (void)memcpy(next_hidden, hidden, (size_t)s->batch * row);
    (void)memcpy(next_cell, cell, (size_t)s->batch * row);
    for (int32_t b = 0; b < s->batch; b++) {
        for (int32_t t = 0; t < s->steps; t++) {
            sum_gates(args, input + oribi_micro_lstm_row(s, b, t, s->in_c), next_hidden, gates);
            for (int32_t u = 0; u < s->units; u++) {
                next_hidden[u] =
                    (int16_t)oribi_micro_lstm_unit(&args->cell, gates + u, s->units, next_cell + u);
            }
            (void)memcpy(output + oribi_micro_lstm_row(s, b, t, s->units), next_hidden, row);
        }
        next_hidden += s->units;
        next_cell += s->units;
    }
}
