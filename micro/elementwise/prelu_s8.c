/* SPDX-License-Identifier: Apache-2.0 */
/* Row by row of the broadcast. */
#include "micro/elementwise/prelu_q.h"

#include "micro/fixed_point.h"

void oribi_micro_prelu_s8(const struct oribi_micro_prelu_q_args *args, const int8_t *input,
                          const int8_t *slopes, int8_t *output)
{
    const struct oribi_micro_prelu_q_args *p = args;
    struct oribi_micro_broadcast_walk walk = {0};
    const int32_t last = p->shape.rank - 1, count = p->shape.dims[last];
    do {
        const int8_t *from = input + walk.a, *slope = slopes + walk.b;
        for (int32_t i = 0; i < count; i++) {
            const int32_t x = *from - p->input_zero;
            const int32_t y = x >= 0
                                  ? oribi_micro_scale(x, p->positive_multiplier, p->positive_shift)
                                  : oribi_micro_scale(x * (*slope - p->slope_zero),
                                                      p->negative_multiplier, p->negative_shift);
            output[i] = (int8_t)oribi_micro_clamp(y + p->output_zero, INT8_MIN, INT8_MAX);
            from += p->shape.a_step[last];
            slope += p->shape.b_step[last];
        }
        output += count;
    } while (oribi_micro_broadcast_next(&p->shape, &walk) != 0);
}
