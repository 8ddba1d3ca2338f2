/* SPDX-License-Identifier: Apache-2.0 */
/* See device_walk.h. */
#include "device_ops/device_walk.h"

#include "micro/geometry/geometry_walk.h"

void walk_strides(const oribi_dims *dims, int32_t *strides)
{
    oribi_dims wide;
    oribi_geometry_broadcast_steps(dims->at, dims->n, dims->n, wide.at);
    for (int i = 0; i < dims->n; i++) {
        strides[i] = (int32_t)wide.at[i];
    }
}

op_divisor walk_divisor(int32_t value)
{
    op_divisor d = {0};
    while (value > 0 && (INT64_C(1) << d.shift) < value) {
        d.shift++;
    }
    if (value > 0) {
        const uint64_t rest = (UINT64_C(1) << d.shift) - (uint64_t)value;
        d.multiplier = (uint32_t)((rest << 32) / (uint64_t)value + 1);
    }
    return d;
}

void walk_close(op_walk *w, const oribi_dims *dims)
{
    oribi_geometry_walk walk;
    oribi_geometry_walk_open(&walk, 2);
    for (int i = 0; i < dims->n; i++) {
        const int64_t strides[2] = {w->x[i], w->y[i]};
        (void)oribi_geometry_walk_add(&walk, dims->at[i], strides); /* room for more than these */
    }
    oribi_geometry_walk_close(&walk);
    oribi_geometry_walk_collapse(&walk);
    for (int i = 0; i < walk.rank; i++) {
        const oribi_geometry_walk_axis *axis = &walk.axes[i];
        w->dims[i] = (int32_t)axis->dim;
        w->x[i] = axis->dim == 1 ? 0 : (int32_t)axis->strides[0];
        w->y[i] = axis->dim == 1 ? 0 : (int32_t)axis->strides[1];
        w->by_dims[i] = walk_divisor(w->dims[i]);
    }
    w->rank = walk.rank;
    w->n = (int32_t)walk.count;
}

bool walk_broadcast(op_request *r, op_walk *w)
{
    oribi_dims x, y, dims, steps;
    if (!op_dims(r, r->x, &x) || !op_dims(r, r->y, &y)) {
        return false;
    }
    dims.n = x.n > y.n ? x.n : y.n;
    if (!oribi_geometry_broadcast(x.at, x.n, y.at, y.n, dims.at)) {
        return op_refuse(r, TF_INVALID_ARGUMENT, "the shapes do not broadcast");
    }
    if (!op_output(r, &dims)) {
        return false;
    }
    oribi_geometry_broadcast_steps(x.at, x.n, dims.n, steps.at);
    for (int i = 0; i < dims.n; i++) {
        w->x[i] = (int32_t)steps.at[i];
    }
    oribi_geometry_broadcast_steps(y.at, y.n, dims.n, steps.at);
    for (int i = 0; i < dims.n; i++) {
        w->y[i] = (int32_t)steps.at[i];
    }
    walk_close(w, &dims);
    return true;
}
