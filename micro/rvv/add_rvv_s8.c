/* SPDX-License-Identifier: Apache-2.0 */
/* Sum or difference of int8 tensors, a row at a time, in vectors where both sides have one. Read
 * next: rvv_add.h. */
#include "micro/rvv/add_rvv_s8.h"

#include "micro/rvv/rvv_add.h"

void oribi_micro_add_rvv_s8(const struct oribi_micro_add_s8_args *args, const int8_t *a,
                            const int8_t *b, int8_t *output, void *scratch)
{
    const struct oribi_micro_add_s8_args *p = args;
    struct oribi_micro_broadcast_walk walk = {0};
    const int32_t last = p->shape.rank - 1, count = p->shape.dims[last];
    const int32_t a_step = p->shape.a_step[last], b_step = p->shape.b_step[last];
    const int32_t is_plain =
        a_step == 1 && b_step == 1 && p->scales.subtract == 0 && p->scales.output_shift <= 0;
    (void)scratch;
    do {
        if (is_plain != 0) {
            oribi_micro_rvv_add(&p->scales, a + walk.a, b + walk.b, count, output);
        } else {
            oribi_micro_add_row_s8(&p->scales, a + walk.a, a_step, b + walk.b, b_step, count,
                                   output);
        }
        output += count;
    } while (oribi_micro_broadcast_next(&p->shape, &walk) != 0);
}
