/* SPDX-License-Identifier: Apache-2.0 */
/* Two pixels of a convolution for cores with MVE: what the kernels that convolve share. */
#ifndef ORIBI_MICRO_CONV2D_MVE_S8_PIXELS_H_
#define ORIBI_MICRO_CONV2D_MVE_S8_PIXELS_H_

#include "micro/mve/mve.h"

/* Small members: the arguments of every layer lie in flash. conv2d_mve_s8_prepare.h makes them. */
struct oribi_micro_conv2d_mve_s8_args {
    const int32_t *filter; /* groups of mve.h, of filter_h * filter_w * in_c taps */
    int16_t batch, in_h, in_w, in_c;
    int16_t out_h, out_w, out_c;
    int16_t filter_h, filter_w;
    int16_t stride_h, stride_w;
    int16_t dilation_h;
    int16_t before_h, before_w; /* padding before the first row and column */
    uint16_t taps;              /* of a channel, rounded up to a multiple of 16 */
    int8_t input_zero;
    struct oribi_micro_mve_output output;
};

/* Before the first pixels: what is behind the taps of windows in scratch. */
void oribi_micro_conv2d_mve_s8_begin(const struct oribi_micro_conv2d_mve_s8_args *args,
                                     void *scratch);

/* The results of `count` pixels of one image, 1 or 2, from `pixel` on, counted row by row.
 * Shapes   image [in_h, in_w, in_c]; output [2, out_c], of a single pixel [1, out_c].
 * Owns     nothing. Both windows are read before a result is written.
 * Context  run: no allocation, no state but scratch's, of 2 * taps bytes.
 */
void oribi_micro_conv2d_mve_s8_pixels(const struct oribi_micro_conv2d_mve_s8_args *args,
                                      const int8_t *image, int32_t pixel, int32_t count,
                                      int8_t *output, void *scratch);

#endif
