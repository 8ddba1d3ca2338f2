/* SPDX-License-Identifier: Apache-2.0 */
/* The prepare half of lstm_s8 and lstm_fixed_s8: multipliers and folded biases. Host only. */
#ifndef ORIBI_MICRO_LSTM_S8_PREPARE_H_
#define ORIBI_MICRO_LSTM_S8_PREPARE_H_

#include "micro/recurrent/lstm_cell_prepare.h"
#include "micro/recurrent/lstm_s8.h"

/* Fills args, whose biases become out_bias and out_recurrent_bias (4 * units each); args->weights
 * and args->recurrent are read, bias holds 4 * units.
 * Errors: those of lstm_cell_prepare.h, OVERFLOW when a sum could leave int32. */
int32_t oribi_micro_lstm_s8_prepare(const struct oribi_micro_lstm_spec *spec, const int32_t *bias,
                                    struct oribi_micro_lstm_s8_args *args, int32_t *out_bias,
                                    int32_t *out_recurrent_bias);

#endif
