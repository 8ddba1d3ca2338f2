/* SPDX-License-Identifier: Apache-2.0 */
/* Quantised integers of one scale and type to those of another. The arguments come from
 * requantize_prepare.h; bytes to bytes are tables (lookup_8.h).
 */
#ifndef ORIBI_MICRO_REQUANTIZE_H_
#define ORIBI_MICRO_REQUANTIZE_H_

#include <stdint.h>

struct oribi_micro_requantize_args {
    int32_t count;
    int32_t in_kind, out_kind; /* S8, U8 or S16 of element.h */
    int32_t input_zero, output_zero;
    int32_t multiplier, shift;
    int32_t low, high;
};

/* Shapes   input and output [count].
 * Owns     nothing; input and output do not overlap.
 * Context  run: no allocation, no state.
 * Source   TensorFlow Lite Micro's reference, bit for bit (docs/rounding.md).
 */
void oribi_micro_requantize(const struct oribi_micro_requantize_args *args, const void *input,
                            void *output);

#endif
