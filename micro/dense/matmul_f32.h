/* SPDX-License-Identifier: Apache-2.0 */
/* Product of computed matrices of float; a constant right side is packed for conv2d_f32 instead. */
#ifndef ORIBI_MICRO_MATMUL_F32_H_
#define ORIBI_MICRO_MATMUL_F32_H_

#include "micro/dense/matmul_f32_args.h"

/* output[i, j] = the sum over k of a[i, k] * b[k, j], for each matrix of the batch.
 * Shapes   output [batch, rows, columns], dense; a holds rows * inner values a matrix, b
 *          inner * columns; they lie as the steps say.
 * Owns     nothing; output is no input's memory.
 * Context  run: no allocation, no state.
 * Source   products summed one after the other; each operation rounds once (float_rules.h).
 */
void oribi_micro_matmul_f32(const struct oribi_micro_matmul_f32_args *args, const float *a,
                            const float *b, float *output);

#endif
