/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of floats to the nearest of 255 or 256 steps of their own range, in floats: what TensorFlow
 * Lite's operators with weights of int8 make of their inputs.
 */
#ifndef ORIBI_MICRO_THROUGH_BYTES_H_
#define ORIBI_MICRO_THROUGH_BYTES_H_

#include <stdint.h>

struct oribi_micro_through_bytes_args {
    int32_t rows, columns;
    int32_t asymmetric; /* 1: of what lies between the ends of the row and 0; 0: of the largest */
};

/* Shapes   input and output [rows, columns].
 * Owns     nothing; output may be the memory of input.
 * Context  run: no allocation, no state.
 * Source   TensorFlow Lite's reference kernels (docs/rounding.md).
 */
void oribi_micro_through_bytes(const struct oribi_micro_through_bytes_args *args,
                               const float *input, float *output);

#endif
