/* SPDX-License-Identifier: Apache-2.0 */
/* Joins neighbouring dimensions of a box, and checks that it stays in the input. */
#include "micro/move/move_prepare.h"

#include "micro/geometry/geometry_walk.h"

static int32_t check(const struct oribi_micro_move_spec *s)
{
    int64_t count = 1, lowest = s->start, highest = s->start;
    if (s->element_bytes < 1 || s->rank < 0 || s->in_count < 1) {
        return ORIBI_MICRO_INVALID;
    }
    if (s->in_count > INT32_MAX / s->element_bytes) {
        return ORIBI_MICRO_TOO_LARGE;
    }
    for (int32_t i = 0; i < s->rank; i++) {
        if (s->dims[i] < 1 || s->steps[i] > s->in_count || s->steps[i] < -s->in_count) {
            return ORIBI_MICRO_INVALID;
        }
        count *= s->dims[i];
        if (count > INT32_MAX / s->element_bytes) {
            return ORIBI_MICRO_TOO_LARGE;
        }
        const int64_t reach = (s->dims[i] - 1) * s->steps[i];
        lowest += reach < 0 ? reach : 0;
        highest += reach > 0 ? reach : 0;
    }
    return lowest >= 0 && highest < s->in_count ? ORIBI_MICRO_OK : ORIBI_MICRO_INVALID;
}

int32_t oribi_micro_move_prepare(const struct oribi_micro_move_spec *spec,
                                 struct oribi_micro_move_args *args)
{
    const struct oribi_micro_move_spec *s = spec;
    oribi_geometry_walk walk;
    int64_t run = 1;
    const int32_t code = check(s);
    if (code != ORIBI_MICRO_OK) {
        return code;
    }
    oribi_geometry_walk_open(&walk, 1);
    for (int32_t i = 0; i < s->rank; i++) {
        if (!oribi_geometry_walk_add(&walk, s->dims[i], &s->steps[i])) {
            return ORIBI_MICRO_TOO_LARGE;
        }
    }
    oribi_geometry_walk_close(&walk);
    oribi_geometry_walk_collapse(&walk);
    const oribi_geometry_walk_axis *last = &walk.axes[walk.rank - 1];
    if (last->strides[0] == 1 || last->dim == 1) { /* one run of neighbours */
        run = last->dim;
        walk.rank--;
    }
    if (walk.rank > ORIBI_MICRO_MOVE_RANK) {
        return ORIBI_MICRO_TOO_LARGE;
    }
    const int32_t n = walk.rank;
    args->rank = n > 0 ? n : 1;
    for (int32_t i = 0; i < ORIBI_MICRO_MOVE_RANK; i++) {
        args->dims[i] = i < n ? (int32_t)walk.axes[i].dim : 1;
        args->step[i] = i < n ? (int32_t)(walk.axes[i].strides[0] * s->element_bytes) : 0;
    }
    args->start = (int32_t)(s->start * s->element_bytes);
    args->run_bytes = (int32_t)(run * s->element_bytes);
    return ORIBI_MICRO_OK;
}
