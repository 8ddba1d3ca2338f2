/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX's LSTM of float. Read next: onnx_lstm_f32_body.h. */
#include "micro/float_rules.h"

#include "micro/recurrent/dots_f32.h"

#define ORIBI_MICRO_ADD_F32(sum, x, weight) ((sum) + (x) * (weight))
#define ORIBI_MICRO_DOTS_F32                oribi_micro_dots_f32
#include "micro/recurrent/onnx_lstm_f32_body.h"

void oribi_micro_onnx_lstm_f32(const struct oribi_micro_recurrent_f32_args *args,
                               const float *input, const void *lengths, const float *hidden,
                               const float *cell, float *output, float *last_hidden,
                               float *last_cell, void *scratch)
{
    run_all(args, input, lengths, hidden, cell, output, last_hidden, last_cell, scratch);
}
