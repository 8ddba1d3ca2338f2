/* SPDX-License-Identifier: Apache-2.0 */
/* Two loads for each value. */
#include "micro/unary/lookup_s16.h"

void oribi_micro_lookup_s16(const struct oribi_micro_lookup_s16_args *args, const int16_t *input,
                            int16_t *output)
{
    for (int32_t i = 0; i < args->count; i++) {
        const int32_t x = input[i], at = 256 + (x >> 7);
        const int32_t base = args->table[at], slope = args->table[at + 1] - base;
        output[i] = (int16_t)(base + ((slope * (x & 127) + 64) >> 7));
    }
}
