/* SPDX-License-Identifier: Apache-2.0 */
/* Element by element. */
#include "micro/index/one_hot.h"

#include "micro/memory.h"

void oribi_micro_one_hot(const struct oribi_micro_one_hot_args *args, const int32_t *indices,
                         const void *values, void *output)
{
    const struct oribi_micro_one_hot_args *p = args;
    const uint8_t *off = values, *on = off + p->element_bytes;
    uint8_t *to = output;
    for (int32_t outer = 0; outer < p->outer; outer++) {
        for (int32_t at = 0; at < p->depth; at++) {
            for (int32_t i = 0; i < p->inner; i++) {
                const int32_t index = indices[outer * p->inner + i];
                const int32_t hot = index < 0 ? index + p->depth : index;
                (void)memcpy(to, hot == at ? on : off, (size_t)p->element_bytes);
                to += p->element_bytes;
            }
        }
    }
}
