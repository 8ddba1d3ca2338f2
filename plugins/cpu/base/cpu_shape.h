/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes as kernels need them: dims of inputs, checked products, axes, integer inputs,
 * broadcasting. Kernels check for themselves, since a shape function may have seen unknown shapes.
 * No data is moved here.
 */
#ifndef ORIBI_PLUGINS_CPU_SHAPE_H_
#define ORIBI_PLUGINS_CPU_SHAPE_H_

#include "cpu/base/cpu.h"

#include "micro/dims.h"
#include "micro/geometry/geometry_window.h"

typedef oribi_dims oribi_cpu_shape;

/* Dims of input `index`; fails when its rank is above ORIBI_MAX_RANK. */
bool oribi_cpu_input_shape(oribi_kit_run *run, int index, oribi_cpu_shape *out);
bool oribi_cpu_tensor_shape(oribi_kit_run *run, const TF_Tensor *tensor, oribi_cpu_shape *out);
bool oribi_cpu_shape_equal(const oribi_cpu_shape *a, const oribi_cpu_shape *b);
/* Product of n dims; fails when one is negative or the product leaves int64. 0 wins over both. */
bool oribi_cpu_count(oribi_kit_run *run, const int64_t *dims, int n, int64_t *out);
/* The same for dims of a tensor that exists, where the product is known to fit. */
int64_t oribi_cpu_product(const int64_t *dims, int n);
/* Dims of a tensor of any rank: for what passes them on and computes nothing with them. */
bool oribi_cpu_wide_dims(oribi_kit_run *run, const TF_Tensor *tensor, oribi_wide_dims *out);
/* Row-major strides in elements. */
void oribi_cpu_strides(const oribi_cpu_shape *shape, oribi_dims *out);
/* "[1,2,3]" into a buffer for messages. */
typedef struct oribi_cpu_text {
    char chars[112];
} oribi_cpu_text;
oribi_cpu_text oribi_cpu_shape_text(const oribi_cpu_shape *shape);

/* oribi_kit_read_ints of input `index`, as many as values have dims. */
bool oribi_cpu_read_dims(oribi_kit_run *run, int index, const char *what, oribi_dims *out);
/* False after failing: an index that was checked has changed while the kernel ran. */
bool oribi_cpu_index_changed(oribi_kit_run *run);
/* Exactly one integer: a scalar or a vector of one. */
bool oribi_cpu_read_int(oribi_kit_run *run, int index, const char *what, int64_t *out);
/* Dims of an output from an integer input: each at least 0. */
bool oribi_cpu_read_shape(oribi_kit_run *run, int index, const char *what, oribi_cpu_shape *out);
/* Turns an axis of [-rank, rank) into [0, rank). */
bool oribi_cpu_axis(oribi_kit_run *run, int64_t axis, int rank, int *out);

/* Slides a window over the axis that `what` names; fails saying what does not fit. Every number
 * that the caller gives is below 2^31 then. */
bool oribi_cpu_slide(oribi_kit_run *run, const char *what, oribi_geometry_window *window);

/* Numpy's rules; fails naming both shapes. */
bool oribi_cpu_broadcast(oribi_kit_run *run, const oribi_cpu_shape *a, const oribi_cpu_shape *b,
                         oribi_cpu_shape *out);
/* Strides in elements with which an operand of shape `in` walks over `out`: 0 along dims that it
 * repeats. `in` must broadcast to `out`. */
void oribi_cpu_broadcast_strides(const oribi_cpu_shape *in, const oribi_cpu_shape *out,
                                 oribi_dims *out_strides);

/* Where an operand of these strides has element i of a broadcast. */
static inline int64_t oribi_cpu_broadcast_place(int64_t i, const oribi_cpu_shape *shape,
                                                const oribi_dims *strides)
{
    int64_t place = 0;
    for (int32_t k = shape->n - 1; k >= 0; k--) {
        place += i % shape->at[k] * strides->at[k];
        i /= shape->at[k];
    }
    return place;
}

#endif
