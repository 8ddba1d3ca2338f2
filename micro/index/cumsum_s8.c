/* SPDX-License-Identifier: Apache-2.0 */
/* Line by line; elements enter the sum with 20 more bits, so that the scale is applied to them all
 * together.
 */
#include "micro/index/cumsum_s8.h"

#include "micro/fixed_point.h"

void oribi_micro_cumsum_s8(const struct oribi_micro_cumsum_s8_args *args, const int8_t *input,
                           int8_t *output)
{
    const struct oribi_micro_cumsum_s8_args *p = args;
    const int32_t step = p->reverse != 0 ? -p->inner : p->inner;
    for (int32_t line = 0; line < p->outer * p->inner; line++) {
        int32_t at = line / p->inner * p->n * p->inner + line % p->inner, sum = p->start;
        at += p->reverse != 0 ? (p->n - 1) * p->inner : 0;
        for (int32_t i = 0; i < p->n; i++, at += step) {
            const int32_t before = sum;
            const int32_t x = (input[at] - p->input_zero) * (1 << 20);
            sum =
                (int32_t)((uint32_t)sum + (uint32_t)oribi_micro_scale(x, p->multiplier, p->shift));
            const int32_t y = oribi_micro_scale(p->exclusive != 0 ? before : sum,
                                                p->output_multiplier, p->output_shift);
            output[at] = (int8_t)oribi_micro_clamp(y + p->output_zero, INT8_MIN, INT8_MAX);
        }
    }
}
