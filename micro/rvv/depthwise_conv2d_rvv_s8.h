/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise convolution of int8 for cores with RISC-V's vectors, exact to TensorFlow Lite Micro.
 * The arguments come from depthwise_conv2d_rvv_s8_prepare.h.
 */
#ifndef ORIBI_MICRO_DEPTHWISE_CONV2D_RVV_S8_H_
#define ORIBI_MICRO_DEPTHWISE_CONV2D_RVV_S8_H_

#include "micro/rvv/rvv.h"

struct oribi_micro_depthwise_conv2d_rvv_s8_args {
    struct oribi_micro_rvv_layer layer;
    int32_t batch, in_h, in_w;
    int32_t out_h, out_w;
    int32_t filter_h, filter_w;
    int32_t stride_h, stride_w;
    int32_t dilation_h, dilation_w;
    int32_t before_h, before_w; /* padding before the first row and column */
    int32_t rows, columns;      /* what windows see of a block of channels at a time */
    int32_t input_zero;
};

/* Convolves each channel of input with its filter.
 * Shapes   input [batch, in_h, in_w, channels], output [batch, out_h, out_w, channels], dense.
 * Owns     nothing. Output may start where input starts (batch is then 1); otherwise they must not
 *          overlap.
 * Context  run: no allocation, no state; scratch, rows * columns for each channel of a block, needs
 *          no alignment.
 * Source   TensorFlow Lite Micro's reference depthwise convolution, bit for bit
 *          (docs/rounding.md).
 */
void oribi_micro_depthwise_conv2d_rvv_s8(
    const struct oribi_micro_depthwise_conv2d_rvv_s8_args *args, const int8_t *input,
    int8_t *output, void *scratch);

#endif
