/* SPDX-License-Identifier: Apache-2.0 */
/* Tuples of indices, and the slices of a tensor that they address: the tuples are walked, and where
 * each stands may say where its slice lies, too. Worked out by places_prepare.h.
 */
#ifndef ORIBI_MICRO_PLACES_H_
#define ORIBI_MICRO_PLACES_H_

#include <stdint.h>

enum { ORIBI_MICRO_PLACES_RANK = 8 };

/* Steps are in elements of the tensor. */
struct oribi_micro_places {
    int32_t slice;      /* its elements, side by side */
    int32_t index_rank; /* indices of a tuple */
    int32_t limits[ORIBI_MICRO_PLACES_RANK];
    int32_t index_steps[ORIBI_MICRO_PLACES_RANK];
    int32_t rank; /* of the tuples, at least 1 */
    int32_t dims[ORIBI_MICRO_PLACES_RANK];
    int32_t steps[ORIBI_MICRO_PLACES_RANK]; /* 0 where only the index says where */
};

/* An index counts from the end when it is negative; one outside its limit takes the nearest: memory
 * stays safe. */
static inline int32_t oribi_micro_place_of(int32_t index, int32_t limit)
{
    const int32_t from_end = index < 0 ? index + limit : index;
    return from_end < 0 ? 0 : from_end < limit ? from_end : limit - 1;
}

/* Where the slice of a tuple begins; base: what the tuple's own place says. */
static inline int32_t oribi_micro_places_find(const struct oribi_micro_places *places, int32_t base,
                                              const int32_t *tuple)
{
    for (int32_t k = 0; k < places->index_rank; k++) {
        base += oribi_micro_place_of(tuple[k], places->limits[k]) * places->index_steps[k];
    }
    return base;
}

/* The base of the next tuple; at: its place, all 0 at the beginning. */
static inline int32_t oribi_micro_places_next(const struct oribi_micro_places *places, int32_t *at,
                                              int32_t base)
{
    for (int32_t k = places->rank - 1; k >= 0; k--) {
        base += places->steps[k];
        at[k]++;
        if (at[k] < places->dims[k]) {
            return base;
        }
        base -= places->steps[k] * places->dims[k];
        at[k] = 0;
    }
    return base;
}

static inline int32_t oribi_micro_places_count(const struct oribi_micro_places *places)
{
    int32_t count = 1;
    for (int32_t k = 0; k < places->rank; k++) {
        count *= places->dims[k];
    }
    return count;
}

#endif
