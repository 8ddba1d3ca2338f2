/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of conv2d_add_mve_s8 from those of its two halves. Host only. */
#ifndef ORIBI_MICRO_CONV2D_ADD_MVE_S8_PREPARE_H_
#define ORIBI_MICRO_CONV2D_ADD_MVE_S8_PREPARE_H_

#include "micro/mve/conv2d_add_mve_s8.h"

/* As oribi_micro_conv2d_add_lanes_s8_prepare. */
int64_t oribi_micro_conv2d_add_mve_s8_prepare(const struct oribi_micro_conv2d_mve_s8_args *conv,
                                              int64_t conv_scratch,
                                              const struct oribi_micro_add_scales_s8 *scales,
                                              int32_t conv_is_b,
                                              struct oribi_micro_conv2d_add_mve_s8_args *args);

#endif
