/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices of int8 or int16, batch by batch, either side transposed. The arguments come
 * from batch_matmul_q_prepare.h.
 */
#ifndef ORIBI_MICRO_BATCH_MATMUL_Q_H_
#define ORIBI_MICRO_BATCH_MATMUL_Q_H_

#include "micro/broadcast.h"

struct oribi_micro_batch_matmul_q_args {
    struct oribi_micro_broadcast batches; /* steps count matrices */
    int32_t m, k, n;
    int32_t a_row, a_column; /* values from a row, and from a column, to the next */
    int32_t b_row, b_column;
    int32_t a_zero, b_zero, output_zero;
    int32_t output_multiplier, output_shift;
};

/* Shapes   a [batches, m, k], b [batches, k, n], output [batches, m, n], all dense; a or b
 *          transposed where the steps say so.
 * Owns     nothing; output overlaps no input.
 * Context  run: no allocation, no state.
 * Source   TensorFlow Lite's reference, bit for bit (docs/rounding.md).
 */
void oribi_micro_batch_matmul_s8(const struct oribi_micro_batch_matmul_q_args *args,
                                 const int8_t *a, const int8_t *b, int8_t *output);
void oribi_micro_batch_matmul_s16(const struct oribi_micro_batch_matmul_q_args *args,
                                  const int16_t *a, const int16_t *b, int16_t *output);

#endif
