/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of convolutions with a sum at their end. conv2d_add_lanes_s8_prepare.h makes them.
 */
#ifndef ORIBI_MICRO_CONV2D_ADD_LANES_S8_ARGS_H_
#define ORIBI_MICRO_CONV2D_ADD_LANES_S8_ARGS_H_

#include "micro/conv/conv2d_lanes_s8_args.h"
#include "micro/elementwise/add_row_s8.h"

struct oribi_micro_conv2d_add_lanes_s8_args {
    struct oribi_micro_conv2d_lanes_s8_args conv;
    struct oribi_micro_add_scales_s8
        scales;      /* a: the convolution's result; b: what it is added to */
    int32_t results; /* where in scratch two pixels of results lie, behind the bytes of conv */
};

#endif
