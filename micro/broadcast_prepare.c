/* SPDX-License-Identifier: Apache-2.0 */
/* The broadcast of two shapes, with neighbouring dimensions joined where both inputs allow. */
#include "micro/broadcast_prepare.h"

#include "micro/geometry/geometry_walk.h"

#include <stddef.h>

/* Sizes of 1 or more as 64 bits; false for others and for more than 2^31 values. */
static int32_t widen(const int32_t *dims, int32_t rank, oribi_dims *out)
{
    int64_t count = 0;
    out->n = rank;
    for (int32_t i = 0; i < rank; i++) {
        out->at[i] = dims[i];
        if (dims[i] < 1) {
            return ORIBI_MICRO_INVALID;
        }
    }
    return oribi_dims_count(out, &count) && count <= INT32_MAX ? ORIBI_MICRO_OK
                                                               : ORIBI_MICRO_TOO_LARGE;
}

int32_t oribi_micro_broadcast_resolve(const int32_t *a_dims, int32_t a_rank, const int32_t *b_dims,
                                      int32_t b_rank, struct oribi_micro_broadcast *out)
{
    oribi_geometry_walk walk;
    oribi_dims a, b, y;
    const oribi_dims *const operands[] = {&a, &b};
    int64_t count = 0;
    y.n = a_rank > b_rank ? a_rank : b_rank;
    if (y.n > ORIBI_MICRO_BROADCAST_RANK) {
        return ORIBI_MICRO_TOO_LARGE;
    }
    int32_t code = widen(a_dims, a_rank, &a);
    code = code != ORIBI_MICRO_OK ? code : widen(b_dims, b_rank, &b);
    if (code != ORIBI_MICRO_OK) {
        return code;
    }
    if (!oribi_geometry_broadcast(a.at, a.n, b.at, b.n, y.at)) {
        return ORIBI_MICRO_INVALID;
    }
    if (!oribi_dims_count(&y, &count) || count > INT32_MAX) {
        return ORIBI_MICRO_TOO_LARGE;
    }
    oribi_geometry_walk_broadcast(&walk, &y, operands, 2);
    oribi_geometry_walk_collapse(&walk);
    if (count == 1) { /* one value, which kernels take as a dense row */
        walk.axes[0].strides[0] = walk.axes[0].strides[1] = 1;
    }
    out->rank = walk.rank;
    for (int32_t i = 0; i < ORIBI_MICRO_BROADCAST_RANK; i++) {
        const oribi_geometry_walk_axis *axis = i < walk.rank ? &walk.axes[i] : NULL;
        out->dims[i] = axis != NULL ? (int32_t)axis->dim : 1;
        out->a_step[i] = axis != NULL ? (int32_t)axis->strides[0] : 0;
        out->b_step[i] = axis != NULL ? (int32_t)axis->strides[1] : 0;
    }
    return ORIBI_MICRO_OK;
}
