/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise convolution of int8 with windows of 3x3 for cores with MVE, exact to TensorFlow Lite
 * Micro. Eight channels at a time, one result channel per input channel, columns 1 or 2 apart, no
 * dilation. The arguments come from depthwise_conv2d_3x3_mve_s8_prepare.h.
 */
#ifndef ORIBI_MICRO_DEPTHWISE_CONV2D_3X3_MVE_S8_H_
#define ORIBI_MICRO_DEPTHWISE_CONV2D_3X3_MVE_S8_H_

#include "micro/mve/mve.h"

/* Rows are those of the image or, where that is cheaper, its columns. */
struct oribi_micro_depthwise_conv2d_3x3_mve_s8_args {
    const int32_t *filter;                                              /* blocks of mve_3x3.h */
    int32_t in_row_step, in_column_step, out_row_step, out_column_step; /* bytes */
    int16_t batch, channels;
    int16_t in_rows, in_columns, out_rows, out_columns;
    int16_t columns; /* of a row in scratch, padded */
    int8_t row_stride, column_stride;
    int8_t rows_before, columns_before; /* padding */
    int8_t input_zero;
    struct oribi_micro_mve_output output;
};

/* Convolves each channel of input with its filter.
 * Shapes   input [batch, height, width, channels], output likewise, dense.
 * Owns     nothing. With one image, output may start where input starts if it has no more pixels;
 *          otherwise they must not overlap.
 * Context  run: no allocation, no state; scratch has three rows of 8 * columns bytes.
 * Source   TensorFlow Lite Micro's reference depthwise convolution, bit for bit
 *          (docs/rounding.md).
 */
void oribi_micro_depthwise_conv2d_3x3_mve_s8(
    const struct oribi_micro_depthwise_conv2d_3x3_mve_s8_args *args, const int8_t *input,
    int8_t *output, void *scratch);

#endif
