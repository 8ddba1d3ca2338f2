/* SPDX-License-Identifier: Apache-2.0 */
/* Product of uint8 or int16: exact products, scaled once. */
#include "micro/element.h"
#include "micro/fixed_point.h"
#include "micro/elementwise/mul_q.h"
#include "micro/pairs.h"

void oribi_micro_wide_mul(const struct oribi_micro_mul_q_args *args, const void *a, const void *b,
                          void *output, void *scratch)
{
    const struct oribi_micro_mul_q_args *p = args;
    struct oribi_micro_pairs at = {0};
    (void)scratch;
    do {
        const int32_t product = (oribi_micro_element_get(a, p->kind, at.a) - p->a_zero) *
                                (oribi_micro_element_get(b, p->kind, at.b) - p->b_zero);
        const int32_t scaled =
            oribi_micro_scale(product, p->output_multiplier, p->output_shift) + p->output_zero;
        oribi_micro_element_set(output, p->kind, at.output,
                                oribi_micro_clamp(scaled, p->low, p->high));
    } while (oribi_micro_pairs_next(&p->shape, &at) != 0);
}
