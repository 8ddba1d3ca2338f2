/* SPDX-License-Identifier: Apache-2.0 */
/* One root of float32 for each value. */
#include "micro/float_rules.h"

#include "micro/unary/sqrt_s16.h"
#include "micro/math_f32.h"

void oribi_micro_sqrt_s16(const struct oribi_micro_sqrt_s16_args *args, const int16_t *input,
                          int16_t *output)
{
    for (int32_t i = 0; i < args->count; i++) {
        const float x = input[i] > 0 ? args->input_scale * (float)input[i] : 0.0F;
        const float steps = oribi_micro_sqrt(x) / args->output_scale;
        output[i] = steps >= 32767.0F ? INT16_MAX : (int16_t)steps;
    }
}
