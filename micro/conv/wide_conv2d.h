/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution of uint8, or of int16 with weights of int8. The arguments come from
 * wide_conv2d_prepare.h.
 */
#ifndef ORIBI_MICRO_WIDE_CONV2D_H_
#define ORIBI_MICRO_WIDE_CONV2D_H_

#include <stdint.h>

struct oribi_micro_wide_conv2d_args {
    const void *filter;        /* [out_c, filter_h, filter_w, in_c / groups] */
    const int32_t *bias_low;   /* out_c: the lower halves of 64 bits */
    const int32_t *bias_high;  /* the upper ones */
    const int32_t *multiplier; /* out_c */
    const int32_t *shift;      /* out_c */
    int32_t kind, filter_kind; /* element.h */
    int32_t is_wide;           /* 1: sums of 64 bits (wide.h); 0: modulo 2^32 */
    int32_t batch, in_h, in_w, in_c;
    int32_t out_h, out_w, out_c;
    int32_t filter_h, filter_w;
    int32_t stride_h, stride_w;
    int32_t dilation_h, dilation_w;
    int32_t before_h, before_w; /* padding before the first row and column */
    int32_t groups;
    int32_t input_zero, filter_zero, output_zero;
    int32_t low, high; /* bounds of the result, activation included */
};

/* Convolves input into output.
 * Shapes   input [batch, in_h, in_w, in_c], output [batch, out_h, out_w, out_c], dense.
 * Owns     nothing; they may not overlap.
 * Context  run: no allocation, no state.
 * Source   TensorFlow Lite's reference convolutions, bit for bit (docs/rounding.md).
 */
void oribi_micro_wide_conv2d(const struct oribi_micro_wide_conv2d_args *args, const void *input,
                             void *output);

#endif
