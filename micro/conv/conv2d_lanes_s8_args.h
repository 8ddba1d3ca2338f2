/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of convolutions whose weights lie in lanes or quads. conv2d_lanes_s8_prepare.h and
 * conv2d_quads_s8_prepare.h make them.
 */
#ifndef ORIBI_MICRO_CONV2D_LANES_S8_ARGS_H_
#define ORIBI_MICRO_CONV2D_LANES_S8_ARGS_H_

#include "micro/lanes_s8.h"

/* Small members: the arguments of every layer lie in flash. */
struct oribi_micro_conv2d_lanes_s8_args {
    const int32_t *filter; /* lanes_prepare.h, in groups of two, or quads_prepare.h; filter_h rows
                            of taps */
    int16_t batch, in_h, in_w, in_c;
    int16_t out_h, out_w, out_c;
    int16_t filter_h, filter_w;
    int16_t stride_h, stride_w;
    int16_t dilation_h;
    int16_t before_h, before_w; /* padding before the first row and column */
    uint16_t taps; /* filter_h * filter_w * in_c, rounded up to a multiple of 8, in quads of 4 */
    int8_t input_zero;
    int8_t is_point; /* 1: a result pixel sees its own input alone, and in_c is a multiple of 4 */
    struct oribi_micro_lanes_output output;
};

#endif
