/* SPDX-License-Identifier: Apache-2.0 */
/* Resizing of images by weights of four pixels, in float32: of uint8, and of floats. Places and
 * weights are worked out by resize_prepare.h.
 */
#ifndef ORIBI_MICRO_RESIZE_BILINEAR_REAL_H_
#define ORIBI_MICRO_RESIZE_BILINEAR_REAL_H_

#include <stdint.h>

struct oribi_micro_resize_bilinear_real_args {
    int32_t batch, in_h, in_w, out_h, out_w, channels;
    const int32_t *rows, *columns;             /* for each of the output: lower, upper */
    const float *row_weights, *column_weights; /* of the upper */
};

/* Shapes   input [batch, in_h, in_w, channels], output [batch, out_h, out_w, channels], dense.
 * Units    the quantisation of both sides is the same.
 * Owns     nothing; output and input do not overlap.
 * Context  run: no allocation, no state.
 * Source   TensorFlow Lite's reference interpolation, bit for bit (docs/rounding.md).
 */
void oribi_micro_resize_bilinear_u8(const struct oribi_micro_resize_bilinear_real_args *args,
                                    const uint8_t *input, uint8_t *output);
void oribi_micro_resize_bilinear_f32(const struct oribi_micro_resize_bilinear_real_args *args,
                                     const float *input, float *output);

#endif
