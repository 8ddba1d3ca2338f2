/* SPDX-License-Identifier: Apache-2.0 */
/* The results of quads that need the general arithmetic. */
#include "micro/quads/quads_s8.h"

#include "micro/dot_s8.h"

void oribi_micro_quads_general(const struct oribi_micro_lanes_output *output, const int32_t *record,
                               const int32_t *sums, int8_t *to, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        const int32_t shift = (int8_t)(uint8_t)((uint32_t)record[8] >> 8 * i & 0xffU);
        const int32_t sum = (int32_t)((uint32_t)record[i] + (uint32_t)sums[i]);
        to[i] = oribi_micro_requantise_s8(sum, record[4 + i], -(shift + ORIBI_MICRO_LANES_GENERAL),
                                          output->zero, output->low, output->high);
    }
}
