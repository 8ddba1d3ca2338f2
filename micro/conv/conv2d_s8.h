/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution of int8, exact to TensorFlow Lite Micro. The arguments come from
 * conv2d_s8_prepare.h.
 */
#ifndef ORIBI_MICRO_CONV2D_S8_H_
#define ORIBI_MICRO_CONV2D_S8_H_

#include <stdint.h>

struct oribi_micro_conv2d_s8_args {
    const int8_t *filter;      /* [out_c, filter_h, filter_w, in_c / groups] */
    const int32_t *bias;       /* out_c; the input's zero point is folded in */
    const int32_t *multiplier; /* out_c */
    const int32_t *shift;      /* out_c */
    int32_t batch, in_h, in_w, in_c;
    int32_t out_h, out_w, out_c;
    int32_t filter_h, filter_w;
    int32_t stride_h, stride_w;
    int32_t dilation_h, dilation_w;
    int32_t before_h, before_w; /* padding before the first row and column */
    int32_t groups, depth;      /* depth: in_c / groups of all groups */
    int32_t pitch; /* from pixel to pixel of the output: out_c of all of its channels */
    int32_t input_zero, output_zero;
    int32_t low, high;     /* bounds of the result, activation included */
    int32_t gather;        /* 1: each window is copied to scratch before its results are written */
    int32_t scratch_bytes; /* what run uses of scratch; 0: scratch may be NULL */
};

/* Convolves input into output.
 * Shapes   input [batch, in_h, in_w, in_c], output [batch, out_h, out_w, out_c], dense.
 * Owns     nothing. Output may overlap input only when gather is 1, and then no result may fall on
 *          an input that a later window reads; windows go in the order of the output.
 * Context  run: no allocation, no state; scratch needs no alignment.
 * Source   TensorFlow Lite Micro's reference convolution, bit for bit (docs/rounding.md).
 */
void oribi_micro_conv2d_s8(const struct oribi_micro_conv2d_s8_args *args, const int8_t *input,
                           int8_t *output, void *scratch);

#endif
