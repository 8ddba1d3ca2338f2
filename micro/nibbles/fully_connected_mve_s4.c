/* SPDX-License-Identifier: Apache-2.0 */
/* Fully connected layer of int8 whose weights have four bits, for cores with MVE. Read next:
 * fully_connected_nibbles_s8_body.h. */
#include "micro/nibbles/fully_connected_mve_s4.h"

#include "micro/nibbles/nibbles.h"

#define TAPS(a)                                                                                    \
    (((a)->in_c + ORIBI_MICRO_MVE_TAPS - 1) / ORIBI_MICRO_MVE_TAPS * ORIBI_MICRO_MVE_TAPS)
#define ORIBI_MICRO_LAYER          oribi_micro_fully_connected_mve_s8_args
#define ORIBI_MICRO_ROW            oribi_micro_fully_connected_mve_s8
#define ORIBI_MICRO_GROUP          group
#define ORIBI_MICRO_GROUP_WORDS(a) (TAPS(a) + ORIBI_MICRO_MVE_RECORD)

ORIBI_MICRO_NIBBLES_WIDEN(oribi_micro_nibbles_bytes)

static const int32_t *group(const int32_t *from,
                            const struct oribi_micro_fully_connected_mve_s8_args *a, int32_t *to)
{
    return widen_group(from, 4, TAPS(a), ORIBI_MICRO_MVE_RECORD - 4, to);
}

#include "micro/nibbles/fully_connected_nibbles_s8_body.h"

void oribi_micro_fully_connected_mve_s4(const struct oribi_micro_fully_connected_mve_s8_args *args,
                                        const int8_t *input, int8_t *output, void *scratch)
{
    all_channels(args, input, output, scratch);
}
