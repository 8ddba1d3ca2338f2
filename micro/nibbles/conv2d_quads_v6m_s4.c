/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution of int8 whose weights have four bits, for ARMv6-M. Read next:
 * conv2d_nibbles_s8_body.h. */
#define ORIBI_MICRO_BIASED 1
#include "micro/nibbles/conv2d_quads_v6m_s4.h"

#include "micro/nibbles/nibbles.h"
#include "micro/quads/quads_s8.h"

#define ORIBI_MICRO_LAYER  oribi_micro_conv2d_lanes_s8_args
#define ORIBI_MICRO_PIXELS oribi_micro_conv2d_quads_v6m_s8_pixels
#define ORIBI_MICRO_BEGIN(layer, scratch)
#define ORIBI_MICRO_FORM(a)                                                                        \
    {                                                                                              \
        1, 0, (a)->taps, ORIBI_MICRO_QUADS_RECORD, 0x80808080U, 0, 0                               \
    }

#include "micro/nibbles/conv2d_nibbles_s8_body.h"

void oribi_micro_conv2d_quads_v6m_s4(const struct oribi_micro_conv2d_lanes_s8_args *args,
                                     const int8_t *input, int8_t *output, void *scratch)
{
    all_channels(args, input, output, scratch);
}
