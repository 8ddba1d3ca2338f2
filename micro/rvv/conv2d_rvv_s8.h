/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution of int8 for cores with RISC-V's vectors, two result pixels at a time, exact to
 * TensorFlow Lite Micro; a fully connected layer is one, too. The arguments come from
 * conv2d_rvv_s8_prepare.h.
 */
#ifndef ORIBI_MICRO_CONV2D_RVV_S8_H_
#define ORIBI_MICRO_CONV2D_RVV_S8_H_

#include "micro/rvv/rvv.h"

struct oribi_micro_conv2d_rvv_s8_args {
    struct oribi_micro_rvv_layer layer;
    int32_t pitch; /* from a result pixel to the next: the layer may be some of the channels */
    int32_t batch, in_h, in_w, in_c;
    int32_t out_h, out_w;
    int32_t filter_h, filter_w;
    int32_t stride_h, stride_w;
    int32_t dilation_h;
    int32_t before_h, before_w; /* padding before the first row and column */
    int32_t taps;               /* filter_h * filter_w * in_c */
    int32_t input_zero;
    int32_t is_direct; /* 1: windows are pixels, which are read where they lie */
};

/* Convolves input into output.
 * Shapes   input [batch, in_h, in_w, in_c], output [batch, out_h, out_w, pitch], dense,
 *          of which the layer's channels are written.
 * Owns     nothing. With is_direct they must not overlap; otherwise output may overlap input where
 *          no result lies on what a later window reads, windows and results taken in pairs, row by
 *          row.
 * Context  run: no allocation, no state; scratch, 2 * taps bytes without is_direct, needs no
 *          alignment.
 * Source   TensorFlow Lite Micro's reference convolution and fully connected layer, bit for bit
 *          (docs/rounding.md).
 */
void oribi_micro_conv2d_rvv_s8(const struct oribi_micro_conv2d_rvv_s8_args *args,
                               const int8_t *input, int8_t *output, void *scratch);

#endif
