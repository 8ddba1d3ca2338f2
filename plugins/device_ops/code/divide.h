/* SPDX-License-Identifier: Apache-2.0 */
/* Division of indices by a number that is the same for all threads: a product and a shift, which
 * are vectors' instructions where a division is not. Source: Granlund and Montgomery, Division by
 * Invariant Integers using Multiplication, 1994, figure 4.1; exact for 0 <= n < 2^31.
 */
#ifndef DEVICE_OPS_CODE_DIVIDE_H_
#define DEVICE_OPS_CODE_DIVIDE_H_

#include "dialect.h"
#include "parameters.h"

DEVICE_FUNCTION int op_divide(int n, op_divisor d)
{
    return (int)((MULTIPLY_HIGH((unsigned)n, d.multiplier) + (unsigned)n) >> d.shift);
}

#endif
