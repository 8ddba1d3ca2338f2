/* SPDX-License-Identifier: Apache-2.0 */
/* Sum or difference of int8 tensors, a row at a time. Read next: add_row_mve_s8.c. */
#include "micro/mve/add_mve_s8.h"

#include "micro/mve/add_row_mve_s8.h"

void oribi_micro_add_mve_s8(const struct oribi_micro_add_s8_args *args, const int8_t *a,
                            const int8_t *b, int8_t *output, void *scratch)
{
    const struct oribi_micro_add_s8_args *p = args;
    struct oribi_micro_broadcast_walk walk = {0};
    const int32_t last = p->shape.rank - 1;
    const int32_t count = p->shape.dims[last];
    (void)scratch;
    do {
        oribi_micro_add_row_mve_s8(&p->scales, a + walk.a, p->shape.a_step[last], b + walk.b,
                                   p->shape.b_step[last], count, output);
        output += count;
    } while (oribi_micro_broadcast_next(&p->shape, &walk) != 0);
}
