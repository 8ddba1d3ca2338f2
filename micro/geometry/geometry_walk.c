/* SPDX-License-Identifier: Apache-2.0 */
/* See geometry_walk.h. */
#include "micro/geometry/geometry_walk.h"

void oribi_geometry_steps(const int64_t *dims, int32_t n, int64_t unit, int64_t *out)
{
    int64_t step = unit;
    for (int32_t i = n - 1; i >= 0; i--) {
        out[i] = step;
        if (dims[i] > 1 && __builtin_mul_overflow(step, dims[i], &step)) {
            step = 0; /* the value is empty: nothing is stepped over */
        }
    }
}

bool oribi_geometry_broadcast_dim(int64_t a, int64_t b, int64_t *out)
{
    if (a < 0 || b < 0) {
        const int64_t known = a < 0 ? b : a;
        *out = known > 1 ? known : -1;
        return true;
    }
    *out = a == 1 ? b : a;
    return a == b || a == 1 || b == 1;
}

bool oribi_geometry_broadcast(const int64_t *a, int32_t n_a, const int64_t *b, int32_t n_b,
                              int64_t *out)
{
    const int32_t rank = n_a > n_b ? n_a : n_b;
    bool fits = true;
    for (int32_t i = 0; i < rank && fits; i++) {
        fits =
            oribi_geometry_broadcast_dim(oribi_geometry_from_last(a, n_a, i),
                                         oribi_geometry_from_last(b, n_b, i), &out[rank - 1 - i]);
    }
    return fits;
}

void oribi_geometry_broadcast_steps(const int64_t *dims, int32_t n, int32_t rank, int64_t *out)
{
    const int32_t lead = rank - n;
    oribi_geometry_steps(dims, n, 1, out + lead);
    for (int32_t i = 0; i < rank; i++) {
        out[i] = i < lead || dims[i - lead] == 1 ? 0 : out[i];
    }
}

void oribi_geometry_walk_open(oribi_geometry_walk *walk, int n_operands)
{
    walk->rank = 0;
    walk->n_operands = n_operands;
    walk->count = 1;
}

bool oribi_geometry_walk_add(oribi_geometry_walk *walk, int64_t dim, const int64_t *strides)
{
    if (walk->rank == ORIBI_GEOMETRY_WALK_RANK) {
        return false;
    }
    oribi_geometry_walk_axis *axis = &walk->axes[walk->rank++];
    axis->dim = dim;
    for (int k = 0; k < walk->n_operands; k++) {
        axis->strides[k] = strides[k];
    }
    return true;
}

void oribi_geometry_walk_close(oribi_geometry_walk *walk)
{
    if (walk->rank == 0) {
        walk->axes[walk->rank++] = (oribi_geometry_walk_axis){1, {0}};
    }
    walk->count = 1;
    for (int i = 0; i < walk->rank && walk->count != 0; i++) {
        walk->count = walk->axes[i].dim == 0 ? 0 : walk->count;
    }
    for (int i = 0; i < walk->rank && walk->count != 0; i++) {
        walk->count *= walk->axes[i].dim;
    }
}

void oribi_geometry_walk_broadcast(oribi_geometry_walk *walk, const oribi_dims *out,
                                   const oribi_dims *const *operands, int n_operands)
{
    oribi_dims steps;
    oribi_geometry_walk_open(walk, n_operands);
    walk->rank = out->n;
    for (int k = 0; k < n_operands; k++) {
        oribi_geometry_broadcast_steps(operands[k]->at, operands[k]->n, out->n, steps.at);
        for (int32_t i = 0; i < out->n; i++) {
            walk->axes[i].dim = out->at[i];
            walk->axes[i].strides[k] = steps.at[i];
        }
    }
    oribi_geometry_walk_close(walk);
}

static bool joins(const oribi_geometry_walk *walk, const oribi_geometry_walk_axis *outer,
                  const oribi_geometry_walk_axis *inner)
{
    int64_t whole = 0;
    bool joins = !__builtin_mul_overflow(outer->dim, inner->dim, &whole);
    for (int k = 0; k < walk->n_operands && joins; k++) {
        joins = !__builtin_mul_overflow(inner->strides[k], inner->dim, &whole) &&
                outer->strides[k] == whole;
    }
    return joins;
}

void oribi_geometry_walk_collapse(oribi_geometry_walk *walk)
{
    int kept = 0;
    for (int i = 0; i < walk->rank; i++) {
        oribi_geometry_walk_axis axis = walk->axes[i];
        if (axis.dim == 1 && (kept > 0 || i + 1 < walk->rank)) {
            continue;
        }
        if (kept > 0 && joins(walk, &walk->axes[kept - 1], &axis)) {
            axis.dim *= walk->axes[--kept].dim;
        }
        walk->axes[kept++] = axis;
    }
    walk->rank = kept;
}

void oribi_geometry_walk_reduce(const int64_t *dims, const int64_t *steps, int32_t n,
                                const oribi_geometry_axes *reduced, oribi_geometry_walk *out_kept,
                                oribi_geometry_walk *out_summed)
{
    oribi_geometry_walk *const walks[] = {out_kept, out_summed};
    for (int k = 0; k < 2; k++) {
        oribi_geometry_walk_open(walks[k], 1);
    }
    for (int32_t i = 0; i < n; i++) {
        (void)oribi_geometry_walk_add(walks[oribi_geometry_has_axis(reduced, i)], dims[i],
                                      &steps[i]); /* n of them fit */
    }
    for (int k = 0; k < 2; k++) {
        oribi_geometry_walk_close(walks[k]);
        oribi_geometry_walk_collapse(walks[k]);
    }
}
