/* SPDX-License-Identifier: Apache-2.0 */
/* Both sides brought to one fine scale, added, maybe squared, brought to the output's. */
#include "micro/elementwise/wide_add.h"

#include "micro/element.h"
#include "micro/fixed_point.h"
#include "micro/pairs.h"

static int32_t sum(const struct oribi_micro_wide_add_args *p, int32_t a, int32_t b)
{
    if (p->is_binary != 0) {
        const int32_t right = oribi_micro_rounding_shift(b, -p->b_shift);
        const int32_t left = oribi_micro_rounding_shift(a, -p->a_shift);
        return p->subtract != 0 ? left - right : left + right;
    }
    const int32_t left = oribi_micro_scale(oribi_micro_shift_left(a - p->a_zero, p->finer),
                                           p->a_multiplier, p->a_shift);
    const int32_t right = oribi_micro_scale(oribi_micro_shift_left(b - p->b_zero, p->finer),
                                            p->b_multiplier, p->b_shift);
    const int32_t total = p->subtract != 0 ? left - right : left + right;
    return oribi_micro_scale(p->squares != 0 ? total * total : total, p->output_multiplier,
                             p->output_shift) +
           p->output_zero;
}

void oribi_micro_wide_add(const struct oribi_micro_wide_add_args *args, const void *a,
                          const void *b, void *output)
{
    const struct oribi_micro_wide_add_args *p = args;
    struct oribi_micro_pairs at = {0};
    do {
        const int32_t total = sum(p, oribi_micro_element_get(a, p->kind, at.a),
                                  oribi_micro_element_get(b, p->kind, at.b));
        oribi_micro_element_set(output, p->kind, at.output,
                                oribi_micro_clamp(total, p->low, p->high));
    } while (oribi_micro_pairs_next(&p->shape, &at) != 0);
}
