/* SPDX-License-Identifier: Apache-2.0 */
/* Row by row, part by part. */
#include "micro/move/split.h"

#include "micro/memory.h"

void oribi_micro_split(const struct oribi_micro_split_args *args, const void *input,
                       void *const *outputs)
{
    const uint8_t *from = input;
    for (int32_t row = 0; row < args->rows; row++) {
        for (int32_t i = 0; i < args->parts; i++) {
            const int32_t bytes = args->bytes[i];
            (void)memmove((uint8_t *)outputs[i] + row * bytes, from, (size_t)bytes);
            from += bytes;
        }
    }
}
