/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution of int8 whose weights lie in quads, for cores without lanes; exact to TensorFlow Lite
 * Micro. The arguments are those of conv2d_lanes_s8.h, the weights as conv2d_quads_s8_prepare.h
 * packs them.
 */
#ifndef ORIBI_MICRO_CONV2D_QUADS_S8_H_
#define ORIBI_MICRO_CONV2D_QUADS_S8_H_

#include "micro/conv/conv2d_lanes_s8_args.h"

/* As oribi_micro_conv2d_lanes_s8. */
void oribi_micro_conv2d_quads_s8(const struct oribi_micro_conv2d_lanes_s8_args *args,
                                 const int8_t *input, int8_t *output, void *scratch);

/* As oribi_micro_conv2d_lanes_s8_pixels (conv2d_lanes_s8_pixels.h). */
void oribi_micro_conv2d_quads_s8_pixels(const struct oribi_micro_conv2d_lanes_s8_args *args,
                                        const int8_t *image, int32_t pixel, int32_t count,
                                        int8_t *output, void *scratch);

#endif
