/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes, steps or axes of one value: an array that knows how many it holds. The maximum ranks stand
 * here and nowhere else, and so does the only array of such a length. Host half: for the library,
 * the built-in plugins and the `prepare` halves; emitted code never carries it.
 */
#ifndef ORIBI_MICRO_DIMS_H_
#define ORIBI_MICRO_DIMS_H_

#include <stdbool.h>
#include <stdint.h>

enum {
    ORIBI_MAX_RANK = 16,         /* of values, in passes and in kernels of ours */
    ORIBI_MAX_TENSOR_RANK = 254, /* of TF_Tensor, and of what ops of plugins give */
    ORIBI_MAX_LOWERED_RANK = 8   /* of what emitted code and code on devices computes */
};

/* at[0 .. n-1] are valid, 0 <= n <= ORIBI_MAX_RANK. All zero is rank 0. */
typedef struct oribi_dims {
    int32_t n;
    int64_t at[ORIBI_MAX_RANK];
} oribi_dims;

/* An order of axes, small enough to be kept for every value: at[i] is the axis at place i. */
typedef struct oribi_perm {
    int8_t n; /* 0 <= n <= ORIBI_MAX_RANK; passes give -1 a meaning of theirs */
    int8_t at[ORIBI_MAX_RANK];
} oribi_perm;

/* Appends one; false, and p untouched, when it is full or the axis is none. */
static inline bool oribi_perm_add(oribi_perm *p, int64_t axis)
{
    if (p->n < 0 || p->n >= ORIBI_MAX_RANK || axis < 0 || axis >= ORIBI_MAX_RANK) {
        return false;
    }
    p->at[p->n++] = (int8_t)axis;
    return true;
}

/* The same order as sizes have it. */
static inline oribi_dims oribi_perm_dims(const oribi_perm *p)
{
    oribi_dims wide = {.n = p->n > 0 ? p->n : 0};
    for (int32_t i = 0; i < wide.n; i++) {
        wide.at[i] = p->at[i];
    }
    return wide;
}

/* Sizes as kernels of micro/ take them, of what emitted code computes. */
typedef struct oribi_sizes {
    int32_t n; /* 0 <= n <= ORIBI_MAX_LOWERED_RANK */
    int32_t at[ORIBI_MAX_LOWERED_RANK];
} oribi_sizes;

/* Appends one; false, and s untouched, when it is full or the size is below 0 or above INT32_MAX.
 */
static inline bool oribi_sizes_add(oribi_sizes *s, int64_t size)
{
    if (s->n < 0 || s->n >= ORIBI_MAX_LOWERED_RANK || size < 0 || size > INT32_MAX) {
        return false;
    }
    s->at[s->n++] = (int32_t)size;
    return true;
}

/* n sizes, all equal to `value`; false, and d untouched, unless 0 <= n <= ORIBI_MAX_RANK. */
static inline bool oribi_dims_fill(oribi_dims *d, int32_t n, int64_t value)
{
    if (n < 0 || n > ORIBI_MAX_RANK) {
        return false;
    }
    d->n = n;
    for (int32_t i = 0; i < n; i++) {
        d->at[i] = value;
    }
    return true;
}

/* Copies n sizes; false, and d untouched, when they do not fit. */
static inline bool oribi_dims_set(oribi_dims *d, const int64_t *from, int32_t n)
{
    if (n < 0 || n > ORIBI_MAX_RANK) {
        return false;
    }
    d->n = n;
    for (int32_t i = 0; i < n; i++) {
        d->at[i] = from[i];
    }
    return true;
}

/* Appends one; false, and d untouched, when it is full. */
static inline bool oribi_dims_add(oribi_dims *d, int64_t size)
{
    if (d->n < 0 || d->n >= ORIBI_MAX_RANK) {
        return false;
    }
    d->at[d->n++] = size;
    return true;
}

/* Sizes of a tensor that another's op may give: as many as TF_Tensor has. */
typedef struct oribi_wide_dims {
    int32_t n;
    int64_t at[ORIBI_MAX_TENSOR_RANK];
} oribi_wide_dims;

/* Appends one; false, and d untouched, when it is full. */
static inline bool oribi_wide_dims_add(oribi_wide_dims *d, int64_t size)
{
    if (d->n < 0 || d->n >= ORIBI_MAX_TENSOR_RANK) {
        return false;
    }
    d->at[d->n++] = size;
    return true;
}

/* Product of the sizes; false when one is negative or the product is above PTRDIFF_MAX. 1 for rank
 * 0. */
static inline bool oribi_dims_count(const oribi_dims *d, int64_t *out_count)
{
    int64_t count = 1;
    for (int32_t i = 0; i < d->n; i++) {
        if (d->at[i] < 0) {
            return false;
        }
        if (d->at[i] != 0 && count > (int64_t)PTRDIFF_MAX / d->at[i]) {
            return false;
        }
        count *= d->at[i];
    }
    *out_count = count;
    return true;
}

/* The next multiple of `step`, which is above 0; false, and *out untouched, when n is below 0 or
 * the multiple is above INT64_MAX. */
static inline bool oribi_count_round_up(int64_t n, int64_t step, int64_t *out)
{
    const int64_t missing = n < 0 || n % step == 0 ? 0 : step - n % step;
    if (n < 0 || n > INT64_MAX - missing) {
        return false;
    }
    *out = n + missing;
    return true;
}

/* A size that was computed in floating point, its fraction dropped; false, and *out untouched, for
 * a NaN, below 0, and above 2^53, where doubles no longer tell sizes apart. */
static inline bool oribi_real_to_size(double size, int64_t *out)
{
    if (!(size >= 0) || size > 9007199254740992.0) {
        return false;
    }
    *out = (int64_t)size;
    return true;
}

/* Is it a permutation of 0 .. n-1? */
static inline bool oribi_dims_is_permutation(const oribi_dims *d)
{
    uint32_t seen = 0;
    for (int32_t i = 0; i < d->n; i++) {
        if (d->at[i] < 0 || d->at[i] >= d->n || (seen >> d->at[i] & 1U) != 0) {
            return false;
        }
        seen |= 1U << d->at[i];
    }
    return true;
}

#endif
