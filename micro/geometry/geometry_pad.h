/* SPDX-License-Identifier: Apache-2.0 */
/* How large a dimension is with a border, and what borders a mirror can fill. Host half: emitted
 * code never carries it.
 */
#ifndef ORIBI_MICRO_GEOMETRY_GEOMETRY_PAD_H_
#define ORIBI_MICRO_GEOMETRY_GEOMETRY_PAD_H_

#include <stdbool.h>
#include <stdint.h>

/* What fills a border: a value, or the input mirrored with its edge element (SYMMETRIC) or without
 * it (REFLECT). */
typedef enum oribi_geometry_border {
    ORIBI_GEOMETRY_VALUE,
    ORIBI_GEOMETRY_SYMMETRIC,
    ORIBI_GEOMETRY_REFLECT
} oribi_geometry_border;

/* The longest border that a dimension of `dim`, which is known, can fill. */
static inline int64_t oribi_geometry_longest_border(int64_t dim, oribi_geometry_border border)
{
    return border == ORIBI_GEOMETRY_VALUE ? INT64_MAX : dim - (border == ORIBI_GEOMETRY_REFLECT);
}

/* The size with borders; -1 for a dimension of -1, which is not known. False, and *out untouched:
 * a border is negative or longer than can be filled, or the size leaves 63 bits. */
static inline bool oribi_geometry_pad(int64_t dim, int64_t before, int64_t after,
                                      oribi_geometry_border border, int64_t *out)
{
    int64_t size = 0;
    const int64_t longest = dim < 0 ? INT64_MAX : oribi_geometry_longest_border(dim, border);
    if (before < 0 || after < 0 || before > longest || after > longest) {
        return false;
    }
    if (dim >= 0 && (__builtin_add_overflow(dim, before, &size) ||
                     __builtin_add_overflow(size, after, &size))) {
        return false;
    }
    *out = dim < 0 ? -1 : size;
    return true;
}

#endif
