/* SPDX-License-Identifier: Apache-2.0 */
/* An LSTM of com.microsoft's DynamicQuantizeLSTM: what weights are multiplied by is brought to 256
 * places of its range first, the input once, the hidden values of all rows in each step.
 */
#ifndef ORIBI_MICRO_DYNAMIC_LSTM_F32_H_
#define ORIBI_MICRO_DYNAMIC_LSTM_F32_H_

#include "micro/recurrent/recurrent_f32.h"

struct oribi_micro_byte_places {
    float scale, zero;
};

/* As oribi_micro_onnx_lstm_f32, with a scratch of 4 * (4 * units + units * batch + in_c) bytes. */
void oribi_micro_dynamic_lstm_f32(const struct oribi_micro_recurrent_f32_args *args,
                                  const float *input, const void *lengths, const float *hidden,
                                  const float *cell, float *output, float *last_hidden,
                                  float *last_cell, void *scratch);

/* The same in parts: the places of the input, then of each direction steps [from, to) after those
 * before them. States are where the last ones will be. */
struct oribi_micro_byte_places
oribi_micro_dynamic_places(const struct oribi_micro_recurrent_f32_args *args, const float *input,
                           const void *lengths);
void oribi_micro_dynamic_lstm_steps(const struct oribi_micro_recurrent_f32_args *args,
                                    const struct oribi_micro_byte_places *places, int32_t direction,
                                    int32_t from, int32_t to, const float *input,
                                    const void *lengths, const float *hidden, const float *cell,
                                    float *output, float *last_hidden, float *last_cell,
                                    void *scratch);

#endif
