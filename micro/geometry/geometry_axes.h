/* SPDX-License-Identifier: Apache-2.0 */
/* Axes of values: numbers that count from the end, sets, permutations, what a reduction leaves.
 * Of any rank that a tensor has. Host half: emitted code never carries it.
 */
#ifndef ORIBI_MICRO_GEOMETRY_GEOMETRY_AXES_H_
#define ORIBI_MICRO_GEOMETRY_GEOMETRY_AXES_H_

#include "micro/dims.h"

/* An axis of [-rank, rank) as one of [0, rank); false, and *out untouched, for others. */
static inline bool oribi_geometry_axis(int64_t axis, int32_t rank, int32_t *out)
{
    if (axis < -rank || axis >= rank) {
        return false;
    }
    *out = (int32_t)(axis < 0 ? axis + rank : axis);
    return true;
}

/* A set of axes. All zero is the empty one. */
enum { ORIBI_GEOMETRY_AXES_WORDS = ORIBI_MAX_TENSOR_RANK / 64 + 1 };
typedef struct oribi_geometry_axes {
    uint64_t bits[ORIBI_GEOMETRY_AXES_WORDS];
} oribi_geometry_axes;

static inline bool oribi_geometry_has_axis(const oribi_geometry_axes *set, int32_t axis)
{
    return (set->bits[axis / 64] >> axis % 64 & 1U) != 0;
}

/* False: it was there already. */
static inline bool oribi_geometry_add_axis(oribi_geometry_axes *set, int32_t axis)
{
    const bool is_new = !oribi_geometry_has_axis(set, axis);
    set->bits[axis / 64] |= UINT64_C(1) << axis % 64;
    return is_new;
}

typedef enum oribi_geometry_naming {
    ORIBI_GEOMETRY_NAMED,
    ORIBI_GEOMETRY_NO_AXIS, /* number *out_at is outside [-rank, rank) */
    ORIBI_GEOMETRY_TWICE    /* number *out_at names an axis that another names */
} oribi_geometry_naming;

/* The axes that n numbers of [-rank, rank) name. TWICE is told of the first repetition, and the set
 * is whole nevertheless: some ops allow it. */
oribi_geometry_naming oribi_geometry_name_axes(const int64_t *axes, int32_t n, int32_t rank,
                                               oribi_geometry_axes *out, int32_t *out_at);

/* What a reduction over the set leaves of n sizes; the number of them. out may be dims. */
int32_t oribi_geometry_reduce(const int64_t *dims, int32_t n, const oribi_geometry_axes *reduced,
                              bool keeps_dims, int64_t *out);

/* Turns n axes of [-n, n) into those of [0, n); NAMED if they are a permutation. */
oribi_geometry_naming oribi_geometry_permutation(int64_t *perm, int32_t n, int32_t *out_at);

/* out[i] = values[perm[i]]: sizes or strides after a transpose. perm is a permutation. */
static inline void oribi_geometry_permute(const int64_t *values, const int64_t *perm, int32_t n,
                                          int64_t *out)
{
    for (int32_t i = 0; i < n; i++) {
        out[i] = values[perm[i]];
    }
}

/* Does a transpose of these sizes leave every element where it is? Axes of 1 may go anywhere. */
bool oribi_geometry_stays(const int64_t *dims, const int64_t *perm, int32_t n);

#endif
