/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise convolution of int8 with windows of 3x3 for ARMv6-M; exact to TensorFlow Lite Micro.
 * Arguments and weights are those of depthwise_conv2d_3x3_s8.h.
 */
#ifndef ORIBI_MICRO_DEPTHWISE_CONV2D_3X3_V6M_S8_H_
#define ORIBI_MICRO_DEPTHWISE_CONV2D_3X3_V6M_S8_H_

#include "micro/depthwise/depthwise_conv2d_3x3_s8_args.h"

/* As oribi_micro_depthwise_conv2d_3x3_s8. */
void oribi_micro_depthwise_conv2d_3x3_v6m_s8(
    const struct oribi_micro_depthwise_conv2d_3x3_s8_args *args, const int8_t *input,
    int8_t *output, void *scratch);

#endif
