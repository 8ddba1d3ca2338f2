/* SPDX-License-Identifier: Apache-2.0 */
/* See bias_gelu_f32.h. */
#include "micro/float_rules.h"

#include "micro/binary/bias_gelu_f32.h"
#include "micro/math_f64.h"

void oribi_micro_bias_gelu_f32(const struct oribi_micro_binary_f32_args *args, const float *a,
                               const float *b, float *output)
{
    struct oribi_micro_broadcast_walk walk = {0};
    const int32_t last = args->shape.rank - 1, count = args->shape.dims[last];
    const int32_t a_step = args->shape.a_step[last], b_step = args->shape.b_step[last];
    do {
        for (int32_t i = 0; i < count; i++) {
            const float v = a[walk.a + i * a_step] + b[walk.b + i * b_step];
            *output++ = 0.5F * v * (1.0F + oribi_micro_erf(v * 0.707106781F));
        }
    } while (oribi_micro_broadcast_next(&args->shape, &walk) != 0);
}
