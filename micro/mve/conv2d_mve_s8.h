/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution of int8 for cores with MVE, two result pixels at a time, exact to TensorFlow Lite
 * Micro. The arguments come from conv2d_mve_s8_prepare.h.
 */
#ifndef ORIBI_MICRO_CONV2D_MVE_S8_H_
#define ORIBI_MICRO_CONV2D_MVE_S8_H_

#include "micro/mve/conv2d_mve_s8_pixels.h"

/* Convolves input into output.
 * Shapes   input [batch, in_h, in_w, in_c], output [batch, out_h, out_w, out_c], dense.
 * Owns     nothing. Output may overlap input where no result lies on what a later window reads,
 *          windows and results taken in pairs, row by row.
 * Context  run: no allocation, no state; scratch needs no alignment.
 * Source   TensorFlow Lite Micro's reference convolution, bit for bit (docs/rounding.md).
 */
void oribi_micro_conv2d_mve_s8(const struct oribi_micro_conv2d_mve_s8_args *args,
                               const int8_t *input, int8_t *output, void *scratch);

#endif
