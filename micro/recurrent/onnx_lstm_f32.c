/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX's LSTM of float. Read next: onnx_lstm_f32_body.h. */
#include "micro/recurrent/dots_f32.h"

#define ORIBI_MICRO_DOTS_F32      oribi_micro_dots_f32
#define ORIBI_MICRO_ONNX_LSTM_F32 oribi_micro_onnx_lstm_f32
#include "micro/recurrent/onnx_lstm_f32_body.h"
