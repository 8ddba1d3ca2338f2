/* SPDX-License-Identifier: Apache-2.0 */
/* Sums and means of uint8 or int16: for each value of the output a walk over what it sums. */
#include "micro/element.h"
#include "micro/fixed_point.h"
#include "micro/port.h"
#include "micro/reduce/reduce_q.h"

static int32_t sum(const struct oribi_micro_reduce_q_args *p, const void *input, int32_t at)
{
    int32_t index[ORIBI_MICRO_REDUCE_Q_RANK] = {0}, total = -p->zero_sum;
    do {
        total += oribi_micro_element_get(input, p->kind, at);
    } while (oribi_micro_reduce_q_next(&p->summed, 0, index, &at) != 0);
    return total;
}

void oribi_micro_wide_reduce(const struct oribi_micro_reduce_q_args *args, const void *input,
                             void *output)
{
    const struct oribi_micro_reduce_q_args *p = args;
    int32_t index[ORIBI_MICRO_REDUCE_Q_RANK] = {0}, at = 0, to = 0;
    do {
        TVMGEN_YIELD();
        const int32_t scaled =
            oribi_micro_scale(sum(p, input, at), p->output_multiplier, p->output_shift);
        oribi_micro_element_set(output, p->kind, to++,
                                oribi_micro_clamp(scaled + p->output_zero, p->low, p->high));
    } while (oribi_micro_reduce_q_next(&p->kept, 0, index, &at) != 0);
}
