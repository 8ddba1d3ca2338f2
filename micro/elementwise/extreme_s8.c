/* SPDX-License-Identifier: Apache-2.0 */
/* Row by row of the broadcast. */
#include "micro/elementwise/extreme_q.h"

void oribi_micro_extreme_s8(const struct oribi_micro_extreme_q_args *args, const int8_t *a,
                            const int8_t *b, int8_t *output)
{
    const struct oribi_micro_broadcast *shape = &args->shape;
    struct oribi_micro_broadcast_walk walk = {0};
    const int32_t last = shape->rank - 1, count = shape->dims[last];
    do {
        const int8_t *left = a + walk.a, *right = b + walk.b;
        for (int32_t i = 0; i < count; i++) {
            const int32_t takes_left = args->is_least != 0 ? *left < *right : *left > *right;
            output[i] = takes_left ? *left : *right;
            left += shape->a_step[last];
            right += shape->b_step[last];
        }
        output += count;
    } while (oribi_micro_broadcast_next(shape, &walk) != 0);
}
