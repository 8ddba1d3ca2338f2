/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise convolution of int8, exact to TensorFlow Lite Micro. The arguments come from
 * depthwise_conv2d_s8_prepare.h.
 */
#ifndef ORIBI_MICRO_DEPTHWISE_CONV2D_S8_H_
#define ORIBI_MICRO_DEPTHWISE_CONV2D_S8_H_

#include <stdint.h>

struct oribi_micro_depthwise_conv2d_s8_args {
    const int8_t *filter;      /* [filter_h, filter_w, out_c] */
    const int32_t *bias;       /* out_c; the input's zero point is folded in */
    const int32_t *multiplier; /* out_c */
    const int32_t *shift;      /* out_c */
    int32_t batch, in_h, in_w, in_c;
    int32_t out_h, out_w, out_c; /* out_c = in_c * depth_multiplier */
    int32_t filter_h, filter_w;
    int32_t stride_h, stride_w;
    int32_t dilation_h, dilation_w;
    int32_t before_h, before_w; /* padding before the first row and column */
    int32_t depth_multiplier;
    int32_t pitch; /* from pixel to pixel of the output: out_c of all of its channels */
    int32_t input_zero, output_zero;
    int32_t low, high;     /* bounds of the result, activation included */
    int32_t in_place;      /* 1: output may be the memory of input (depth_multiplier is 1) */
    int32_t scratch_bytes; /* what run uses of scratch; 0: scratch may be NULL */
};

/* Convolves each channel of input with its filters.
 * Shapes   input [batch, in_h, in_w, in_c], output [batch, out_h, out_w, out_c], dense.
 * Owns     nothing. With in_place, output may start where input starts (batch is then 1, and the
 *          output has no more pixels than the input); otherwise they must not overlap.
 * Context  run: no allocation, no state; scratch needs no alignment.
 * Source   TensorFlow Lite Micro's reference depthwise convolution, bit for bit
 *          (docs/rounding.md).
 */
void oribi_micro_depthwise_conv2d_s8(const struct oribi_micro_depthwise_conv2d_s8_args *args,
                                     const int8_t *input, int8_t *output, void *scratch);

#endif
