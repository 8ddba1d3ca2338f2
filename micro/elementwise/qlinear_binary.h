/* SPDX-License-Identifier: Apache-2.0 */
/* Sums and products of quantised tensors as ONNX Runtime computes them, 8 bits of either sign. Not
 * TFLite's arithmetic: that is add_s8.h and mul_s8.h. The arguments come from
 * qlinear_binary_prepare.h.
 */
#ifndef ORIBI_MICRO_QLINEAR_BINARY_H_
#define ORIBI_MICRO_QLINEAR_BINARY_H_

#include "micro/broadcast.h"

struct oribi_micro_qlinear_binary_args {
    struct oribi_micro_broadcast shape;
    int32_t a_signed, b_signed; /* 1: int8, 0: uint8 */
    int32_t a_zero, b_zero;     /* of a product */
    float a_ratio, b_ratio;     /* a product has one, a_ratio */
    float offset;               /* what is added: of a product the result's zero point, of a sum
                                 * that less what the zero points of a and b stand for */
    int32_t low, high;          /* bounds of the result, activation included */
};

/* saturate(round(offset + a * a_ratio + b * b_ratio)), added from left to right, and
 * saturate(round((a - a_zero) * (b - b_zero) * a_ratio + offset)); ties to even.
 * Shapes   a and b broadcast to output, all dense.
 * Owns     nothing; output may be the memory of an input that has the output's shape.
 * Context  run: no allocation, no state.
 * Source   ONNX Runtime on x86-64 (docs/rounding.md says where it differs).
 */
void oribi_micro_qlinear_add(const struct oribi_micro_qlinear_binary_args *args, const void *a,
                             const void *b, void *output);
void oribi_micro_qlinear_mul(const struct oribi_micro_qlinear_binary_args *args, const void *a,
                             const void *b, void *output);

#endif
