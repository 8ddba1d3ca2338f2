/* SPDX-License-Identifier: Apache-2.0 */
/* One multiplier for each row. */
#include "micro/norm/l2_normalize_8.h"

#include "micro/element.h"
#include "micro/norm/inverse_root.h"

void oribi_micro_l2_normalize_8(const struct oribi_micro_l2_normalize_8_args *args,
                                const void *input, void *output)
{
    const struct oribi_micro_l2_normalize_8_args *p = args;
    const int32_t kind = p->is_unsigned != 0 ? ORIBI_MICRO_U8 : ORIBI_MICRO_S8;
    const int32_t zero = p->is_unsigned != 0 ? 128 : 0;
    for (int32_t row = 0; row < p->rows; row++) {
        const int32_t first = row * p->columns;
        int32_t sum = 0, multiplier, shift;
        for (int32_t i = 0; i < p->columns; i++) {
            const int32_t x = oribi_micro_element_get(input, kind, first + i) - p->input_zero;
            sum += x * x;
        }
        oribi_micro_inverse_root(sum, &multiplier, &shift);
        for (int32_t i = 0; i < p->columns; i++) {
            const int32_t x = oribi_micro_element_get(input, kind, first + i) - p->input_zero;
            const int32_t y = p->is_unsigned != 0 ? oribi_micro_scale(x * 128, multiplier, shift)
                                                  : oribi_micro_scale(x, multiplier, shift + 7);
            oribi_micro_element_set(output, kind, first + i,
                                    oribi_micro_clamp(y, -128, 127) + zero);
        }
    }
}
