/* SPDX-License-Identifier: Apache-2.0 */
/* Logistic and tanh of int16 between the places of a table, as TensorFlow Lite Micro's reference
 * kernels: results in Q0.15. Not how TensorFlow Lite's LSTM does it: curve_fixed_s16.h.
 */
#ifndef ORIBI_MICRO_CURVE_S16_H_
#define ORIBI_MICRO_CURVE_S16_H_

#include "micro/elementwise/curve_table_s16.h"

/* The place of x: x times multiplier, a rounded right shift. multiplier >= 0, the product within
 * int32; shift in [0, 30]. */
static inline int32_t oribi_micro_curve_place(int32_t x, int32_t multiplier, int32_t shift)
{
    return (x * multiplier + (shift > 0 ? 1 << (shift - 1) : 0)) >> shift;
}

/* 1 / (1 + exp(-x)); place is 512 * 24 * x. */
static inline int32_t oribi_micro_curve_logistic(int32_t place)
{
    const uint32_t size = (uint32_t)(place < 0 ? -place : place), at = size >> 9;
    uint32_t y = UINT32_C(0x7FFF) << 10;
    if (at < 255U) {
        const uint32_t low = oribi_micro_curve_table_s16[at];
        const uint32_t step = oribi_micro_curve_table_s16[at + 1U] - low;
        y = (low << 9) + (size & 511U) * step;
    }
    y = place >= 0 ? y + (1U << 9) : (UINT32_C(1) << 25) - y + (1U << 9) - 1U;
    return (int32_t)(y >> 10);
}

/* tanh(x), which is 2 / (1 + exp(-2 x)) - 1; place is 256 * 48 * x. */
static inline int32_t oribi_micro_curve_tanh(int32_t place)
{
    const uint32_t size = (uint32_t)(place < 0 ? -place : place), at = size >> 8;
    int32_t y = 0xFFFF << 8;
    if (at < 255U) {
        const uint32_t low = oribi_micro_curve_table_s16[at];
        const uint32_t step = oribi_micro_curve_table_s16[at + 1U] - low;
        y = (int32_t)((low << 8) + (size & 255U) * step);
    }
    y = place >= 0 ? y - (1 << 23) + (1 << 7) : -y + (1 << 23) + (1 << 7) - 1;
    return y >> 8;
}

#endif
