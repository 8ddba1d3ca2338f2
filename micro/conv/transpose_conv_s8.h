/* SPDX-License-Identifier: Apache-2.0 */
/* Transposed convolution of int8: each value of the output sums the windows that reach it. The
 * arguments come from transpose_conv_s8_prepare.h.
 */
#ifndef ORIBI_MICRO_TRANSPOSE_CONV_S8_H_
#define ORIBI_MICRO_TRANSPOSE_CONV_S8_H_

#include "micro/conv/transpose_sizes.h"

struct oribi_micro_transpose_conv_s8_args {
    struct oribi_micro_transpose_sizes sizes;
    int32_t input_zero, output_zero;
    int32_t low, high;    /* bounds of the result, activation included */
    const int8_t *filter; /* [out_c, filter_h, filter_w, in_c] */
    const int32_t *bias;  /* out_c each */
    const int32_t *multiplier, *shift;
};

/* Shapes   input [batch, in_h, in_w, in_c], output [batch, out_h, out_w, out_c], dense.
 * Owns     nothing; output and input do not overlap.
 * Context  run: no allocation, no state.
 * Source   TensorFlow Lite Micro's reference, bit for bit (docs/rounding.md).
 */
void oribi_micro_transpose_conv_s8(const struct oribi_micro_transpose_conv_s8_args *args,
                                   const int8_t *input, int8_t *output);

#endif
