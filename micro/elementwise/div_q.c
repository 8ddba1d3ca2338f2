/* SPDX-License-Identifier: Apache-2.0 */
/* Quotient of int8, uint8 or int16: a reciprocal in fixed point, scaled once. */
#include "micro/element.h"
#include "micro/elementwise/div_q.h"
#include "micro/fixed_point.h"
#include "micro/pairs.h"
#include "micro/unary/exponential.h"

/* a / b scaled by the multiplier; b is not 0. */
static int32_t divide(const struct oribi_micro_mul_q_args *p, int32_t a, int32_t b)
{
    const int32_t top = b < 0 ? -a : a, bottom = b < 0 ? -b : b;
    const int32_t zeros = oribi_micro_leading_zeros((uint32_t)bottom);
    const int32_t inverse =
        oribi_micro_reciprocal((int32_t)(((uint32_t)bottom << zeros) & UINT32_C(0x7fffffff)));
    const uint32_t size = (uint32_t)(top < 0 ? -top - 1 : top);
    const int32_t room = size == 0U ? 31 : oribi_micro_leading_zeros(size) - 1;
    const int32_t quotient = oribi_micro_high_multiply(oribi_micro_shift_left(top, room), inverse);
    const int32_t scaled = oribi_micro_high_multiply(quotient, p->output_multiplier);
    const int32_t right = 31 - zeros + room - p->output_shift;
    const int32_t value = right > 31  ? 0
                          : right < 0 ? oribi_micro_saturating_shift(scaled, -right)
                                      : oribi_micro_rounding_shift(scaled, right);
    return oribi_micro_clamp(value, -(1 << 30), 1 << 30); /* zero points may be added */
}

void oribi_micro_div_q(const struct oribi_micro_mul_q_args *args, const void *a, const void *b,
                       void *output, void *scratch)
{
    const struct oribi_micro_mul_q_args *p = args;
    struct oribi_micro_pairs at = {0};
    (void)scratch;
    do {
        const int32_t top = oribi_micro_element_get(a, p->kind, at.a) - p->a_zero;
        const int32_t bottom = oribi_micro_element_get(b, p->kind, at.b) - p->b_zero;
        int32_t value = top > 0 ? p->high : top < 0 ? p->low : p->output_zero;
        if (bottom != 0) {
            value = divide(p, top, bottom) + p->output_zero;
        }
        oribi_micro_element_set(output, p->kind, at.output,
                                oribi_micro_clamp(value, p->low, p->high));
    } while (oribi_micro_pairs_next(&p->shape, &at) != 0);
}
