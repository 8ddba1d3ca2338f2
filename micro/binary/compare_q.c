/* SPDX-License-Identifier: Apache-2.0 */
/* Both sides brought to steps of 1/256. */
#include "micro/binary/compare_q.h"

#include "micro/element.h"
#include "micro/fixed_point.h"
#include "micro/pairs.h"

static uint8_t compare(int32_t comparison, int32_t x, int32_t y)
{
    switch (comparison) {
    case 0:
        return x < y ? 1 : 0;
    case 1:
        return x <= y ? 1 : 0;
    case 2:
        return x > y ? 1 : 0;
    case 3:
        return x >= y ? 1 : 0;
    case 4:
        return x == y ? 1 : 0;
    default:
        return x != y ? 1 : 0;
    }
}

void oribi_micro_compare_q(const struct oribi_micro_compare_q_args *args, const void *a,
                           const void *b, uint8_t *output)
{
    const struct oribi_micro_compare_q_args *p = args;
    struct oribi_micro_pairs at = {0};
    do {
        const int32_t left = oribi_micro_element_get(a, p->kind, at.a) - p->a_zero;
        const int32_t right = oribi_micro_element_get(b, p->kind, at.b) - p->b_zero;
        output[at.output] =
            compare(p->comparison, oribi_micro_scale(left * 256, p->a_multiplier, p->a_shift),
                    oribi_micro_scale(right * 256, p->b_multiplier, p->b_shift));
    } while (oribi_micro_pairs_next(&p->shape, &at) != 0);
}
