/* SPDX-License-Identifier: Apache-2.0 */
/* LSTM of float over a sequence. */
#ifndef ORIBI_MICRO_LSTM_F32_H_
#define ORIBI_MICRO_LSTM_F32_H_

#include <stdint.h>

struct oribi_micro_lstm_f32_args {
    const float *weights;   /* [4, units, in_c]: input, forget, cell, output */
    const float *recurrent; /* [4, units, units] */
    const float *bias;      /* [4, units] */
    int32_t batch, steps, in_c, units;
    int32_t is_time_major; /* 1: steps go before batches in input and output */
    float cell_clip;       /* above 0: the cell state stays within it */
};

/* Each step: four gates from the input and the hidden state, then the cell, then the hidden state,
 * which is the step's output. A gate's sum over the input takes its bias, then the sum over the
 * hidden state; each sum runs from the first element on.
 * Shapes   input [batch, steps, in_c], output [batch, steps, units], or steps first; hidden, cell,
 *          next_hidden, next_cell [batch, units]; scratch: 16 bytes a unit, aligned to 4.
 * Owns     nothing; no two of them may overlap.
 * Context  run: no allocation, no state of its own.
 */
void oribi_micro_lstm_f32(const struct oribi_micro_lstm_f32_args *args, const float *input,
                          const float *hidden, const float *cell, float *output, float *next_hidden,
                          float *next_cell, void *scratch);

#endif
