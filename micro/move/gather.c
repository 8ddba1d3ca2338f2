/* SPDX-License-Identifier: Apache-2.0 */
/* One copy for each index of each row. */
#include "micro/move/gather.h"

#include "micro/memory.h"

void oribi_micro_gather(const struct oribi_micro_gather_args *args, const void *input,
                        const int32_t *indices, void *output)
{
    const struct oribi_micro_gather_args *p = args;
    const uint8_t *from = input;
    uint8_t *to = output;
    for (int32_t batch = 0; batch < p->batch; batch++) {
        for (int32_t row = 0; row < p->rows; row++) {
            for (int32_t i = 0; i < p->indices; i++) {
                const int32_t given = indices[batch * p->indices + i];
                const int32_t last = p->choices - 1;
                const int32_t index = given < 0 ? 0 : given > last ? last : given;
                (void)memcpy(to, from + index * p->bytes, (size_t)p->bytes);
                to += p->bytes;
            }
            from += p->choices * p->bytes;
        }
    }
}
