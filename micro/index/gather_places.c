/* SPDX-License-Identifier: Apache-2.0 */
/* One copy for each tuple. */
#include "micro/index/gather_places.h"

#include "micro/memory.h"

void oribi_micro_gather_places(const struct oribi_micro_gather_places_args *args, const void *input,
                               const int32_t *indices, void *output)
{
    const struct oribi_micro_places *p = &args->places;
    const int32_t count = oribi_micro_places_count(p), bytes = p->slice * args->element_bytes;
    int32_t at[ORIBI_MICRO_PLACES_RANK] = {0}, base = 0;
    uint8_t *to = output;
    for (int32_t i = 0; i < count; i++) {
        const int32_t from = oribi_micro_places_find(p, base, indices);
        (void)memcpy(to, (const uint8_t *)input + from * args->element_bytes, (size_t)bytes);
        to += bytes;
        indices += p->index_rank;
        base = oribi_micro_places_next(p, at, base);
    }
}
