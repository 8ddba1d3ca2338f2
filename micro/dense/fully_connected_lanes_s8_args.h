/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of fully connected layers whose weights lie in lanes or quads. */
#ifndef ORIBI_MICRO_FULLY_CONNECTED_LANES_S8_ARGS_H_
#define ORIBI_MICRO_FULLY_CONNECTED_LANES_S8_ARGS_H_

#include "micro/lanes_s8.h"

struct oribi_micro_fully_connected_lanes_s8_args {
    const int32_t *filter; /* lanes_prepare.h, in groups of four; or quads_prepare.h */
    int32_t rows, in_c, out_c;
    struct oribi_micro_lanes_output output;
    int32_t scratch_bytes; /* 0; in_c rounded up to whole taps where inputs are copied */
};

#endif
