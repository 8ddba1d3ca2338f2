/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution of int8 whose weights have four bits, for cores with DSP instructions. Read next:
 * conv2d_nibbles_s8_body.h. */
#include "micro/nibbles/conv2d_lanes_s4.h"

#include "micro/nibbles/nibbles.h"

#define ORIBI_MICRO_LAYER  oribi_micro_conv2d_lanes_s8_args
#define ORIBI_MICRO_PIXELS oribi_micro_conv2d_lanes_s8_pixels
#define ORIBI_MICRO_BEGIN(layer, scratch)
#define ORIBI_MICRO_FORM(a)                                                                        \
    {                                                                                              \
        (a)->out_c < 3 ? 1 : 2, 0, (a)->taps / 2, ORIBI_MICRO_LANES_RECORD, 0x80008000U,           \
            0x80008000U, 0                                                                         \
    }

#include "micro/nibbles/conv2d_nibbles_s8_body.h"

void oribi_micro_conv2d_lanes_s4(const struct oribi_micro_conv2d_lanes_s8_args *args,
                                 const int8_t *input, int8_t *output, void *scratch)
{
    all_channels(args, input, output, scratch);
}
