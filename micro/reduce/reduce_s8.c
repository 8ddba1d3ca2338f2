/* SPDX-License-Identifier: Apache-2.0 */
/* For each value of the output a walk over what it sums; no scratch. */
#include "micro/reduce/reduce_q.h"

#include "micro/fixed_point.h"

static int32_t sum(const struct oribi_micro_reduce_q_axes *axes, const int8_t *from)
{
    const int32_t last = axes->rank - 1, count = axes->dims[last], step = axes->step[last];
    int32_t index[ORIBI_MICRO_REDUCE_Q_RANK] = {0}, total = 0, at = 0;
    do {
        const int8_t *x = from + at;
        for (int32_t i = 0; i < count; i++) {
            total += *x;
            x += step;
        }
    } while (oribi_micro_reduce_q_next(axes, 1, index, &at) != 0);
    return total;
}

void oribi_micro_reduce_s8(const struct oribi_micro_reduce_q_args *args, const int8_t *input,
                           int8_t *output)
{
    const struct oribi_micro_reduce_q_args *p = args;
    int32_t index[ORIBI_MICRO_REDUCE_Q_RANK] = {0}, at = 0;
    do {
        const int32_t total = sum(&p->summed, input + at) - p->zero_sum;
        *output++ = (int8_t)oribi_micro_clamp(
            oribi_micro_scale(total, p->output_multiplier, p->output_shift) + p->output_zero,
            INT8_MIN, INT8_MAX);
    } while (oribi_micro_reduce_q_next(&p->kept, 0, index, &at) != 0);
}
