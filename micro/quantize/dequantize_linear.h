/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX's DequantizeLinear, of int8, uint8 and int32. */
#ifndef ORIBI_MICRO_DEQUANTIZE_LINEAR_H_
#define ORIBI_MICRO_DEQUANTIZE_LINEAR_H_

#include <stdint.h>

struct oribi_micro_dequantize_linear_args {
    int32_t outer, channels, inner; /* a scale and zero point for each of the channels */
    int32_t kind;                   /* of input and zeros: S8, U8 or S32 of element.h */
};

/* (x - zero) * scale; the difference is an integer and wraps.
 * Shapes   input and output [outer, channels, inner], scales and zeros [channels], dense.
 * Owns     nothing; input and output do not overlap.
 * Context  run: no allocation, no state.
 * Source   ONNX's operator; ONNX Runtime bit for bit.
 */
void oribi_micro_dequantize_linear(const struct oribi_micro_dequantize_linear_args *args,
                                   const void *input, const float *scales, const void *zeros,
                                   float *output);

#endif
