/* SPDX-License-Identifier: Apache-2.0 */
/* Dimensions from the last one on; neighbours are joined where all three inputs allow. */
#include "micro/select_prepare.h"

#include "micro/dims.h"

enum { N = ORIBI_MICRO_SELECT_INPUTS, RANK = ORIBI_MICRO_SELECT_RANK, MOST = 1 << 28 };

struct joined {
    oribi_sizes sizes, steps[N]; /* the last dimension first */
};

/* Adds a dimension in front. False: there are too many. */
static bool add(struct joined *j, int32_t size, const int32_t steps[N])
{
    const int32_t last = j->sizes.n - 1;
    bool joins = last >= 0;
    for (int32_t k = 0; k < N && joins; k++) {
        joins = steps[k] == j->steps[k].at[last] * j->sizes.at[last];
    }
    if (joins) {
        j->sizes.at[last] *= size;
        return true;
    }
    bool fits = j->sizes.n < RANK && oribi_sizes_add(&j->sizes, size);
    for (int32_t k = 0; k < N && fits; k++) {
        fits = oribi_sizes_add(&j->steps[k], steps[k]);
    }
    return fits;
}

/* Dimension i from the last; its size and how far each input steps. */
static int32_t meet(const struct oribi_micro_shape shapes[N], int32_t i, int64_t strides[N],
                    int32_t *out_size, int32_t out_steps[N])
{
    *out_size = 1;
    for (int32_t k = 0; k < N; k++) {
        const struct oribi_micro_shape *s = &shapes[k];
        const int32_t dim = i < s->rank ? s->dims[s->rank - 1 - i] : 1;
        if (dim < 1 || (dim != 1 && *out_size != 1 && dim != *out_size)) {
            return ORIBI_MICRO_INVALID;
        }
        *out_size = dim > *out_size ? dim : *out_size;
        out_steps[k] = dim == 1 ? 0 : (int32_t)strides[k];
        strides[k] *= dim;
        if (strides[k] > MOST) {
            return ORIBI_MICRO_TOO_LARGE;
        }
    }
    return ORIBI_MICRO_OK;
}

int32_t oribi_micro_select_resolve(const struct oribi_micro_shape shapes[ORIBI_MICRO_SELECT_INPUTS],
                                   struct oribi_micro_select_args *args)
{
    struct joined j = {.sizes = {0}};
    int64_t strides[N] = {1, 1, 1}, total = 1;
    int32_t rank = 0;
    for (int32_t k = 0; k < N; k++) {
        rank = shapes[k].rank > rank ? shapes[k].rank : rank;
    }
    for (int32_t i = 0; i < rank; i++) {
        int32_t size, steps[N];
        const int32_t code = meet(shapes, i, strides, &size, steps);
        if (code != ORIBI_MICRO_OK) {
            return code;
        }
        total *= size;
        if (total > MOST || (size > 1 && !add(&j, size, steps))) {
            return ORIBI_MICRO_TOO_LARGE;
        }
    }
    if (j.sizes.n == 0) {
        const int32_t no_steps[N] = {0};
        (void)add(&j, 1, no_steps); /* the first always fits */
    }
    args->rank = j.sizes.n;
    for (int32_t i = 0; i < RANK; i++) {
        const int32_t from = j.sizes.n - 1 - i;
        args->dims[i] = from >= 0 ? j.sizes.at[from] : 1;
        args->condition_step[i] = from >= 0 ? j.steps[0].at[from] : 0;
        args->yes_step[i] = from >= 0 ? j.steps[1].at[from] : 0;
        args->no_step[i] = from >= 0 ? j.steps[2].at[from] : 0;
    }
    return ORIBI_MICRO_OK;
}
