/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX's LSTM, GRU and RNN of float over sequences. TensorFlow Lite's LSTM: lstm_full_f32.h.
 */
#ifndef ORIBI_MICRO_RECURRENT_F32_H_
#define ORIBI_MICRO_RECURRENT_F32_H_

#include <stdint.h>

enum { ORIBI_MICRO_RECURRENT_FUNCTIONS = 6, ORIBI_MICRO_RECURRENT_DIRECTIONS = 2 };

/* Functions of a gate; alpha and beta where a formula names them. */
enum {
    ORIBI_MICRO_GATE_SIGMOID,
    ORIBI_MICRO_GATE_TANH,
    ORIBI_MICRO_GATE_RELU,
    ORIBI_MICRO_GATE_AFFINE,           /* alpha * x + beta */
    ORIBI_MICRO_GATE_LEAKY_RELU,       /* x < 0 ? alpha * x : x */
    ORIBI_MICRO_GATE_THRESHOLDED_RELU, /* x > alpha ? x : 0 */
    ORIBI_MICRO_GATE_SCALED_TANH,      /* alpha * tanh(beta * x) */
    ORIBI_MICRO_GATE_HARD_SIGMOID,     /* alpha * x + beta within [0, 1] */
    ORIBI_MICRO_GATE_ELU,              /* x < 0 ? alpha * (exp(x) - 1) : x */
    ORIBI_MICRO_GATE_SOFTSIGN,
    ORIBI_MICRO_GATE_SOFTPLUS,
    ORIBI_MICRO_GATE_COUNT
};

/* `gates` is 4 of an LSTM (input, output, forget, cell), 3 of a GRU (update, reset, hidden), 1 of
 * an RNN. A direction has 3, 2 or 1 functions: of the gates, of the cell or hidden gate, of the
 * cell on its way out. */
struct oribi_micro_recurrent_f32_args {
    const float *weights;   /* [directions, gates, units, in_c] */
    const float *recurrent; /* [directions, gates, units, units] */
    const float *bias;      /* [directions, 2, gates, units]: of weights, of recurrent; or NULL */
    const float *peephole;  /* [directions, 3, units]: of input, output, forget; or NULL */
    int32_t directions, steps, batch, in_c, units;
    int32_t is_reverse; /* 1: the first direction begins with the last step, as the second does */
    int32_t is_batch_major;                    /* 1: ONNX's layout 1 */
    int32_t has_lengths, has_hidden, has_cell; /* 0: that argument is not looked at */
    int32_t form; /* 1: LSTM's forget gate is 1 - input; GRU's reset comes behind the product; a
                   * hybrid RNN's hidden state goes through bytes, 2: asymmetric ones */
    float clip;   /* above 0: sums stay within it before the functions of gates */
    int32_t function[ORIBI_MICRO_RECURRENT_FUNCTIONS];
    float alpha[ORIBI_MICRO_RECURRENT_FUNCTIONS];
    float beta[ORIBI_MICRO_RECURRENT_FUNCTIONS];
};

/* Each step: the gates' sums, which are both biases' sum, then the input's products, then those of
 * the hidden state, each from the first element on; peepholes; the clip; the functions.
 * Shapes   input [steps, batch, in_c], output [steps, directions, batch, units], states
 *          [directions, batch, units]; batch-major: [batch, steps, in_c], [batch, steps,
 *          directions, units], [batch, directions, units]. lengths: `batch` int32, in [0, steps];
 *          behind its length a row's output is 0, and so are the last states of a length of 0.
 *          scratch: 4 * gates bytes a unit, 8 of a hybrid RNN, aligned to 4.
 * Source   ONNX's operators at opset 22; clip, zero lengths and defaults as ONNX Runtime has them.
 *          The hybrid: TensorFlow Lite's RNN whose weights were int8 (through_bytes.h).
 */
void oribi_micro_onnx_lstm_f32(const struct oribi_micro_recurrent_f32_args *args,
                               const float *input, const void *lengths, const float *hidden,
                               const float *cell, float *output, float *last_hidden,
                               float *last_cell, void *scratch);
void oribi_micro_onnx_gru_f32(const struct oribi_micro_recurrent_f32_args *args, const float *input,
                              const void *lengths, const float *hidden, float *output,
                              float *last_hidden, void *scratch);
void oribi_micro_onnx_rnn_f32(const struct oribi_micro_recurrent_f32_args *args, const float *input,
                              const void *lengths, const float *hidden, float *output,
                              float *last_hidden, void *scratch);
void oribi_micro_hybrid_rnn_f32(const struct oribi_micro_recurrent_f32_args *args,
                                const float *input, const void *lengths, const float *hidden,
                                float *output, float *last_hidden, void *scratch);

/* The same by fused multiply-add (`--fma`): products of weights are not rounded before they join
 * their sums. */
void oribi_micro_onnx_lstm_fma_f32(const struct oribi_micro_recurrent_f32_args *args,
                                   const float *input, const void *lengths, const float *hidden,
                                   const float *cell, float *output, float *last_hidden,
                                   float *last_cell, void *scratch);
void oribi_micro_onnx_gru_fma_f32(const struct oribi_micro_recurrent_f32_args *args,
                                  const float *input, const void *lengths, const float *hidden,
                                  float *output, float *last_hidden, void *scratch);
void oribi_micro_onnx_rnn_fma_f32(const struct oribi_micro_recurrent_f32_args *args,
                                  const float *input, const void *lengths, const float *hidden,
                                  float *output, float *last_hidden, void *scratch);
void oribi_micro_hybrid_rnn_fma_f32(const struct oribi_micro_recurrent_f32_args *args,
                                    const float *input, const void *lengths, const float *hidden,
                                    float *output, float *last_hidden, void *scratch);

#endif
