/* SPDX-License-Identifier: Apache-2.0 */
/* Broadcasting, and how operands step while a result is walked in row-major order: axes with a
 * step for each operand, neighbours joined where every operand walks them in one go. No data is
 * moved here. Host half: emitted code never carries it.
 */
#ifndef ORIBI_MICRO_GEOMETRY_GEOMETRY_WALK_H_
#define ORIBI_MICRO_GEOMETRY_GEOMETRY_WALK_H_

#include "micro/dims.h"
#include "micro/geometry/geometry_axes.h"

/* --- Sizes and steps ------------------------------------------------------------------------- */

/* Size i counted from the last; 1 beyond the rank. */
static inline int64_t oribi_geometry_from_last(const int64_t *dims, int32_t n, int32_t i)
{
    return i < n ? dims[n - 1 - i] : 1;
}

/* Row-major steps of a dense value whose elements are `unit` apart. Dimensions of 0 count as 1. */
void oribi_geometry_steps(const int64_t *dims, int32_t n, int64_t unit, int64_t *out);

/* NumPy's rule for a pair of sizes, -1 where one is not known: a known size above 1 must be the
 * result. False: they do not fit. */
bool oribi_geometry_broadcast_dim(int64_t a, int64_t b, int64_t *out);

/* The same for shapes, aligned at their ends; out has room for as many sizes as the longer one has.
 * False: they do not fit. */
bool oribi_geometry_broadcast(const int64_t *a, int32_t n_a, const int64_t *b, int32_t n_b,
                              int64_t *out);

/* Steps of a dense operand over a result of `rank` dimensions: 0 along those that it repeats. */
void oribi_geometry_broadcast_steps(const int64_t *dims, int32_t n, int32_t rank, int64_t *out);

/* --- Walks ----------------------------------------------------------------------------------- */

/* Twice as many axes as a shape has: a tile is walked by its number and by the place in it. */
enum { ORIBI_GEOMETRY_OPERANDS = 3, ORIBI_GEOMETRY_WALK_RANK = 2 * ORIBI_MAX_RANK };

typedef struct oribi_geometry_walk_axis {
    int64_t dim;                              /* of the result */
    int64_t strides[ORIBI_GEOMETRY_OPERANDS]; /* in elements */
} oribi_geometry_walk_axis;

typedef struct oribi_geometry_walk {
    int rank; /* of axes; at least 1 once the walk is closed */
    int n_operands;
    int64_t count; /* elements of the result; written when the walk is closed */
    oribi_geometry_walk_axis axes[ORIBI_GEOMETRY_WALK_RANK];
} oribi_geometry_walk;

/* A walk is opened, gets its axes from the outermost to the innermost one, and is closed. */
void oribi_geometry_walk_open(oribi_geometry_walk *walk, int n_operands);
/* False: the walk is full. strides: one for each operand. */
bool oribi_geometry_walk_add(oribi_geometry_walk *walk, int64_t dim, const int64_t *strides);
/* The axes of `out`, closed: operands broadcast to it. */
void oribi_geometry_walk_broadcast(oribi_geometry_walk *walk, const oribi_dims *out,
                                   const oribi_dims *const *operands, int n_operands);
/* The product of the sizes must fit, or one of them be 0. */
void oribi_geometry_walk_close(oribi_geometry_walk *walk);
/* Drops axes of 1 and joins neighbours that every operand walks in one go. */
void oribi_geometry_walk_collapse(oribi_geometry_walk *walk);
/* The axes of a reduction, those that are kept and those that are summed, each closed and
 * collapsed. n is at most ORIBI_GEOMETRY_WALK_RANK. */
void oribi_geometry_walk_reduce(const int64_t *dims, const int64_t *steps, int32_t n,
                                const oribi_geometry_axes *reduced, oribi_geometry_walk *out_kept,
                                oribi_geometry_walk *out_summed);

#endif
