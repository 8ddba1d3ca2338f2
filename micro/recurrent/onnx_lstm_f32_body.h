/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX's LSTM of float: the body of onnx_lstm_f32.c and of onnx_lstm_fma_f32.c, which say by which
 * function of dots_f32.h it sums (ORIBI_MICRO_DOTS_F32). */
#ifndef ORIBI_MICRO_ONNX_LSTM_F32_BODY_H_
#define ORIBI_MICRO_ONNX_LSTM_F32_BODY_H_

#include "micro/recurrent/recurrent_lstm_f32.h"

void ORIBI_MICRO_ONNX_LSTM_F32(const struct oribi_micro_recurrent_f32_args *args,
                               const float *input, const void *lengths, const float *hidden,
                               const float *cell, float *output, float *last_hidden,
                               float *last_cell, void *scratch)
{
    struct oribi_micro_recurrent_step s =
        oribi_micro_recurrent_walk(args, 4, input, lengths, hidden, output, last_hidden, scratch);
    s.first_cell = cell;
    s.last_cell = last_cell;
    while (oribi_micro_recurrent_next(&s) != 0) {
        oribi_micro_recurrent_sum(&s, 4 * args->units, 0, 4 * args->units, s.hidden);
        oribi_micro_recurrent_lstm(&s);
    }
}

#endif
