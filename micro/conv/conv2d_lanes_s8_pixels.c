/* SPDX-License-Identifier: Apache-2.0 */
/* Two pixels of a convolution of any size. Read next: conv2d_lanes_s8_body.h. */
#include "micro/conv/conv2d_lanes_s8_pixels.h"

#include "micro/conv/conv2d_lanes_s8_body.h"

void oribi_micro_conv2d_lanes_s8_pixels(const struct oribi_micro_conv2d_lanes_s8_args *args,
                                        const int8_t *image, int32_t pixel, int32_t count,
                                        int8_t *output, void *scratch)
{
    two_pixels(args, image, pixel, count, output, scratch);
}
