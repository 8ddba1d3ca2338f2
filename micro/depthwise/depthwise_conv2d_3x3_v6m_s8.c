/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise convolution of int8 with windows of 3x3 for ARMv6-M. Read next:
 * depthwise_conv2d_3x3_plain_s8_body.h. */
#define ORIBI_MICRO_BIASED 1
#include "micro/depthwise/depthwise_conv2d_3x3_v6m_s8.h"

#include "micro/depthwise/depthwise_conv2d_3x3_plain_s8_body.h"

void oribi_micro_depthwise_conv2d_3x3_v6m_s8(
    const struct oribi_micro_depthwise_conv2d_3x3_s8_args *args, const int8_t *input,
    int8_t *output, void *scratch)
{
    all_images(args, input, output, scratch);
}
