/* SPDX-License-Identifier: Apache-2.0 */
/* The broadcast of two shapes, with neighbouring dimensions joined where both inputs allow. */
#include "micro/broadcast_prepare.h"

#include "micro/dims.h"

/* dims of one input, counted from the last; 1 beyond its rank. */
static int32_t dim(const int32_t *dims, int32_t rank, int32_t from_last)
{
    return from_last < rank ? dims[rank - 1 - from_last] : 1;
}

int32_t oribi_micro_broadcast_resolve(const int32_t *a_dims, int32_t a_rank, const int32_t *b_dims,
                                      int32_t b_rank, struct oribi_micro_broadcast *out)
{
    oribi_sizes sizes = {0}, a_steps = {0}, b_steps = {0};
    int64_t a_next = 1, b_next = 1, total = 1;
    const int32_t rank = a_rank > b_rank ? a_rank : b_rank;
    if (rank > ORIBI_MICRO_BROADCAST_RANK) {
        return ORIBI_MICRO_TOO_LARGE;
    }
    for (int32_t i = 0; i < rank; i++) {
        const int32_t a = dim(a_dims, a_rank, i), b = dim(b_dims, b_rank, i);
        if (a < 1 || b < 1 || (a != b && a != 1 && b != 1)) {
            return ORIBI_MICRO_INVALID;
        }
        const int32_t size = a > b ? a : b;
        total *= size;
        if (total > INT32_MAX) {
            return ORIBI_MICRO_TOO_LARGE;
        }
        const int32_t a_step = a == 1 ? 0 : (int32_t)a_next, b_step = b == 1 ? 0 : (int32_t)b_next;
        a_next *= a;
        b_next *= b;
        if (size == 1) {
            continue;
        }
        const int32_t at = sizes.n - 1;
        if (at >= 0 && a_step == a_steps.at[at] * sizes.at[at] &&
            b_step == b_steps.at[at] * sizes.at[at]) {
            sizes.at[at] *= size;
        } else if (!oribi_sizes_add(&sizes, size) || !oribi_sizes_add(&a_steps, a_step) ||
                   !oribi_sizes_add(&b_steps, b_step)) {
            return ORIBI_MICRO_TOO_LARGE;
        }
    }
    if (sizes.n == 0) {
        sizes = a_steps = b_steps = (oribi_sizes){1, {1}};
    }
    const int32_t n = sizes.n;
    out->rank = n;
    for (int32_t i = 0; i < ORIBI_MICRO_BROADCAST_RANK; i++) {
        out->dims[i] = i < n ? sizes.at[n - 1 - i] : 1;
        out->a_step[i] = i < n ? a_steps.at[n - 1 - i] : 0;
        out->b_step[i] = i < n ? b_steps.at[n - 1 - i] : 0;
    }
    return ORIBI_MICRO_OK;
}
