/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution of int8 whose weights lie in lanes, two result pixels at a time, exact to TensorFlow
 * Lite Micro. One group, no dilation along a row: conv2d_s8.h does the others. The arguments come
 * from conv2d_lanes_s8_prepare.h.
 */
#ifndef ORIBI_MICRO_CONV2D_LANES_S8_H_
#define ORIBI_MICRO_CONV2D_LANES_S8_H_

#include "micro/conv/conv2d_lanes_s8_pixels.h"

/* Convolves input into output.
 * Shapes   input [batch, in_h, in_w, in_c], output [batch, out_h, out_w, out_c], dense.
 * Owns     nothing. Output may overlap input where no result falls on an input that a later window
 *          reads; windows go in the order of the output, each is copied before its results are
 *          written.
 * Context  run: no allocation, no state; scratch is aligned to 4 bytes.
 * Source   TensorFlow Lite Micro's reference convolution, bit for bit (docs/rounding.md).
 */
void oribi_micro_conv2d_lanes_s8(const struct oribi_micro_conv2d_lanes_s8_args *args,
                                 const int8_t *input, int8_t *output, void *scratch);

#endif
