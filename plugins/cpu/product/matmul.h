/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes and shapes of the matrix products, for the reference kernels and the fast ones alike.
 * Read next: matmul.c.
 */
#ifndef ORIBI_PLUGINS_CPU_MATMUL_H_
#define ORIBI_PLUGINS_CPU_MATMUL_H_

#include "cpu/product/epilogue.h"
#include "cpu/base/cpu_shape.h"

typedef struct oribi_matmul_attrs {
    bool transpose_a, transpose_b;
} oribi_matmul_attrs;

/* transpose_a and transpose_b, or adj_x and adj_y, whichever the op has. */
void oribi_matmul_attrs_read(oribi_kit_setup *setup, oribi_matmul_attrs *out);

/* One call: out[batches, m, n] = left[batches, m, k] * right[batches, k, n]; batches broadcast. */
typedef struct oribi_matmul_shapes {
    int64_t m, n, k, batches;
    int64_t left_batches, right_batches; /* matrices that each side holds */
    oribi_dims out;
    oribi_dims left_strides, right_strides; /* of the batch dims, in matrices */
} oribi_matmul_shapes;

/* From inputs 0 and 1; `packed` holds k and n of a right side that was packed, or is NULL. */
bool oribi_matmul_shapes_take(oribi_kit_run *run, const oribi_matmul_attrs *attrs,
                              const int64_t *packed, oribi_matmul_shapes *out);
/* Which matrix of a side, by its strides, belongs to output matrix `batch`. */
int64_t oribi_matmul_batch(const oribi_matmul_shapes *shapes, const oribi_dims *strides,
                           int64_t batch);

#endif
