/* SPDX-License-Identifier: Apache-2.0 */
/* Bias and activation, in place, after a product that a vendor's library made. */
#include "activate.h"

KERNEL2(op_epilogue, float, z, const float, b, op_bias, p)
{
    const int i = GLOBAL_ID(x);
    if (i < p.n) {
        const float v = p.has_bias ? z[i] + b[i % p.columns] : z[i];
        z[i] = op_activate(v, p.activation, p.alpha);
    }
}
