/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of int8 in fixed point. Exponentials are computed twice instead of kept. */
#include "micro/softmax_s8.h"

#include "micro/exponential.h"
#include "micro/port.h"

enum { SUM_INTEGER_BITS = 12, RESULT_BITS = 8 };

static int32_t power(const struct oribi_micro_softmax_s8_args *a, int32_t difference)
{
    return oribi_micro_exp_negative(
        oribi_micro_high_multiply(oribi_micro_shift_left(difference, a->shift), a->multiplier));
}

static void row_softmax(const struct oribi_micro_softmax_s8_args *a, const int8_t *x, int8_t *y)
{
    int32_t largest = INT8_MIN, sum = 0;
    for (int32_t i = 0; i < a->columns; i++) {
        largest = x[i] > largest ? x[i] : largest;
    }
    for (int32_t i = 0; i < a->columns; i++) {
        if (x[i] - largest >= a->farthest) {
            sum += oribi_micro_rounding_shift(power(a, x[i] - largest), SUM_INTEGER_BITS);
        }
    }
    const int32_t zeros = oribi_micro_leading_zeros((uint32_t)sum);
    const int32_t scale =
        oribi_micro_reciprocal((int32_t)(((uint32_t)sum << zeros) & UINT32_C(0x7fffffff)));
    const int32_t shift = SUM_INTEGER_BITS - zeros + 31 - RESULT_BITS;
    for (int32_t i = 0; i < a->columns; i++) {
        int32_t result = 0;
        if (x[i] - largest >= a->farthest && shift <= 31) { /* beyond, all results round to 0 */
            result = oribi_micro_rounding_shift(
                oribi_micro_high_multiply(scale, power(a, x[i] - largest)), shift);
        }
        y[i] = (int8_t)oribi_micro_clamp(result + INT8_MIN, INT8_MIN, INT8_MAX);
    }
}

void oribi_micro_softmax_s8(const struct oribi_micro_softmax_s8_args *args, const int8_t *input,
                            int8_t *output, void *scratch)
{
    (void)scratch;
    for (int32_t row = 0; row < args->rows; row++) {
        TVMGEN_YIELD();
        row_softmax(args, input + row * args->columns, output + row * args->columns);
    }
}
