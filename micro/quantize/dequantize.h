/* SPDX-License-Identifier: Apache-2.0 */
/* Quantised integers to floats. */
#ifndef ORIBI_MICRO_DEQUANTIZE_H_
#define ORIBI_MICRO_DEQUANTIZE_H_

#include <stdint.h>

struct oribi_micro_dequantize_args {
    int32_t count;
    int32_t kind; /* of the input: element.h */
    float scale;
    int32_t zero;
};

/* scale * (input - zero), rounded once.
 * Shapes   input and output [count].
 * Owns     nothing; input and output do not overlap.
 * Context  run: no allocation, no state.
 */
void oribi_micro_dequantize(const struct oribi_micro_dequantize_args *args, const void *input,
                            float *output);

#endif
