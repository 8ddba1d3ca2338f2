/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of a row of bytes in fixed point: what softmax_s8.c, softmax_u8.c and softmax_wide.c
 * share. Exponentials are computed twice instead of kept.
 */
#ifndef ORIBI_MICRO_SOFTMAX_ROW_8_H_
#define ORIBI_MICRO_SOFTMAX_ROW_8_H_

#include "micro/element.h"
#include "micro/unary/exponential.h"
#include "micro/norm/softmax_8.h"

enum { ORIBI_MICRO_SOFTMAX_SUM_BITS = 12 };

static inline int32_t oribi_micro_softmax_power(const struct oribi_micro_softmax_8_args *a,
                                                int32_t difference)
{
    return oribi_micro_exp_negative(
        oribi_micro_high_multiply(oribi_micro_shift_left(difference, a->shift), a->multiplier));
}

/* The row's values are elements [from, from + columns) of x and of y, whose kind is `to`. */
static inline void oribi_micro_softmax_row_8(const struct oribi_micro_softmax_8_args *a,
                                             int32_t kind, int32_t to, int32_t from, const void *x,
                                             void *y)
{
    const int32_t bits = to == ORIBI_MICRO_S16 ? 16 : 8;
    const int32_t least = to == ORIBI_MICRO_U8 ? 0 : -(1 << (bits - 1));
    const int32_t lowest = kind == ORIBI_MICRO_U8 ? 0 : INT8_MIN;
    int32_t largest = lowest, sum = 0;
    for (int32_t i = 0; i < a->columns; i++) {
        const int32_t value = oribi_micro_element_get(x, kind, from + i);
        largest = value > largest ? value : largest;
    }
    for (int32_t i = 0; i < a->columns; i++) {
        const int32_t difference = oribi_micro_element_get(x, kind, from + i) - largest;
        if (difference >= a->farthest) {
            sum += oribi_micro_rounding_shift(oribi_micro_softmax_power(a, difference),
                                              ORIBI_MICRO_SOFTMAX_SUM_BITS);
        }
    }
    const int32_t zeros = oribi_micro_leading_zeros((uint32_t)sum);
    const int32_t scale =
        oribi_micro_reciprocal((int32_t)(((uint32_t)sum << zeros) & UINT32_C(0x7fffffff)));
    const int32_t shift = ORIBI_MICRO_SOFTMAX_SUM_BITS - zeros + 31 - bits;
    for (int32_t i = 0; i < a->columns; i++) {
        const int32_t difference = oribi_micro_element_get(x, kind, from + i) - largest;
        int32_t result = 0;
        if (difference >= a->farthest && shift <= 31) { /* beyond, all results round to 0 */
            result = oribi_micro_rounding_shift(
                oribi_micro_high_multiply(scale, oribi_micro_softmax_power(a, difference)), shift);
        }
        oribi_micro_element_set(y, to, from + i,
                                oribi_micro_clamp(result, 0, (1 << bits) - 1) + least);
    }
}

#endif
