/* SPDX-License-Identifier: Apache-2.0 */
/* One load for each value. */
#include "micro/elementwise/lookup_8.h"

void oribi_micro_lookup_8(const struct oribi_micro_lookup_8_args *args, const void *input,
                          void *output)
{
    const uint8_t *from = input, *table = args->table;
    uint8_t *to = output;
    for (int32_t i = 0; i < args->count; i++) {
        to[i] = table[from[i]];
    }
}
