/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX's QLinearConv and ConvInteger, NHWC, 8 bits of either sign; a QLinearMatMul is one of a
 * single row of pixels. Sums are integers; they become 8 bits by one product in float, rounded half
 * to even and saturated. Not TFLite's arithmetic: that is conv2d_s8.h.
 */
#ifndef ORIBI_MICRO_QLINEAR_CONV2D_H_
#define ORIBI_MICRO_QLINEAR_CONV2D_H_

#include "micro/qlinear.h"

struct oribi_micro_qlinear_conv2d_args {
    int32_t batch, in_h, in_w, in_c;
    int32_t out_h, out_w, out_c;
    int32_t filter_h, filter_w;
    int32_t stride_h, stride_w;
    int32_t dilation_h, dilation_w;
    int32_t before_h, before_w; /* padding before the first row and column */
    int32_t groups;
    int32_t input_signed, filter_signed; /* 1: int8, 0: uint8 */
    int32_t input_zero, output_zero;
    int32_t output;    /* ORIBI_MICRO_QLINEAR_... */
    int32_t low, high; /* bounds of a result of 8 bits, activation included */
};

/* Sums (input - input_zero) * (filter - filter_zero) over the window, adds the bias; then, for a
 * result of 8 bits, saturate(round(sum * multiplier) + output_zero), ties to even; for one of
 * float, sum * multiplier.
 * Shapes   input [batch, in_h, in_w, in_c], filter [filter_h, filter_w, in_c / groups, out_c];
 *          bias and filter_zeros, each NULL where there are none, and multipliers [out_c];
 *          output [batch, out_h, out_w, out_c].
 * Units    padding is input_zero; sums wrap at 32 bits.
 * Owns     nothing; output is no input's memory.
 * Context  run: no allocation, no state.
 * Source   ONNX's operators; the multiplier, input scale * filter scale / output scale in float, as
 *          ONNX Runtime makes it.
 */
void oribi_micro_qlinear_conv2d(const struct oribi_micro_qlinear_conv2d_args *args,
                                const void *input, const void *filter, const int32_t *bias,
                                const int32_t *filter_zeros, const float *multipliers,
                                void *output);

#endif
