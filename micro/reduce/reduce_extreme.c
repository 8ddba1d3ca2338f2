/* SPDX-License-Identifier: Apache-2.0 */
/* All go through 64 bits. */
#include "micro/reduce/reduce_extreme.h"

#include "micro/element.h"
#include "micro/port.h"

void oribi_micro_reduce_extreme(const struct oribi_micro_reduce_extreme_args *args,
                                const void *input, void *output)
{
    const struct oribi_micro_reduce_f32_args *p = &args->walk;
    struct oribi_micro_reduce_walk kept = {0};
    int32_t to = 0;
    do {
        struct oribi_micro_reduce_walk walk = {0};
        int64_t best = oribi_micro_element_get_wide(input, args->kind, kept.at);
        TVMGEN_YIELD();
        do {
            const int64_t x = oribi_micro_element_get_wide(input, args->kind, kept.at + walk.at);
            best = (args->is_least != 0 ? x < best : x > best) ? x : best;
        } while (oribi_micro_reduce_next(p->rank, p->dims, p->step, &walk) != 0);
        oribi_micro_element_set_wide(output, args->kind, to++, best);
    } while (oribi_micro_reduce_next(p->kept_rank, p->kept_dims, p->kept_step, &kept) != 0);
}
