/* SPDX-License-Identifier: Apache-2.0 */
/* LSTM of int16 with weights of int8 over a sequence. The arguments come from lstm_s16_prepare.h.
 */
#ifndef ORIBI_MICRO_LSTM_S16_H_
#define ORIBI_MICRO_LSTM_S16_H_

#include "micro/recurrent/lstm_cell.h"

struct oribi_micro_lstm_s16_args {
    const int8_t *weights;    /* [4, units, in_c] */
    const int8_t *recurrent;  /* [4, units, units] */
    const int32_t *bias_low;  /* [4, units]: the lower halves of 64 bits */
    const int32_t *bias_high; /* the upper ones */
    struct oribi_micro_lstm_sizes sizes;
    struct oribi_micro_lstm_gates gates;
    struct oribi_micro_lstm_cell cell;
    int32_t scratch_bytes;
};

/* As oribi_micro_lstm_s8 (lstm_s8.h), with sums of 64 bits and no zero points. */
void oribi_micro_lstm_s16(const struct oribi_micro_lstm_s16_args *args, const int16_t *input,
                          const int16_t *hidden, const int16_t *cell, int16_t *output,
                          int16_t *next_hidden, int16_t *next_cell, void *scratch);

#endif
