/* SPDX-License-Identifier: Apache-2.0 */
/* Dimensions from the last one on; neighbours are joined where all three inputs allow. */
#include "micro/move/select_prepare.h"

#include "micro/geometry/geometry_walk.h"

#include <stddef.h>

enum { N = ORIBI_MICRO_SELECT_INPUTS, RANK = ORIBI_MICRO_SELECT_RANK, MOST = 1 << 28 };

/* The sizes of an input, and those of all so far, which it broadcasts. */
static int32_t meet(const struct oribi_micro_shape *s, oribi_dims *out, oribi_dims *all)
{
    int64_t count = 0;
    const oribi_dims before = *all;
    out->n = s->rank;
    for (int32_t i = 0; i < s->rank; i++) {
        out->at[i] = s->dims[i];
        if (s->dims[i] < 1) {
            return ORIBI_MICRO_INVALID;
        }
    }
    all->n = before.n > out->n ? before.n : out->n;
    if (!oribi_geometry_broadcast(before.at, before.n, out->at, out->n, all->at)) {
        return ORIBI_MICRO_INVALID;
    }
    return oribi_dims_count(all, &count) && count <= MOST ? ORIBI_MICRO_OK : ORIBI_MICRO_TOO_LARGE;
}

int32_t oribi_micro_select_resolve(const struct oribi_micro_shape shapes[ORIBI_MICRO_SELECT_INPUTS],
                                   struct oribi_micro_select_args *args)
{
    oribi_geometry_walk walk;
    oribi_dims dims[N], all = {0};
    const oribi_dims *const operands[N] = {&dims[0], &dims[1], &dims[2]};
    for (int32_t k = 0; k < N; k++) {
        const int32_t code = shapes[k].rank > ORIBI_MAX_RANK ? ORIBI_MICRO_TOO_LARGE
                                                             : meet(&shapes[k], &dims[k], &all);
        if (code != ORIBI_MICRO_OK) {
            return code;
        }
    }
    oribi_geometry_walk_broadcast(&walk, &all, operands, N);
    oribi_geometry_walk_collapse(&walk);
    if (walk.rank > RANK) {
        return ORIBI_MICRO_TOO_LARGE;
    }
    args->rank = walk.rank;
    for (int32_t i = 0; i < RANK; i++) {
        const oribi_geometry_walk_axis *axis = i < walk.rank ? &walk.axes[i] : NULL;
        args->dims[i] = axis != NULL ? (int32_t)axis->dim : 1;
        args->condition_step[i] = axis != NULL ? (int32_t)axis->strides[0] : 0;
        args->yes_step[i] = axis != NULL ? (int32_t)axis->strides[1] : 0;
        args->no_step[i] = axis != NULL ? (int32_t)axis->strides[2] : 0;
    }
    return ORIBI_MICRO_OK;
}
