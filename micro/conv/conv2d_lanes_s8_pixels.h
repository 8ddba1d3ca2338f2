/* SPDX-License-Identifier: Apache-2.0 */
/* Two pixels of a convolution whose weights lie in lanes: what the kernels that convolve share. */
#ifndef ORIBI_MICRO_CONV2D_LANES_S8_PIXELS_H_
#define ORIBI_MICRO_CONV2D_LANES_S8_PIXELS_H_

#include "micro/conv/conv2d_lanes_s8_args.h"

/* The results of `count` pixels of one image, 1 or 2, from `pixel` on, counted row by row.
 * Shapes   output [count, out_c], dense.
 * Context  as conv2d_lanes_s8.h.
 */
void oribi_micro_conv2d_lanes_s8_pixels(const struct oribi_micro_conv2d_lanes_s8_args *args,
                                        const int8_t *image, int32_t pixel, int32_t count,
                                        int8_t *output, void *scratch);

#endif
