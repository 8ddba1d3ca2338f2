/* SPDX-License-Identifier: Apache-2.0 */
/* Products of int8 or int16, scaled after each factor so that they do not leave 32 bits. */
#include "micro/element.h"
#include "micro/port.h"
#include "micro/reduce/reduce_q.h"
#include "micro/wide.h"

static int32_t product(const struct oribi_micro_reduce_q_args *p, const void *input, int32_t at)
{
    int32_t index[ORIBI_MICRO_REDUCE_Q_RANK] = {0};
    int32_t y = oribi_micro_element_get(input, p->kind, at) - p->zero_sum;
    while (oribi_micro_reduce_q_next(&p->summed, 0, index, &at) != 0) {
        const int32_t x = oribi_micro_element_get(input, p->kind, at) - p->zero_sum;
        y = oribi_micro_scale_wide((int64_t)y * x, p->output_multiplier, p->output_shift);
    }
    return y;
}

void oribi_micro_prod_q(const struct oribi_micro_reduce_q_args *args, const void *input,
                        void *output)
{
    const struct oribi_micro_reduce_q_args *p = args;
    int32_t index[ORIBI_MICRO_REDUCE_Q_RANK] = {0}, at = 0, to = 0;
    do {
        TVMGEN_YIELD();
        const int32_t scaled =
            oribi_micro_scale_wide(product(p, input, at), p->output_multiplier, p->output_shift);
        const int64_t y = (int64_t)scaled + p->output_zero;
        oribi_micro_element_set(output, p->kind, to++,
                                (int32_t)(y < p->low    ? p->low
                                          : y > p->high ? p->high
                                                        : y));
    } while (oribi_micro_reduce_q_next(&p->kept, 0, index, &at) != 0);
}
