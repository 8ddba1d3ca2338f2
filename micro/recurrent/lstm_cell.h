/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels of quantised LSTM share: sizes and multipliers. Gates are input, forget, cell,
 * output, in Q3.12 before their curve and Q0.15 behind it. Read next: lstm_unit.h, lstm_s8.c.
 */
#ifndef ORIBI_MICRO_LSTM_CELL_H_
#define ORIBI_MICRO_LSTM_CELL_H_

#include <stdint.h>

enum { ORIBI_MICRO_LSTM_GATES = 4 };

struct oribi_micro_lstm_sizes {
    int32_t batch, steps, in_c, units;
    int32_t is_time_major; /* 1: steps go before batches in input and output */
};

struct oribi_micro_lstm_gates { /* of the sums over the input, and over the hidden state */
    int32_t input_multiplier[ORIBI_MICRO_LSTM_GATES], input_shift[ORIBI_MICRO_LSTM_GATES];
    int32_t recurrent_multiplier[ORIBI_MICRO_LSTM_GATES], recurrent_shift[ORIBI_MICRO_LSTM_GATES];
};

struct oribi_micro_lstm_cell {
    int32_t multiplier, shift; /* input gate times cell gate; tflite: a right shift alone */
    int32_t low, high;         /* of the cell state */
    int32_t tanh_multiplier, tanh_shift; /* curve_s16.h; tflite: integer bits of the cell state */
    int32_t hidden_multiplier, hidden_shift, hidden_zero;
    int32_t hidden_low, hidden_high;
};

/* The first element of step t of image b, of rows with this many. */
static inline int32_t oribi_micro_lstm_row(const struct oribi_micro_lstm_sizes *s, int32_t b,
                                           int32_t t, int32_t columns)
{
    return (s->is_time_major != 0 ? t * s->batch + b : b * s->steps + t) * columns;
}

#endif
