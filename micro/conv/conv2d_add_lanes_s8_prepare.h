/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of conv2d_add_lanes_s8 from those of its two halves. Host only. */
#ifndef ORIBI_MICRO_CONV2D_ADD_LANES_S8_PREPARE_H_
#define ORIBI_MICRO_CONV2D_ADD_LANES_S8_PREPARE_H_

#include "micro/conv/conv2d_add_lanes_s8.h"
#include "micro/costs_prepare.h"

/* The scales of a sum, the convolution's result on side a; it was on side b with conv_is_b. */
struct oribi_micro_add_scales_s8
oribi_micro_conv2d_add_scales(const struct oribi_micro_add_scales_s8 *scales, int32_t conv_is_b);

/* Fills args from a convolution with its bytes of scratch, and from the scales of the sum, whose
 * side b is the convolution's result with conv_is_b, else side a. Returns bytes of scratch. */
int64_t oribi_micro_conv2d_add_lanes_s8_prepare(const struct oribi_micro_conv2d_lanes_s8_args *conv,
                                                int64_t conv_scratch,
                                                const struct oribi_micro_add_scales_s8 *scales,
                                                int32_t conv_is_b,
                                                struct oribi_micro_conv2d_add_lanes_s8_args *args);

extern const struct oribi_micro_costs oribi_micro_conv2d_add_lanes_s8_costs;

#endif
