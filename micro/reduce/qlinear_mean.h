/* SPDX-License-Identifier: Apache-2.0 */
/* Mean of ONNX's quantised tensors along one dimension, 8 bits of either sign: global average
 * pools.
 */
#ifndef ORIBI_MICRO_QLINEAR_MEAN_H_
#define ORIBI_MICRO_QLINEAR_MEAN_H_

#include <stdint.h>

struct oribi_micro_qlinear_mean_args {
    int32_t batch, count, channels;
    int32_t is_signed; /* 1: int8, 0: uint8 */
    int32_t input_zero, output_zero;
    float multiplier;  /* input scale / (output scale * count), in float */
    int32_t low, high; /* bounds of the result, activation included */
};

/* saturate(round(sum of (input - input_zero) * multiplier) + output_zero), ties to even.
 * Shapes   input [batch, count, channels], output [batch, channels], dense.
 * Units    count is below 2^23, so that no sum leaves int32.
 * Owns     nothing; output is not the input's memory.
 * Context  run: no allocation, no state.
 * Source   ONNX Runtime's QLinearGlobalAveragePool on x86-64, bit for bit (docs/rounding.md).
 */
void oribi_micro_qlinear_mean(const struct oribi_micro_qlinear_mean_args *args, const void *input,
                              void *output);

#endif
