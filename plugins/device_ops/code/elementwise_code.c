/* SPDX-License-Identifier: Apache-2.0 */
/* Element by element: functions of one operand, and of two with broadcasting. What each computes, a
 * NaN included, is what the CPU's kernel does.
 */
#include "binaries.h"
#include "divide.h"

/* --- One operand: v -------------------------------------------------------------------------- */

#define UNARY(name, result)                                                                        \
    KERNEL2(name, float, z, const float, x, op_count, p)                                           \
    {                                                                                              \
        const int i = GLOBAL_ID(x);                                                                \
        if (i < p.n) {                                                                             \
            const float v = x[i];                                                                  \
            z[i] = (result);                                                                       \
        }                                                                                          \
    }

DEVICE_FUNCTION float op_between(float v, float low, float high)
{
    return v < low ? low : v > high ? high : v;
}

DEVICE_FUNCTION float op_softplus_of(float v)
{
    return log1pf(expf(-fabsf(v))) + (v > 0.0f ? v : 0.0f);
}

DEVICE_FUNCTION float op_gelu_of(float v, float approximate)
{
    return approximate != 0.0f
               ? 0.5f * v * (1.0f + tanhf(0.797884561f * (v + 0.044715f * v * v * v)))
               : 0.5f * v * (1.0f + erff(v * 0.707106781f));
}

UNARY(op_relu, v < 0.0f ? 0.0f : v)
UNARY(op_relu6, op_between(v, 0.0f, 6.0f))
UNARY(op_leaky_relu, v < 0.0f ? p.alpha * v : v)
UNARY(op_elu, v < 0.0f ? expm1f(v) : v)
UNARY(op_selu, v < 0.0f ? 1.75809934f * expm1f(v) : 1.05070099f * v)
UNARY(op_celu, v > 0.0f ? v : p.alpha * expm1f(v / p.alpha))
UNARY(op_sigmoid, 1.0f / (1.0f + expf(-v)))
UNARY(op_tanh, tanhf(v))
UNARY(op_softplus, op_softplus_of(v))
UNARY(op_softsign, v / (1.0f + fabsf(v)))
UNARY(op_mish, v *tanhf(op_softplus_of(v)))
UNARY(op_gelu, op_gelu_of(v, p.alpha))
UNARY(op_hard_sigmoid, op_between(p.alpha *v + p.beta, 0.0f, 1.0f))
UNARY(op_hard_swish, v *op_between(v / 6.0f + 0.5f, 0.0f, 1.0f))
UNARY(op_thresholded_relu, v > p.alpha || v != v ? v : 0.0f)
UNARY(op_exp, expf(v))
UNARY(op_expm1, expm1f(v))
UNARY(op_log, logf(v))
UNARY(op_log1p, log1pf(v))
UNARY(op_neg, -v)
UNARY(op_abs, fabsf(v))
UNARY(op_sqrt, sqrtf(v))
UNARY(op_rsqrt, rsqrtf(v))
UNARY(op_square, v *v)
UNARY(op_reciprocal, 1.0f / v)
UNARY(op_floor, floorf(v))
UNARY(op_ceil, ceilf(v))
UNARY(op_round, rintf(v))
UNARY(op_sign, v > 0.0f ? 1.0f : v < 0.0f ? -1.0f : v)
UNARY(op_sin, sinf(v))
UNARY(op_cos, cosf(v))
UNARY(op_erf, erff(v))

/* Not above high, then not below low: a NaN stays. */
KERNEL4(op_clip_by_value, float, z, const float, x, const float, low, const float, high, op_clip, p)
{
    const int i = GLOBAL_ID(x);
    if (i < p.n) {
        const float l = low[i * p.low_step], h = high[i * p.high_step];
        float v = x[i];
        v = v < h || v != v ? v : h;
        z[i] = v > l || v != v ? v : l;
    }
}

/* --- Two operands: a and b ------------------------------------------------------------------- */

#define BINARY(name, result)                                                                       \
    KERNEL3(name, float, z, const float, x, const float, y, op_walk, w)                            \
    {                                                                                              \
        const int i = GLOBAL_ID(x);                                                                \
        if (i >= w.n) {                                                                            \
            return;                                                                                \
        }                                                                                          \
        int rest = i, at_x = 0, at_y = 0;                                                          \
        for (int k = w.rank - 1; k > 0; k--) {                                                     \
            const int whole = op_divide(rest, w.by_dims[k]);                                       \
            const int index = rest - whole * w.dims[k];                                            \
            rest = whole;                                                                          \
            at_x += index * w.x[k];                                                                \
            at_y += index * w.y[k];                                                                \
        }                                                                                          \
        const float a = x[at_x + rest * w.x[0]], b = y[at_y + rest * w.y[0]];                      \
        z[i] = (result);                                                                           \
    }

OP_BINARIES(BINARY)
