/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution of int8 in quads for ARMv6-M. Read next: conv2d_quads_s8_body.h. */
#define ORIBI_MICRO_BIASED 1
#include "micro/quads/conv2d_quads_v6m_s8.h"

#include "micro/quads/conv2d_quads_s8_body.h"

void oribi_micro_conv2d_quads_v6m_s8(const struct oribi_micro_conv2d_lanes_s8_args *args,
                                     const int8_t *input, int8_t *output, void *scratch)
{
    all_pixels(args, input, output, scratch);
}

void oribi_micro_conv2d_quads_v6m_s8_pixels(const struct oribi_micro_conv2d_lanes_s8_args *args,
                                            const int8_t *image, int32_t pixel, int32_t count,
                                            int8_t *output, void *scratch)
{
    two_pixels(args, image, pixel, count, output, scratch);
}
