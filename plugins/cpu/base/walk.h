/* SPDX-License-Identifier: Apache-2.0 */
/* Walks a dense output while up to three operands follow with strides of their own: broadcasting,
 * permutations, slices and reversals are all this one walk. Knows no element type.
 */
#ifndef ORIBI_PLUGINS_CPU_WALK_H_
#define ORIBI_PLUGINS_CPU_WALK_H_

#include "cpu/base/cpu_shape.h"
#include "micro/geometry/geometry_walk.h"

typedef oribi_geometry_walk oribi_cpu_walk;
enum { ORIBI_CPU_WALK_OPERANDS = ORIBI_GEOMETRY_OPERANDS };

/* Adds an axis to a walk of one operand; false after failing: the walk is full. */
bool oribi_cpu_walk_add(oribi_kit_run *run, oribi_cpu_walk *walk, int64_t dim, int64_t stride);

/* Part of one innermost line: operand k starts at offsets[k] and steps by
 * axes[rank - 1].strides[k]; the output starts at element `at`, dense. */
typedef void (*oribi_cpu_walk_line)(void *object, const oribi_cpu_walk *walk,
                                    const int64_t *offsets, int64_t at, int64_t count);

/* Output elements [begin, end), line by line. */
void oribi_cpu_walk_run(const oribi_cpu_walk *walk, int64_t begin, int64_t end, void *object,
                        oribi_cpu_walk_line line);

/* Copies operand 0 (from `source`, elements of `width` bytes) to the dense `target`, in parallel.
 * Strides may be negative; source points at the element with all coordinates 0. */
void oribi_cpu_walk_copy(oribi_kit_run *run, oribi_cpu_walk *walk, const void *source, void *target,
                         size_t width);
/* Copies `count` runs of so many bytes, at any address, which lie so many bytes apart. */
void oribi_cpu_copy_each(char *target, int64_t target_step, const char *source, int64_t source_step,
                         int64_t count, size_t bytes);
/* Bytes of an element that may be copied bit by bit; 0 (after failing): strings and handles. */
size_t oribi_cpu_width(oribi_kit_run *run, TF_DataType dtype);

#endif
