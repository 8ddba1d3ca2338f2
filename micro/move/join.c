/* SPDX-License-Identifier: Apache-2.0 */
/* Row by row, part by part. */
#include "micro/move/join.h"

#include "micro/memory.h"

void oribi_micro_join(const struct oribi_micro_join_args *args, const void *const *inputs,
                      void *output)
{
    uint8_t *to = output;
    for (int32_t row = 0; row < args->rows; row++) {
        for (int32_t i = 0; i < args->parts; i++) {
            const int32_t bytes = args->bytes[i];
            (void)memmove(to, (const uint8_t *)inputs[i] + row * bytes, (size_t)bytes);
            to += bytes;
        }
    }
}
