/* SPDX-License-Identifier: Apache-2.0 */
/* LSTM of float over a sequence, as TensorFlow Lite has it: also with an input gate coupled to the
 * forget gate, peepholes, layer normalisation, a projection of the output.
 */
#ifndef ORIBI_MICRO_LSTM_FULL_F32_H_
#define ORIBI_MICRO_LSTM_FULL_F32_H_

#include <stdint.h>

/* Gates are input, forget, cell, output; with three of them the input gate is 1 - forget. */
struct oribi_micro_lstm_full_f32_args {
    const float *weights;         /* [gates, units, in_c] */
    const float *recurrent;       /* [gates, units, outputs] */
    const float *bias;            /* [gates, units] */
    const float *peephole;        /* [gates - 1, units], all but the cell gate's; or NULL */
    const float *norm;            /* [gates, units]: factors behind the normalisation; or NULL */
    const float *projection;      /* [outputs, units]; NULL: outputs are units */
    const float *projection_bias; /* outputs; or NULL */
    int32_t gates;                /* 3 or 4 */
    int32_t batch, steps, in_c, units, outputs;
    int32_t is_time_major;            /* 1: steps go before batches in input and output */
    int32_t is_hybrid, is_asymmetric; /* hybrid: what a product takes of hidden state and projection
                                       * goes through bytes (through_bytes.h) */
    float cell_clip, projection_clip; /* above 0: cell state and projection stay within it */
};

/* Each step: the gates' sums, which are the bias, then the input's products, then those of the
 * hidden state, each from the first element on; then the cell, then the hidden state, which is the
 * step's output. A normalised gate takes its bias last.
 * Shapes   input [batch, steps, in_c], output [batch, steps, outputs], or steps first; hidden,
 *          next_hidden [batch, outputs], cell, next_cell [batch, units]; scratch: 4 * gates bytes a
 *          unit, and of a hybrid 4 an output, aligned to 4.
 * Owns     nothing; no two of them may overlap.
 * Context  run: no allocation, no state of its own.
 * Source   TensorFlow Lite's kernel, whose sums may have another order.
 */
void oribi_micro_lstm_full_f32(const struct oribi_micro_lstm_full_f32_args *args,
                               const float *input, const float *hidden, const float *cell,
                               float *output, float *next_hidden, float *next_cell, void *scratch);

/* The same by fused multiply-add (`--fma`): products of weights are not rounded before they join
 * their sums. */
void oribi_micro_lstm_full_fma_f32(const struct oribi_micro_lstm_full_f32_args *args,
                                   const float *input, const float *hidden, const float *cell,
                                   float *output, float *next_hidden, float *next_cell,
                                   void *scratch);

#endif
