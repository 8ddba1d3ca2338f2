/* SPDX-License-Identifier: Apache-2.0 */
/* The larger or smaller of uint8 or int16. */
#include "micro/element.h"
#include "micro/elementwise/extreme_q.h"
#include "micro/pairs.h"

void oribi_micro_wide_extreme(const struct oribi_micro_extreme_q_args *args, const void *a,
                              const void *b, void *output)
{
    struct oribi_micro_pairs at = {0};
    do {
        const int32_t left = oribi_micro_element_get(a, args->kind, at.a);
        const int32_t right = oribi_micro_element_get(b, args->kind, at.b);
        const int32_t takes_left = args->is_least != 0 ? left < right : left > right;
        oribi_micro_element_set(output, args->kind, at.output, takes_left != 0 ? left : right);
    } while (oribi_micro_pairs_next(&args->shape, &at) != 0);
}
