/* SPDX-License-Identifier: Apache-2.0 */
/* The sums of a gate of int8 LSTM: what lstm_s8.c and lstm_fixed_s8.c share. */
#ifndef ORIBI_MICRO_LSTM_SUM_S8_H_
#define ORIBI_MICRO_LSTM_SUM_S8_H_

#include "micro/fixed_point.h"
#include "micro/recurrent/lstm_s8.h"

static inline int32_t oribi_micro_lstm_dot_s8(const int8_t *a, const int8_t *b, int32_t n,
                                              int32_t sum)
{
    for (int32_t i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* What the input gives to row r of gate g, in Q3.12; r counts the units of all gates. */
static inline int32_t oribi_micro_lstm_input_s8(const struct oribi_micro_lstm_s8_args *a,
                                                const int8_t *input, int32_t g, int32_t r)
{
    const int32_t n = a->sizes.in_c;
    const int32_t sum = oribi_micro_lstm_dot_s8(a->weights + r * n, input, n, a->bias[r]);
    return oribi_micro_scale(sum, a->gates.input_multiplier[g], a->gates.input_shift[g]);
}

/* What the hidden state gives to it. */
static inline int32_t oribi_micro_lstm_hidden_s8(const struct oribi_micro_lstm_s8_args *a,
                                                 const int8_t *hidden, int32_t g, int32_t r)
{
    const int32_t n = a->sizes.units;
    const int32_t sum =
        oribi_micro_lstm_dot_s8(a->recurrent + r * n, hidden, n, a->recurrent_bias[r]);
    return oribi_micro_scale(sum, a->gates.recurrent_multiplier[g], a->gates.recurrent_shift[g]);
}

#endif
