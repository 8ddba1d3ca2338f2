/* SPDX-License-Identifier: Apache-2.0 */
/* Row by row of the broadcast, of uint8 or int16. */
#include "micro/elementwise/prelu_q.h"

#include "micro/element.h"
#include "micro/fixed_point.h"

void oribi_micro_wide_prelu(const struct oribi_micro_prelu_q_args *args, const void *input,
                            const void *slopes, void *output)
{
    const struct oribi_micro_prelu_q_args *p = args;
    struct oribi_micro_broadcast_walk walk = {0};
    const int32_t last = p->shape.rank - 1, count = p->shape.dims[last];
    int32_t to = 0;
    do {
        int32_t from = walk.a, slope = walk.b;
        for (int32_t i = 0; i < count; i++) {
            const int32_t x = oribi_micro_element_get(input, p->kind, from) - p->input_zero;
            const int32_t by =
                oribi_micro_element_get(slopes, p->slope_kind, slope) - p->slope_zero;
            const int32_t y =
                x >= 0 ? oribi_micro_scale(x, p->positive_multiplier, p->positive_shift)
                       : oribi_micro_scale(x * by, p->negative_multiplier, p->negative_shift);
            oribi_micro_element_set(output, p->kind, to++,
                                    oribi_micro_clamp(y + p->output_zero, p->low, p->high));
            from += p->shape.a_step[last];
            slope += p->shape.b_step[last];
        }
    } while (oribi_micro_broadcast_next(&p->shape, &walk) != 0);
}
