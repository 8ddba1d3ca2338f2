/* SPDX-License-Identifier: Apache-2.0 */
/* Sum of int8, four at a time, where all of int8 is allowed. Read next: mve_add.h. */
#include "micro/mve/add_row_mve_s8.h"

#include "micro/mve/mve_add.h"

void oribi_micro_add_row_mve_s8(const struct oribi_micro_add_scales_s8 *scales, const int8_t *a,
                                int32_t a_step, const int8_t *b, int32_t b_step, int32_t count,
                                int8_t *output)
{
    const struct oribi_micro_add_scales_s8 *s = scales;
    if (a_step == 1 && b_step == 1 && s->subtract == 0 && s->low == INT8_MIN &&
        s->high == INT8_MAX && s->output_shift <= 0) {
        oribi_micro_mve_add(s, a, b, count, output);
    } else {
        oribi_micro_add_row_s8(s, a, a_step, b, b_step, count, output);
    }
}
