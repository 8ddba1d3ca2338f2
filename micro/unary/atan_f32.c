/* SPDX-License-Identifier: Apache-2.0 */
/* Arctangent, of each element. */
#include "micro/float_rules.h"

#include "micro/arc.h"
#include "micro/unary/unary_f32.h"

void oribi_micro_atan_f32(const struct oribi_micro_unary_f32_args *args, const float *input,
                          float *output)
{
    for (int32_t i = 0; i < args->count; i++) {
        const float v = input[i];
        output[i] = oribi_micro_atan2(v, 1.0F);
    }
}
