/* SPDX-License-Identifier: Apache-2.0 */
/* Product of two quantised tensors, a row at a time. */
#include "micro/float_rules.h"

#include "micro/port.h"
#include "micro/qlinear.h"
#include "micro/elementwise/qlinear_binary.h"

void oribi_micro_qlinear_mul(const struct oribi_micro_qlinear_binary_args *args, const void *a,
                             const void *b, void *output)
{
    const struct oribi_micro_qlinear_binary_args *p = args;
    struct oribi_micro_broadcast_walk walk = {0};
    const int32_t last = p->shape.rank - 1;
    const int32_t count = p->shape.dims[last];
    uint8_t *to = (uint8_t *)output;
    do {
        const uint8_t *left = (const uint8_t *)a + walk.a, *right = (const uint8_t *)b + walk.b;
        TVMGEN_YIELD();
        for (int32_t i = 0; i < count; i++) {
            const int32_t x =
                oribi_micro_qlinear_get(left, i * p->shape.a_step[last], p->a_signed) - p->a_zero;
            const int32_t y =
                oribi_micro_qlinear_get(right, i * p->shape.b_step[last], p->b_signed) - p->b_zero;
            const float product = (float)(x * y) * p->a_ratio;
            to[i] = oribi_micro_qlinear_shifted_byte(product + p->offset, p->low, p->high);
        }
        to += count;
    } while (oribi_micro_broadcast_next(&p->shape, &walk) != 0);
}
