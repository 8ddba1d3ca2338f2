/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution of int8 whose results are added to another tensor at once, for cores with MVE, exact
 * to one after the other: conv2d_mve_s8.h, then add_row_mve_s8.h. Its result may be the memory of
 * what is added to. conv2d_add_mve_s8_prepare.h makes the arguments.
 */
#ifndef ORIBI_MICRO_CONV2D_ADD_MVE_S8_H_
#define ORIBI_MICRO_CONV2D_ADD_MVE_S8_H_

#include "micro/mve/add_row_mve_s8.h"
#include "micro/mve/conv2d_mve_s8_pixels.h"

struct oribi_micro_conv2d_add_mve_s8_args {
    struct oribi_micro_conv2d_mve_s8_args conv;
    struct oribi_micro_add_scales_s8
        scales;      /* a: the convolution's result; b: what it is added to */
    int32_t results; /* where in scratch two pixels of results lie, behind the bytes of conv */
};

/* Convolves input, adds other.
 * Shapes   input [batch, in_h, in_w, in_c]; other and output [batch, out_h, out_w, out_c]; dense.
 * Owns     nothing. Output may be other, and may overlap input as in conv2d_mve_s8.h.
 * Context  run: no allocation, no state; scratch needs no alignment.
 * Source   TensorFlow Lite Micro's reference convolution and sum, bit for bit (docs/rounding.md).
 */
void oribi_micro_conv2d_add_mve_s8(const struct oribi_micro_conv2d_add_mve_s8_args *args,
                                   const int8_t *input, const int8_t *other, int8_t *output,
                                   void *scratch);

#endif
