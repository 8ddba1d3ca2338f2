/* SPDX-License-Identifier: Apache-2.0 */
/* What the prepare halves of quantised LSTM share: sizes, multipliers of gates and cell. Host only.
 */
#ifndef ORIBI_MICRO_LSTM_CELL_PREPARE_H_
#define ORIBI_MICRO_LSTM_CELL_PREPARE_H_

#include "micro/recurrent/lstm_cell.h"
#include "micro/prepare.h"

struct oribi_micro_lstm_spec {
    struct oribi_micro_lstm_sizes sizes;
    struct oribi_micro_quantisation input, hidden;
    struct oribi_micro_quantisation product;  /* of output gate times cell; tflite alone reads it */
    float scales[2 * ORIBI_MICRO_LSTM_GATES]; /* of the gates' weights, then the recurrent ones */
    float cell_scale, cell_clip;              /* cell_clip 0: none */
    int32_t variant;
};

/* Errors: TOO_LARGE when a tensor has 2^31 bytes or more, INVALID when a size is below 1. */
int32_t oribi_micro_lstm_check_sizes(const struct oribi_micro_lstm_sizes *sizes);

/* Multipliers, and the cell's limits; hidden_low and hidden_high are the caller's.
 * Errors: INVALID when a scale is none, or the cell's is no power of two between 2^-15 and 2^-9
 * (tflite) or far from there (tflm). */
int32_t oribi_micro_lstm_cell_prepare(const struct oribi_micro_lstm_spec *spec,
                                      struct oribi_micro_lstm_gates *gates,
                                      struct oribi_micro_lstm_cell *cell);

#endif
