/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution of int8 whose results are added to another tensor at once, exact to one after the
 * other: conv2d_lanes_s8.h, then add_row_s8.h. Its result may be the memory of what is added to.
 */
#ifndef ORIBI_MICRO_CONV2D_ADD_LANES_S8_H_
#define ORIBI_MICRO_CONV2D_ADD_LANES_S8_H_

#include "micro/conv/conv2d_add_lanes_s8_args.h"
#include "micro/conv/conv2d_lanes_s8_pixels.h"

/* Convolves input, adds other.
 * Shapes   input [batch, in_h, in_w, in_c]; other and output [batch, out_h, out_w, out_c]; dense.
 * Owns     nothing. Output may be other, and may overlap input as in conv2d_lanes_s8.h.
 * Context  run: no allocation, no state; scratch is aligned to 4 bytes.
 * Source   TensorFlow Lite Micro's reference convolution and sum, bit for bit (docs/rounding.md).
 */
void oribi_micro_conv2d_add_lanes_s8(const struct oribi_micro_conv2d_add_lanes_s8_args *args,
                                     const int8_t *input, const int8_t *other, int8_t *output,
                                     void *scratch);

#endif
