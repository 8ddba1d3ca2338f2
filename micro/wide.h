/* SPDX-License-Identifier: Apache-2.0 */
/* Fixed point of int16 activations with sums of 64 bits: TensorFlow Lite's 16x8 arithmetic. */
#ifndef ORIBI_MICRO_WIDE_H_
#define ORIBI_MICRO_WIDE_H_

#include "micro/fixed_point.h"

/* x times multiplier * 2^(shift - 31), the multiplier reduced to 16 bits, one rounding, half up.
 * multiplier >= 0, shift in [-31, 7]; |x| < 2^47. */
static inline int32_t oribi_micro_scale_wide(int64_t x, int32_t multiplier, int32_t shift)
{
    const int32_t reduced = multiplier < 0x7FFF0000 ? (multiplier + (1 << 15)) >> 16 : 0x7FFF;
    const int32_t total = 15 - shift;
    return (int32_t)((x * (int64_t)reduced + (INT64_C(1) << (total - 1))) >> total);
}

#endif
