/* SPDX-License-Identifier: Apache-2.0 */
/* A copy, then slice after slice. */
#include "micro/index/scatter.h"

#include "micro/element.h"
#include "micro/memory.h"

static float meet_reals(int32_t meeting, float a, float b)
{
    switch (meeting) {
    case ORIBI_MICRO_SCATTER_ADD:
        return a + b;
    case ORIBI_MICRO_SCATTER_MULTIPLY:
        return a * b;
    case ORIBI_MICRO_SCATTER_MAXIMUM:
        return a >= b || a != a ? a : b;
    default:
        return a <= b || a != a ? a : b;
    }
}

static int32_t meet_integers(int32_t meeting, int32_t a, int32_t b)
{
    switch (meeting) {
    case ORIBI_MICRO_SCATTER_ADD:
        return (int32_t)((uint32_t)a + (uint32_t)b);
    case ORIBI_MICRO_SCATTER_MULTIPLY:
        return (int32_t)((uint32_t)a * (uint32_t)b);
    case ORIBI_MICRO_SCATTER_MAXIMUM:
        return a >= b ? a : b;
    default:
        return a <= b ? a : b;
    }
}

static void meet(const struct oribi_micro_scatter_args *p, uint8_t *to, const uint8_t *from)
{
    const int32_t n = p->places.slice;
    if (p->meeting == ORIBI_MICRO_SCATTER_REPLACE) {
        (void)memcpy(to, from, (size_t)n * (size_t)p->element_bytes);
        return;
    }
    for (int32_t i = 0; i < n; i++) {
        if (p->kind == ORIBI_MICRO_F32) {
            float a, b;
            (void)memcpy(&a, to + (size_t)i * sizeof a, sizeof a);
            (void)memcpy(&b, from + (size_t)i * sizeof b, sizeof b);
            a = meet_reals(p->meeting, a, b);
            (void)memcpy(to + (size_t)i * sizeof a, &a, sizeof a);
        } else {
            const int32_t a = oribi_micro_element_get(to, p->kind, i);
            const int32_t b = oribi_micro_element_get(from, p->kind, i);
            oribi_micro_element_set(to, p->kind, i, meet_integers(p->meeting, a, b));
        }
    }
}

void oribi_micro_scatter(const struct oribi_micro_scatter_args *args, const void *input,
                         const int32_t *indices, const void *updates, void *output)
{
    const struct oribi_micro_places *p = &args->places;
    const int32_t count = oribi_micro_places_count(p), bytes = args->element_bytes;
    int32_t at[ORIBI_MICRO_PLACES_RANK] = {0}, base = 0;
    const uint8_t *from = updates;
    (void)memcpy(output, input, (size_t)args->count * (size_t)bytes);
    for (int32_t i = 0; i < count; i++) {
        meet(args, (uint8_t *)output + oribi_micro_places_find(p, base, indices) * bytes, from);
        from += p->slice * bytes;
        indices += p->index_rank;
        base = oribi_micro_places_next(p, at, base);
    }
}
