/* SPDX-License-Identifier: Apache-2.0 */
/* See bias_gelu_f32.h. */
#include "micro/float_rules.h"

#include "micro/binary/bias_gelu_f32.h"
#include "micro/math_f64.h"

static float bias_gelu(float x, float bias)
{
    const float v = x + bias;
    return 0.5F * v * (1.0F + oribi_micro_erf(v * 0.707106781F));
}

#define ORIBI_MICRO_BINARY   oribi_micro_bias_gelu_f32
#define ORIBI_MICRO_OF(x, y) bias_gelu(x, y)
#include "micro/binary/binary_f32_body.h"
