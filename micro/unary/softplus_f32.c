/* SPDX-License-Identifier: Apache-2.0 */
/* log(1 + exp(x)), of each element. */
#include "micro/float_rules.h"

#include "micro/math_f32.h"
#include "micro/unary/unary_f32.h"

void oribi_micro_softplus_f32(const struct oribi_micro_unary_f32_args *args, const float *input,
                              float *output)
{
    for (int32_t i = 0; i < args->count; i++) {
        const float v = input[i];
        output[i] =
            (v > 0.0F ? v : 0.0F) + oribi_micro_log1p(oribi_micro_exp(-oribi_micro_magnitude(v)));
    }
}
