/* SPDX-License-Identifier: Apache-2.0 */
/* LSTM of int8 as TensorFlow Lite computes it: curves in 16 bit fixed point. */
#ifndef ORIBI_MICRO_LSTM_FIXED_S8_H_
#define ORIBI_MICRO_LSTM_FIXED_S8_H_

#include "micro/recurrent/lstm_s8.h"

/* As oribi_micro_lstm_s8 (lstm_s8.h), with TensorFlow Lite's rounding, bit for bit. */
void oribi_micro_lstm_fixed_s8(const struct oribi_micro_lstm_s8_args *args, const int8_t *input,
                               const int8_t *hidden, const int16_t *cell, int8_t *output,
                               int8_t *next_hidden, int16_t *next_cell, void *scratch);

#endif
