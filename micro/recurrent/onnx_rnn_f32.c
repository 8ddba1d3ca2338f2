/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX's RNN of float. Read next: onnx_rnn_f32_body.h. */
#include "micro/float_rules.h"

#include "micro/recurrent/dots_f32.h"

#define ORIBI_MICRO_ADD_F32(sum, x, weight) ((sum) + (x) * (weight))
#define ORIBI_MICRO_DOTS_F32                oribi_micro_dots_f32
#include "micro/recurrent/onnx_rnn_f32_body.h"

void oribi_micro_onnx_rnn_f32(const struct oribi_micro_recurrent_f32_args *args, const float *input,
                              const void *lengths, const float *hidden, float *output,
                              float *last_hidden, void *scratch)
{
    run_all(args, input, lengths, hidden, output, last_hidden, scratch);
}
