/* SPDX-License-Identifier: Apache-2.0 */
/* The results of channel pairs with an unusual scale, a large bias, or bounds inside int8. */
#include "micro/lanes_s8.h"

#include "micro/dot_s8.h"

void oribi_micro_lanes_general(const struct oribi_micro_lanes_output *output, const int32_t *record,
                               int32_t sum0, int32_t sum1, int8_t *to)
{
    int32_t sum = sum0, shift = (int8_t)(uint8_t)((uint32_t)record[4] & 0xffU);
    for (int32_t i = 0; i < 2; i++) {
        to[i] = oribi_micro_requantise_s8(record[i] + sum, record[2 + i],
                                          -(shift + ORIBI_MICRO_LANES_GENERAL), output->zero,
                                          output->low, output->high);
        sum = (int32_t)((uint32_t)sum1 - (uint32_t)sum0) >> 8;
        shift = record[4] >> 8;
    }
}
