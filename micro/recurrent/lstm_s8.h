/* SPDX-License-Identifier: Apache-2.0 */
/* LSTM of int8 over a sequence, with a cell state of int16. The arguments come from
 * lstm_s8_prepare.h.
 */
#ifndef ORIBI_MICRO_LSTM_S8_H_
#define ORIBI_MICRO_LSTM_S8_H_

#include "micro/recurrent/lstm_cell.h"

struct oribi_micro_lstm_s8_args {
    const int8_t *weights;         /* [4, units, in_c] */
    const int8_t *recurrent;       /* [4, units, units] */
    const int32_t *bias;           /* [4, units], the input's zero point folded in */
    const int32_t *recurrent_bias; /* [4, units]: the zero point of the hidden state */
    struct oribi_micro_lstm_sizes sizes;
    struct oribi_micro_lstm_gates gates;
    struct oribi_micro_lstm_cell cell;
    int32_t scratch_bytes;
};

/* Each step: four gates from the input and the hidden state, then the cell, then the hidden state,
 * which is the step's output.
 * Shapes   input [batch, steps, in_c], output [batch, steps, units], or steps first; hidden, cell,
 *          next_hidden, next_cell [batch, units]; scratch: scratch_bytes, aligned to 2.
 * Owns     nothing; no two of them may overlap.
 * Context  run: no allocation, no state of its own.
 * Source   TensorFlow Lite Micro's reference kernel, bit for bit (docs/rounding.md).
 */
void oribi_micro_lstm_s8(const struct oribi_micro_lstm_s8_args *args, const int8_t *input,
                         const int8_t *hidden, const int16_t *cell, int8_t *output,
                         int8_t *next_hidden, int16_t *next_cell, void *scratch);

#endif
