/* SPDX-License-Identifier: Apache-2.0 */
/* Averages of float. */
#include "micro/float_rules.h"

#include "micro/reduce/reduce_f32.h"

void oribi_micro_reduce_mean_f32(const struct oribi_micro_reduce_f32_args *args, const float *input,
                                 float *output)
{
    struct oribi_micro_reduce_walk kept = {0};
    float count = 1.0F;
    for (int32_t k = 0; k < args->rank; k++) {
        count *= (float)args->dims[k];
    }
    do {
        struct oribi_micro_reduce_walk walk = {0};
        float acc = 0.0F;
        do {
            const float v = input[kept.at + walk.at];
            acc = acc + v;
        } while (oribi_micro_reduce_next(args->rank, args->dims, args->step, &walk) != 0);
        *output++ = acc / count;
    } while (oribi_micro_reduce_next(args->kept_rank, args->kept_dims, args->kept_step, &kept) !=
             0);
}
