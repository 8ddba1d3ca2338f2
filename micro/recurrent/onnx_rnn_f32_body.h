/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX's RNN of float: the body of onnx_rnn_f32.c and of onnx_rnn_fma_f32.c, which say by which
 * function of dots_f32.h it sums (ORIBI_MICRO_DOTS_F32). */
#ifndef ORIBI_MICRO_ONNX_RNN_F32_BODY_H_
#define ORIBI_MICRO_ONNX_RNN_F32_BODY_H_

#include "micro/recurrent/recurrent_walk_f32.h"

void ORIBI_MICRO_ONNX_RNN_F32(const struct oribi_micro_recurrent_f32_args *args, const float *input,
                              const void *lengths, const float *hidden, float *output,
                              float *last_hidden, void *scratch)
{
    const int32_t units = args->units;
    struct oribi_micro_recurrent_step s =
        oribi_micro_recurrent_walk(args, 1, input, lengths, hidden, output, last_hidden, scratch);
    while (oribi_micro_recurrent_next(&s) != 0) {
        oribi_micro_recurrent_sum(&s, units, 0, units, s.hidden);
        for (int32_t u = 0; u < units; u++) {
            s.hidden[u] = oribi_micro_recurrent_gate(&s, 0, s.gates[u]);
        }
    }
}

#endif
