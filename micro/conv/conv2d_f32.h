/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution of float, NHWC; a dense layer is one of a single row of pixels. The filter comes
 * packed by conv2d_f32_prepare.h.
 */
#ifndef ORIBI_MICRO_CONV2D_F32_H_
#define ORIBI_MICRO_CONV2D_F32_H_

#include "micro/conv/conv2d_f32_args.h"

/* Convolves input with the filter, adds bias and residual, applies the activation.
 * Shapes   input [batch, in_h, in_w, in_c], residual and output [batch, out_h, out_w, out_c].
 * Owns     nothing; output may be the memory of residual. residual is not read when adds is 0.
 * Context  run: no allocation, no state.
 * Source   products summed one after the other, in the order row, column, channel of the window,
 *          then bias, residual, activation; each operation rounds once (float_rules.h).
 */
void oribi_micro_conv2d_f32(const struct oribi_micro_conv2d_f32_args *args, const float *input,
                            const float *residual, float *output);

#endif
