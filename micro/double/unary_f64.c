/* SPDX-License-Identifier: Apache-2.0 */
/* See unary_f64.h. */
#include "micro/float_rules.h"

#include "micro/port.h"
#include "micro/trig_double.h"
#include "micro/double/unary_f64.h"

static double negative_part(double v)
{
    return v < 0.0 ? oribi_micro_double_expm1(v) : v;
}

static double bound(double v, double high)
{
    return v < 0.0 ? 0.0 : v > high ? high : v;
}

/* Of sums, products and roundings alone. */
static double plain(int32_t function, double v, double alpha)
{
    switch (function) {
    case ORIBI_MICRO_F64_ABS:
        return oribi_micro_double_magnitude(v);
    case ORIBI_MICRO_F64_CEIL:
        return oribi_micro_double_ceil(v);
    case ORIBI_MICRO_F64_FLOOR:
        return oribi_micro_double_floor(v);
    case ORIBI_MICRO_F64_HARD_SWISH:
        return v * bound(v + 3.0, 6.0) / 6.0;
    case ORIBI_MICRO_F64_LEAKY_RELU:
        return v < 0.0 ? v * alpha : v;
    case ORIBI_MICRO_F64_NEG:
        return -v;
    case ORIBI_MICRO_F64_RECIPROCAL:
        return 1.0 / v;
    case ORIBI_MICRO_F64_RELU:
        return v < 0.0 ? 0.0 : v;
    case ORIBI_MICRO_F64_RELU6:
        return bound(v, 6.0);
    case ORIBI_MICRO_F64_ROUND:
        return oribi_micro_double_round_even(v);
    case ORIBI_MICRO_F64_SIGN:
        return v > 0.0 ? 1.0 : v < 0.0 ? -1.0 : v;
    case ORIBI_MICRO_F64_SOFTSIGN:
        return v / (1.0 + oribi_micro_double_magnitude(v));
    default:
        return v * v;
    }
}

static double compute(int32_t function, double v, double alpha)
{
    switch (function) {
    case ORIBI_MICRO_F64_COS:
        return oribi_micro_double_cos(v);
    case ORIBI_MICRO_F64_ELU:
        return negative_part(v);
    case ORIBI_MICRO_F64_ERF:
        return oribi_micro_double_erf(v);
    case ORIBI_MICRO_F64_EXP:
        return oribi_micro_double_exp(v);
    case ORIBI_MICRO_F64_LOG:
        return oribi_micro_double_log(v);
    case ORIBI_MICRO_F64_RSQRT:
        return 1.0 / oribi_micro_double_sqrt(v);
    case ORIBI_MICRO_F64_SELU: /* the constants of self-normalising networks */
        return 1.0507009873554805 * (v < 0.0 ? 1.6732632423543772 * negative_part(v) : v);
    case ORIBI_MICRO_F64_SIGMOID:
        return oribi_micro_double_sigmoid(v);
    case ORIBI_MICRO_F64_SIN:
        return oribi_micro_double_sin(v);
    case ORIBI_MICRO_F64_SOFTPLUS:
        return (v > 0.0 ? v : 0.0) +
               oribi_micro_double_log1p(oribi_micro_double_exp(-oribi_micro_double_magnitude(v)));
    case ORIBI_MICRO_F64_SQRT:
        return oribi_micro_double_sqrt(v);
    case ORIBI_MICRO_F64_SWISH:
        return v * oribi_micro_double_sigmoid(alpha * v);
    case ORIBI_MICRO_F64_TANH:
        return oribi_micro_double_tanh(v);
    default:
        return plain(function, v, alpha);
    }
}

void oribi_micro_unary_f64(const struct oribi_micro_unary_f64_args *args, const double *input,
                           double *output)
{
    TVMGEN_YIELD();
    for (int32_t i = 0; i < args->count; i++) {
        output[i] = compute(args->function, input[i], (double)args->alpha);
    }
}
