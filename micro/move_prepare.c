/* SPDX-License-Identifier: Apache-2.0 */
/* Joins neighbouring dimensions of a box, and checks that it stays in the input. */
#include "micro/move_prepare.h"

#include "micro/dims.h"

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
    oribi_dims dims = {0}, steps = {0};
    int64_t run = 1;
    const int32_t code = check(s);
    if (code != ORIBI_MICRO_OK) {
        return code;
    }
    for (int32_t i = s->rank - 1; i >= 0; i--) { /* dims.n counts from the last dimension */
        const int32_t n = dims.n;
        if (s->dims[i] == 1) {
            continue;
        }
        if (n == 0 && s->steps[i] == run) {
            run *= s->dims[i];
        } else if (n > 0 && s->steps[i] == steps.at[n - 1] * dims.at[n - 1]) {
            dims.at[n - 1] *= s->dims[i];
        } else if (n == ORIBI_MICRO_MOVE_RANK || !oribi_dims_add(&dims, s->dims[i]) ||
                   !oribi_dims_add(&steps, s->steps[i])) {
            return ORIBI_MICRO_TOO_LARGE;
        }
    }
    const int32_t n = dims.n;
    args->rank = n > 0 ? n : 1;
    for (int32_t i = 0; i < ORIBI_MICRO_MOVE_RANK; i++) {
        args->dims[i] = i < n ? (int32_t)dims.at[n - 1 - i] : 1;
        args->step[i] = i < n ? (int32_t)(steps.at[n - 1 - i] * s->element_bytes) : 0;
    }
    args->start = (int32_t)(s->start * s->element_bytes);
    args->run_bytes = (int32_t)(run * s->element_bytes);
    return ORIBI_MICRO_OK;
}
