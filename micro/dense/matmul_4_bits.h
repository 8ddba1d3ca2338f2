/* SPDX-License-Identifier: Apache-2.0 */
/* Product of rows of float with constant weights of 4 bits, which stay packed in flash. */
#ifndef ORIBI_MICRO_MATMUL_4_BITS_H_
#define ORIBI_MICRO_MATMUL_4_BITS_H_

#include <stdint.h>

struct oribi_micro_matmul_4_bits_args {
    int32_t rows, inner, columns;
    int32_t block;         /* numbers of the inner dimension with one scale, even */
    const void *weights;   /* uint8 [columns, blocks, block / 2], the lower half first */
    const float *scales;   /* [columns, blocks] */
    const void *zeros;     /* of each block what stands for zero, or NULL: 8 */
    const float *bias;     /* of each column, or NULL */
    int32_t has_zero_bits; /* zeros: uint8 [columns, (blocks + 1) / 2] as weights; else float
                              [columns, blocks] */
};

/* output[i, j] = bias[j] + the sum over k of input[i, k] * (weight[j, k] - zero) * scale.
 * Shapes   input [rows, inner], output [rows, columns], dense; blocks = inner / block, rounded up.
 * Owns     nothing; output is no input's memory.
 * Context  run: no allocation, no state.
 * Source   ONNX Runtime's MatMulNBits; a block is summed before it is scaled, each operation rounds
 *          once (float_rules.h).
 */
void oribi_micro_matmul_4_bits(const struct oribi_micro_matmul_4_bits_args *args,
                               const float *input, float *output);

#endif
