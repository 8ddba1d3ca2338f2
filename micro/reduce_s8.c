/* SPDX-License-Identifier: Apache-2.0 */
/* For each value of the output a walk over what it sums; no scratch. */
#include "micro/reduce_s8.h"

#include "micro/fixed_point.h"

/* Moves along all dimensions but the last `skip`; false at the end. */
static int32_t next(const struct oribi_micro_reduce_s8_axes *axes, int32_t skip, int32_t *index,
                    const int8_t **at)
{
    for (int32_t k = axes->rank - 1 - skip; k >= 0; k--) {
        *at += axes->step[k];
        if (++index[k] < axes->dims[k]) {
            return 1;
        }
        *at -= axes->step[k] * axes->dims[k];
        index[k] = 0;
    }
    return 0;
}

static int32_t sum(const struct oribi_micro_reduce_s8_axes *axes, const int8_t *from)
{
    const int32_t last = axes->rank - 1, count = axes->dims[last], step = axes->step[last];
    int32_t index[ORIBI_MICRO_REDUCE_S8_RANK] = {0}, total = 0;
    do {
        const int8_t *x = from;
        for (int32_t i = 0; i < count; i++) {
            total += *x;
            x += step;
        }
    } while (next(axes, 1, index, &from));
    return total;
}

void oribi_micro_reduce_s8(const struct oribi_micro_reduce_s8_args *args, const int8_t *input,
                           int8_t *output)
{
    const struct oribi_micro_reduce_s8_args *p = args;
    int32_t index[ORIBI_MICRO_REDUCE_S8_RANK] = {0};
    do {
        const int32_t total = sum(&p->summed, input) - p->zero_sum;
        *output++ = (int8_t)oribi_micro_clamp(
            oribi_micro_scale(total, p->output_multiplier, p->output_shift) + p->output_zero,
            INT8_MIN, INT8_MAX);
    } while (next(&p->kept, 0, index, &input));
}
