/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX's QLinearMatMul and MatMulInteger where both sides, or a zero point, are computed; 8 bits of
 * either sign. With constants a product is a convolution: qlinear_conv2d.h.
 */
#ifndef ORIBI_MICRO_QLINEAR_MATMUL_H_
#define ORIBI_MICRO_QLINEAR_MATMUL_H_

#include "micro/broadcast.h"
#include "micro/qlinear.h"

struct oribi_micro_qlinear_matmul_args {
    struct oribi_micro_broadcast batch; /* of the matrices; steps count matrices */
    int32_t rows, inner, columns;
    int32_t a_signed, b_signed; /* 1: int8, 0: uint8 */
    int32_t a_zero_step;        /* 1: a zero point for each row of a */
    int32_t b_zero_step;        /* 1: a zero point for each column of b */
    int32_t multiplier_step;    /* 1: a multiplier for each column */
    int32_t output_zero;
    int32_t output; /* ORIBI_MICRO_QLINEAR_... */
    int32_t low, high;
};

/* Sums (a - a_zero) * (b - b_zero) along the inner dimension; then as oribi_micro_qlinear_conv2d.
 * Shapes   a [batch, rows, inner], b [batch, inner, columns], output [batch, rows, columns]; zero
 *          points and multipliers one, or one for each row or column.
 * Units    sums wrap at 32 bits.
 * Owns     nothing; output is no input's memory.
 * Context  run: no allocation, no state.
 * Source   ONNX's operators; ONNX Runtime bit for bit.
 */
void oribi_micro_qlinear_matmul(const struct oribi_micro_qlinear_matmul_args *args, const void *a,
                                const void *b, const int32_t *a_zeros, const int32_t *b_zeros,
                                const float *multipliers, void *output);

#endif
