/* SPDX-License-Identifier: Apache-2.0 */
/* Rectifier of uint8 with a slope for each value below zero. */
#include "micro/fixed_point.h"
#include "micro/pairs.h"
#include "micro/elementwise/prelu_q.h"

void oribi_micro_prelu_u8(const struct oribi_micro_prelu_q_args *args, const uint8_t *input,
                          const uint8_t *slopes, uint8_t *output)
{
    const struct oribi_micro_prelu_q_args *p = args;
    struct oribi_micro_pairs at = {0, 0, 0, 0, {{0}, 0, 0}};
    do {
        const int32_t x = input[at.a] - p->input_zero;
        const int32_t y = x >= 0 ? oribi_micro_scale(x, p->positive_multiplier, p->positive_shift)
                                 : oribi_micro_scale(x * (slopes[at.b] - p->slope_zero),
                                                     p->negative_multiplier, p->negative_shift);
        output[at.output] = (uint8_t)oribi_micro_clamp(y + p->output_zero, 0, UINT8_MAX);
    } while (oribi_micro_pairs_next(&p->shape, &at));
}
