/* SPDX-License-Identifier: Apache-2.0 */
/* 1 / sqrt(x) of an integer as a multiplier, by five of Newton's steps in fixed point, as
 * TensorFlow Lite has it.
 */
#ifndef ORIBI_MICRO_INVERSE_ROOT_H_
#define ORIBI_MICRO_INVERSE_ROOT_H_

#include "micro/fixed_point.h"

/* x * 2^bits, saturated. */
static inline int32_t oribi_micro_widen(int32_t x, int32_t bits)
{
    const int64_t wide = (int64_t)x * ((int64_t)1 << bits);
    return wide > INT32_MAX ? INT32_MAX : wide < INT32_MIN ? INT32_MIN : (int32_t)wide;
}

/* 1 / sqrt(x) = multiplier * 2^(shift - 31), x at least 0; of 0 and 1: as near to 1 as it goes. */
static inline void oribi_micro_inverse_root(int32_t x, int32_t *out_multiplier, int32_t *out_shift)
{
    const int32_t one_and_a_half = 3 << 27, half_root_of_2 = 1518500250;
    int32_t right = 11, y = 1 << 28;
    *out_multiplier = INT32_MAX;
    *out_shift = 0;
    if (x <= 1) {
        return;
    }
    while (x >= 1 << 29) {
        x /= 4;
        right++;
    }
    while (x < 1 << 27) {
        x *= 4;
        right--;
    }
    const int32_t half = oribi_micro_rounding_shift(x >> 1, 1);
    for (int32_t i = 0; i < 5; i++) {
        const int32_t square = oribi_micro_high_multiply(y, y);
        const int32_t cube = oribi_micro_widen(oribi_micro_high_multiply(square, y), 6);
        y = oribi_micro_widen(oribi_micro_high_multiply(one_and_a_half, y) -
                                  oribi_micro_high_multiply(half, cube),
                              3);
    }
    y = oribi_micro_high_multiply(y, half_root_of_2);
    *out_multiplier = right < 0 ? oribi_micro_shift_left(y, -right) : y;
    *out_shift = right < 0 ? 0 : -right;
}

#endif
