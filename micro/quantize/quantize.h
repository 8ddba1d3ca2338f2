/* SPDX-License-Identifier: Apache-2.0 */
/* Floats to quantised integers. */
#ifndef ORIBI_MICRO_QUANTIZE_H_
#define ORIBI_MICRO_QUANTIZE_H_

#include <stdint.h>

struct oribi_micro_quantize_args {
    int32_t count;
    int32_t kind; /* of the output: S8, U8 or S16 of element.h */
    float scale;
    int32_t zero, low, high;
};

/* The nearest integer of each number, ties away from zero, saturated; NaN gives the zero point.
 * Shapes   input and output [count].
 * Owns     nothing; input and output do not overlap.
 * Context  run: no allocation, no state.
 * Source   TensorFlow Lite Micro's reference, bit for bit (docs/rounding.md).
 */
void oribi_micro_quantize(const struct oribi_micro_quantize_args *args, const float *input,
                          void *output);

#endif
