/* SPDX-License-Identifier: Apache-2.0 */
/* Product of int8: exact products, scaled once. */
#include "micro/elementwise/mul_q.h"

#include "micro/fixed_point.h"

void oribi_micro_mul_s8(const struct oribi_micro_mul_q_args *args, const int8_t *a, const int8_t *b,
                        int8_t *output, void *scratch)
{
    const struct oribi_micro_mul_q_args *p = args;
    struct oribi_micro_broadcast_walk walk = {0};
    const int32_t last = p->shape.rank - 1;
    const int32_t count = p->shape.dims[last];
    const int32_t a_step = p->shape.a_step[last], b_step = p->shape.b_step[last];
    (void)scratch;
    do {
        const int8_t *from_a = a + walk.a, *from_b = b + walk.b;
        for (int32_t i = 0; i < count; i++) {
            const int32_t product = (*from_a - p->a_zero) * (*from_b - p->b_zero);
            output[i] = (int8_t)oribi_micro_clamp(
                oribi_micro_scale(product, p->output_multiplier, p->output_shift) + p->output_zero,
                p->low, p->high);
            from_a += a_step;
            from_b += b_step;
        }
        output += count;
    } while (oribi_micro_broadcast_next(&p->shape, &walk) != 0);
}
