/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of depthwise convolutions with windows of 3x3.
 * depthwise_conv2d_3x3_s8_prepare.h makes them. */
#ifndef ORIBI_MICRO_DEPTHWISE_CONV2D_3X3_S8_ARGS_H_
#define ORIBI_MICRO_DEPTHWISE_CONV2D_3X3_S8_ARGS_H_

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

#endif
