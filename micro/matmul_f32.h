/* SPDX-License-Identifier: Apache-2.0 */
/* Product of computed matrices of float; a constant right side is packed for conv2d_f32 instead. */
#ifndef ORIBI_MICRO_MATMUL_F32_H_
#define ORIBI_MICRO_MATMUL_F32_H_

#include <stdint.h>

struct oribi_micro_matmul_f32_args {
    int32_t batch, rows, inner, columns;
    int32_t a_step, b_step;  /* floats from one matrix to the next; 0: one for all */
    int32_t a_row, a_column; /* steps in a between rows, and along the inner dimension */
    int32_t b_row, b_column; /* steps in b along the inner dimension, and between columns */
};

/* output[i, j] = the sum over k of a[i, k] * b[k, j], for each matrix of the batch.
 * Shapes   output [batch, rows, columns], dense; a and b as their steps say.
 * Owns     nothing; output is no input's memory.
 * Context  run: no allocation, no state.
 * Source   products summed one after the other; each operation rounds once (float_rules.h).
 */
void oribi_micro_matmul_f32(const struct oribi_micro_matmul_f32_args *args, const float *a,
                            const float *b, float *output);

#endif
