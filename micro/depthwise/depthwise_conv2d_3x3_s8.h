/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise convolution of int8 with windows of 3x3, a channel's plane at a time, exact to
 * TensorFlow Lite Micro. One result channel per input channel, no dilation: depthwise_conv2d_s8.h
 * does the others. The arguments come from depthwise_conv2d_3x3_s8_prepare.h.
 */
#ifndef ORIBI_MICRO_DEPTHWISE_CONV2D_3X3_S8_H_
#define ORIBI_MICRO_DEPTHWISE_CONV2D_3X3_S8_H_

#include "micro/depthwise/depthwise_conv2d_3x3_s8_args.h"

/* Convolves each channel of input with its filter.
 * Shapes   input [batch, height, width, channels], output likewise, dense.
 * Owns     nothing. With one image, output may start where input starts if it has no more pixels;
 *          otherwise they must not overlap.
 * Context  run: no allocation, no state; scratch needs no alignment.
 * Source   TensorFlow Lite Micro's reference depthwise convolution, bit for bit
 *          (docs/rounding.md).
 */
void oribi_micro_depthwise_conv2d_3x3_s8(
    const struct oribi_micro_depthwise_conv2d_3x3_s8_args *args, const int8_t *input,
    int8_t *output, void *scratch);

#endif
