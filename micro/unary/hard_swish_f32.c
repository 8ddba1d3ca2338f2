/* SPDX-License-Identifier: Apache-2.0 */
/* x * min(max(x + 3, 0), 6) / 6, of each element. */
#include "micro/float_rules.h"

#include "micro/unary/unary_f32.h"

void oribi_micro_hard_swish_f32(const struct oribi_micro_unary_f32_args *args, const float *input,
                                float *output)
{
    for (int32_t i = 0; i < args->count; i++) {
        const float v = input[i], moved = v + 3.0F;
        const float gate = moved < 0.0F ? 0.0F : moved > 6.0F ? 6.0F : moved;
        output[i] = v * gate / 6.0F;
    }
}
