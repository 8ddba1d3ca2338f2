/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX's QuantizeLinear, to 8 bits of either sign. TFLite's, which rounds ties away, is quantize.h.
 */
#ifndef ORIBI_MICRO_QUANTIZE_LINEAR_H_
#define ORIBI_MICRO_QUANTIZE_LINEAR_H_

#include <stdint.h>

struct oribi_micro_quantize_linear_args {
    int32_t outer, channels, inner; /* a scale and zero point for each of the channels */
    int32_t is_signed;              /* 1: int8, 0: uint8 */
};

/* saturate(round(x / scale) + zero), ties to even; a NaN gives the least value.
 * Shapes   input and output [outer, channels, inner], scales and zeros [channels], dense.
 * Owns     nothing; input and output do not overlap.
 * Context  run: no allocation, no state.
 * Source   ONNX's operator; ONNX Runtime bit for bit.
 */
void oribi_micro_quantize_linear(const struct oribi_micro_quantize_linear_args *args,
                                 const float *input, const float *scales, const void *zeros,
                                 void *output);

#endif
