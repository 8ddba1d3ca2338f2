/* SPDX-License-Identifier: Apache-2.0 */
/* What a product or a window does with its sum at the end. */
#ifndef DEVICE_OPS_CODE_ACTIVATE_H_
#define DEVICE_OPS_CODE_ACTIVATE_H_

#include "dialect.h"
#include "parameters.h"

DEVICE_FUNCTION float op_activate(float v, int kind, float alpha)
{
    switch (kind) {
    case OP_RELU:
        return v < 0.0f ? 0.0f : v;
    case OP_RELU6:
        return v < 0.0f ? 0.0f : v > 6.0f ? 6.0f : v;
    case OP_ELU:
        return v < 0.0f ? expm1f(v) : v;
    case OP_LEAKY_RELU:
        return v < 0.0f ? alpha * v : v;
    case OP_SIGMOID:
        return 1.0f / (1.0f + expf(-v));
    case OP_TANH:
        return tanhf(v);
    default:
        return v;
    }
}

#endif
