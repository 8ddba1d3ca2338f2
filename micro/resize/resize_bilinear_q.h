/* SPDX-License-Identifier: Apache-2.0 */
/* Resizing of int8 or int16 images by weights of four pixels, in integers. Places and weights are
 * worked out by resize_prepare.h.
 */
#ifndef ORIBI_MICRO_RESIZE_BILINEAR_Q_H_
#define ORIBI_MICRO_RESIZE_BILINEAR_Q_H_

#include <stdint.h>

struct oribi_micro_resize_bilinear_q_args {
    int32_t batch, in_h, in_w, out_h, out_w, channels;
    const int32_t *rows, *columns; /* for each of the output: lower, upper, weight of the upper */
};

/* Shapes   input [batch, in_h, in_w, channels], output [batch, out_h, out_w, channels], dense.
 * Units    weights in 1/1024; the quantisation of both sides is the same.
 * Owns     nothing; output and input do not overlap.
 * Context  run: no allocation, no state.
 * Source   TensorFlow Lite's integer interpolation, bit for bit (docs/rounding.md).
 */
void oribi_micro_resize_bilinear_s8(const struct oribi_micro_resize_bilinear_q_args *args,
                                    const int8_t *input, int8_t *output);
void oribi_micro_resize_bilinear_s16(const struct oribi_micro_resize_bilinear_q_args *args,
                                     const int16_t *input, int16_t *output);

#endif
