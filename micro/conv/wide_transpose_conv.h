/* SPDX-License-Identifier: Apache-2.0 */
/* Transposed convolution of uint8, or of int16 with weights of int8. The arguments come from
 * wide_transpose_conv_prepare.h.
 */
#ifndef ORIBI_MICRO_WIDE_TRANSPOSE_CONV_H_
#define ORIBI_MICRO_WIDE_TRANSPOSE_CONV_H_

#include "micro/conv/transpose_sizes.h"

struct oribi_micro_wide_transpose_conv_args {
    const void *filter;        /* [out_c, filter_h, filter_w, in_c] */
    const int32_t *bias_low;   /* out_c: the lower halves of 64 bits */
    const int32_t *bias_high;  /* the upper ones */
    const int32_t *multiplier; /* out_c */
    const int32_t *shift;      /* out_c */
    struct oribi_micro_transpose_sizes sizes;
    int32_t kind, filter_kind; /* element.h */
    int32_t input_zero, filter_zero, output_zero;
    int32_t low, high; /* bounds of the result, activation included */
};

/* Shapes   input [batch, in_h, in_w, in_c], output [batch, out_h, out_w, out_c], dense.
 * Owns     nothing; output and input do not overlap.
 * Context  run: no allocation, no state.
 * Source   TensorFlow Lite's reference, bit for bit (docs/rounding.md).
 */
void oribi_micro_wide_transpose_conv(const struct oribi_micro_wide_transpose_conv_args *args,
                                     const void *input, void *output);

#endif
