/* SPDX-License-Identifier: Apache-2.0 */
/* Minima of float. */
#include "micro/float_rules.h"

#include "micro/math_f32.h"
#include "micro/reduce/reduce_f32.h"

void oribi_micro_reduce_min_f32(const struct oribi_micro_reduce_f32_args *args, const float *input,
                                float *output)
{
    struct oribi_micro_reduce_walk kept = {0};
    do {
        struct oribi_micro_reduce_walk walk = {0};
        float acc = oribi_micro_from_bits(UINT32_C(0x7f800000));
        do {
            const float v = input[kept.at + walk.at];
            acc = v < acc || v != v ? v : acc;
        } while (oribi_micro_reduce_next(args->rank, args->dims, args->step, &walk) != 0);
        *output++ = acc;
    } while (oribi_micro_reduce_next(args->kept_rank, args->kept_dims, args->kept_step, &kept) !=
             0);
}
