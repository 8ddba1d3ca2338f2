/* SPDX-License-Identifier: Apache-2.0 */
/* Walks a dense output while up to three operands follow with strides of their own: broadcasting,
 * permutations, slices and reversals are all this one walk. Knows no element type.
 */
#ifndef ORIBI_PLUGINS_CPU_WALK_H_
#define ORIBI_PLUGINS_CPU_WALK_H_

#include "cpu/shape.h"

/* Twice as many axes as a shape has: a tile is walked by its number and by the place in it. */
enum { ORIBI_CPU_WALK_OPERANDS = 3, ORIBI_CPU_WALK_RANK = 2 * ORIBI_MAX_RANK };

typedef struct oribi_cpu_walk_axis {
    int64_t dim;                              /* of the output */
    int64_t strides[ORIBI_CPU_WALK_OPERANDS]; /* in elements */
} oribi_cpu_walk_axis;

typedef struct oribi_cpu_walk {
    int rank; /* of axes; at least 1 once the walk is closed */
    int n_operands;
    int64_t count; /* elements of the output */
    oribi_cpu_walk_axis axes[ORIBI_CPU_WALK_RANK];
} oribi_cpu_walk;

/* A walk of one operand is opened, gets its axes from the first to the last, and is closed. Add:
 * false after failing, the walk is full. */
void oribi_cpu_walk_open(oribi_cpu_walk *walk);
bool oribi_cpu_walk_add(oribi_cpu_run *run, oribi_cpu_walk *walk, int64_t dim, int64_t stride);
void oribi_cpu_walk_close(oribi_cpu_walk *walk);

/* Part of one innermost line: operand k starts at offsets[k] and steps by
 * axes[rank - 1].strides[k]; the output starts at element `at`, dense. */
typedef void (*oribi_cpu_walk_line)(void *object, const oribi_cpu_walk *walk,
                                    const int64_t *offsets, int64_t at, int64_t count);

/* Operands that broadcast to `out` by numpy's rules. */
void oribi_cpu_walk_broadcast(oribi_cpu_walk *walk, const oribi_cpu_shape *out,
                              const oribi_cpu_shape *const *operands, int n_operands);
/* Drops dims of 1 and joins neighbours that every operand walks in one go. */
void oribi_cpu_walk_collapse(oribi_cpu_walk *walk);
/* Output elements [begin, end), line by line. */
void oribi_cpu_walk_run(const oribi_cpu_walk *walk, int64_t begin, int64_t end, void *object,
                        oribi_cpu_walk_line line);

/* Copies operand 0 (from `source`, elements of `width` bytes) to the dense `target`, in parallel.
 * Strides may be negative; source points at the element with all coordinates 0. */
void oribi_cpu_walk_copy(oribi_cpu_run *run, oribi_cpu_walk *walk, const void *source, void *target,
                         size_t width);
/* Bytes of an element that may be copied bit by bit; 0 (after failing): strings and handles. */
size_t oribi_cpu_width(oribi_cpu_run *run, TF_DataType dtype);

#endif
