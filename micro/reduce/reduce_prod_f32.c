/* SPDX-License-Identifier: Apache-2.0 */
/* Products of float. */
#include "micro/float_rules.h"

#include "micro/reduce/reduce_f32.h"

void oribi_micro_reduce_prod_f32(const struct oribi_micro_reduce_f32_args *args, const float *input,
                                 float *output)
{
    struct oribi_micro_reduce_walk kept = {0};
    do {
        struct oribi_micro_reduce_walk walk = {0};
        float acc = 1.0F;
        do {
            const float v = input[kept.at + walk.at];
            acc = acc * v;
        } while (oribi_micro_reduce_next(args->rank, args->dims, args->step, &walk) != 0);
        *output++ = acc;
    } while (oribi_micro_reduce_next(args->kept_rank, args->kept_dims, args->kept_step, &kept) !=
             0);
}
