/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise convolution of int8 with windows of 3x3, a channel's plane at a time, exact to
 * TensorFlow Lite Micro. One result channel per input channel, no dilation: depthwise_conv2d_s8.h
 * does the others. The arguments come from depthwise_conv2d_3x3_s8_prepare.h.
 */
#ifndef ORIBI_MICRO_DEPTHWISE_CONV2D_3X3_S8_H_
#define ORIBI_MICRO_DEPTHWISE_CONV2D_3X3_S8_H_

#include "micro/lanes_s8.h"

/* Rows and columns are those of the planes, whichever way round prepare found cheaper: steps say
 * how many bytes of a tensor lie between them. */
struct oribi_micro_depthwise_conv2d_3x3_s8_args {
    const int32_t *filter; /* a record of five words per channel: see the prepare half */
    int32_t batch, channels;
    int32_t in_rows, in_columns, in_row_step, in_column_step;
    int32_t out_rows, out_columns, out_row_step, out_column_step;
    int32_t row_stride, column_stride;
    int32_t rows_before, columns_before; /* padding */
    int32_t plane_columns;               /* padded */
    int32_t input_zero;
    struct oribi_micro_lanes_output output;
    int32_t scratch_bytes; /* a padded plane and a byte */
};

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
