/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisations: batches by known statistics, neighbouring channels. */
#include "divide.h"

/* s: what is added, where has_side says so. */
KERNEL7(op_batch_norm, float, z, const float, x, const float, scale, const float, offset,
        const float, mean, const float, variance, const float, s, op_norm, p)
{
    const int i = GLOBAL_ID(x);
    if (i >= p.n) {
        return;
    }
    const int place = op_divide(i, p.by_inner);
    const int c = place - op_divide(place, p.by_channels) * p.channels;
    float v = (x[i] - mean[c]) * (scale[c] / sqrtf(variance[c] + p.epsilon)) + offset[c];
    if (p.has_side) {
        v += s[i];
    }
    z[i] = p.has_relu && v < 0.0f ? 0.0f : v;
}

/* v to the power of -beta; the powers that models have need no pow. */
DEVICE_FUNCTION float op_power(float v, float beta)
{
    return beta == 0.75f  ? 1.0f / (sqrtf(v) * sqrtf(sqrtf(v)))
           : beta == 0.5f ? 1.0f / sqrtf(v)
           : beta == 1.0f ? 1.0f / v
                          : powf(v, -beta);
}

KERNEL2(op_local_response, float, z, const float, x, op_lrn, p)
{
    const int i = GLOBAL_ID(x);
    if (i >= p.n) {
        return;
    }
    const int c = i - op_divide(i, p.by_channels) * p.channels;
    const int first = c < p.radius ? -c : -p.radius;
    const int last = p.channels - 1 - c < p.radius ? p.channels - 1 - c : p.radius;
    float sum = 0.0f;
    for (int k = first; k <= last; k++) {
        sum += x[i + k] * x[i + k];
    }
    z[i] = x[i] * op_power(p.bias + p.alpha * sum, p.beta);
}
