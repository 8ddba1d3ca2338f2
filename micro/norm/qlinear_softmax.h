/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of ONNX's quantised tensors, 8 bits of either sign. The table comes from
 * qlinear_softmax_prepare.h.
 */
#ifndef ORIBI_MICRO_QLINEAR_SOFTMAX_H_
#define ORIBI_MICRO_QLINEAR_SOFTMAX_H_

#include <stdint.h>

struct oribi_micro_qlinear_softmax_args {
    int32_t rows, columns;
    int32_t is_signed; /* 1: int8, 0: uint8 */
    float steps;       /* of the result in 1, whole */
    int32_t output_zero;
    const float *table; /* 256, by the distance from the row's largest value, 255 last */
};

/* saturate(round(e * steps / sum of e) + output_zero) with e from the table, each row by itself.
 * Shapes   input and output [rows, columns], dense.
 * Owns     nothing; output may be the memory of input.
 * Context  run: no allocation, no state.
 * Source   ONNX Runtime's QLinearSoftmax of uint8 (docs/rounding.md).
 */
void oribi_micro_qlinear_softmax(const struct oribi_micro_qlinear_softmax_args *args,
                                 const void *input, void *output);

#endif
