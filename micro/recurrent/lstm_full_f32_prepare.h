/* SPDX-License-Identifier: Apache-2.0 */
/* The prepare half of lstm_full_f32: sizes. Host only. */
#ifndef ORIBI_MICRO_LSTM_FULL_F32_PREPARE_H_
#define ORIBI_MICRO_LSTM_FULL_F32_PREPARE_H_

#include "micro/recurrent/lstm_full_f32.h"
#include "micro/prepare.h"

/* Are the sizes possible, and within 2^31 bytes? Pointers are not looked at.
 * Errors: INVALID when a size is below 1 or there are not 3 or 4 gates, TOO_LARGE. */
int32_t oribi_micro_lstm_full_f32_check(const struct oribi_micro_lstm_full_f32_args *args);

/* Bytes of scratch of checked arguments. */
int64_t oribi_micro_lstm_full_f32_scratch(const struct oribi_micro_lstm_full_f32_args *args);

#endif
