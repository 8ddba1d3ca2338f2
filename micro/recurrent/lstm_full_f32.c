/* SPDX-License-Identifier: Apache-2.0 */
/* LSTM of float. Read next: lstm_full_f32_body.h. */
#include "micro/recurrent/dots_f32.h"

#define ORIBI_MICRO_DOTS_F32      oribi_micro_dots_f32
#define ORIBI_MICRO_LSTM_FULL_F32 oribi_micro_lstm_full_f32
#include "micro/recurrent/lstm_full_f32_body.h"
