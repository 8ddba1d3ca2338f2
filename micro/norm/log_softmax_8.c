/* SPDX-License-Identifier: Apache-2.0 */
/* One logarithm for each row, in fixed point. */
#include "micro/norm/log_softmax_8.h"

#include "micro/element.h"
#include "micro/fixed_point.h"
#include "micro/unary/exponential.h"

enum { SUM_BITS = 12 }; /* of integers: sums are Q12.19 */

static int32_t difference(const struct oribi_micro_log_softmax_8_args *a, int32_t x)
{
    return oribi_micro_high_multiply(oribi_micro_shift_left(x, a->shift), a->multiplier);
}

/* log(x) as Q5.26 for x at least 1 as Q12.19: the power of two, and a quotient of polynomials for
 * the rest. */
static int32_t logarithm(int32_t x)
{
    const int32_t log_2 = 1488522236, fourth_root = 1805811301, root = 1518500250;
    const int32_t quarter = 1 << 23; /* Q6.25 */
    const int32_t half = oribi_micro_high_multiply(x, root);
    const int32_t zeros = oribi_micro_leading_zeros((uint32_t)x);
    const int32_t half_zeros = oribi_micro_leading_zeros((uint32_t)half) - 1;
    /* x, and x / sqrt(2), whose power of two is the nearer one for half of all x */
    const int32_t one = oribi_micro_saturating_shift(
        oribi_micro_high_multiply(oribi_micro_saturating_shift(x, zeros - 1), root), 1);
    const int32_t other = oribi_micro_saturating_shift(x, half_zeros);
    const int32_t one_power = (SUM_BITS - zeros) * (1 << 25) + quarter; /* Q6.25 */
    const int32_t other_power = (SUM_BITS - half_zeros) * (1 << 25) - quarter;
    const int32_t r = one < other ? one : other;
    const int32_t power = one_power > other_power ? one_power : other_power;
    const int32_t p = (int32_t)(((int64_t)r + fourth_root + 1) / 2);
    const int32_t q = 2 * (r - fourth_root);
    const int32_t q2 = oribi_micro_high_multiply(q, q);
    const int32_t above = oribi_micro_high_multiply(q, r) +
                          oribi_micro_high_multiply(oribi_micro_high_multiply(q, q2), 117049297);
    const int32_t below =
        oribi_micro_high_multiply(p, 1057819769 + q + oribi_micro_high_multiply(127690142, q2)) +
        oribi_micro_high_multiply(638450708, q);
    const int32_t quotient = oribi_micro_high_multiply(oribi_micro_rounding_shift(above, 6),
                                                       oribi_micro_reciprocal(below));
    return oribi_micro_saturating_shift(oribi_micro_high_multiply(power, log_2) + quotient, 1);
}

static int32_t logarithm_of_sum(const struct oribi_micro_log_softmax_8_args *p, int32_t kind,
                                const void *input, int32_t first, int32_t largest)
{
    int32_t sum = 0;
    for (int32_t i = 0; i < p->columns; i++) {
        const int32_t x = oribi_micro_element_get(input, kind, first + i) - largest;
        if (x >= p->farthest) {
            sum += oribi_micro_rounding_shift(oribi_micro_exp_negative(difference(p, x)), SUM_BITS);
        }
    }
    return logarithm(sum);
}

void oribi_micro_log_softmax_8(const struct oribi_micro_log_softmax_8_args *args, const void *input,
                               void *output)
{
    const struct oribi_micro_log_softmax_8_args *p = args;
    const int32_t kind = p->is_unsigned != 0 ? ORIBI_MICRO_U8 : ORIBI_MICRO_S8;
    const int32_t low = p->is_unsigned != 0 ? 0 : INT8_MIN, high = low + UINT8_MAX;
    for (int32_t row = 0; row < p->rows; row++) {
        const int32_t first = row * p->columns;
        int32_t largest = low;
        for (int32_t i = 0; i < p->columns; i++) {
            const int32_t x = oribi_micro_element_get(input, kind, first + i);
            largest = x > largest ? x : largest;
        }
        const int32_t log_sum = logarithm_of_sum(p, kind, input, first, largest);
        const int32_t limit =
            oribi_micro_scale(log_sum + INT32_MIN, p->back_multiplier, p->back_shift);
        const int32_t least = limit > p->farthest - 1 ? limit : p->farthest - 1;
        for (int32_t i = 0; i < p->columns; i++) {
            const int32_t x = oribi_micro_element_get(input, kind, first + i) - largest;
            int32_t y = low;
            if (x > least) {
                y = oribi_micro_rounding_shift(
                        (int32_t)((uint32_t)difference(p, x) - (uint32_t)log_sum), 22) +
                    high;
            }
            oribi_micro_element_set(output, kind, first + i, oribi_micro_clamp(y, low, high));
        }
    }
}
