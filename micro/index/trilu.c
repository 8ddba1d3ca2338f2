/* SPDX-License-Identifier: Apache-2.0 */
/* Row by row: a copy, then zeros before or behind the diagonal. */
#include "micro/index/trilu.h"

#include "micro/memory.h"

void oribi_micro_trilu(const struct oribi_micro_trilu_args *args, const void *input, void *output)
{
    const struct oribi_micro_trilu_args *p = args;
    const int32_t bytes = p->columns * p->element_bytes;
    const uint8_t *from = input;
    uint8_t *to = output;
    for (int32_t row = 0; row < p->matrices * p->rows; row++) {
        const int32_t at = row % p->rows + p->diagonal + (p->upper != 0 ? 0 : 1);
        const int32_t edge = (at < 0 ? 0 : at > p->columns ? p->columns : at) * p->element_bytes;
        (void)memmove(to, from, (size_t)bytes);
        if (p->upper != 0) {
            (void)memset(to, 0, (size_t)edge);
        } else {
            (void)memset(to + edge, 0, (size_t)(bytes - edge));
        }
        from += bytes;
        to += bytes;
    }
}
