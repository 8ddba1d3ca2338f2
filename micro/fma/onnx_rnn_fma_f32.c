/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX's RNN of float by fused multiply-add. */
#include "micro/fma/dots_fma_f32.h"

#define ORIBI_MICRO_DOTS_F32     oribi_micro_dots_fma_f32
#define ORIBI_MICRO_ONNX_RNN_F32 oribi_micro_onnx_rnn_fma_f32
#include "micro/recurrent/onnx_rnn_f32_body.h"
