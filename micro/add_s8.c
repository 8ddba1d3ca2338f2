/* SPDX-License-Identifier: Apache-2.0 */
/* Sum or difference of int8: both sides brought to one fine scale, added, brought to the output's.
 */
#include "micro/add_s8.h"

#include "micro/fixed_point.h"

enum { FINER = 20 }; /* bits by which the common scale is finer */

static int32_t finer(int32_t value, int32_t zero, int32_t multiplier, int32_t shift)
{
    return oribi_micro_scale(oribi_micro_shift_left(value - zero, FINER), multiplier, shift);
}

void oribi_micro_add_s8(const struct oribi_micro_add_s8_args *args, const int8_t *a,
                        const int8_t *b, int8_t *output, void *scratch)
{
    const struct oribi_micro_add_s8_args *p = args;
    struct oribi_micro_broadcast_walk walk = {{0}, 0, 0};
    const int32_t last = p->shape.rank - 1;
    const int32_t count = p->shape.dims[last];
    const int32_t a_step = p->shape.a_step[last], b_step = p->shape.b_step[last];
    (void)scratch;
    do {
        const int8_t *from_a = a + walk.a, *from_b = b + walk.b;
        for (int32_t i = 0; i < count; i++) {
            const int32_t left = finer(*from_a, p->a_zero, p->a_multiplier, p->a_shift);
            const int32_t right = finer(*from_b, p->b_zero, p->b_multiplier, p->b_shift);
            const int32_t sum = p->subtract != 0 ? left - right : left + right;
            output[i] = (int8_t)oribi_micro_clamp(
                oribi_micro_scale(sum, p->output_multiplier, p->output_shift) + p->output_zero,
                p->low, p->high);
            from_a += a_step;
            from_b += b_step;
        }
        output += count;
    } while (oribi_micro_broadcast_next(&p->shape, &walk));
}
