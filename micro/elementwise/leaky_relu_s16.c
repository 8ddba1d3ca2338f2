/* SPDX-License-Identifier: Apache-2.0 */
/* One scaling for each value. */
#include "micro/elementwise/leaky_relu_s16.h"

#include "micro/fixed_point.h"

void oribi_micro_leaky_relu_s16(const struct oribi_micro_leaky_relu_s16_args *args,
                                const int16_t *input, int16_t *output)
{
    const struct oribi_micro_leaky_relu_s16_args *p = args;
    for (int32_t i = 0; i < p->count; i++) {
        const int32_t x = input[i];
        const int32_t y = x >= 0 ? oribi_micro_scale(x, p->positive_multiplier, p->positive_shift)
                                 : oribi_micro_scale(x, p->negative_multiplier, p->negative_shift);
        output[i] = (int16_t)oribi_micro_clamp(y, INT16_MIN, INT16_MAX);
    }
}
