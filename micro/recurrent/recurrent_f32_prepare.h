/* SPDX-License-Identifier: Apache-2.0 */
/* The prepare half of onnx_lstm_f32, onnx_gru_f32, onnx_rnn_f32 and hybrid_rnn_f32: sizes. Host
 * only. */
#ifndef ORIBI_MICRO_RECURRENT_F32_PREPARE_H_
#define ORIBI_MICRO_RECURRENT_F32_PREPARE_H_

#include "micro/recurrent/recurrent_f32.h"
#include "micro/prepare.h"

/* Are the sizes possible, and within 2^31 bytes? Pointers are not looked at.
 * Errors: INVALID when a size is below 1 or a function has no code, TOO_LARGE. */
int32_t oribi_micro_recurrent_f32_check(const struct oribi_micro_recurrent_f32_args *args,
                                        int32_t gates);

/* Bytes of scratch of checked arguments. */
int64_t oribi_micro_recurrent_f32_scratch(const struct oribi_micro_recurrent_f32_args *args,
                                          int32_t gates);

#endif
