/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX's DynamicQuantizeLinear: to uint8, with a scale and zero point that the numbers give. */
#ifndef ORIBI_MICRO_DYNAMIC_QUANTIZE_LINEAR_H_
#define ORIBI_MICRO_DYNAMIC_QUANTIZE_LINEAR_H_

#include <stdint.h>

struct oribi_micro_dynamic_quantize_linear_args {
    int32_t count;
};

/* The range of input, widened to hold 0, is mapped to 0..255: scale is its length / 255 (1 where
 * that is 0), zero is round(-least / scale), output is saturate(round(x / scale) + zero), ties to
 * even. NaNs stay out of the range and give 0.
 * Shapes   input and output [count], scale and zero [1].
 * Owns     nothing; input and outputs do not overlap.
 * Context  run: no allocation, no state.
 * Source   ONNX's operator; ONNX Runtime bit for bit.
 */
void oribi_micro_dynamic_quantize_linear(
    const struct oribi_micro_dynamic_quantize_linear_args *args, const float *input, void *output,
    float *scale, void *zero);

#endif
