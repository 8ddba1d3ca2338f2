/* SPDX-License-Identifier: Apache-2.0 */
/* The prepare half of lstm_s16: multipliers and split biases. Host only. */
#ifndef ORIBI_MICRO_LSTM_S16_PREPARE_H_
#define ORIBI_MICRO_LSTM_S16_PREPARE_H_

#include "micro/recurrent/lstm_cell_prepare.h"
#include "micro/recurrent/lstm_s16.h"

/* Fills args but for the weights; bias, out_low and out_high hold 4 * units. The variant is tflm.
 * Errors: those of lstm_cell_prepare.h, INVALID with a zero point, OVERFLOW when a sum could leave
 * 46 bits. */
int32_t oribi_micro_lstm_s16_prepare(const struct oribi_micro_lstm_spec *spec, const int64_t *bias,
                                     struct oribi_micro_lstm_s16_args *args, int32_t *out_low,
                                     int32_t *out_high);

#endif
